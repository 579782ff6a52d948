import type { Selectable } from 'kysely';
import { hostOf } from '../contract/domain.ts';
import { Failure } from '../contract/errors.ts';
import type { Input } from '../contract/grammar.ts';
import type { Organization, organizations } from '../contract/organizations.ts';
import { fieldsOfModel } from './custom-fields.ts';
import { type Database, transact } from './database.ts';
import type { Deps, Handlers } from './deps.ts';
import type { Faults } from './faults.ts';
import { ids } from './ids.ts';
import { pageOf } from './page.ts';
import { belonging, reading } from './reading.ts';
import { filled, only } from './rows.ts';
import type { Tables } from './tables.ts';
import { timestamp } from './time.ts';
import { type CheckedValue, checkedValues, storeValues, valueMaps } from './values.ts';

type OrganizationRow = Selectable<Tables['organization']>;

/** Specification, 2.5 and 4.2. */
export function organizationHandlers({ db, now }: Deps): Handlers<'organizations'> {
  const one = async (db: Database, id: string) =>
    only(await organizationRecords(db, [await organizationRow(db, id)]));
  return {
    list: (input) =>
      pageOf(db, 'organization', input, async ({ from, offset, limit }) =>
        organizationRecords(db, await pageRows(db, from, limit, offset)),
      ),
    get: ({ organization_id }) => one(db, organization_id),
    create: (input, faults) =>
      transact(db, async (db) => {
        const change = await checkedChange(db, undefined, input, faults);
        faults.raise();
        const time = now().getTime();
        const { id } = await db
          .insertInto('organization')
          .values({ name: null, created_at: time, updated_at: time })
          .returning('id')
          .executeTakeFirstOrThrow();
        await storeChange(db, id, change);
        return one(db, ids.organization.encode(id));
      }),
    update: ({ organization_id, ...input }, faults) =>
      transact(db, async (db) => {
        const row = await organizationRow(db, organization_id);
        const change = await checkedChange(db, row, input, faults);
        faults.raise();
        if (Object.keys(input).length > 0) {
          await storeChange(db, row.id, change);
          await touch(db, row.id, now());
        }
        return one(db, organization_id);
      }),
    removeDomains: ({ organization_id, domains = [] }, faults) =>
      transact(db, async (db) => {
        const row = await organizationRow(db, organization_id);
        const hosts = new Set(Array.from(domains, (domain) => hostOf(domain ?? '') ?? ''));
        const held = (await domainsOf(db, [row.id]))(row.id);
        const kept = held.filter(({ domain }) => !hosts.has(domain));
        if (kept.length === 0 && held.length > 0 && !row.name) {
          faults.add(
            ['domains'],
            'required',
            'An organization needs a name or a domain; these are its last domains.',
          );
        }
        faults.raise();
        if (kept.length < held.length) {
          await db
            .deleteFrom('organization_domain')
            .where('organization_id', '=', row.id)
            .where('domain', 'in', [...hosts])
            .execute();
          await touch(db, row.id, now());
        }
        return one(db, organization_id);
      }),
    delete: ({ organization_id }) =>
      transact(db, async (db) => {
        const { id } = await organizationRow(db, organization_id);
        await db.deleteFrom('organization').where('id', '=', id).execute();
        return null;
      }),
  };
}

async function touch(db: Database, id: number, now: Date): Promise<void> {
  await db.updateTable('organization').set({ updated_at: now.getTime() }).where('id', '=', id).execute();
}

const columns = ['id', 'name', 'created_at', 'updated_at'] as const;

const pageRows = reading((db, from: number, limit: number, offset: number) =>
  db
    .selectFrom('organization')
    .select(columns)
    .where('id', '>=', from)
    .orderBy('id')
    .limit(limit)
    .offset(offset),
);

const rowById = reading((db, id: number) =>
  db.selectFrom('organization').select(columns).where('id', '=', id),
);

async function organizationRow(db: Database, id: string): Promise<OrganizationRow> {
  const row = await organizationRowOrNone(db, id);
  if (!row) throw new Failure('not_found', `No organization has the id "${id}".`);
  return row;
}

/** The row of an organization by its id, where there is one. */
export async function organizationRowOrNone(db: Database, id: string): Promise<OrganizationRow | undefined> {
  const row = ids.organization.decode(id);
  if (row === undefined) return undefined;
  return (await rowById(db, row))[0];
}

const domainsOf = belonging('organization_id', (db) =>
  db
    .selectFrom('organization_domain')
    .select(['organization_id', 'domain'])
    .orderBy('organization_id')
    .orderBy('position'),
);

/** Rows as the interface shows them (service.md, "Records"). */
async function organizationRecords(db: Database, rows: readonly OrganizationRow[]): Promise<Organization[]> {
  if (rows.length === 0) return [];
  const keys = rows.map(({ id }) => id);
  const domains = await domainsOf(db, keys);
  const values = await valueMaps(db, 'organization_value', await fieldsOfModel(db, 'organization'), keys);
  return rows.map((row) => ({
    id: ids.organization.encode(row.id),
    name: row.name,
    domains: domains(row.id).map(({ domain }) => domain),
    custom_fields: values(row.id),
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
  }));
}

interface Change {
  readonly name: string | null | undefined;
  readonly newDomains: readonly string[];
  readonly values: readonly CheckedValue[];
}

/** Checks what is asked of an organization (`row`), or of a new one, by the rules of specification 4.2. */
async function checkedChange(
  db: Database,
  row: OrganizationRow | undefined,
  input: Input<typeof organizations.create>,
  faults: Faults,
): Promise<Change> {
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
    const domain = hostOf(given);
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
      faults.add(['domains', index], 'taken', `The domain "${domain}" belongs to the organization ${id}.`);
    }
  }
  return found;
}

async function storeChange(db: Database, id: number, { name, newDomains, values }: Change): Promise<void> {
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
