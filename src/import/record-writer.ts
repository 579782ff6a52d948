import { nouns, readRecord, toParams } from '../changes/nouns.ts';
import {
  pickStoredValues,
  pickValues,
  replaceValues,
  type StoredRecord,
  toBody,
  type Values,
} from '../changes/values.ts';
import type { Client } from '../client/client.ts';
import { contacts } from '../contract/contacts.ts';
import { entries } from '../contract/entries.ts';
import { Failure, isRecordFailure } from '../contract/errors.ts';
import { extractHost } from '../values/domain.ts';
import { findDefinedValue, isSameValue, readTexts } from '../values/field-values.ts';
import type { NamedValue } from './mapping.ts';
import {
  type Action,
  type CompletedStep,
  type Outcome,
  type RecordKind,
  Refusal,
  type Step,
} from './outcome.ts';
import type { RecordIndex } from './record-index.ts';

/** The writes of one row, as they happen. */
export interface RowWrites {
  readonly row: number;
  readonly steps: Step[];
  readonly completed: CompletedStep[];
  /** Records a step before it is sent, so that a killed run leaves a trace. If omitted, nothing is sent. */
  readonly recordStep?: ((step: Step) => void) | undefined;
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

/** Returns a writer of one kind of record, which remembers which of its writes have an unknown outcome. */
export function createRecordWriter(client: Client, index: RecordIndex, place: Place) {
  const map = place.what === 'entry' ? 'list_fields' : 'custom_fields';
  /** Creates whose response was lost, by the keys of their records. */
  const lostCreates = new Map<string, { readonly row: number; readonly body: Values }[]>();
  const lostUpdates = new Set<string>();

  /** Returns the record if it was created since it was looked up: by another run, or by a create with a lost response. */
  const findCreated = async ({ recordStep }: RowWrites, { keys, isMatch, lookUp }: RecordPlan) => {
    const lost = keys
      .flatMap((key) => lostCreates.get(key) ?? [])
      .find(({ body }) => isMatch?.(body) ?? true);
    if (!lost) return recordStep && keys.length > 0 ? lookUp(true) : undefined;
    const record = await lookUp(false);
    if (record) return record;
    throw new Failure(
      'unknown',
      `Row ${lost.row} may have created this ${place.what}: its response was lost, and the service does not show it yet.`,
    );
  };

  const update = async (writes: RowWrites, current: StoredRecord, { planFields, values }: RecordPlan) => {
    const id = current.id ?? '';
    const changed = findChangedValues(current[map], values);
    const body = { ...planFields(current), ...(changed.length > 0 && { [map]: toValues(changed) }) };
    if (Object.keys(body).length === 0) return current;
    const step = { ...place, id, body, before: pickValues(body, current) };
    try {
      return await sendStep(client, writes, step, current);
    } catch (error) {
      if (isLost(error)) {
        lostUpdates.add(id);
        await requireResponse(() => readRecord(client, { ...place, id }));
      }
      throw error;
    }
  };

  const create = async (writes: RowWrites, plan: RecordPlan) => {
    const { planFields, values, keys, isDuplicate, lookUp } = plan;
    const body = { ...planFields(undefined), ...(values.length > 0 && { [map]: toValues(values) }) };
    try {
      return await sendStep(client, writes, { ...place, body });
    } catch (error) {
      if (isLost(error)) {
        const lost = { row: writes.row, body };
        for (const key of keys) lostCreates.set(key, [...(lostCreates.get(key) ?? []), lost]);
        await requireResponse(() => lookUp(false));
      }
      const existing = isDuplicate?.(error) ? await lookUp(false) : undefined;
      if (!existing) throw error;
      return update(writes, existing, plan);
    }
  };

  return {
    /**
     * Updates what differs from the current record; without one, creates it unless it was created since.
     * @throws {Failure} unknown if an earlier create of the same record lost its response and the record is not visible
     */
    async save(
      writes: RowWrites,
      current: StoredRecord | undefined,
      plan: RecordPlan,
    ): Promise<StoredRecord> {
      const existing = current ?? (await findCreated(writes, plan));
      return existing ? update(writes, existing, plan) : create(writes, plan);
    },
    /** Returns the record, read again if an update of it had an unknown outcome. */
    async refresh(record: StoredRecord): Promise<StoredRecord> {
      const id = record.id ?? '';
      if (!lostUpdates.has(id)) return record;
      const latest = await readRecord(client, { ...place, id });
      lostUpdates.delete(id);
      if (latest) index.put(latest);
      return latest ?? record;
    },
  };
}

/** Returns values by field name, as steps hold them. */
function toValues(values: readonly NamedValue[]): Values {
  return Object.fromEntries(values.map(({ name, value }) => [name, value]));
}

/** Returns the new values that differ from those among those of a record. */
function findChangedValues(container: unknown, newValues: readonly NamedValue[]): NamedValue[] {
  return newValues.filter(
    ({ name, value, data_type }) => !isSameValue(findDefinedValue(container, name), value, data_type),
  );
}

/** Sends a step and returns the record as it is then. A dry run only predicts it. */
async function sendStep(
  client: Client,
  { row, steps, completed, recordStep }: RowWrites,
  step: Step,
  current?: StoredRecord,
): Promise<StoredRecord> {
  if (!recordStep) {
    steps.push(step);
    return predictRecord(step, current, row);
  }
  recordStep(step);
  const { create, update } = nouns[step.what];
  const { value } = await client.record(step.id === undefined ? create : update, {
    ...toBody(step.body),
    ...toParams(step),
  });
  // The specification shows no response to a write. If there is none, the record has the values of the request.
  const record: StoredRecord = value ?? predictRecord(step, current, row);
  if (step.id === undefined && (value === null || !record.id)) {
    throw new Failure('unknown', `The ${step.what} was created, but the service did not return its id.`);
  }
  steps.push(step);
  completed.push(completeStep(step, record));
  return { ...record, id: record.id ?? step.id ?? null };
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

/** Returns a step with the values that the record has after it. */
function completeStep({ body: _, ...step }: Step, record: StoredRecord): CompletedStep {
  const after = step.before ? pickValues(step.before, record) : pickStoredValues(record);
  return { ...step, id: step.id ?? record.id ?? '', after };
}

/** Returns the action of a row. Any other record that had to be written makes it an update. */
export function classifySteps(main: RecordKind, steps: readonly Pick<Step, 'what' | 'id'>[]): Action {
  if (steps.length === 0) return 'same';
  return steps.some(({ what, id }) => what === main && id === undefined) ? 'create' : 'update';
}

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
  if (stepId !== undefined) return readRecord(client, { ...step, id: stepId });
  if (id === undefined) return undefined;
  if (step.what === 'organization') {
    // It was created for the contact of the row.
    const { organization_id } = await client.read(contacts.get, { contact_id: id });
    return organization_id ? readRecord(client, { ...step, id: organization_id }) : undefined;
  }
  const matches: StoredRecord[] = [];
  for await (const { value } of client.records(entries.list, { list_id: step.list_id ?? '' })) {
    if (value.entryable_id === id) matches.push(value);
  }
  return matches.length === 1 ? matches[0] : undefined;
}
