import type { Client } from '../client/client.ts';
import { contacts } from '../contract/contacts.ts';
import { entries } from '../contract/entries.ts';
import { Failure, isRecordFailure } from '../contract/errors.ts';
import type { FreshLookup, RecordIndex } from './record-index.ts';
import {
  classifySteps,
  completeStep,
  findChangedValues,
  formatValues,
  pickValues,
  type RowWriter,
  readValues,
  recordRoutes,
} from './row-writer.ts';
import {
  type CompletedStep,
  type NamedValue,
  type Outcome,
  type RecordKind,
  Refusal,
  type Step,
  type StoredRecord,
  type Values,
} from './rows.ts';

/** A record that a row needs and that was not found. */
export interface Creation extends FreshLookup {
  readonly body: Values;
  /** The keys by which the record would be found. */
  readonly keys: readonly string[];
  /** Whether a record with this body would match the row; if omitted, any record with a common key does. */
  readonly isMatch?: (body: Values) => boolean;
  /** Whether the service refused the create because the record may exist: then it is looked up. */
  readonly isDuplicate?: (error: unknown) => boolean;
}

/** Values for a record's map of fields. */
interface MapValues {
  readonly map: 'custom_fields' | 'list_fields';
  readonly wanted: readonly NamedValue[];
}

/** A kind of record; for entries also their list. */
type Place = Pick<Step, 'what' | 'list_id'>;

/** Creates and updates the records of one kind. It remembers which of its writes have an unknown outcome. */
export interface RecordWriter {
  /**
   * Creates a record, unless another run has created it since: then `isNew` is false.
   * @throws {Failure} unknown if an earlier create of the same record lost its response and the record is not visible
   */
  create(
    writer: RowWriter,
    creation: Creation,
  ): Promise<{ readonly record: StoredRecord; readonly isNew: boolean }>;
  /** Sends the fields and values that differ. Sends nothing if there are none. */
  update(writer: RowWriter, current: StoredRecord, fields: Values, values: MapValues): Promise<StoredRecord>;
  /** Returns the record, read again if an update of it had an unknown outcome. */
  refresh(record: StoredRecord): Promise<StoredRecord>;
}

/** A create whose response was lost. */
interface LostCreate {
  readonly row: number;
  readonly body: Values;
}

export function createRecordWriter(client: Client, index: RecordIndex, place: Place): RecordWriter {
  const lostCreates = new Map<string, LostCreate[]>();
  const lostUpdates = new Set<string>();
  const findLostCreate = ({ keys, isMatch }: Creation) =>
    keys.flatMap((key) => lostCreates.get(key) ?? []).find(({ body }) => !isMatch || isMatch(body));
  return {
    async create(writer, creation) {
      const lost = findLostCreate(creation);
      if (lost) {
        const record = await creation.lookUp();
        if (record) return { record, isNew: false };
        throw new Failure(
          'unknown',
          `Row ${lost.row} may have created this ${place.what}: its response was lost, and the service does not show it yet.`,
        );
      }
      const { body, keys } = creation;
      if (!writer.isDryRun && keys.length > 0) {
        const record = await creation.lookUpNew();
        if (record) return { record, isNew: false };
      }
      try {
        return { record: await writer.write({ ...place, body }), isNew: true };
      } catch (error) {
        if (isLost(error)) {
          const create = { row: writer.row, body };
          for (const key of keys) lostCreates.set(key, [...(lostCreates.get(key) ?? []), create]);
          await requireResponse(creation.lookUp);
        }
        const record = creation.isDuplicate?.(error) ? await creation.lookUp() : undefined;
        if (!record) throw error;
        return { record, isNew: false };
      }
    },
    async update(writer, current, fields, { map, wanted }) {
      const id = current.id ?? '';
      const changed = findChangedValues(current[map], wanted);
      const hasChanged = changed.length > 0;
      const body = { ...fields, ...(hasChanged && { [map]: formatValues(changed) }) };
      if (Object.keys(body).length === 0) return current;
      const before = {
        ...pickValues(fields, current),
        ...(hasChanged && {
          [map]: readValues(
            current[map],
            changed.map(({ name }) => name),
          ),
        }),
      };
      try {
        return await writer.write({ ...place, id, body, before }, current);
      } catch (error) {
        if (isLost(error)) {
          lostUpdates.add(id);
          await requireResponse(() => readRecord(client, place, id));
        }
        throw error;
      }
    },
    async refresh(record) {
      const id = record.id ?? '';
      if (!lostUpdates.has(id)) return record;
      const latest = await readRecord(client, place, id);
      lostUpdates.delete(id);
      if (latest) index.put(latest);
      return latest ?? record;
    },
  };
}

