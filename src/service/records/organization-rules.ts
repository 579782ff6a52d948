import type { Input } from '../../contract/grammar.ts';
import type { organizations } from '../../contract/organizations.ts';
import { extractHost } from '../../values/domain.ts';
import type { Database } from '../db/database.ts';
import { ids } from '../db/ids.ts';
import { filled } from '../db/rows.ts';
import type { Faults } from '../field-errors.ts';
import { fieldsOfModel } from './custom-fields.ts';
import { type CheckedValue, checkedValues, storeValues } from './field-values.ts';
import { domainsOf, type OrganizationRow } from './organization-rows.ts';

/** A change of an organization that was checked whole and can be stored; a name of undefined stays. */
export interface OrganizationChange {
  readonly name: string | null | undefined;
  readonly newDomains: readonly string[];
  readonly values: readonly CheckedValue[];
}

/** Checks what is asked of an organization (`row`), or of a new one, by the rules of specification 4.2. */
export async function checkedOrganizationChange(
  db: Database,
  row: OrganizationRow | undefined,
  input: Input<typeof organizations.create>,
  faults: Faults,
): Promise<OrganizationChange> {
  const domains = input.domains ?? [];
  const change = {
    name: input.name === undefined ? undefined : filled(input.name),
    newDomains: await checkedDomains(db, row, domains, faults),
    values: await checkedValues(
      db,
      await fieldsOfModel(db, 'organization'),
      input.custom_fields ?? [],
      faults,
      ['custom_fields'],
    ),
  };
  const name = change.name === undefined ? row?.name : change.name;
  const hasDomain =
    domains.length > 0 || (row !== undefined && (await domainsOf(db, [row.id]))(row.id).length > 0);
  if (!filled(name) && !hasDomain) {
    faults.add(['name'], 'required', 'name, or at least one valid URL in domains, is required.');
  }
  return change;
}

/** The domains that the organization does not hold yet. */
async function checkedDomains(
  db: Database,
  row: OrganizationRow | undefined,
  domains: readonly string[],
  faults: Faults,
): Promise<string[]> {
  const found: string[] = [];
  for (const [index, given] of domains.entries()) {
    if (given === undefined) continue; // a hole: at fault already
    const domain = extractHost(given);
    if (domain === undefined) {
      faults.add(['domains', index], 'value', `"${given}" is not a URL or a domain name.`);
      continue;
    }
    if (found.includes(domain)) continue;
    const holder = await db
      .selectFrom('organization_domain')
      .select('organization_id')
      .where('domain', '=', domain)
      .executeTakeFirst();
    if (!holder) found.push(domain);
    else if (holder.organization_id !== row?.id) {
      const id = ids.organization.encode(holder.organization_id);
      // Clients look for both phrases.
      const message = `The domain "${domain}" has already been taken: ${id} has the same organization domain.`;
      faults.add(['domains', index], 'taken', message);
    }
  }
  return found;
}

/** Those of the domains that the organization holds; all may only go where a name stays. */
export async function checkedDomainRemoval(
  db: Database,
  row: OrganizationRow,
  domains: readonly string[],
  faults: Faults,
): Promise<string[]> {
  const asked = new Set(Array.from(domains, (domain) => extractHost(domain ?? '') ?? ''));
  const held = (await domainsOf(db, [row.id]))(row.id);
  const removed = held.map(({ domain }) => domain).filter((domain) => asked.has(domain));
  if (removed.length > 0 && removed.length === held.length && !row.name) {
    faults.add(
      ['domains'],
      'required',
      'An organization needs a name or a domain; these are its last domains.',
    );
  }
  return removed;
}

/** Stores a checked change of the organization `id`. */
export async function storeOrganizationChange(
  db: Database,
  id: number,
  { name, newDomains, values }: OrganizationChange,
): Promise<void> {
  if (name !== undefined) await db.updateTable('organization').set({ name }).where('id', '=', id).execute();
  const { last } = await db
    .selectFrom('organization_domain')
    .select(({ fn }) => fn.max('position').as('last'))
    .where('organization_id', '=', id)
    .executeTakeFirstOrThrow();
  for (const [index, domain] of newDomains.entries()) {
    const position = (last ?? -1) + 1 + index;
    await db.insertInto('organization_domain').values({ domain, organization_id: id, position }).execute();
  }
  await storeValues(db, 'organization_value', id, values);
}
