import type { Recorder } from '../changes/recorder.ts';
import type { StoredRecord } from '../changes/values.ts';
import type { Client } from '../client/client.ts';
import { Failure, isRecordFailure } from '../contract/errors.ts';
import { type ComparedFields, type ConflictFinder, createConflictFinder, removeFields } from './conflicts.ts';
import type { ImportLog } from './import-log.ts';
import { type LockMore, mapInOrder } from './in-order.ts';
import { type CellError, formatErrors, type NamedValue, type ParsedRow, type RowPlan } from './mapping.ts';
import { type Outcome, type RecordKind, Refusal, type Step } from './outcome.ts';
import { type Identity, toIdKey } from './record-index.ts';
import { classifyWrites, type RowWrites, toWrite } from './record-writer.ts';
import type { Row, Table } from './table.ts';

/** A row with the record that it matches, if any. */
interface MatchedRow {
  readonly plan: RowPlan;
  /** The plan without the fields in which another row about the same record conflicts with it. */
  readonly agreed: RowPlan;
  readonly record: StoredRecord | undefined;
  readonly writes: RowWrites;
}

/** Matches and writes the rows of one kind of record. All methods but `readKeys` may throw `Refusal`. */
export interface Importer extends ComparedFields {
  readonly main: RecordKind;
  /** Returns keys that rows about one record have in common. Such rows are imported one after the other. */
  readKeys(plan: RowPlan): readonly string[];
  match(plan: RowPlan): Promise<StoredRecord | undefined>;
  identify(record: StoredRecord, plan: RowPlan): readonly Identity[];
  /** Writes what differs and returns the row's record. */
  write(row: MatchedRow): Promise<StoredRecord>;
}

export interface ImportRun {
  readonly client: Client;
  readonly table: Table;
  readonly parseRow: (row: Row) => ParsedRow;
  readonly importer: Importer;
  /** Sends and records the writes, and records the outcome of each row. If omitted, it is a dry run: nothing is sent. */
  readonly recording: { readonly recorder: Pick<Recorder, 'send'>; readonly log: ImportLog } | undefined;
  /** Maximum number of rows imported at once. */
  readonly concurrency: number;
}

/** The outcome of a row, with its number. */
export interface RowOutcome extends Outcome {
  readonly row: number;
}

/**
 * Imports the rows of a table and yields their outcomes in order. A row that fails does not stop the others. Rows that
 * an interrupted run completed are not imported again.
 * @throws {Failure} that would affect every row: no key, no network, rate limited
 */
export async function* runImport(run: ImportRun): AsyncGenerator<RowOutcome> {
  const { importer, recording, concurrency } = run;
  const log = recording?.log;
  const conflicts = createConflictFinder(importer);
  for await (const { row, plan, errors } of parseRows(run)) {
    if (errors.length === 0) conflicts.add(row.row, plan);
  }
  const resolveContacts = createContactResolver(run.client);
  const readKeys = ({ row, plan }: ParsedRow) => (log?.findAction(row.row) ? [] : importer.readKeys(plan));
  const incomplete = new Map<number, Outcome>();
  /** The emails of rows whose contacts may have been created, or are created by the next run. */
  const unknownEmails = new Set<string>();
  const outcomes = mapInOrder(parseRows(run), concurrency, readKeys, async (parsed, lockMore) => {
    const { row } = parsed.row;
    const action = log?.findAction(row);
    if (action) return { row, action, steps: [] };
    const { plan, missing } = await resolveContacts(parsed.plan);
    // A later row may create the contact that this one names.
    const isEarly = missing.length > 0 && importer.main === 'contact';
    const errors = isEarly ? parsed.errors : [...parsed.errors, ...missing];
    const resolved = isEarly && !log ? parsed.plan : plan;
    const outcome = await importRow(run, conflicts, { ...parsed, errors, resolved }, lockMore);
    if (isEarly && log && isCompleted(outcome)) {
      incomplete.set(row, outcome);
      log.recordOutcome(row, { ...outcome, action: 'unknown', error: formatErrors(missing) });
      return undefined;
    }
    log?.recordOutcome(row, outcome);
    if (outcome.action === 'unknown')
      for (const email of plan.own.emails ?? []) unknownEmails.add(toEmailKey(email));
    return { row, ...outcome };
  });
  for await (const outcome of outcomes) if (outcome) yield outcome;
  if (incomplete.size === 0) return;
  // Writes the values of rows that name contacts of later rows.
  for await (const parsed of parseRows(run)) {
    const { row } = parsed.row;
    const first = incomplete.get(row);
    if (!first) continue;
    const { plan, missing } = await resolveContacts(parsed.plan);
    if (missing.some(({ text }) => unknownEmails.has(toEmailKey(text)))) {
      // Its outcome is recorded as unknown already, so the next run completes it.
      yield { row, ...first, action: 'unknown', error: formatErrors(missing) };
      continue;
    }
    const errors = missing.map((one) => ({
      ...one,
      message: `${one.message} Everything else was imported.`,
    }));
    // A contact without email and phone is matched by its id.
    const resolved = { ...plan, recordId: first.id };
    const second = await importRow(run, conflicts, { ...parsed, errors, resolved });
    const outcome = { ...second, id: second.id ?? first.id };
    log?.recordOutcome(row, outcome);
    yield { row, ...outcome };
  }
}

