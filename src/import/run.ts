import type { Client } from '../client/client.ts';
import { faultSentence } from './checked-rows.ts';
import { contactReferences } from './contact-references.ts';
import { type Contradictions, contradictionsIn, type Identity } from './contradictions.ts';
import type { ImportJournal } from './import-journal.ts';
import type { Importer } from './importer.ts';
import { type Claim, inOrder } from './in-order.ts';
import type { Outcome, Step } from './outcome.ts';
import { recovered } from './recovery.ts';
import type { Sheet, SheetRow } from './table-file.ts';
import type { NamedValue, ReadRow, Wish } from './wishes.ts';
import { rehearsingWorker, sendingWorker, worked } from './worker.ts';

/** What a run needs. */
export interface Running {
  readonly client: Client;
  readonly sheet: Sheet;
  readonly read: (row: SheetRow) => ReadRow;
  readonly importer: Importer;
  /** Records the outcome of each row. A dry run has none: nothing is sent. */
  readonly journal: ImportJournal | undefined;
  /** Tells the temporary files of this run from those of another. */
  readonly name: string;
  /** Rows worked on at once. */
  readonly concurrency: number;
}

/** What became of a row. */
export interface RowOutcome extends Outcome {
  readonly row: number;
}

/**
 * Brings the rows of a sheet in, in their order; a row that fails stops no other. What a run before it has done is
 * not done again. Throws what would meet every row: no key, no network, too many requests.
 */
export async function* broughtIn(running: Running): AsyncGenerator<RowOutcome> {
  const { sheet, read, importer, name } = running;
  const rows = async function* () {
    for await (const row of sheet.rows()) yield read(row);
  };
  const contradictions = contradictionsIn(`${name}-rows`, importer.compared);
  try {
    for await (const { row, wish, faults } of rows()) {
      if (faults.length === 0) contradictions.add(row.row, wish);
    }
    yield* imported(running, rows(), contradictions);
  } finally {
    contradictions.close();
  }
}

async function* imported(
  running: Running,
  rows: AsyncIterable<ReadRow>,
  contradictions: Contradictions,
): AsyncGenerator<RowOutcome> {
  const { client, importer, journal, concurrency } = running;
  const keysOf = ({ row, wish }: ReadRow) => (journal?.findAction(row.row) ? [] : importer.keysOf(wish));
  const resolve = contactReferences(client);
  const incomplete = new Map<number, Outcome>();
  const outcomes = inOrder(rows, concurrency, keysOf, async (reading, claim) => {
    const { row } = reading.row;
    const action = journal?.findAction(row);
    if (action) return { row, action, steps: [], done: [] };
    const traces = journal?.findTraces(row) ?? [];
    const { wish, missing } = await resolve(reading.wish);
    // A later row may create the contact that this one names.
    const isEarly = missing.length > 0 && importer.main === 'contact';
    const faults = isEarly ? reading.faults : [...reading.faults, ...missing.map(asFault)];
    const ready = { ...reading, faults, resolved: isEarly && !journal ? reading.wish : wish };
    const outcome = await outcomeOfRow(running, contradictions, ready, { traces, claim });
    if (isEarly && journal && isCompleted(outcome)) {
      incomplete.set(row, outcome);
      await journal.recordOutcome(row, { ...outcome, action: 'unknown', error: missing.join(' ') });
      return undefined;
    }
    await journal?.recordOutcome(row, outcome);
    return { row, ...outcome };
  });
  for await (const outcome of outcomes) if (outcome) yield outcome;
  if (incomplete.size > 0) yield* completed(running, contradictions, incomplete, resolve);
}

const asFault = (message: string) => ({ message });