/**
 * Reads from the service after a lost response. A service that is down, or no longer accepts the key, ends the import
 * here: all other rows would be lost the same way.
 * @throws {Failure} of any code that is not about one record
 */
async function requireResponse(read: () => Promise<unknown>): Promise<void> {
  try {
    await read();
  } catch (error) {
    if (!isRecordFailure(error) && !(error instanceof Refusal)) throw error;
  }
}

/** Whether a write was sent and its response lost. */
const isLost = (error: unknown) => error instanceof Failure && error.code === 'unknown';

/**
 * Adds to an outcome the writes of an interrupted run. `traces` are the steps that it was about to send: if the record
 * now has their values and this run did not write them, the interrupted run did.
 */
export async function recoverOutcome(
  client: Client,
  main: RecordKind,
  outcome: Outcome,
  traces: readonly Step[],
): Promise<Outcome> {
  const recovered: CompletedStep[] = [];
  for (const step of traces) {
    const isRepeated = outcome.completed.some(
      ({ what, id }) => what === step.what && (step.id === undefined || step.id === id),
    );
    const record = isRepeated ? undefined : await findRecord(client, main, outcome, step);
    const completed = record && completeStep(step, record);
    if (completed && JSON.stringify(completed.before) !== JSON.stringify(completed.after)) {
      recovered.push(completed);
    }
  }
  if (recovered.length === 0) return outcome;
  const completed = [...recovered, ...outcome.completed];
  const steps = completed.map(({ what, id, before }) => ({ what, ...(before && { id }) }));
  const isSuccess = outcome.action === 'same' || outcome.action === 'update';
  return { ...outcome, action: isSuccess ? classifySteps(main, steps) : outcome.action, completed };
}

/** Returns the record that a step was about; undefined if that is uncertain. */
async function findRecord(
  client: Client,
  main: RecordKind,
  { id }: Outcome,
  step: Step,
): Promise<StoredRecord | undefined> {
  const stepId = step.id ?? (step.what === main ? id : undefined);
  if (stepId !== undefined) return readRecord(client, step, stepId);
  if (id === undefined) return undefined;
  if (step.what === 'entry') return findOnlyEntry(client, step, id);
  if (step.what !== 'organization') return undefined;
  // It was created for the contact of the row.
  const { organization_id } = await client.read(contacts.get, { contact_id: id });
  return organization_id ? readRecord(client, step, organization_id) : undefined;
}

/** Returns the entry of a record in the list of a step; undefined if there is none, or several. */
async function findOnlyEntry(
  client: Client,
  { list_id = '' }: Step,
  id: string,
): Promise<StoredRecord | undefined> {
  const matches: StoredRecord[] = [];
  for await (const { records } of client.pages(entries.list, { list_id })) {
    matches.push(...records.map(({ value }) => value).filter(({ entryable_id }) => entryable_id === id));
  }
  return matches.length === 1 ? matches[0] : undefined;
}

/** Reads a record; undefined if the service does not have it. */
export async function readRecord(
  client: Client,
  { what, list_id }: Place,
  id: string,
): Promise<StoredRecord | undefined> {
  const { get, id: name } = recordRoutes[what];
  try {
    const { value } = await client.record(get, { [name]: id, ...(list_id !== undefined && { list_id }) });
    return value;
  } catch (error) {
    if (error instanceof Failure && error.code === 'not_found') return undefined;
    throw error;
  }
}
