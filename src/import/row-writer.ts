import type { Client } from '../client/client.ts';
import { contacts } from '../contract/contacts.ts';
import { entries } from '../contract/entries.ts';
import { Failure, isRecordFailure } from '../contract/errors.ts';
import { organizations } from '../contract/organizations.ts';
import { extractHost } from '../values/domain.ts';
import { isSameValue, normalizeTexts, readTexts } from '../values/field-values.ts';
import { readObject } from '../values/json-object.ts';
import {
  type Action,
  type CompletedStep,
  type NamedValue,
  type Outcome,
  type RecordKind,
  Refusal,
  type Step,
  type StoredRecord,
  type Values,
} from './rows.ts';

/** Carries out the steps of one row. */
export interface RowWriter {
  readonly row: number;
  /** Whether nothing is sent. */
  readonly isDryRun: boolean;
  /** Creates or updates a record and returns it. `current` is the record before an update. */
  write(step: Step, current?: StoredRecord): Promise<StoredRecord>;
  readonly steps: readonly Step[];
  readonly completed: readonly CompletedStep[];
}

/** The routes of each kind of record. */
export const recordRoutes = {
  contact: { ...contacts, id: 'contact_id' },
  organization: { ...organizations, id: 'organization_id' },
  entry: { ...entries, id: 'id' },
} as const;

/** Returns a writer that sends. It records each step before it sends it, so that a killed run leaves a trace. */
export function createRowWriter(
  row: number,
  client: Client,
  recordStep: (step: Step) => Promise<void>,
): RowWriter {
  const steps: Step[] = [];
  const completed: CompletedStep[] = [];
  return {
    row,
    isDryRun: false,
    steps,
    completed,
    async write(step, current) {
      await recordStep(step);
      const { create, update, id } = recordRoutes[step.what];
      const { list_id } = step;
      const { value } = await client.record(step.id === undefined ? create : update, {
        ...step.body,
        ...(list_id !== undefined && { list_id }),
        ...(step.id !== undefined && { [id]: step.id }),
      });
      // The specification shows no response to a write: the record then has what was sent.
      const record: StoredRecord = value === null ? predictRecord(step, current, 0) : value;
      if (step.id === undefined && (value === null || !record.id)) {
        throw new Failure('unknown', `The ${step.what} was created, but the service did not return its id.`);
      }
      steps.push(step);
      completed.push(completeStep(step, record));
      return { ...record, id: record.id ?? step.id ?? null };
    },
  };
}

/** Returns a writer that sends nothing and predicts the records. */
export function createDryRunWriter(row: number): RowWriter {
  const steps: Step[] = [];
  return {
    row,
    isDryRun: true,
    steps,
    completed: [],
    async write(step, current) {
      steps.push(step);
      return predictRecord(step, current, row);
    },
  };
}

/** Returns a step with the values that the record has after it. */
export function completeStep({ what, list_id, id, before }: Step, record: StoredRecord): CompletedStep {
  const place = { what, ...(list_id !== undefined && { list_id }), id: id ?? record.id ?? '' };
  if (before === undefined) return { ...place, after: pickStoredValues(record) };
  return { ...place, before, after: pickValues(before, record) };
}

/**
 * Runs the work of a row, which returns the id of its record, and returns the outcome.
 * @throws {Failure} if the failure is not about this row alone
 */
export async function captureOutcome(
  main: RecordKind,
  { steps, completed }: RowWriter,
  work: () => Promise<string>,
): Promise<Outcome> {
  try {
    const id = await work();
    return { action: classifySteps(main, steps), id, steps, completed };
  } catch (error) {
    if (error instanceof Refusal) {
      return { action: 'refused', error: error.message, candidates: error.candidates, steps, completed };
    }
    if (!isRowFailure(error)) throw error;
    const action = error.code === 'unknown' ? 'unknown' : 'refused';
    return { action, id: completed[0]?.id, error: formatFailure(error), steps, completed };
  }
}

function isRowFailure(error: unknown): error is Failure {
  return isRecordFailure(error) || (error instanceof Failure && error.code === 'too_large');
}

/** Returns the action of a row. Any other record that had to be written makes it an update. */
export function classifySteps(main: RecordKind, steps: readonly Pick<Step, 'what' | 'id'>[]): Action {
  if (steps.length === 0) return 'same';
  return steps.some(({ what, id }) => what === main && id === undefined) ? 'create' : 'update';
}

function formatFailure({ message, detail }: Failure): string {
  const messages = (detail.fieldErrors ?? []).map((fieldError) => fieldError.message);
  return messages.length > 0 ? messages.join(' ') : message;
}

