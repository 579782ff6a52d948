import sql from 'sql-template-tag';
import type { List, Status } from '../../contract/lists.ts';
import type { Database } from '../db/database.ts';
import { ids } from '../db/ids.ts';
import { createByteCounter, readPage } from '../db/page.ts';
import { getOnly, updateRow } from '../db/statements.ts';
import type { Row } from '../db/tables.ts';
import { formatTimestamp, formatTimestampOrNull } from '../db/timestamps.ts';
import type { Deps, Handlers } from '../deps.ts';
import { parseDefinition } from './field-values.ts';
import {
  closeEntries,
  defaultStatuses,
  type ListChange,
  type NewList,
  parseStatuses,
  readFieldsOfLists,
  storeListFields,
  validateList,
  validateNewList,
} from './list-rules.ts';
import { changeRecord, createRecord, deleteRecord, getRecord } from './record-rows.ts';

/** Returns the handlers of lists and processes (specification, 2.1 and 4.5). */
export function listHandlers({ db, now }: Deps): Handlers<'lists'> {
  return {
    list: (input) =>
      readPage(db, { scope: 'list', countBytes }, input, async (window) =>
        toLists(db, await db.all(sql`select * from list ${window}`)),
      ),
    get: ({ list_id }) => readList(db, list_id),
    create: (input, errors) =>
      db.transaction(async (db) => {
        const fields = await validateNewList(db, input, errors);
        errors.raise();
        const { name, process, entry_type } = input;
        const id = await createRecord(db, 'list', now().getTime(), {
          name,
          process: process ? 1 : 0,
          entry_type,
          ...(process && toProcessColumns(input)),
        });
        await storeListFields(db, id, fields);
        return readList(db, ids.list.encode(id));
      }),
    update: ({ list_id, ...input }, errors) =>
      db.transaction(async (db) => {
        const row = await getRecord(db, 'list', list_id);
        const fields = await validateList(db, row, row.process === 1, input, errors);
        errors.raise();
        return changeRecord(db, {
          table: 'list',
          id: row.id,
          now: now(),
          read: () => readList(db, list_id),
          async write() {
            const columns = toChangedColumns(row, input);
            await updateRow(db, 'list', row.id, columns);
            await storeListFields(db, row.id, fields);
            if (input.statuses) await closeEntries(db, { ...row, ...columns }, now());
          },
        });
      }),
    delete: ({ list_id }) => deleteRecord(db, 'list', list_id),
  };
}

const countBytes = createByteCounter({
  table: 'list',
  columns: ['name', 'identifier', 'entry_label', 'status_label', 'statuses'],
  parts: [['list_field', 'list_id', ['name', 'options']]],
});

/** Returns the columns that only a process has. */
function toProcessColumns({ identifier, duplicates_allowed, statuses = [], ...labels }: NewList) {
  return {
    identifier: identifier ?? null,
    duplicates_allowed: Number(duplicates_allowed),
    entry_label: labels.entry_label ?? 'Entry',
    status_label: labels.status_label ?? 'Status',
    statuses: formatStatuses(statuses),
  };
}

function toChangedColumns(row: Row<'list'>, input: ListChange) {
  const { statuses, duplicates_allowed } = input;
  return {
    name: input.name ?? row.name,
    identifier: input.identifier ?? row.identifier,
    duplicates_allowed:
      duplicates_allowed === undefined ? row.duplicates_allowed : Number(duplicates_allowed),
    entry_label: input.entry_label ?? row.entry_label,
    status_label: input.status_label ?? row.status_label,
    statuses: statuses ? formatStatuses(statuses) : row.statuses,
  };
}

function formatStatuses(statuses: readonly Status[]): string {
  const stored = statuses.length > 0 ? statuses : defaultStatuses;
  return JSON.stringify(stored.map(({ name, type }) => ({ name, type })));
}

const readList = async (db: Database, id: string) =>
  getOnly(await toLists(db, [await getRecord(db, 'list', id)]));

async function toLists(db: Database, rows: readonly Row<'list'>[]): Promise<List[]> {
  if (rows.length === 0) return [];
  const fields = await readFieldsOfLists(
    db,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => ({
    id: ids.list.encode(row.id),
    name: row.name,
    process: row.process === 1,
    entry_type: row.entry_type,
    fields: fields(row.id).map(parseDefinition),
    ...(row.process === 1 && {
      identifier: row.identifier ?? '',
      duplicates_allowed: row.duplicates_allowed === 1,
      entry_label: row.entry_label ?? '',
      status_label: row.status_label ?? '',
      statuses: [...parseStatuses(row)],
    }),
    created_at: formatTimestamp(row.created_at),
    updated_at: formatTimestamp(row.updated_at),
    archived_at: formatTimestampOrNull(row.archived_at),
  }));
}
