import type { Client } from '../client/client.ts';
import { Failure, isRecordFailure } from '../contract/errors.ts';
import type { SingularNoun } from '../contract/singular-nouns.ts';
import { toMatchKey } from '../records/match.ts';
import { mapInOrder } from '../values/in-order.ts';
import type { JsonObject } from '../values/json-object.ts';
import type { WriteRun } from '../writes/run.ts';
import type { StoredRecord } from '../writes/values.ts';
import { ContactResolver, type MissingContact } from './contact-references.ts';
import type { ImportLog } from './import-log.ts';
import { formatErrors, type ParsedRow, type RowPlan } from './mapping.ts';
import { type Outcome, Refusal, type Step } from './outcome.ts';
import { classifySteps, type GroupWrites, type RowWrites } from './record-writer.ts';
import {
  type ComparedColumns,
  compareRows,
  type MatchedRow,
  type RowGroup,
  RowGroups,
  removeFields,
} from './row-groups.ts';
import type { Row, Table } from './table.ts';

/** Matches and writes the rows of one kind of record. `match` and `write` may throw `Refusal`. */
export interface Importer {
  readonly main: SingularNoun;
  /** The own columns in which rows about one record must not differ. */
  readonly comparedColumns: ComparedColumns;
  /** Returns the keys that rows about one record have in common. */
  readKeys(plan: RowPlan): readonly string[];
  /** Reads the records that may match a row from the service. `match` reports a failure. */
  prefetch?(plan: RowPlan): Promise<unknown>;
  /** Returns the key of a row's record. Predicts the record, because later rows may match the added values. */
  match(plan: RowPlan, row: number): Promise<string>;
  /** Whether a row creates the contact of an email address. */
  willCreate?(email: string): boolean;
  write(group: GroupWrites): Promise<StoredRecord>;
}

export interface ImportRun {
  readonly client: Client;
  readonly table: Table;
  readonly parseRow: (row: Row) => ParsedRow;
  readonly importer: Importer;
  /** The bodies of the custom fields to create with the first row that is written. */
  readonly newFields: readonly JsonObject[];
  /** Sends the writes, and records the outcome of each row. Omitted in a dry run, which sends nothing. */
  readonly recording: { readonly run: WriteRun; readonly log: ImportLog } | undefined;
  /** Maximum number of rows matched, and records written, at once. */
  readonly concurrency: number;
}

/** The outcome of a row, with its number. */
export interface RowOutcome extends Outcome {
  readonly row: number;
}

/**
 * Imports the rows of a table: matches all of them, and then writes the values of all rows about a record at once. Yields
 * the outcomes, in order if no row waits for the contact of a later one. A row that fails does not stop the others. Rows
 * that an interrupted run completed are not imported again.
 * @throws {Failure} that stopped the run
 */
export function runImport(run: ImportRun): AsyncGenerator<RowOutcome> {
  return new ImportTask(run).run();
}

/** A row with the key of its record, or with its outcome if it is completed or refused. */
interface MatchResult {
  readonly row: number;
  readonly plan: RowPlan;
  readonly key?: string | undefined;
  readonly outcome?: Outcome;
}

/** A row that waits for the contacts that it names. */
interface WaitingRow extends MatchedRow {
  readonly first: Outcome;
}

class ImportTask {
  readonly #run: ImportRun;
  readonly #resolver: ContactResolver;
  readonly #groups = new RowGroups();
  /** The outcomes to yield after the outcomes of earlier rows. */
  readonly #outcomes = new Map<number, Outcome>();
  readonly #rows: number[] = [];
  /** The rows that name contacts of other rows, with their own records. */
  readonly #waiting = new Map<number, WaitingRow>();
  /** The emails of rows whose contact may exist, or will be created by the next run. */
  readonly #unknownEmails = new Set<string>();
  /** The number of rows whose outcome was yielded. */
  #yieldedCount = 0;
  #creation: Promise<unknown> | undefined;
  /** Creates the new fields once, for the first row that is written. */
  readonly #createFields = (row: number) => (this.#creation ??= this.#writeFields(row));

