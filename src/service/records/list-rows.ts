import type { Selectable } from 'kysely';
import { Failure } from '../../contract/errors.ts';
import type { Status } from '../../contract/lists.ts';
import type { Database } from '../db/database.ts';
import { ids } from '../db/ids.ts';
import { pageBytes, pageRows } from '../db/page.ts';
import { belonging, byId } from '../db/reading.ts';
import type { Tables } from '../db/tables.ts';
import type { FieldRow } from './field-values.ts';

/** The row of a list or process. */
export type ListRow = Selectable<Tables['list']>;

const columns = [
  'id',
  'name',
  'process',
  'entry_type',
  'identifier',
  'duplicates_allowed',
  'entry_label',
  'status_label',
  'statuses',
  'last_key',
  'created_at',
  'updated_at',
  'archived_at',
] as const;

/** The rows of a page of lists and processes. */
export const listPage = pageRows('list', columns);

/** Counts the bytes of text in them. */
export const listPageBytes = pageBytes({
  table: 'list',
  columns: ['name', 'identifier', 'entry_label', 'status_label', 'statuses'],
  parts: [['list_field', 'list_id', ['name', 'options']]],
});

const rowById = byId('list', columns);

/** The fields of lists, in the order of their creation. */
export const fieldsOfLists = belonging(
  'list_field',
  'list_id',
  ['id', 'name', 'data_type', 'accepts_multiple_values', 'options'],
  ['id'],
);

/** The row of a list by its id. Throws `not_found`. */
export async function listRow(db: Database, id: string): Promise<ListRow> {
  const key = ids.list.decode(id);
  const row = key === undefined ? undefined : await rowById(db, key);
  if (!row) throw new Failure('not_found', `No list or process has the id "${id}".`);
  return row;
}

/** The fields of a list, in the order of their creation. */
export async function listFieldsOf(db: Database, list: number): Promise<readonly FieldRow[]> {
  return (await fieldsOfLists(db, [list]))(list);
}

/** The pipeline of a process. */
export function statusesOf(row: ListRow): readonly Status[] {
  return JSON.parse(row.statuses ?? '[]');
}
