import { isDeepStrictEqual } from 'node:util';
import { Failure } from '../../contract/errors.ts';
import { dataTypes } from '../../contract/field-types.ts';
import { findType } from '../../contract/list-fields.ts';
import type { Noun } from '../../contract/singular-nouns.ts';
import { isEmpty, isFieldContainer } from '../../values/field-values.ts';
import { isObject, type JsonObject, readObject } from '../../values/json-object.ts';
import { eventReader } from '../calendar/calendar-events.ts';
import type { Database } from '../db/database.ts';
import { countRecords } from '../db/page.ts';
import type { RecordReader } from '../db/record-reader.ts';
import { findRow } from '../db/statements.ts';
import { readRecording } from '../recordings/recordings.ts';
import { contactReader } from '../records/contacts.ts';
import { customFieldReader } from '../records/custom-fields.ts';
import { openEntryReader } from '../records/entries.ts';
import { listReader } from '../records/lists.ts';
import { noteReader } from '../records/notes.ts';
import { organizationReader } from '../records/organizations.ts';
import type { RestoreContext } from './restore-context.ts';
import { formatNoun, restoredNouns } from './restore-ids.ts';
import type { NumberedRecord } from './restore-numbers.ts';
import { mayBeUnsupported } from './restore-numbers.ts';

type WithId = { readonly id: string };

/** Reads records as JSON of the API, by their rows. */
type ReadRecords<N extends Noun> = (
  context: RestoreContext,
  records: readonly NumberedRecord<N>[],
) => AsyncIterable<readonly string[]>;

const readWith =
  <N extends Noun>(reader: RecordReader<WithId>): ReadRecords<N> =>
  ({ db }, records) =>
    reader.readIds(
      db,
      records.map(({ row }) => row),
    );

const readers: { readonly [N in Noun]: ReadRecords<N> } = {
  customFields: readWith(customFieldReader),
  organizations: readWith(organizationReader),
  contacts: readWith(contactReader),
  lists: readWith(listReader),
  async *entries({ db, numbers }, records) {
    const lists = await numbers.find(
      'lists',
      records.map(({ value }) => value.list_id),
    );
    for (const [id, row] of lists) {
      const list = await findRow(db, 'list', row);
      const rows = records.flatMap(({ row, value }) => (value.list_id === id ? [row] : []));
      if (list) yield* openEntryReader(list).readIds(db, rows);
    }
  },
  notes: readWith(noteReader),
  events: readWith(eventReader),
  async *recordings({ db }, records) {
    for (const { row } of records) {
      const record = await readRecording(db, row);
      if (record) yield [JSON.stringify(record)];
    }
  },
};

/** Reads stored records back, and adds the values that differ to the dropped ones. Returns the number of found records. */
export async function checkRecords<N extends Noun>(
  context: RestoreContext,
  noun: N,
  records: readonly NumberedRecord<N>[],
): Promise<number> {
  const { dropped } = context;
  const missing = new Map(records.map((record) => [record.id, record]));
  const read: ReadRecords<N> = readers[noun];
  for await (const batch of read(context, records)) {
    for (const text of batch) {
      const actual: WithId = JSON.parse(text);
      const expected = missing.get(actual.id);
      if (!expected) throw new Failure('failed', `The ${formatNoun(noun)} have other ids after the restore.`);
      missing.delete(actual.id);
      const { raw } = expected;
      if (raw.text === text) continue;
      const reason = mayBeUnsupported(raw.text) ? 'unsupported characters' : 'unsupported value';
      for (const field of findLostFields(readObject(raw.value), readObject(actual)))
        if (!dropped.has(actual.id, field))
          dropped.add(noun, actual.id, field, Object.hasOwn(actual, field) ? reason : 'unknown field');
    }
  }
  for (const id of missing.keys())
    dropped.add(noun, id, undefined, noun === 'events' ? 'no completed recording' : 'cannot be read');
  return records.length - missing.size;
}

/** The lists whose numbers of records the service counts when rows change. */
const countedNouns = ['customFields', 'organizations', 'contacts', 'lists', 'notes', 'events'] as const;

/** Checks the totals that lists return. @throws {Failure} `failed` if one differs from the number of stored records */
export async function checkCounts(db: Database, counts: ReadonlyMap<Noun, number>): Promise<void> {
  for (const noun of countedNouns) {
    const total = await countRecords(db, { scopes: [restoredNouns[noun].table] });
    if (total === counts.get(noun)) continue;
    throw new Failure(
      'failed',
      `The number of ${formatNoun(noun)} differs after the restore; nothing was stored.`,
    );
  }
}

/** Returns the names of the expected fields whose values the actual record lacks. It may have additional values. */
function findLostFields(expected: JsonObject, actual: JsonObject): string[] {
  return Object.keys(expected).filter((name) => !hasValue(name, expected[name], actual[name]));
}

function hasValue(name: string, expected: unknown, actual: unknown): boolean {
  if (isEmpty(expected) || isDeepStrictEqual(expected, actual)) return true;
  if (isFieldContainer(name)) return hasDefinedValues(expected, actual);
  if (Array.isArray(expected)) return Array.isArray(actual) && hasItems(name, expected, actual);
  if (isObject(expected)) return isObject(actual) && findLostFields(expected, actual).length === 0;
  // Another service may format the same moment in another form.
  if (isTime(name)) return Date.parse(String(expected)) === Date.parse(String(actual));
  // A field of an unknown type is stored with the type text.
  return name === 'data_type' && !dataTypes.some((type) => type === expected);
}

const isTime = (name: string) =>
  findType(name) === 'datetime' || name === 'started_at' || name === 'ended_at';

function hasItems(name: string, expected: readonly unknown[], actual: readonly unknown[]): boolean {
  if (expected.length > actual.length) return false;
  const items = sortById(actual);
  return sortById(expected).every((item, index) => hasValue(name, item, items[index]));
}

/** Sorts records by id. Other items keep their order. */
function sortById(items: readonly unknown[]): readonly unknown[] {
  const getId = (item: unknown) => String(readObject(item).id ?? '');
  return items.toSorted((a, b) => (getId(a) < getId(b) ? -1 : getId(a) > getId(b) ? 1 : 0));
}

/** Whether fields have the same values. Fields are found by id, or by name if another service does not send their ids. */
function hasDefinedValues(expected: unknown, actual: unknown): boolean {
  const fields = readObject(actual);
  return Object.entries(readObject(expected)).every(([id, item]) => {
    const { name = id, value } = isObject(item) && 'value' in item ? item : { value: item };
    if (isEmpty(value)) return true;
    const field = fields[id] ?? Object.values(fields).find((field) => readObject(field).name === name);
    return isDeepStrictEqual(readObject(field).value, value);
  });
}
