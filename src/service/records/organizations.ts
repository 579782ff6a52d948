import sql from 'sql-template-tag';
import { Failure } from '../../contract/errors.ts';
import type { Organization } from '../../contract/organizations.ts';
import type { Database } from '../db/database.ts';
import { ids } from '../db/ids.ts';
import { createByteCounter, readPage } from '../db/page.ts';
import { createRow, deleteRow, findRow, getOnly, listOf } from '../db/statements.ts';
import type { Row } from '../db/tables.ts';
import { formatTimestamp } from '../db/timestamps.ts';
import type { Deps, Handlers } from '../deps.ts';
import { changeRecord, touchRecord } from './change-record.ts';
import { readCustomFields, readValueMaps } from './field-values.ts';
import {
  readDomains,
  storeOrganization,
  validateDomainRemoval,
  validateOrganization,
} from './organization-rules.ts';

/** Returns the handlers of organizations (specification, 2.5 and 4.2). */
export function organizationHandlers({ db, now }: Deps): Handlers<'organizations'> {
  return {
    list: (input) =>
      readPage(db, { scope: 'organization', countBytes }, input, async (window) =>
        toOrganizations(db, await db.all(sql`select * from organization ${window}`)),
      ),
    get: ({ organization_id }) => readOrganization(db, organization_id),
    create: (input, errors) =>
      db.transaction(async (db) => {
        const change = await validateOrganization(db, undefined, input, errors);
        errors.raise();
        const time = now().getTime();
        const id = await createRow(db, 'organization', { created_at: time, updated_at: time });
        await storeOrganization(db, id, change);
        return readOrganization(db, ids.organization.encode(id));
      }),
    update: ({ organization_id, ...input }, errors) =>
      db.transaction(async (db) => {
        const row = await getOrganizationRow(db, organization_id);
        const change = await validateOrganization(db, row, input, errors);
        errors.raise();
        return changeRecord(db, {
          table: 'organization',
          id: row.id,
          now: now(),
          read: () => readOrganization(db, organization_id),
          write: () => storeOrganization(db, row.id, change),
        });
      }),
    removeDomains: ({ organization_id, domains = [] }, errors) =>
      db.transaction(async (db) => {
        const row = await getOrganizationRow(db, organization_id);
        const removed = await validateDomainRemoval(db, row, domains, errors);
        errors.raise();
        if (removed.length > 0) {
          await db.run(sql`delete from organization_domain
            where organization_id = ${row.id} and domain in ${listOf(removed)}`);
          await touchRecord(db, 'organization', row.id, now());
        }
        return readOrganization(db, organization_id);
      }),
    delete: ({ organization_id }) =>
      db.transaction(async (db) => {
        await deleteRow(db, 'organization', (await getOrganizationRow(db, organization_id)).id);
        return null;
      }),
  };
}

const countBytes = createByteCounter({
  table: 'organization',
  columns: ['name'],
  parts: [
    ['organization_domain', 'organization_id', ['domain']],
    ['organization_value', 'record_id', ['value']],
  ],
  fields: sql`custom_field where model = 'organization'`,
});

/** Returns the row of the organization with an id, if there is one. */
export const findOrganizationRow = (db: Database, id: string) =>
  findRow(db, 'organization', ids.organization.decode(id));

/** @throws {Failure} `not_found` */
async function getOrganizationRow(db: Database, id: string): Promise<Row<'organization'>> {
  const row = await findOrganizationRow(db, id);
  if (!row) throw new Failure('not_found', `No organization has the id "${id}".`);
  return row;
}

const readOrganization = async (db: Database, id: string) =>
  getOnly(await toOrganizations(db, [await getOrganizationRow(db, id)]));

async function toOrganizations(db: Database, rows: readonly Row<'organization'>[]): Promise<Organization[]> {
  if (rows.length === 0) return [];
  const organizations = rows.map(({ id }) => id);
  const domains = await readDomains(db, organizations);
  const fields = await readCustomFields(db, 'organization');
  const values = await readValueMaps(db, 'organization_value', fields, organizations);
  return rows.map((row) => ({
    id: ids.organization.encode(row.id),
    name: row.name,
    domains: domains(row.id),
    custom_fields: values(row.id),
    created_at: formatTimestamp(row.created_at),
    updated_at: formatTimestamp(row.updated_at),
  }));
}
