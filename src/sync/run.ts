import type { Client } from '../client/client.ts';
import { faultSentence } from './checked-rows.ts';
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
  const { sheet, read, importer, journal, concurrency } = running;
  const rows = async function* () {
    for await (const row of sheet.rows()) yield read(row);
  };
  const keysOf = ({ row, wish }: ReadRow) => (journal?.findAction(row.row) ? [] : importer.keysOf(wish));
  yield* inOrder(rows(), concurrency, keysOf, async (reading, claim) => {
    const { row } = reading.row;
    const action = journal?.findAction(row);
    if (action) return { row, action, steps: [], done: [] };
    const traces = journal?.findTraces(row) ?? [];
    const outcome = await outcomeOf(running, reading, traces, (worker) =>
      importer.bring(reading.wish, worker, claim),
    );
    await journal?.recordOutcome(row, outcome);
    return { row, ...outcome };
  });
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