/** A contact that a field of a row names and that does not exist. */
interface MissingContact extends CellError {
  readonly text: string;
}

/**
 * Returns a function that replaces email addresses in contact fields by ids, because an export writes email addresses. It
 * returns the plan without the values that name a missing contact, and an error for each missing contact.
 */
function createContactResolver(client: Client) {
  const known = new Map<string, string>();
  const findId = async (text: string): Promise<string | undefined> => {
    if (!text.includes('@')) return text;
    const email = text.trim();
    const key = toEmailKey(email);
    const [contact] = known.has(key) ? [] : await client.findContacts({ email });
    if (contact) known.set(key, contact.value.id ?? '');
    return known.get(key);
  };
  const resolve = async (named: NamedValue, missing: MissingContact[]): Promise<NamedValue[]> => {
    if (named.data_type !== 'contact') return [named];
    const values = [named.value].flat().map(String);
    const ids = await Promise.all(values.map(findId));
    const unknown = values.filter((_, index) => ids[index] === undefined);
    for (const text of unknown)
      missing.push({ column: named.name, text, message: `contact "${text}" not found.` });
    if (unknown.length > 0) return [];
    return [{ ...named, value: Array.isArray(named.value) ? ids : ids[0] }];
  };
  return async (plan: RowPlan) => {
    const missing: MissingContact[] = [];
    const custom = await Promise.all(plan.custom.map((one) => resolve(one, missing)));
    const list = await Promise.all(plan.list.map((one) => resolve(one, missing)));
    return { plan: { ...plan, custom: custom.flat(), list: list.flat() }, missing };
  };
}

const toEmailKey = (email: string) => email.trim().toLowerCase();

async function* parseRows({ table, parseRow }: ImportRun): AsyncGenerator<ParsedRow> {
  for await (const row of table.rows()) yield parseRow(row);
}

const isCompleted = ({ action }: Outcome) => action !== 'refused' && action !== 'unknown';

interface ReadyRow extends ParsedRow {
  /** The plan with ids in its contact fields. */
  readonly resolved: RowPlan;
}

/** Takes one row through all stages: check, match, resolve conflicts, write. */
async function importRow(
  { importer, recording }: ImportRun,
  conflicts: ConflictFinder,
  { row: { row }, plan, resolved: wanted, errors }: ReadyRow,
  lockMore: LockMore = async () => false,
): Promise<Outcome> {
  if (errors.length > 0) return { action: 'refused', error: formatErrors(errors), steps: [] };
  const { main } = importer;
  const earlier = recording?.log.listWrites(row) ?? [];
  const created = earlier.find(({ what, action }) => what === main && action === 'create');
  const hasKeys = importer.readKeys(wanted).length > 0;
  if (created && created.id === undefined && !hasKeys) {
    const error = 'The interrupted run may have created it. Check before you import this row again.';
    return { action: 'unknown', error, steps: [] };
  }
  const resolved = created && !hasKeys ? { ...wanted, recordId: created.id } : wanted;
  const steps: Step[] = [];
  let contradictions: ReadonlyMap<string, string> = new Map();
  let outcome: Outcome;
  try {
    let record = await importer.match(resolved);
    const isStale = await lockMore(record ? [toIdKey(record.id)] : []);
    if (isStale) record = await importer.match(resolved);
    // Rows are compared as they were written, not with the ids of their contacts.
    contradictions = conflicts.find(row, plan, record ? importer.identify(record, resolved) : []);
    const { id } = await importer.write({
      plan: resolved,
      agreed: removeFields(resolved, contradictions),
      record,
      writes: { row, steps, recorder: recording?.recorder },
    });
    // The writes of an interrupted run are already in place, so their rows need no change.
    outcome = { action: classifyWrites(main, [...earlier, ...steps.map(toWrite)]), id: id ?? '', steps };
  } catch (error) {
    outcome = { ...describeRefusal(error, main, steps), steps };
  }
  if (contradictions.size === 0) return outcome;
  const error = [...contradictions.values(), outcome.error ?? ''].join(' ').trim();
  return { ...outcome, action: outcome.action === 'unknown' ? 'unknown' : 'refused', error };
}

/** Returns the outcome of a row that failed. @throws {Failure} that is not about this row alone */
function describeRefusal(error: unknown, main: RecordKind, steps: readonly Step[]): Omit<Outcome, 'steps'> {
  const id = steps.find(({ what }) => what === main)?.recordId;
  const created = steps.flatMap(({ what, id: updated, recordId }) =>
    what === main || updated !== undefined || recordId === undefined
      ? []
      : [` The ${what} ${recordId} was created.`],
  );
  const describe = (message: string) => [message, ...created].join('');
  if (error instanceof Refusal) {
    return { action: 'refused', id, error: describe(error.message), candidates: error.candidates };
  }
  const isTooLarge = error instanceof Failure && error.code === 'too_large';
  if (!isRecordFailure(error) && !isTooLarge) throw error;
  const messages = error.detail.fieldErrors?.map(({ message }) => message).join(' ');
  return {
    action: error.code === 'unknown' ? 'unknown' : 'refused',
    id,
    error: describe(messages || error.message),
  };
}
