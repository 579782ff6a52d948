import type { Selectable } from 'kysely';
import { Failure } from '../contract/errors.ts';
import type { Status } from '../contract/lists.ts';
import type { Database } from './database.ts';
import { ids } from './ids.ts';
import type { Tables } from './tables.ts';
import type { FieldRow } from './values.ts';

/** The row of a list or process. */
export type ListRow = Selectable<Tables['list']>;

/** The row of a list by its id. Throws `not_found`. */
export async function listRow(db: Database, id: string): Promise<ListRow> {
  const key = ids.list.decode(id);
  const row =
    key === undefined
      ? undefined
      : await db.selectFrom('list').selectAll().where('id', '=', key).executeTakeFirst();
  if (!row) throw new Failure('not_found', `No list or process has the id "${id}".`);
  return row;
}

/** The fields of lists, in the order of their creation. */
export function listFieldsOf(
  db: Database,
  lists: readonly number[],
): Promise<(FieldRow & { list_id: number })[]> {
  return db
    .selectFrom('list_field')
    .selectAll()
    .where('list_id', 'in', [...lists])
    .orderBy('list_id')
    .orderBy('id')
    .execute();
}

/** The pipeline of a process. */
export function statusesOf(row: ListRow): readonly Status[] {
  return JSON.parse(row.statuses ?? '[]');
}