  constructor(run: ImportRun) {
    this.#run = run;
    this.#resolver = new ContactResolver(run.client);
  }

  async *run(): AsyncGenerator<RowOutcome> {
    await this.#matchRows();
    yield* this.#takeOutcomes();
    for await (const _ of this.#importGroups()) yield* this.#takeOutcomes();
    this.#requireRunning();
    for (const row of [...this.#waiting.values()]) {
      yield this.#completeRow(row);
      this.#requireRunning();
    }
  }

  /** Imports all groups. Yields after each one. */
  #importGroups(): AsyncIterable<RowGroup> {
    const { recording, concurrency } = this.#run;
    const groups = this.#groups.takeAll();
    const write = async (group: RowGroup) => {
      await this.#importGroup(group);
      return group;
    };
    if (!recording) return mapInOrder(groups, concurrency, () => [], write);
    const fail = (group: RowGroup, { message }: Failure) => {
      // If the run stops, the rows are pending.
      if (!recording.run.isStopped)
        for (const row of group.rows)
          if (!row.isCompleted) this.#finish(row, { action: 'unknown', error: message, steps: [] });
      return group;
    };
    return recording.run.each(groups, { write, fail });
  }

  /** @throws {Failure} that stopped the run */
  #requireRunning(): void {
    const stop = this.#run.recording?.run.stop;
    if (stop) throw stop;
  }

