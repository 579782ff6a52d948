import type { Selectable } from 'kysely';
import { Failure } from '../contract/errors.ts';
import type { Database } from './database.ts';
import { ids } from './ids.ts';
import { pageRows } from './page.ts';
import { belonging, reading } from './reading.ts';
import type { Tables } from './tables.ts';

/** The row of an organization. */
export type OrganizationRow = Selectable<Tables['organization']>;

const columns = ['id', 'name', 'created_at', 'updated_at'] as const;

/** The rows of a page of organizations. */
export const organizationPage = pageRows((db) => db.selectFrom('organization').select(columns));

const rowById = reading((db, id: number) =>
  db.selectFrom('organization').select(columns).where('id', '=', id),
);

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
  return (await rowById(db, row))[0];
}

/** The domains of organizations, in their order. */
export const domainsOf = belonging('organization_id', (db) =>
  db
    .selectFrom('organization_domain')
    .select(['organization_id', 'domain'])
    .orderBy('organization_id')
    .orderBy('position'),
);
