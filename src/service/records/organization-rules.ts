import sql from 'sql-template-tag';
import type { Input } from '../../contract/grammar.ts';
import type { organizations } from '../../contract/organizations.ts';
import { extractHost } from '../../values/domain.ts';
import type { Database } from '../db/database.ts';
import { ids } from '../db/ids.ts';
import { belongsTo, getOnly, insertRow, readParts, updateRow } from '../db/statements.ts';
import type { Row } from '../db/tables.ts';
import type { FieldErrors } from '../field-errors.ts';
import {
  blankToNull,
  type FieldChange,
  readCustomFields,
  storeValues,
  validateValues,
} from './field-values.ts';

/** A valid change of an organization. A name of undefined does not change. */
interface OrganizationChange {
  readonly name: string | null | undefined;
  readonly newDomains: readonly string[];
  readonly values: readonly FieldChange[];
}

/** Validates a new organization, or a change of the organization `row` (specification, 4.2). */
export async function validateOrganization(
  db: Database,
  row: Row<'organization'> | undefined,
  input: Input<typeof organizations.create>,
  errors: FieldErrors,
): Promise<OrganizationChange> {
  const { domains = [], custom_fields = [] } = input;
  const change = {
    name: input.name === undefined ? undefined : blankToNull(input.name),
    newDomains: await validateDomains(db, row, domains, errors),
    values: await validateValues(db, await readCustomFields(db, 'organization'), custom_fields, errors, [
      'custom_fields',
    ]),
  };
  const name = change.name === undefined ? row?.name : change.name;
  const hasDomain =
    domains.length > 0 || (row !== undefined && (await readDomains(db, [row.id]))(row.id).length > 0);
  if (!blankToNull(name) && !hasDomain) {
    errors.add(['name'], 'required', 'name, or at least one valid URL in domains, is required.');
  }
  return change;
}

/** Reads the domains of organizations; returns a function that gives those of one. */
export async function readDomains(
  db: Database,
  organizations: readonly number[],
): Promise<(organization: number) => string[]> {
  const domains = await readParts<{ record: number; domain: string }>(
    db,
    sql`select organization_id as record, domain from organization_domain
      where ${belongsTo('organization_id', organizations)} order by organization_id, position`,
  );
  return (organization) => domains(organization).map(({ domain }) => domain);
}

/** Returns the domains that the organization does not have yet. */
async function validateDomains(
  db: Database,
  row: Row<'organization'> | undefined,
  texts: readonly string[],
  errors: FieldErrors,
): Promise<string[]> {
  const added: string[] = [];
  for (const [index, text] of texts.entries()) {
    if (text === undefined) continue; // invalid, and removed
    const domain = extractHost(text);
    if (domain === undefined) {
      errors.add(['domains', index], 'value', `"${text}" is not a URL or a domain name.`);
      continue;
    }
    if (added.includes(domain)) continue;
    const owner = await db.first<Row<'organization_domain'>>(
      sql`select organization_id from organization_domain where domain = ${domain}`,
    );
    if (!owner) added.push(domain);
    else if (owner.organization_id !== row?.id) {
      const id = ids.organization.encode(owner.organization_id);
      // Clients search for both phrases.
      const message = `The domain "${domain}" has already been taken: ${id} has the same organization domain.`;
      errors.add(['domains', index], 'taken', message);
    }
  }
  return added;
}

/** Returns those of the domains that the organization has. An organization without a name keeps one. */
export async function validateDomainRemoval(
  db: Database,
  row: Row<'organization'>,
  domains: readonly string[],
  errors: FieldErrors,
): Promise<string[]> {
  const requested = new Set(Array.from(domains, (domain) => extractHost(domain ?? '') ?? ''));
  const existing = (await readDomains(db, [row.id]))(row.id);
  const removed = existing.filter((domain) => requested.has(domain));
  if (removed.length > 0 && removed.length === existing.length && !row.name) {
    errors.add(
      ['domains'],
      'required',
      'An organization needs a name or a domain; these are its last domains.',
    );
  }
  return removed;
}

/** Stores a valid change of an organization. */
export async function storeOrganization(
  db: Database,
  id: number,
  { name, newDomains, values }: OrganizationChange,
): Promise<void> {
  await updateRow(db, 'organization', id, { name });
  if (newDomains.length > 0) {
    const { last } = getOnly(
      await db.all<{ last: number | null }>(
        sql`select max(position) as last from organization_domain where organization_id = ${id}`,
      ),
    );
    for (const [index, domain] of newDomains.entries()) {
      const position = (last ?? -1) + 1 + index;
      await insertRow(db, 'organization_domain', { domain, organization_id: id, position });
    }
  }
  await storeValues(db, 'organization_value', id, values);
}