  /** Matches all rows in order, and groups those about one record. */
  async #matchRows(): Promise<void> {
    const { importer, recording, concurrency, table, parseRow } = this.#run;
    const read = async (row: Row): Promise<ParsedRow> => {
      const parsed = parseRow(row);
      const isNew = parsed.errors.length === 0 && !recording?.log.findAction(row.row);
      if (isNew) await importer.prefetch?.(parsed.plan).catch(() => {});
      return parsed;
    };
    for await (const parsed of mapInOrder(table.rows(), concurrency, () => [], read)) {
      this.#requireRunning();
      const { row, plan, key, outcome } = await this.#matchRow(parsed);
      this.#rows.push(row);
      if (outcome) this.#outcomes.set(row, outcome);
      if (key !== undefined) this.#groups.add(key, { row, plan, isCompleted: outcome !== undefined });
    }
  }

  /** Returns the key of a row's record, or the outcome of a row that is completed or refused. */
  async #matchRow({ row: { row }, plan, errors }: ParsedRow): Promise<MatchResult> {
    const { importer, recording } = this.#run;
    const log = recording?.log;
    const completed = log?.findAction(row);
    if (completed) {
      const key = errors.length > 0 ? undefined : log?.findOutcome(row)?.id;
      const leftOut = log?.findOutcome(row)?.left_out;
      return { row, plan, key, outcome: { action: completed, leftOut, steps: [] } };
    }
    const refuse = (refusal: Omit<Outcome, 'steps'>) => {
      const outcome = addLeftOut(plan, refusal);
      log?.recordOutcome(row, outcome);
      return { row, plan, outcome: { ...outcome, steps: [] } };
    };
    if (errors.length > 0) return refuse({ action: 'refused', error: formatErrors(errors) });
    const created = log
      ?.listWrites(row)
      .find(({ noun, action }) => noun === importer.main && action === 'create');
    const isNameless = created !== undefined && importer.readKeys(plan).length === 0;
    if (isNameless && created.id === undefined) {
      const error = 'The interrupted run may have created it. Check before you import this row again.';
      return refuse({ action: 'unknown', error });
    }
    try {
      const planWithId = isNameless ? { ...plan, recordId: created.id } : plan;
      return { row, plan, key: await importer.match(planWithId, row) };
    } catch (error) {
      return refuse(describeRefusal(error, importer.main, []));
    }
  }

  /** Yields the known outcomes of the next rows. */
  *#takeOutcomes(): Generator<RowOutcome> {
    for (; this.#yieldedCount < this.#rows.length; this.#yieldedCount += 1) {
      const row = this.#rows[this.#yieldedCount] ?? 0;
      const outcome = this.#outcomes.get(row);
      if (!outcome && !this.#waiting.has(row)) return;
      this.#outcomes.delete(row);
      if (outcome) yield { row, ...outcome };
    }
  }

  /** Writes a record with the values of all its rows, except contradictory values. */
  async #importGroup({ key, rows }: RowGroup): Promise<void> {
    const { importer, recording } = this.#run;
    const findContradictions = compareRows(rows, importer.comparedColumns);
    const isPredicted = (email: string) => !recording && (importer.willCreate?.(email) ?? false);
    const resolvedRows = await Promise.all(
      rows
        .filter(({ isCompleted }) => !isCompleted)
        .map(async (row) => {
          const contradictions = findContradictions(row);
          const rowWithoutContradictions = { ...row, plan: removeFields(row.plan, contradictions) };
          return {
            row: rowWithoutContradictions,
            contradictions,
            ...(await this.#resolver.resolve(rowWithoutContradictions.plan, isPredicted)),
          };
        }),
    );
    const outcomes = await this.#writeRows(
      key,
      // A contact is written without its missing contacts, because rows may name each other.
      resolvedRows
        .filter(({ missing }) => missing.length === 0 || importer.main === 'contact')
        .map(({ row: { row }, plan, contradictions }) => ({ row, plan, steps: [], contradictions })),
    );
    for (const { row, missing } of resolvedRows) {
      const outcome = outcomes.get(row.row);
      if (!outcome) this.#finish(row, { action: 'refused', error: formatErrors(missing), steps: [] });
      else if (missing.length === 0 || !isWritten(outcome)) this.#finish(row, outcome);
      else this.#wait(row, outcome, missing);
    }
  }

  /** Writes a record with the values of its rows, and returns their outcomes. */
  async #writeRows(
    key: string,
    rows: readonly (RowWrites & { readonly contradictions: ReadonlyMap<string, string> })[],
  ): Promise<ReadonlyMap<number, Outcome>> {
    const { importer, recording } = this.#run;
    const { main } = importer;
    const earlier = rows.flatMap(({ row }) => recording?.log.listWrites(row) ?? []);
    const group: GroupWrites = {
      key,
      rows,
      run: recording?.run,
      createFields: this.#createFields,
      findEarlier(noun) {
        const write = earlier.find((write) => write.noun === noun);
        return write && recording?.log.load(write);
      },
    };
    if (rows.length === 0) return new Map();
    let describe: (row: RowWrites) => Omit<Outcome, 'steps'>;
    try {
      const { id } = await importer.write(group);
      describe = ({ steps }) => ({ action: classifySteps(main, steps), id });
    } catch (error) {
      // If the run has stopped, the next one finds out whether the record was written.
      if (recording?.run.isStopped && error instanceof Failure) throw error;
      const id = rows.flatMap(({ steps }) => steps).find(({ noun }) => noun === main)?.recordId;
      describe = ({ steps }) => ({ id, ...describeRefusal(error, main, steps) });
    }
    return new Map(
      rows.map((row) => [
        row.row,
        addLeftOut(row.plan, addContradictions({ ...describe(row), steps: row.steps }, row.contradictions)),
      ]),
    );
  }

  #finish({ row, plan }: MatchedRow, outcome: Outcome): void {
    this.#run.recording?.log.recordOutcome(row, outcome);
    this.#outcomes.set(row, outcome);
    if (outcome.action === 'unknown')
      for (const email of plan.ownTexts.emails ?? []) this.#unknownEmails.add(toMatchKey('email', email));
  }

  async #writeFields(row: number): Promise<void> {
    const { newFields, recording } = this.#run;
    for (const body of newFields)
      await recording?.run.write({ noun: 'custom_field', action: 'create', body }, { row });
  }

  /** A later row may create the named contacts, so values that refer to them are written at the end. */
  #wait(row: MatchedRow, first: Outcome, missing: readonly MissingContact[]): void {
    const { recording } = this.#run;
    if (!recording) {
      this.#outcomes.set(row.row, refuseMissing(first, missing));
      return;
    }
    // If the run is interrupted, the next one completes the row.
    recording.log.recordOutcome(row.row, { ...first, action: 'unknown', error: formatErrors(missing) });
    this.#waiting.set(row.row, { ...row, first });
  }

  /** Writes the values of a row that names contacts of later rows. */
  async #completeRow({ first, ...row }: WaitingRow): Promise<RowOutcome> {
    const { plan, missing } = await this.#resolver.resolve(row.plan, () => false);
    if (missing.some(({ email }) => this.#unknownEmails.has(toMatchKey('email', email)))) {
      // The outcome is already recorded as unknown, so the next run completes the row.
      return { ...first, row: row.row, action: 'unknown', error: formatErrors(missing) };
    }
    const entryPlan = { ...plan, ownTexts: {}, list: [] };
    const rows = [{ row: row.row, plan: entryPlan, steps: [], contradictions: new Map() }];
    const second = (await this.#writeRows(first.id ?? '', rows)).get(row.row) ?? first;
    const writtenOutcome = isWritten(second) ? first : { ...second, id: first.id };
    const outcome = missing.length > 0 ? refuseMissing(writtenOutcome, missing) : writtenOutcome;
    this.#run.recording?.log.recordOutcome(row.row, outcome);
    return { row: row.row, ...outcome };
  }
}

