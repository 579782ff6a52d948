import { isDeepStrictEqual } from 'node:util';
import sql, { raw, type Sql } from 'sql-template-tag';
import type { Entry, entries } from '../../contract/entries.ts';
import { Failure } from '../../contract/errors.ts';
import { describeMismatch } from '../../contract/field-types.ts';
import type { Input } from '../../contract/grammar.ts';
import { listProcessFields } from '../../contract/list-fields.ts';
import { parseEmail } from '../../values/domain.ts';
import { joinNames, quote } from '../../values/text.ts';
import type { Database } from '../db/database.ts';
import { encodeId, selectRow } from '../db/foreign-ids.ts';
import * as member from '../db/record-members.ts';
import { createRecordReader } from '../db/record-reader.ts';
import { forShare, forUpdate } from '../db/render-sql.ts';
import { findRow, getOnly } from '../db/statements.ts';
import type { Row } from '../db/tables.ts';
import { type Deps, Existing, type Handlers } from '../deps.ts';
import { readListFields, selectListFields } from './field-definitions.ts';
import { validateValues } from './field-values.ts';
import {
  createRecordHandlers,
  getRecord,
  type RecordChange,
  type Validation,
  validateReference,
} from './record-rows.ts';
import { findClosedAt, parseStatuses } from './statuses.ts';

type EntryRow = Row<'entry'>;
type ListRow = Row<'list'>;

/** Returns the handlers of entries (specification, 2.3 and 4.6). */
export function entryHandlers({ db, now, isLenient }: Deps): Handlers<'entries'> {
  const open = async (db: Database, id: string, lock?: Sql) => {
    const list = await getRecord(db, 'list', id, lock);
    const records = createRecordHandlers(
      { db, now },
      {
        table: 'entry',
        scope: `entry:${list.id}`,
        reader: openEntryReader(list),
        async getRow(db, { id }: { id: string }, lock) {
          const row = await findRow(db, 'entry', selectRow('entry', id), lock);
          if (row?.list_id === list.id) return row;
          throw new Failure('not_found', `No entry of ${quote(list.name)} has the id ${quote(id)}.`);
        },
        getId: ({ id }) => id,
        validate: (check, input: EntryInput, row) => validateEntry(check, list, input, now(), row),
      },
    );
    return { list, records };
  };
  return {
    list: ({ list_id, ...request }) =>
      db.snapshot(async (db) => (await open(db, list_id)).records.list(request)),
    get: ({ list_id, id }) => db.snapshot(async (db) => (await open(db, list_id)).records.get({ id })),
    create: ({ list_id, ...input }, errors) =>
      db.transaction(async (db) => {
        // Statuses and fields must stay while an entry is checked against them.
        const { list, records } = await open(db, list_id, forShare);
        const { target, existing } = await validateTarget({ db, errors }, list, input);
        if (existing && isLenient) {
          const { id } = existing;
          const before = await records.get({ id });
          const names = listDifferences(before, await records.update({ ...input, id }, errors));
          if (names.length === 0) return new Existing(before);
          existing.addError(`, with other values of ${joinNames(names)}`);
          errors.raise(); // which rolls the update back
        }
        existing?.addError();
        const change = await validateEntry({ db, errors }, list, input, now());
        errors.raise();
        const key = list.process === 1 ? `${list.identifier}-${await incrementKey(db, list.id)}` : null;
        return records.insert(db, {
          ...change,
          columns: { list_id: list.id, key, ...target, ...change.columns },
        });
      }),
    update: (input, ...check) =>
      db.transaction(async (db) => (await open(db, input.list_id, forShare)).records.update(input, ...check)),
    delete: (path, ...check) =>
      db.transaction(async (db) => (await open(db, path.list_id)).records.delete(path, ...check)),
  };
}

/** Returns the number of the next key of a process. Later creates in the process wait until the transaction ends. */
async function incrementKey(db: Database, list: number): Promise<number> {
  const counted = await db.all<{ last_key: number }>(sql`insert into key_counter (list_id, last_key)
    values (${list}, 1) on conflict (list_id) do update set last_key = key_counter.last_key + 1 returning last_key`);
  return getOnly(counted).last_key;
}

/** The fields of an entry that a request may set, besides its target. */
type EntryInput = Omit<Input<typeof entries.update>, 'list_id' | 'id'>;

/** Returns the names of the fields that differ between two versions of an entry. */
function listDifferences(before: Entry, after: Entry): string[] {
  const flatten = ({ list_fields, updated_at: _, closed_at: __, ...fields }: Entry) =>
    new Map<string, unknown>([
      ...Object.entries(fields),
      ...Object.values(list_fields).map(({ name, value }) => [quote(name), value] as const),
    ]);
  const [old, current] = [flatten(before), flatten(after)];
  return [...new Set([...current.keys(), ...old.keys()])].filter(
    (name) => !isDeepStrictEqual(old.get(name), current.get(name)),
  );
}

/**
 * Validates the record that a new entry is for (specification, 4.6). Returns the columns, and the record's entry if the
 * list allows only one.
 */
