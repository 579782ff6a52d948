import { readRecord, type Write } from '../changes/nouns.ts';
import { type Recorder, readResponseRecord } from '../changes/recorder.ts';
import { pickValues, replaceValues, type StoredRecord, toBody, type Values } from '../changes/values.ts';
import type { Client } from '../client/client.ts';
import { Failure, isRecordFailure } from '../contract/errors.ts';
import { isSameValue, readDataType } from '../contract/field-types.ts';
import { extractHost } from '../values/domain.ts';
import { findDefinedValue, readTexts } from '../values/field-values.ts';
import type { NamedValue } from './mapping.ts';
import { type Action, type RecordKind, Refusal, type Step } from './outcome.ts';
import type { RecordIndex } from './record-index.ts';

/** The writes of one row, as they happen. */
export interface RowWrites {
  readonly row: number;
  readonly steps: Step[];
  /** Sends and records writes. If omitted, it is a dry run: nothing is sent. */
  readonly recorder: Pick<Recorder, 'send'> | undefined;
}

/** The record that a row asks for. */
interface RecordPlan {
  /** Returns the own fields of a new record, or those that differ from an existing one. */
  readonly planFields: (existing: StoredRecord | undefined) => Values;
  /** The values of its custom fields or list fields. */
  readonly values: readonly NamedValue[];
  /** The keys by which the record would be found. */
  readonly keys: readonly string[];
  /** Whether a record with these values would match the row; if omitted, any record with a common key does. */
  readonly isMatch?: (values: Values) => boolean;
  /** Whether the service refused the create because the record may exist: then it is looked up. */
  readonly isDuplicate?: (error: unknown) => boolean;
  /** Finds the record on the service, even if the index has it. `onlyNew`: among the records that were added since. */
  readonly lookUp: (onlyNew: boolean) => Promise<StoredRecord | undefined>;
}

/** A kind of record; for entries also their list. */
type Place = Pick<Step, 'what' | 'list_id'>;

/** Writes one kind of record, and tracks the writes whose outcome is unknown. */
export class RecordWriter {
  readonly #client: Client;
  readonly #index: RecordIndex;
  readonly #place: Place;
  /** The member of a record that contains the values of custom fields or list fields. */
  readonly #container: 'custom_fields' | 'list_fields';
  /** Creates whose response was lost, by the keys of their records. */
  readonly #lostCreates = new Map<string, { readonly row: number; readonly body: Values }[]>();
  readonly #lostUpdates = new Set<string>();

  constructor(client: Client, index: RecordIndex, place: Place) {
    this.#client = client;
    this.#index = index;
    this.#place = place;
    this.#container = place.what === 'entry' ? 'list_fields' : 'custom_fields';
  }

