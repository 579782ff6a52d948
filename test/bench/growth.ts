import { openRequestKinds, type RequestKind } from './growth-requests.ts';
import {
  computeMedian,
  divide,
  formatQuartiles,
  type Measurement,
  measureRatios,
  runInTurn,
} from './measure.ts';

const rounds = 15;

/** A database with `records` contacts and events. */
interface GrownWorkspace {
  readonly location: string;
  readonly records: number;
}

/** Formats a number of records: `1 k`. */
const formatCount = (records: number): string =>
  records < 1_000_000 ? `${records / 1000} k` : `${records / 1_000_000} M`;

/** Repeats work that is too short to measure. */
const repeat = (times: number, work: () => Promise<unknown>): Measurement => ({
  run: async () => {
    for (let time = 0; time < times; time += 1) await work();
  },
});

/** Measures each kind of request in each workspace, inside this process. Returns the columns and the rows of a table. */
export async function measureRequests(workspaces: readonly GrownWorkspace[]) {
  const opened = await Promise.all(
    workspaces.map(({ location, records }) => openRequestKinds(location, records)),
  );
  const [smallest, largest] = [opened[0], opened.at(-1)];
  if (!smallest || !largest) throw new Error('Nothing to measure: the list of sizes is empty.');
  const counts = workspaces.map(({ records }) => formatCount(records));
  try {
    const rows: string[][] = [];
    for (const name of Object.keys(smallest.kinds))
      rows.push([name, ...(await measureKind(opened.flatMap(({ kinds }) => kinds[name] ?? [])))]);
    const lastPage = (workspaces.at(-1)?.records ?? 0) - 100;
    const [ratio = ''] = await measureRatios(
      repeat(50, () => largest.readPage(0)),
      [repeat(50, () => largest.readPage(lastPage))],
      rounds,
    );
    rows.push([`last page of ${counts.at(-1)} contacts, of the first page`, ...counts.map(() => ''), ratio]);
    return { columns: ['request', ...counts, `${counts.at(-1)} of ${counts[0]}`], rows };
  } finally {
    for (const { close } of opened) await close();
  }
}

/** Measures one kind of request. Returns microseconds for each workspace, and the ratio of the largest to the smallest. */
async function measureKind(kinds: readonly RequestKind[]): Promise<string[]> {
  const times = await runInTurn(
    kinds.map(({ times, send }) => repeat(times, send)),
    rounds,
  );
  const microseconds = times.map((each, index) => (computeMedian(each) * 1000) / (kinds[index]?.times ?? 1));
  const ratio = formatQuartiles(divide(times.at(-1) ?? [], times[0]));
  return [...microseconds.map((value) => value.toFixed(0)), ratio];
}
