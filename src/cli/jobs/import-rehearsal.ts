import type { Batch } from '../../client/pagination.ts';
import { planRow } from '../../import/plan-row.ts';
import { broughtIn, type RowOutcome, type Running } from '../../import/run.ts';
import { planLines } from '../../render/import-plan.ts';
import { views } from '../../render/views.ts';
import { toRawJson } from '../../values/raw-json.ts';
import type { CommandResult } from '../command.ts';
import { tallied, wouldBeSetAside } from './import-tally.ts';

/** Rows that are printed at once. */
const batchSize = 100;

/** Answers with what would become of each row, while that is found out. */
export function rehearsedRows(
  name: string,
  running: () => Promise<Running>,
  close: () => Promise<void>,
): CommandResult {
  const tally = tallied();
  const batches = async function* (): AsyncGenerator<Batch> {
    let held: RowOutcome[] = [];
    const batch = (): Batch => ({
      records: held.map((outcome) => toRawJson(planRow(outcome))),
      total: undefined,
      hasMore: false,
    });
    try {
      for await (const outcome of broughtIn(await running())) {
        tally.add(outcome);
        held.push(outcome);
        if (held.length < batchSize) continue;
        yield batch();
        held = [];
      }
      yield batch();
    } finally {
      await close();
    }
  };
  return {
    kind: 'records',
    batches: batches(),
    view: views.importPlan,
    defaultFormat: 'table',
    renderStream: planLines,
    get failure() {
      return tally.refused > 0 ? wouldBeSetAside(name, tally) : undefined;
    },
  };
}