/** Gives rows the values that name contacts of later rows. */
async function* completed(
  running: Running,
  contradictions: Contradictions,
  incomplete: ReadonlyMap<number, Outcome>,
  resolve: ReturnType<typeof contactReferences>,
): AsyncGenerator<RowOutcome> {
  const { sheet, read, journal } = running;
  for await (const sheetRow of sheet.rows()) {
    const { row } = sheetRow;
    const first = incomplete.get(row);
    if (!first) continue;
    const reading = read(sheetRow);
    const { wish, missing } = await resolve(reading.wish);
    const faults = missing.map((message) => asFault(`${message} Everything else was imported.`));
    // A contact that no email or phone finds is found by its id.
    const ready = { ...reading, faults, resolved: { ...wish, recordId: first.id } };
    const once = { traces: [], claim: async () => false };
    const second = await outcomeOfRow(running, contradictions, ready, once);
    const action = isCompleted(second) && first.action !== 'same' ? first.action : second.action;
    const outcome = { ...second, id: second.id ?? first.id, action, done: [...first.done, ...second.done] };
    await journal?.recordOutcome(row, outcome);
    yield { row, ...outcome };
  }
}

const isCompleted = ({ action }: Outcome) => action !== 'refused' && action !== 'unknown';

/** A row whose contact fields hold ids. */
interface ReadyRow extends ReadRow {
  readonly resolved: Wish;
}

async function outcomeOfRow(
  running: Running,
  contradictions: Contradictions,
  reading: ReadyRow,
  { traces, claim }: { readonly traces: readonly Step[]; readonly claim: Claim },
): Promise<Outcome> {
  const { wish, resolved } = reading;
  let sentences: readonly string[] = [];
  const agreed = (identities: readonly Identity[]) => {
    // Rows are compared as they were written.
    const found = contradictions.resolve(reading.row.row, wish, identities);
    sentences = found.sentences;
    return onlyFieldsOf(found.wish, resolved);
  };
  const outcome = await outcomeOf(running, { ...reading, wish: resolved }, traces, (worker) =>
    running.importer.bring(resolved, { worker, claim, agreed }),
  );
  return sentences.length > 0 ? contradicted(outcome, sentences) : outcome;
}

/** A wish without the fields that another one has not. */
function onlyFieldsOf({ own, custom, list }: Wish, wish: Wish): Wish {
  const isIn = (values: Wish['custom']) => (value: NamedValue) =>
    values.some(({ name }) => name === value.name);
  return { ...wish, own, custom: wish.custom.filter(isIn(custom)), list: wish.list.filter(isIn(list)) };
}

/** The outcome of a row some of whose fields were not written. */
function contradicted(outcome: Outcome, sentences: readonly string[]): Outcome {
  const { action, error = '' } = outcome;
  const message = [...sentences, error].join(' ').trim();
  return { ...outcome, action: action === 'unknown' ? action : 'refused', error: message };
}

type Bring = (worker: ReturnType<typeof rehearsingWorker>) => Promise<string>;

async function outcomeOf(
  { client, importer, journal }: Running,
  { row: { row }, wish, faults }: ReadRow,
  traces: readonly Step[],
  bring: Bring,
): Promise<Outcome> {
  const nothing = { steps: [], done: [] };
  if (faults.length > 0) return { ...nothing, action: 'refused', error: faultSentence(faults) };
  if (mayBeMade(importer, wish, traces)) {
    return {
      ...nothing,
      action: 'unknown',
      error: 'It may have been made by the run that was ended: look before you bring it in again.',
    };
  }
  const worker = journal
    ? sendingWorker(row, client, (step) => journal.recordStep(row, step))
    : rehearsingWorker(row);
  const outcome = await worked(importer.main, worker, () => bring(worker));
  return traces.length > 0 ? recovered(client, importer.main, outcome, traces) : outcome;
}

/** Whether a run that was ended may have made what nothing would find again. */
function mayBeMade(importer: Importer, wish: Wish, traces: readonly Step[]): boolean {
  const isMade = traces.some(({ what, id }) => what === importer.main && id === undefined);
  return isMade && importer.keysOf(wish).length === 0;
}
