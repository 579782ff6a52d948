import sql from 'sql-template-tag';
import type { Entry } from '../../contract/entries.ts';
import { Failure } from '../../contract/errors.ts';
import type { Database } from '../db/database.ts';
import { ids } from '../db/ids.ts';
import { createByteCounter, readPage } from '../db/page.ts';
import { deleteRow, findRow, getOnly, updateRow } from '../db/statements.ts';
import type { Row } from '../db/tables.ts';
import { formatTimestamp, formatTimestampOrNull } from '../db/timestamps.ts';
import { type Deps, Existing, type Handlers } from '../deps.ts';
import { addDuplicateError, validateEntry, validateTarget } from './entry-rules.ts';
import { readValueMaps } from './field-values.ts';
import { readListFields } from './list-rules.ts';
import { getRecord, insertRecord, updateRecord } from './record-rows.ts';

type EntryRow = Row<'entry'>;
type ListRow = Row<'list'>;

/** Returns the handlers of entries (specification, 2.3 and 4.6). */
export function entryHandlers({ db, now, isLenient }: Deps): Handlers<'entries'> {
  return {
    async list({ list_id, ...request }) {
      const list = await getRecord(db, 'list', list_id);
      return readPage(db, toPagedList(list.id), request, async (window) =>
        toEntries(db, list, await db.all(sql`select * from entry ${window}`)),
      );
    },
    async get({ list_id, id }) {
      const list = await getRecord(db, 'list', list_id);
      return toEntry(db, list, await getEntryRow(db, list, id));
    },
    create: ({ list_id, ...input }, errors) =>
      db.transaction(async (db) => {
        const list = await getRecord(db, 'list', list_id);
        const { target, existing } = await validateTarget(db, list, input, errors);
        if (existing && !isLenient) addDuplicateError(list, input, errors);
        const change = await validateEntry(db, list, input, errors, now());
        errors.raise();
        if (existing) return new Existing(await toEntry(db, list, existing));
        const number = list.last_key + 1;
        const key = list.process === 1 ? `${list.identifier}-${number}` : null;
        const columns = { list_id: list.id, key, ...target, ...change.columns };
        const id = await insertRecord(db, 'entry', { ...change, columns }, now());
        if (list.process === 1) await updateRow(db, 'list', list.id, { last_key: number });
        return toEntry(db, list, await findRow(db, 'entry', id));
      }),
    update: ({ list_id, id, ...input }, errors) =>
      db.transaction(async (db) => {
        const list = await getRecord(db, 'list', list_id);
        const row = await getEntryRow(db, list, id);
        const change = await validateEntry(db, list, input, errors, now(), row);
        errors.raise();
        const read = async () => toEntry(db, list, await findRow(db, 'entry', row.id));
        return updateRecord(db, { table: 'entry', id: row.id, change, now: now(), read });
      }),
    delete: ({ list_id, id }) =>
      db.transaction(async (db) => {
        const row = await getEntryRow(db, await getRecord(db, 'list', list_id), id);
        await deleteRow(db, 'entry', row.id);
        return null;
      }),
  };
}

const toPagedList = (list: number) => ({
  scope: `entry:${list}`,
  filter: sql`list_id = ${list} and`,
  countBytes: createByteCounter({
    table: 'entry',
    columns: ['key', 'status', 'assignee_email'],
    parts: [['entry_value', 'record_id', ['value']]],
    fields: sql`list_field where list_id = ${list}`,
  }),
});

/** @throws {Failure} `not_found` */
async function getEntryRow(db: Database, list: ListRow, id: string): Promise<EntryRow> {
  const row = await findRow(db, 'entry', ids.entry.decode(id));
  if (row?.list_id !== list.id) {
    throw new Failure('not_found', `No entry of "${list.name}" has the id "${id}".`);
  }
  return row;
}

const toEntry = async (db: Database, list: ListRow, row: EntryRow | undefined) =>
  getOnly(await toEntries(db, list, row ? [row] : []));

async function toEntries(db: Database, list: ListRow, rows: readonly EntryRow[]): Promise<Entry[]> {
  const entries = rows.map(({ id }) => id);
  const values = await readValueMaps(db, 'entry_value', await readListFields(db, list.id), entries);
  return rows.map((row) => ({
    id: ids.entry.encode(row.id),
    key: row.key,
    list_id: ids.list.encode(row.list_id),
    entryable_id:
      row.entryable_contact_id === null
        ? ids.organization.encode(row.entryable_organization_id ?? 0)
        : ids.contact.encode(row.entryable_contact_id),
    entryable_type: list.entry_type,
    contact_id: row.contact_id === null ? null : ids.contact.encode(row.contact_id),
    list_fields: values(row.id),
    // Specification 2.3 has it on process entries, but 4.6 accepts it for every entry, and nothing is dropped silently.
    ...(list.process === 0 && row.assignee_email !== null && { assignee: { email: row.assignee_email } }),
    ...(list.process === 1 && {
      status: row.status ?? '',
      assignee: row.assignee_email === null ? null : { email: row.assignee_email },
      one_time_value_cents: row.one_time_value_cents ?? 0,
      recurring_value_cents: row.recurring_value_cents ?? 0,
      recurring_value_period: row.recurring_value_period ?? 'annual',
      closed_at: formatTimestampOrNull(row.closed_at),
      next_entry_id: null,
    }),
    created_at: formatTimestamp(row.created_at),
    updated_at: formatTimestamp(row.updated_at),
  }));
}
