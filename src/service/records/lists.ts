import type { List, Status } from '../../contract/lists.ts';
import { type Database, transact } from '../db/database.ts';
import { ids } from '../db/ids.ts';
import { pageOf } from '../db/page.ts';
import { only } from '../db/rows.ts';
import { timestamp, timestampOrNull } from '../db/timestamps.ts';
import type { Deps, Handlers } from '../deps.ts';
import { changeRecord } from './change-record.ts';
import { closeByStatus } from './closing.ts';
import { definitionOf } from './field-values.ts';
import { fieldsOfLists, type ListRow, listPage, listPageBytes, listRow, statusesOf } from './list-rows.ts';
import {
  type AskedListChange,
  checkedListChange,
  checkedNewList,
  defaultStatuses,
  type NewList,
  storeListFields,
} from './list-rules.ts';

/** Specification, 2.1 and 4.5. */
export function listHandlers({ db, now }: Deps): Handlers<'lists'> {
  const one = async (db: Database, id: string) => only(await listRecords(db, [await listRow(db, id)]));
  return {
    list: (input) =>
      pageOf(db, 'list', input, listPageBytes, async (window) => listRecords(db, await listPage(db, window))),
    get: ({ list_id }) => one(db, list_id),
    create: (input, faults) =>
      transact(db, async (db) => {
        const fields = await checkedNewList(db, input, faults);
        faults.raise();
        const { name, process, entry_type } = input;
        const time = now().getTime();
        const { id } = await db
          .insertInto('list')
          .values({
            name,
            process: process ? 1 : 0,
            entry_type,
            ...(process && processColumns(input)),
            created_at: time,
            updated_at: time,
          })
          .returning('id')
          .executeTakeFirstOrThrow();
        await storeListFields(db, id, fields);
        return one(db, ids.list.encode(id));
      }),
    update: ({ list_id, ...input }, faults) =>
      transact(db, async (db) => {
        const row = await listRow(db, list_id);
        const fields = await checkedListChange(db, row, row.process === 1, input, faults);
        faults.raise();
        return changeRecord(db, {
          table: 'list',
          id: row.id,
          now: now(),
          read: () => one(db, list_id),
          async write() {
            const columns = changedColumns(row, input);
            await db.updateTable('list').set(columns).where('id', '=', row.id).execute();
            await storeListFields(db, row.id, fields);
            if (input.statuses) await closeByStatus(db, { ...row, ...columns }, now());
          },
        });
      }),
    delete: ({ list_id }) =>
      transact(db, async (db) => {
        const { id } = await listRow(db, list_id);
        await db.deleteFrom('list').where('id', '=', id).execute();
        return null;
      }),
  };
}

/** The columns that only a process has. */
function processColumns({ identifier, duplicates_allowed, statuses = [], ...labels }: NewList) {
  return {
    identifier: identifier ?? null,
    duplicates_allowed: Number(duplicates_allowed),
    entry_label: labels.entry_label ?? 'Entry',
    status_label: labels.status_label ?? 'Status',
    statuses: pipelineColumn(statuses),
  };
}

function changedColumns(row: ListRow, input: AskedListChange) {
  const { statuses, duplicates_allowed } = input;
  return {
    name: input.name ?? row.name,
    identifier: input.identifier ?? row.identifier,
    duplicates_allowed:
      duplicates_allowed === undefined ? row.duplicates_allowed : Number(duplicates_allowed),
    entry_label: input.entry_label ?? row.entry_label,
    status_label: input.status_label ?? row.status_label,
    statuses: statuses ? pipelineColumn(statuses) : row.statuses,
  };
}

function pipelineColumn(statuses: readonly Status[]): string {
  const pipeline = statuses.length > 0 ? statuses : defaultStatuses;
  return JSON.stringify(pipeline.map(({ name, type }) => ({ name, type })));
}

async function listRecords(db: Database, rows: readonly ListRow[]): Promise<List[]> {
  if (rows.length === 0) return [];
  const fields = await fieldsOfLists(
    db,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => ({
    id: ids.list.encode(row.id),
    name: row.name,
    process: row.process === 1,
    entry_type: row.entry_type,
    fields: fields(row.id).map(definitionOf),
    ...(row.process === 1 && {
      identifier: row.identifier ?? '',
      duplicates_allowed: row.duplicates_allowed === 1,
      entry_label: row.entry_label ?? '',
      status_label: row.status_label ?? '',
      statuses: [...statusesOf(row)],
    }),
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
    archived_at: timestampOrNull(row.archived_at),
  }));
}
