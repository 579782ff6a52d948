import type { List } from '../../contract/lists.ts';
import type { Database } from '../db/database.ts';
import { ids } from '../db/ids.ts';
import { createByteCounter } from '../db/page.ts';
import type { Row } from '../db/tables.ts';
import { formatTimestamp, formatTimestampOrNull } from '../db/timestamps.ts';
import type { Deps, Handlers } from '../deps.ts';
import { parseDefinition } from './field-values.ts';
import { parseStatuses, readFieldsOfLists, validateList } from './list-rules.ts';
import { createRecordHandlers } from './record-rows.ts';

/** Returns the handlers of lists and processes (specification, 2.1 and 4.5). */
export function listHandlers(deps: Deps): Handlers<'lists'> {
  const records = createRecordHandlers(deps, {
    kind: 'list',
    countBytes,
    toRecords: toLists,
    validate: validateList,
  });
  return {
    list: records.list,
    get: ({ list_id }) => records.get(list_id),
    create: records.create,
    update: ({ list_id, ...input }, errors) => records.update(list_id, input, errors),
    delete: ({ list_id }) => records.delete(list_id),
  };
}

const countBytes = createByteCounter({
  table: 'list',
  columns: ['name', 'identifier', 'entry_label', 'status_label', 'statuses'],
  parts: [['list_field', 'list_id', ['name', 'options']]],
});

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
      statuses: parseStatuses(row),
    }),
    created_at: formatTimestamp(row.created_at),
    updated_at: formatTimestamp(row.updated_at),
    archived_at: formatTimestampOrNull(row.archived_at),
  }));
}
