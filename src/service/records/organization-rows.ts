import type { Selectable } from 'kysely';
import { Failure } from '../../contract/errors.ts';
import type { Database } from '../db/database.ts';
import { ids } from '../db/ids.ts';
import { pageBytes, pageRows } from '../db/page.ts';
import { belonging, byId } from '../db/reading.ts';
import type { Tables } from '../db/tables.ts';

/** The row of an organization. */
export type OrganizationRow = Selectable<Tables['organization']>;

const columns = ['id', 'name', 'created_at', 'updated_at'] as const;

/** The rows of a page of organizations. */
export const organizationPage = pageRows('organization', columns);

/** Counts the bytes of text in them. */
export const organizationPageBytes = pageBytes({
  table: 'organization',
  columns: ['name'],
  parts: [
    ['organization_domain', 'organization_id', ['domain']],
    ['organization_value', 'record_id', ['value']],
  ],
  fields: "custom_field where model = 'organization'",
});

const rowById = byId('organization', columns);

/** The row of an organization by its id. Throws `not_found`. */
export async function organizationRow(db: Database, id: string): Promise<OrganizationRow> {
  const row = await organizationRowOrNone(db, id);
  if (!row) throw new Failure('not_found', `No organization has the id "${id}".`);
  return row;
}

/** The row of an organization by its id, where there is one. */
export async function organizationRowOrNone(db: Database, id: string): Promise<OrganizationRow | undefined> {
  const row = ids.organization.decode(id);
  if (row === undefined) return undefined;
  return rowById(db, row);
}

/** The domains of organizations, in their order. */
export const domainsOf = belonging('organization_domain', 'organization_id', ['domain'], ['position']);
