import sql from 'sql-template-tag';
import type { Organization } from '../../contract/organizations.ts';
import type { Database } from '../db/database.ts';
import { ids } from '../db/ids.ts';
import { createByteCounter, readPage } from '../db/page.ts';
import { getOnly, listOf } from '../db/statements.ts';
import type { Row } from '../db/tables.ts';
import { formatTimestamp } from '../db/timestamps.ts';
import type { Deps, Handlers } from '../deps.ts';
import { readCustomFields, readValueMaps } from './field-values.ts';
import {
  readDomains,
  storeOrganization,
  validateDomainRemoval,
  validateOrganization,
} from './organization-rules.ts';
import { changeRecord, createRecord, deleteRecord, getRecord, touchRecord } from './record-rows.ts';

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
        const id = await createRecord(db, 'organization', time);
        await storeOrganization(db, id, change);
        return readOrganization(db, ids.organization.encode(id));
      }),
    update: ({ organization_id, ...input }, errors) =>
      db.transaction(async (db) => {
        const row = await getRecord(db, 'organization', organization_id);
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
        const row = await getRecord(db, 'organization', organization_id);
        const removed = await validateDomainRemoval(db, row, domains, errors);
        errors.raise();
        if (removed.length > 0) {
          await db.run(sql`delete from organization_domain
            where organization_id = ${row.id} and domain in ${listOf(removed)}`);
          await touchRecord(db, 'organization', row.id, now());
        }
        return readOrganization(db, organization_id);
      }),
    delete: ({ organization_id }) => deleteRecord(db, 'organization', organization_id),
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

const readOrganization = async (db: Database, id: string) =>
  getOnly(await toOrganizations(db, [await getRecord(db, 'organization', id)]));

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
