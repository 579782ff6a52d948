import type { Organization } from '../../contract/organizations.ts';
import { type Database, transact } from '../db/database.ts';
import { ids } from '../db/ids.ts';
import { pageOf } from '../db/page.ts';
import { only } from '../db/rows.ts';
import { timestamp } from '../db/timestamps.ts';
import type { Deps, Handlers } from '../deps.ts';
import { changeRecord, touchRecord } from './change-record.ts';
import { fieldsOfModel } from './custom-fields.ts';
import { valueMaps } from './field-values.ts';
import {
  domainsOf,
  type OrganizationRow,
  organizationPage,
  organizationPageBytes,
  organizationRow,
} from './organization-rows.ts';
import {
  checkedDomainRemoval,
  checkedOrganizationChange,
  storeOrganizationChange,
} from './organization-rules.ts';

/** Specification, 2.5 and 4.2. */
export function organizationHandlers({ db, now }: Deps): Handlers<'organizations'> {
  const one = async (db: Database, id: string) =>
    only(await organizationRecords(db, [await organizationRow(db, id)]));
  return {
    list: (input) =>
      pageOf(db, 'organization', input, organizationPageBytes, async (window) =>
        organizationRecords(db, await organizationPage(db, window)),
      ),
    get: ({ organization_id }) => one(db, organization_id),
    create: (input, faults) =>
      transact(db, async (db) => {
        const change = await checkedOrganizationChange(db, undefined, input, faults);
        faults.raise();
        const time = now().getTime();
        const { id } = await db
          .insertInto('organization')
          .values({ created_at: time, updated_at: time })
          .returning('id')
          .executeTakeFirstOrThrow();
        await storeOrganizationChange(db, id, change);
        return one(db, ids.organization.encode(id));
      }),
    update: ({ organization_id, ...input }, faults) =>
      transact(db, async (db) => {
        const row = await organizationRow(db, organization_id);
        const change = await checkedOrganizationChange(db, row, input, faults);
        faults.raise();
        return changeRecord(db, {
          table: 'organization',
          id: row.id,
          now: now(),
          read: () => one(db, organization_id),
          write: () => storeOrganizationChange(db, row.id, change),
        });
      }),
    removeDomains: ({ organization_id, domains = [] }, faults) =>
      transact(db, async (db) => {
        const row = await organizationRow(db, organization_id);
        const removed = await checkedDomainRemoval(db, row, domains, faults);
        faults.raise();
        if (removed.length > 0) {
          await db
            .deleteFrom('organization_domain')
            .where('organization_id', '=', row.id)
            .where('domain', 'in', removed)
            .execute();
          await touchRecord(db, 'organization', row.id, now());
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