const isWritten = ({ id, action }: Outcome) => id !== undefined && action !== 'unknown';

const refuseMissing = (outcome: Outcome, missing: readonly MissingContact[]): Outcome => ({
  ...outcome,
  action: 'refused',
  error: [
    outcome.error ?? [],
    formatErrors(
      missing.map((error) => ({ ...error, message: `${error.message} Everything else was imported.` })),
    ),
  ]
    .flat()
    .join(' '),
});

function addContradictions(outcome: Outcome, contradictions: ReadonlyMap<string, string>): Outcome {
  if (contradictions.size === 0) return outcome;
  const error = [...contradictions.values(), outcome.error ?? ''].join(' ').trim();
  return { ...outcome, action: outcome.action === 'unknown' ? 'unknown' : 'refused', error };
}

/** Adds the cells that were left out to the outcome of an imported row, or to the error of a row that was not. */
function addLeftOut<O extends Omit<Outcome, 'steps'>>({ leftOut = [] }: RowPlan, outcome: O): O {
  const text = formatErrors(leftOut);
  if (text === '') return outcome;
  const isImported = !['refused', 'unknown'].includes(outcome.action);
  return isImported
    ? { ...outcome, leftOut: text }
    : { ...outcome, error: `${text} ${outcome.error ?? ''}`.trim() };
}

/** Returns the outcome of a row that failed. @throws {Failure} that concerns more than one record */
function describeRefusal(error: unknown, main: SingularNoun, steps: readonly Step[]): Omit<Outcome, 'steps'> {
  const created = steps.flatMap(({ noun, id, recordId }) =>
    noun === main || id !== undefined || recordId === undefined
      ? []
      : [` The ${noun} ${recordId} was created.`],
  );
  const describe = (message: string) => [message, ...created].join('');
  if (error instanceof Refusal)
    return { action: 'refused', error: describe(error.message), candidates: error.candidates };
  const isTooLarge = error instanceof Failure && error.code === 'too_large';
  if (!isRecordFailure(error) && !isTooLarge) throw error;
  const messages = error.detail.fieldErrors?.map(({ message }) => message).join(' ');
  return {
    action: error.code === 'unknown' ? 'unknown' : 'refused',
    error: describe(messages || error.message),
  };
}
