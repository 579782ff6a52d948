import type { Selectable } from 'kysely';
import type { Entry } from '../../contract/entries.ts';
import { Failure } from '../../contract/errors.ts';
import { type Database, transact } from '../db/database.ts';
import { ids } from '../db/ids.ts';
import { pageOf, type Window } from '../db/page.ts';
import { readingBytes } from '../db/page-bytes.ts';
import { reading } from '../db/reading.ts';
import { only } from '../db/rows.ts';
import type { Tables } from '../db/tables.ts';
import { timestamp, timestampOrNull } from '../db/timestamps.ts';
import { type Deps, Existing, type Handlers } from '../deps.ts';
import { changeRecord } from './change-record.ts';
import { closedAt } from './closing.ts';
import { type AskedEntryChange, checkedEntryChange, checkedTarget, duplicateFault } from './entry-rules.ts';
import { storeValues, valueMaps } from './field-values.ts';
import { type ListRow, listFieldsOf, listRow, statusesOf } from './list-rows.ts';

/** The row of an entry. */
type EntryRow = Selectable<Tables['entry']>;

/** Specification, 2.3 and 4.6. */
export function entryHandlers({ db, now, isLenient }: Deps): Handlers<'entries'> {
  const one = async (db: Database, list: ListRow, row: number) =>
    only(await entryRecords(db, list, await rowById(db, row, list.id)));
  return {
    async list({ list_id, ...asked }) {
      const list = await listRow(db, list_id);
      return pageOf(
        db,
        `entry:${list.id}`,
        asked,
        (db, window) => entryPageBytes(db, list.id, window),
        async (window) => entryRecords(db, list, await entryPage(db, list.id, window)),
      );
    },
    async get({ list_id, id }) {
      const list = await listRow(db, list_id);
      return one(db, list, (await entryRow(db, list, id)).id);
    },
    create: ({ list_id, ...input }, faults) =>
      transact(db, async (db) => {
        const list = await listRow(db, list_id);
        const { target, existing } = await checkedTarget(db, list, input, faults);
        if (existing !== undefined && !isLenient) duplicateFault(list, input, faults);
        const change = await checkedEntryChange(db, list, input, faults);
        faults.raise();
        if (existing !== undefined) return new Existing(await one(db, list, existing));
        const time = now().getTime();
        const { id } = await db
          .insertInto('entry')
          .values({
            list_id: list.id,
            ...target,
            contact_id: change.contact_id ?? null,
            assignee_email: input.assignee_email ?? null,
            ...(list.process === 1 && processColumns(list, input, time)),
            created_at: time,
            updated_at: time,
          })
          .returning('id')
          .executeTakeFirstOrThrow();
        if (list.process === 1) await countKey(db, list);
        await storeValues(db, 'entry_value', id, change.values);
        return one(db, list, id);
      }),
    update: ({ list_id, id, ...input }, faults) =>
      transact(db, async (db) => {
        const list = await listRow(db, list_id);
        const row = await entryRow(db, list, id);
        const change = await checkedEntryChange(db, list, input, faults);
        faults.raise();
        const { contact_id = row.contact_id } = change;
        const columns = { contact_id, ...changedColumns(list, row, input, now().getTime()) };
        return changeRecord(db, {
          table: 'entry',
          id: row.id,
          now: now(),
          read: () => one(db, list, row.id),
          async write() {
            await db.updateTable('entry').set(columns).where('id', '=', row.id).execute();
            await storeValues(db, 'entry_value', row.id, change.values);
          },
        });
      }),
    delete: ({ list_id, id }) =>
      transact(db, async (db) => {
        const row = await entryRow(db, await listRow(db, list_id), id);
        await db.deleteFrom('entry').where('id', '=', row.id).execute();
        return null;
      }),
  };
}

const columns = [
  'id',
  'list_id',
  'key',
  'entryable_contact_id',
  'entryable_organization_id',
  'contact_id',
  'status',
  'assignee_email',
  'one_time_value_cents',
  'recurring_value_cents',
  'recurring_value_period',
  'closed_at',
  'created_at',
  'updated_at',
] as const;

const pageWindow = 'where list_id = ?1 and id >= ?2 order by id limit ?3 offset ?4';
const windowValues = (list: number, { from, limit, offset }: Window) => [list, from, limit, offset];

const entryPage = reading('entry', columns, pageWindow, windowValues);

const entryPageBytes = readingBytes(
  {
    table: 'entry',
    columns: ['key', 'status', 'assignee_email'],
    parts: [['entry_value', 'record_id', ['value']]],
    fields: 'list_field where list_id = ?1',
  },
  pageWindow,
  windowValues,
);

const rowById = reading('entry', columns, 'where id = ? and list_id = ?', (id: number, list: number) => [
  id,
  list,
]);

/** The period of an entry that names none. */
const usualPeriod = 'annual';

/** The columns that only an entry of a process has. */
function processColumns(list: ListRow, input: AskedEntryChange, time: number) {
  const status = input.status ?? statusesOf(list)[0]?.name ?? null;
  return {
    key: `${list.identifier}-${list.last_key + 1}`,
    status,
    one_time_value_cents: input.one_time_value_cents ?? 0,
    recurring_value_cents: input.recurring_value_cents ?? 0,
    recurring_value_period: input.recurring_value_period ?? usualPeriod,
    closed_at: closedAt(list, status, { status: null, closed_at: null }, time),
  };
}

/** The next entry of the process gets the next key. */
async function countKey(db: Database, list: ListRow): Promise<void> {
  await db
    .updateTable('list')
    .set({ last_key: list.last_key + 1 })
    .where('id', '=', list.id)
    .execute();
}

function changedColumns(list: ListRow, row: EntryRow, input: AskedEntryChange, time: number) {
  const status = input.status ?? row.status;
  return {
    status,
    assignee_email: input.assignee_email === undefined ? row.assignee_email : input.assignee_email,
    one_time_value_cents: input.one_time_value_cents ?? row.one_time_value_cents,
    recurring_value_cents: input.recurring_value_cents ?? row.recurring_value_cents,
    recurring_value_period: input.recurring_value_period ?? row.recurring_value_period,
    closed_at: closedAt(list, status, row, time),
  };
}

async function entryRow(db: Database, list: ListRow, id: string): Promise<EntryRow> {
  const key = ids.entry.decode(id);
  const [row] = key === undefined ? [] : await rowById(db, key, list.id);
  if (!row) throw new Failure('not_found', `No entry of "${list.name}" has the id "${id}".`);
  return row;
}

async function entryRecords(db: Database, list: ListRow, rows: readonly EntryRow[]): Promise<Entry[]> {
  const values = await valueMaps(
    db,
    'entry_value',
    await listFieldsOf(db, list.id),
    rows.map(({ id }) => id),
  );
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
    // Specification 2.3 has it on process entries; 4.6 takes it for every entry, and nothing is dropped silently.
    ...(list.process === 0 && row.assignee_email !== null && { assignee: { email: row.assignee_email } }),
    ...(list.process === 1 && {
      status: row.status ?? '',
      assignee: row.assignee_email === null ? null : { email: row.assignee_email },
      one_time_value_cents: row.one_time_value_cents ?? 0,
      recurring_value_cents: row.recurring_value_cents ?? 0,
      recurring_value_period: row.recurring_value_period ?? usualPeriod,
      closed_at: timestampOrNull(row.closed_at),
      next_entry_id: null,
    }),
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
  }));
}