async function validateTarget(
  check: Validation,
  list: ListRow,
  { entryable_id = '', entryable_type = list.entry_type }: Omit<Input<typeof entries.create>, 'list_id'>,
) {
  const { db, errors } = check;
  if (entryable_type !== list.entry_type) {
    errors.add(['entryable_type'], 'value', `${quote(list.name)} takes entries of type ${list.entry_type}.`);
  }
  const isContact = entryable_type === 'Contact';
  const kind = isContact ? 'contact' : 'organization';
  const id = await validateReference(check, kind, entryable_id, ['entryable_id']);
  const target = {
    entryable_contact_id: isContact ? (id ?? 0) : null,
    entryable_organization_id: isContact ? null : (id ?? 0),
  };
  if (id === undefined || list.duplicates_allowed === 1) return { target, existing: undefined };
  const row = await db.first<EntryRow>(
    sql`select * from entry where list_id = ${list.id} and ${raw(`entryable_${kind}_id`)} = ${id}
      order by id limit 1${forUpdate}`,
  );
  if (!row) return { target, existing: undefined };
  const entryId = await encodeId(db, 'entry', row.id);
  const taken = `The ${kind} ${entryable_id} has already been taken: ${quote(list.name)} has an entry for it`;
  const addError = (details = '') => errors.add(['entryable_id'], 'taken', `${taken}${details}.`, entryId);
  return { target, existing: { id: entryId, addError } };
}

/** Validates the fields of a new entry, or a change of the entry `row`, besides its target (specification, 4.6). */
async function validateEntry(
  check: Validation,
  list: ListRow,
  input: EntryInput,
  now: Date,
  row?: EntryRow,
): Promise<RecordChange<'entry'>> {
  const { db, errors } = check;
  const { status, assignee_email, contact_id: contact, list_fields = [] } = input;
  if (list.process === 1) {
    const statuses = parseStatuses(list).map(({ name }) => name);
    if (status !== undefined && !statuses.includes(status)) {
      const message = `${quote(status)} is not a status of ${quote(list.name)}. Its statuses are ${joinNames(statuses)}.`;
      errors.add(['status'], 'value', message);
    }
  } else {
    for (const name of listProcessFields('entries')) {
      if (!Object.hasOwn(input, name)) continue;
      errors.add(
        [name],
        'process_only',
        `${name} is for processes only; ${quote(list.name)} is a regular list.`,
      );
    }
  }
  const assignee = typeof assignee_email === 'string' ? parseEmail(assignee_email) : assignee_email;
  if (typeof assignee_email === 'string' && assignee === undefined) {
    errors.add(['assignee_email'], 'value', describeMismatch(assignee_email, 'an email address'));
  }
  const contact_id =
    typeof contact === 'string'
      ? await validateReference(check, 'contact', contact, ['contact_id'])
      : contact;
  const fields = list_fields.length === 0 ? [] : await readListFields(db, list.id);
  const storeValues = await validateValues(check, 'entry_value', fields, list_fields);
  return {
    columns: {
      contact_id,
      assignee_email: assignee,
      ...(list.process === 1 && toProcessColumns(list, input, row ?? newProcessEntry, now)),
    },
    storeParts: (id) => storeValues(id, !row),
  };
}

/** The values of an entry of a process that a request may omit. */
const newProcessEntry: Partial<EntryRow> = {
  one_time_value_cents: 0,
  recurring_value_cents: 0,
  recurring_value_period: 'annual',
};

function toProcessColumns(list: ListRow, input: EntryInput, before: Partial<EntryRow>, now: Date) {
  const status = input.status ?? before.status ?? parseStatuses(list)[0]?.name ?? null;
  return {
    status,
    one_time_value_cents: input.one_time_value_cents ?? before.one_time_value_cents,
    recurring_value_cents: input.recurring_value_cents ?? before.recurring_value_cents,
    recurring_value_period: input.recurring_value_period ?? before.recurring_value_period,
    closed_at: findClosedAt(list, status, before, now.getTime()),
  };
}

/** A member that only entries of processes have. */
const ofProcess = ({ select, render }: member.Member): member.Member<ListRow> => ({
  select,
  render: (text, { owner, ...context }) =>
    owner.process === 1 ? (render?.(text, { ...context, owner: undefined }) ?? text) : undefined,
});

/** Selects `c` or `o`, for a contact or an organization, and the digits of its row. */
const entryable: member.Member<ListRow> = {
  select:
    () => `case when page.entryable_contact_id is null then 'o' || cast(page.entryable_organization_id as text)
    else 'c' || cast(page.entryable_contact_id as text) end`,
  render: (text, { ids }) => {
    const row = Number(text.slice(1));
    return JSON.stringify((text.startsWith('c') ? ids.contact : ids.organization).encode(row));
  },
};

export const openEntryReader = createRecordReader<Entry, ListRow>({
  table: 'entry',
  resource: 'entry',
  members: {
    id: member.id('entry'),
    key: member.value('key'),
    list_id: member.id('list', 'list_id'),
    entryable_id: entryable,
    entryable_type: { select: () => "''", render: (_, { owner }) => JSON.stringify(owner.entry_type) },
    contact_id: member.id('contact', 'contact_id'),
    list_fields: member.values('entry_value'),
    status: ofProcess(member.value('status', '""')),
    assignee: {
      select: member.value('assignee_email').select,
      // Specification 2.3 has it on process entries, but 4.6 accepts it for every entry, and nothing is dropped silently.
      render: (email, { owner }) =>
        email === 'null' ? (owner.process === 1 ? 'null' : undefined) : `{"email":${email}}`,
    },
    one_time_value_cents: ofProcess(member.value('one_time_value_cents', '0')),
    recurring_value_cents: ofProcess(member.value('recurring_value_cents', '0')),
    recurring_value_period: ofProcess(member.value('recurring_value_period', '"annual"')),
    closed_at: ofProcess(member.time('closed_at')),
    next_entry_id: ofProcess({ select: () => "'null'" }),
    ...member.stamps,
  },
  fields: { resource: 'listField', select: selectListFields(0) },
  owner: 'list_id',
});
