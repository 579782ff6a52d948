import type { Client } from '../client/client.ts';
import { faultSentence } from './checked-rows.ts';
import { type Contradictions, contradictionsIn, type Identity } from './contradictions.ts';
import type { ImportJournal } from './import-journal.ts';
import type { Importer } from './importer.ts';
import { inOrder } from './in-order.ts';
import type { Outcome, Step } from './outcome.ts';
import { recovered } from './recovery.ts';
import type { Sheet, SheetRow } from './sheet.ts';
import type { ReadRow, Wish } from './wishes.ts';
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
  const { importer, journal, concurrency } = running;
  const keysOf = ({ row, wish }: ReadRow) => (journal?.findAction(row.row) ? [] : importer.keysOf(wish));
  yield* inOrder(rows, concurrency, keysOf, async (reading, claim) => {
    const { wish } = reading;
    const { row } = reading.row;
    const action = journal?.findAction(row);
    if (action) return { row, action, steps: [], done: [] };
    const traces = journal?.findTraces(row) ?? [];
    let sentences: readonly string[] = [];
    const agreed = (identities: readonly Identity[]) => {
      const resolved = contradictions.resolve(row, wish, identities);
      sentences = resolved.sentences;
      return resolved.wish;
    };
    const brought = await outcomeOf(running, reading, traces, (worker) =>
      importer.bring(wish, { worker, claim, agreed }),
    );
    const outcome = sentences.length > 0 ? contradicted(brought, sentences) : brought;
    await journal?.recordOutcome(row, outcome);
    return { row, ...outcome };
  });
}

/** The outcome of a row of which some fields were not written. */
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
