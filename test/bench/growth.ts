import { join } from 'node:path';
import { formatCount, type GrownWorkspace, measureCommands } from './growth-commands.ts';
import { openRequestKinds, type RequestKind, type RequestKinds } from './growth-requests.ts';
import {
  computeMedian,
  divide,
  formatQuartiles,
  type Measurement,
  measureRatios,
  runInTurn,
} from './measure.ts';
import type { Bench, Section, Table } from './report.ts';
import { fillWorkspace } from './workspaces.ts';

const rounds = 15;

/** Measures what requests and commands cost in workspaces of growing size. */
export async function measureGrowth(bench: Bench, sizes: readonly number[]): Promise<Section> {
  const workspaces = sizes.map((records) => ({
    records,
    file: join(bench.folder, `grown-${records}.sqlite`),
  }));
  for (const { file, records } of workspaces) await fillWorkspace(file, records);
  const requests = await measureRequests(workspaces);
  return { title: 'Growth', tables: [requests, await measureCommands(bench, workspaces)] };
}

/** Repeats work that is too short to measure. */
const repeat = (times: number, work: () => Promise<unknown>): Measurement => ({
  run: async () => {
    for (let time = 0; time < times; time += 1) await work();
  },
});

/** Measures each kind of request, or those with some names, in each workspace, inside this process. */
export async function measureRequests(
  workspaces: readonly GrownWorkspace[],
  names?: readonly (keyof RequestKinds)[],
): Promise<Table> {
  const opened = await Promise.all(workspaces.map(({ file, records }) => openRequestKinds(file, records)));
  const [smallest, largest] = [opened[0], opened.at(-1)];
  if (!smallest || !largest) throw new Error('Nothing to measure: the list of sizes is empty.');
  const counts = workspaces.map(({ records }) => formatCount(records));
  try {
    const rows: string[][] = [];
    for (const name of names ?? (Object.keys(smallest.kinds) as (keyof RequestKinds)[]))
      rows.push([name, ...(await measureKind(opened.map(({ kinds }) => kinds[name])))]);
    const lastPage = (workspaces.at(-1)?.records ?? 0) - 100;
    const [ratio = ''] = await measureRatios(
      repeat(50, () => largest.readPage(0)),
      [repeat(50, () => largest.readPage(lastPage))],
      rounds,
    );
    rows.push([`last page of ${counts.at(-1)} contacts, of the first page`, ...counts.map(() => ''), ratio]);
    return {
      text: `Microseconds per request, without HTTP, in workspaces with 1,000 records of each kind and more (median of ${rounds} runs). The last column divides the largest workspace by the smallest. Creates and updates are durable.`,
      columns: ['request', ...counts, `${counts.at(-1)} of ${counts[0]}`],
      rows,
    };
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