const predictedId = (row: number) => `row ${row}`;

/** Whether an id is that of a record that exists only in a dry run. */
export const isPredictedId = (id: unknown) => typeof id === 'string' && /^row \d+$/.test(id);

/** Returns the record as it would be after a step. */
function predictRecord({ body, id }: Step, current: StoredRecord | undefined, row: number): StoredRecord {
  const { custom_fields, list_fields, emails, domains, assignee_email, ...rest } = body;
  const addresses = {
    emails: addTexts(current?.emails, emails, (email) => email.trim()),
    domains: addTexts(current?.domains, domains, (domain) => extractHost(domain) ?? domain),
  };
  const predicted: Values = {
    ...current,
    ...rest,
    id: id ?? predictedId(row),
    isPredicted: id === undefined || (current?.isPredicted ?? false),
    ...Object.fromEntries(Object.entries(addresses).filter(([, value]) => value !== undefined)),
    ...(assignee_email !== undefined && { assignee: { email: assignee_email } }),
    custom_fields: addValues(current?.custom_fields, custom_fields),
    list_fields: addValues(current?.list_fields, list_fields),
  };
  return predicted as StoredRecord; // a body has the fields of its record
}

/** Adds texts as the service does: in its format, and without duplicates that differ only in case. */
function addTexts(stored: StoredRecord['emails'], added: unknown, format: (text: string) => string) {
  if (!Array.isArray(added)) return stored;
  const texts = [...readTexts(stored), ...readTexts(added)].map(format);
  const folded = texts.map((text) => text.toLowerCase());
  return texts.filter((_, index) => folded.indexOf(folded[index] ?? '') === index);
}

function addValues(map: FieldMap, values: unknown): NonNullable<FieldMap> {
  const byName = new Map(Object.values(map ?? {}).map((field) => [field?.name, field]));
  for (const value of Array.isArray(values) ? values : []) byName.set(value.name, value);
  return Object.fromEntries([...byName.values()].entries());
}

/** The values of a record's custom fields, or of an entry's list fields. */
export type FieldMap = StoredRecord['custom_fields'];

/** Returns the value of a field in a record's map of fields; null if it has none. */
function findValue(map: FieldMap, name: string): unknown {
  return Object.values(map ?? {}).find((field) => field?.name === name)?.value ?? null;
}

/** Returns the wanted values that differ from those in a map of fields. */
export function findChangedValues(map: FieldMap, wanted: readonly NamedValue[]): NamedValue[] {
  return wanted.filter(({ name, value, data_type }) => !isSameValue(findValue(map, name), value, data_type));
}

/** Returns the values of the named fields, by field name. */
export function readValues(map: FieldMap, names: readonly string[]): Values {
  return Object.fromEntries(names.map((name) => [name, findValue(map, name)]));
}

/** Returns values in the form of a request body. */
export function formatValues(values: readonly NamedValue[]): Pick<NamedValue, 'name' | 'value'>[] {
  return values.map(({ name, value }) => ({ name, value }));
}

/** Returns the email address of an entry's assignee. Bodies call it `assignee_email`. */
export function readAssigneeEmail({ assignee }: StoredRecord): string | null {
  return assignee?.email ?? null;
}

const isFieldMap = (name: string): name is 'custom_fields' | 'list_fields' =>
  name === 'custom_fields' || name === 'list_fields';

/** Returns a record's values in the fields of `shape`, in the form of a body. */
export function pickValues(shape: Values, record: StoredRecord): Values {
  const values: Values = record;
  return Object.fromEntries(
    Object.entries(shape).map(([name, value]) => {
      if (name === 'assignee_email') return [name, readAssigneeEmail(record)];
      if (!isFieldMap(name)) return [name, normalizeTexts(name, values[name]) ?? null];
      return [name, readValues(record[name], Object.keys(readObject(value)))];
    }),
  );
}

/** Returns a record without empty values and without its times of creation and update. */
export function pickStoredValues({ created_at: _, updated_at: __, ...record }: StoredRecord): Values {
  const isEmpty = (value: unknown) => value === null || (Array.isArray(value) && value.length === 0);
  const stored = Object.entries(record).filter(([, value]) => !isEmpty(value));
  return Object.fromEntries(
    stored.map(([name, value]) => {
      if (!isFieldMap(name)) return [name, value];
      const fields = Object.entries(record[name] ?? {}).filter(([, field]) => !isEmpty(field?.value));
      return [name, Object.fromEntries(fields)];
    }),
  );
}