  /**
   * Updates what differs from the current record; without one, creates it unless it was created since.
   * @throws {Failure} unknown if an earlier create of the same record lost its response and the record is not visible
   */
  async save(writes: RowWrites, current: StoredRecord | undefined, plan: RecordPlan): Promise<StoredRecord> {
    const existing = current ?? (await this.#findCreated(writes, plan));
    return existing ? this.#update(writes, existing, plan) : this.#create(writes, plan);
  }

  /** Returns the record, read again if an update of it had an unknown outcome. */
  async refresh(record: StoredRecord): Promise<StoredRecord> {
    const id = record.id ?? '';
    if (!this.#lostUpdates.has(id)) return record;
    const latest = await this.#read(id);
    this.#lostUpdates.delete(id);
    if (latest) this.#index.put(latest);
    return latest ?? record;
  }

  /** Returns the record if it was created since it was looked up: by another run, or by a create with a lost response. */
  async #findCreated(
    { recorder }: RowWrites,
    { keys, isMatch, lookUp }: RecordPlan,
  ): Promise<StoredRecord | undefined> {
    const lost = keys
      .flatMap((key) => this.#lostCreates.get(key) ?? [])
      .find(({ body }) => isMatch?.(body) ?? true);
    if (!lost) return recorder && keys.length > 0 ? lookUp(true) : undefined;
    const record = await lookUp(false);
    if (record) return record;
    throw new Failure(
      'unknown',
      `Row ${lost.row} may have created this ${this.#place.what}: its response was lost, and the service does not show it yet.`,
    );
  }

  async #update(
    writes: RowWrites,
    current: StoredRecord,
    { planFields, values }: RecordPlan,
  ): Promise<StoredRecord> {
    const id = current.id ?? '';
    const body = this.#buildBody(planFields(current), findChangedValues(current[this.#container], values));
    if (Object.keys(body).length === 0) return current;
    const step = { ...this.#place, id, body, before: pickValues(body, current) };
    try {
      return await sendStep(writes, step, current);
    } catch (error) {
      if (isLost(error)) {
        this.#lostUpdates.add(id);
        await requireResponse(() => this.#read(id));
      }
      throw error;
    }
  }

  async #create(writes: RowWrites, plan: RecordPlan): Promise<StoredRecord> {
    const { planFields, values, keys, isDuplicate, lookUp } = plan;
    const body = this.#buildBody(planFields(undefined), values);
    try {
      return await sendStep(writes, { ...this.#place, body });
    } catch (error) {
      if (isLost(error)) {
        const lost = { row: writes.row, body };
        for (const key of keys) this.#lostCreates.set(key, [...(this.#lostCreates.get(key) ?? []), lost]);
        await requireResponse(() => lookUp(false));
      }
      const existing = isDuplicate?.(error) ? await lookUp(false) : undefined;
      if (!existing) throw error;
      return this.#update(writes, existing, plan);
    }
  }

  #buildBody(fields: Values, values: readonly NamedValue[]): Values {
    const named = values.map(({ name, value }) => [name, value]);
    return { ...fields, ...(named.length > 0 && { [this.#container]: Object.fromEntries(named) }) };
  }

  #read(id: string): Promise<StoredRecord | undefined> {
    return readRecord(this.#client, { ...this.#place, id });
  }
}

/** Returns the new values that differ from those among those of a record. */
function findChangedValues(container: unknown, newValues: readonly NamedValue[]): NamedValue[] {
  return newValues.filter(
    ({ name, value, data_type }) =>
      !isSameValue(findDefinedValue(container, name), value, readDataType(data_type)),
  );
}

/** Returns the write of a step. */
export const toWrite = ({ what, list_id, id, body }: Step): Write => ({
  what,
  list_id,
  id,
  action: id === undefined ? 'create' : 'update',
  body: toBody(body),
});

/** Sends a step and returns the record as it is then. A dry run only predicts it. */
async function sendStep(
  { row, steps, recorder }: RowWrites,
  step: Step,
  current?: StoredRecord,
): Promise<StoredRecord> {
  const { what, id } = step;
  const predict = () => predictRecord(step, current, row);
  if (!recorder) {
    steps.push(step);
    return predict();
  }
  const write = toWrite(step);
  const response = await recorder.send(write, { before: current, row });
  // The specification shows no response to a write. If there is none, the record has the values of the request.
  const received = readResponseRecord(write, response);
  if (id === undefined && !received)
    throw new Failure('unknown', `The ${what} was created, but the service did not return its id.`);
  const record: StoredRecord = received ? (received as StoredRecord) : { ...predict(), id: id ?? null };
  steps.push({ ...step, recordId: record.id ?? '' });
  return record;
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

/** Whether the service refused a write because another record has one of its values. */
export function isTaken(error: unknown): boolean {
  const fieldErrors = error instanceof Failure ? error.detail.fieldErrors : undefined;
  return fieldErrors?.some(({ code }) => code === 'taken') ?? false;
}

/** Whether a write was sent and its response lost. */
const isLost = (error: unknown) => error instanceof Failure && error.code === 'unknown';

/** Returns the record as it would be after a step. */
function predictRecord({ body, id }: Step, current: StoredRecord | undefined, row: number): StoredRecord {
  const { emails, domains } = body;
  return replaceValues(current, {
    ...body,
    id: id ?? `row ${row}`,
    isPredicted: id === undefined || (current?.isPredicted ?? false),
    ...(emails !== undefined && { emails: addTexts(current?.emails, emails, (email) => email.trim()) }),
    ...(domains !== undefined && {
      domains: addTexts(current?.domains, domains, (domain) => extractHost(domain) ?? domain),
    }),
  });
}

/** Adds texts as the service does: in its format, and without duplicates that differ only in case. */
function addTexts(stored: unknown, added: unknown, format: (text: string) => string): string[] {
  const texts = [...readTexts(stored), ...readTexts(added)].map(format);
  const folded = texts.map((text) => text.toLowerCase());
  return texts.filter((_, index) => folded.indexOf(folded[index] ?? '') === index);
}

/** Returns the action of a row. Any other record that had to be written makes it an update. */
export function classifyWrites(main: RecordKind, writes: readonly Pick<Write, 'what' | 'action'>[]): Action {
  if (writes.length === 0) return 'same';
  return writes.some(({ what, action }) => what === main && action === 'create') ? 'create' : 'update';
}
