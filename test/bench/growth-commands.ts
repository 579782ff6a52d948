import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildExportArgs, startMeetingServer } from './export.ts';
import { buildImportArgs, writeContacts } from './import.ts';
import { buildBareListArgs, buildListArgs } from './list.ts';
import { computeMedian, divide, runInTurn } from './measure.ts';
import {
  connectTo,
  measureRun,
  type RunCost,
  readOutput,
  runNode,
  serveWorkspace,
  startServer,
  withService,
  withServices,
} from './processes.ts';
import type { Bench, Table } from './report.ts';
import { getEmail, time } from './workspaces.ts';

/** A workspace file with `records` records of each kind. */
export interface GrownWorkspace {
  readonly file: string;
  readonly records: number;
}

/** Up to this size, all meetings are exported and all rows imported. More takes many minutes. */
const largestTransfer = 10_000;

/** Formats a number of records: `100 k`. */
export const formatCount = (records: number): string =>
  records < 1_000_000 ? `${records / 1000} k` : `${records / 1_000_000} M`;

const formatRow = (name: string, values: readonly number[], digits: number) => [
  name,
  ...values.map((value) => value.toFixed(digits)),
];

/** Formats two rows: microseconds per record, and peak memory. */
function formatCosts(name: string, costs: readonly RunCost[], sizes: readonly number[]): string[][] {
  const times = costs.map(({ milliseconds }) => milliseconds * 1000);
  const memory = costs.map((cost) => cost.memory);
  return [formatRow(`${name}, µs per record`, divide(times, sizes), 1), formatRow(`${name}, MB`, memory, 0)];
}

/** Measures commands from start to exit in workspaces of growing size. */
export async function measureCommands(bench: Bench, workspaces: readonly GrownWorkspace[]): Promise<Table> {
  const sizes = workspaces.map(({ records }) => records);
  const isMillion = sizes.some((records) => records > 100_000);
  const transfers = isMillion ? sizes : sizes.filter((records) => records <= largestTransfer);
  const rows = [
    ...(await measureLookups(bench, workspaces)),
    ...(await measureLists(bench, workspaces)),
    ...(await measurePartialTransfers(bench, workspaces)),
    ...(await measureTransfers(bench, transfers)),
  ];
  const columns = ['command', ...sizes.map(formatCount)];
  const limit = isMillion ? '' : ` Whole exports and imports stop at ${formatCount(largestTransfer)} here.`;
  return {
    text: `Whole commands in workspaces of these sizes. With few records most of the time is that of the start. \`npm run bench million\` adds a column for a million records.${limit}`,
    columns,
    rows: rows.map((row) => columns.map((_, index) => row[index] ?? '')),
  };
}

/** Signs in to a workspace file, and returns the environment with that profile. */
function signIn(bench: Bench, { file, records }: GrownWorkspace): NodeJS.ProcessEnv {
  const env = { ...bench.env, KITH_CONFIG_DIR: join(bench.folder, `config-${records}`) };
  readOutput(bench, [bench.builds[0].entry, 'auth', 'login', '--local', '--database', file], env);
  return env;
}

/** Measures a lookup by email as a multiple of `node -e 0`. */
async function measureLookups(bench: Bench, workspaces: readonly GrownWorkspace[]): Promise<string[][]> {
  const [{ entry }] = bench.builds;
  const measureEnvs = async (name: string, envs: readonly NodeJS.ProcessEnv[]) => {
    const lookups = workspaces.map(({ records }, index) => ({
      run: () =>
        runNode([entry, 'contacts', 'find', '--email', getEmail(records / 2), '--json'], envs[index] ?? {}),
    }));
    const floor = { run: () => runNode(['-e', '0'], bench.env) };
    const [floors, ...times] = await runInTurn([floor, ...lookups], 15);
    return formatRow(
      name,
      times.map((each) => computeMedian(divide(each, floors))),
      2,
    );
  };
  const local = workspaces.map((workspace) => signIn(bench, workspace));
  return withServices(
    workspaces.map(({ file }) => serveWorkspace(bench, bench.builds[0], file)),
    async (services) => {
      const hosted = services.map((service) => connectTo(service, bench.env));
      return [
        await measureEnvs('`contacts find --email`, workspace file, ratio to `node -e 0`', local),
        await measureEnvs('`contacts find --email`, `kith serve`, ratio to `node -e 0`', hosted),
      ];
    },
  );
}

/** Measures the whole list of contacts, of a workspace file and of a server that sends bytes from memory. */
async function measureLists(bench: Bench, workspaces: readonly GrownWorkspace[]): Promise<string[][]> {
  const args = buildListArgs(bench.builds[0], 500);
  const local: RunCost[] = [];
  const hosted: RunCost[] = [];
  const ratios: number[] = [];
  for (const workspace of workspaces) {
    local.push(await measureRun(bench, args, signIn(bench, workspace)));
    await withService(startServer('contacts', workspace.records), async (service) => {
      const env = connectTo(service, bench.env);
      const bare = { run: () => runNode(buildBareListArgs(service, 500), env, 'pipe') };
      const kith = { run: () => runNode(args, env, 'pipe') };
      const [floors = [], times = []] = await runInTurn([bare, kith], 3, 1);
      ratios.push(computeMedian(divide(times, floors)));
      hosted.push({ ...(await measureRun(bench, args, env)), milliseconds: computeMedian(times) });
    });
  }
  const sizes = workspaces.map(({ records }) => records);
  return [
    ...formatCosts('`contacts list --all`, workspace file', local, sizes),
    ...formatCosts('`contacts list --all`, HTTP', hosted, sizes),
    formatRow('`contacts list --all`, HTTP, ratio to the bare program', ratios, 2),
  ];
}

/** Measures the export of the 1,000 meetings updated last, and the import of 500 new contacts. */
async function measurePartialTransfers(
  bench: Bench,
  workspaces: readonly GrownWorkspace[],
): Promise<string[][]> {
  const [meetings, people] = [1000, 500];
  const [build] = bench.builds;
  const out = join(bench.folder, 'partial');
  const file = join(bench.folder, 'partial.csv');
  const since = new Date(time - meetings * 1000 - 1000).toISOString();
  const starting = workspaces.map((workspace) => serveWorkspace(bench, build, workspace.file));
  return withServices(starting, async (services) => {
    let files = 0;
    const exports = services.map((service) => ({
      prepare: () => rmSync(out, { recursive: true, force: true }),
      run: () => runNode([...buildExportArgs(build, out), '--since', since], connectTo(service, bench.env)),
    }));
    const imports = services.map((service) => ({
      prepare: () => {
        files += 1;
        writeContacts(file, people, `partial${files}`);
      },
      run: () => runNode(buildImportArgs(build, file), connectTo(service, bench.env)),
    }));
    const toMicroseconds = (times: readonly number[], count: number) => (computeMedian(times) * 1000) / count;
    const exportTimes = await runInTurn(exports, 3, 1);
    const importTimes = await runInTurn(imports, 3, 1);
    return [
      formatRow(
        '`events export` of the 1,000 meetings updated last, µs per meeting',
        exportTimes.map((times) => toMicroseconds(times, meetings)),
        0,
      ),
      formatRow(
        '`contacts import` of 500 new contacts, µs per contact',
        importTimes.map((times) => toMicroseconds(times, people)),
        0,
      ),
    ];
  });
}

/** Measures the export of all meetings, twice, and the import of as many contacts into an empty workspace. */
async function measureTransfers(bench: Bench, sizes: readonly number[]): Promise<string[][]> {
  const [build] = bench.builds;
  const runs: { first: RunCost; second: RunCost; imported: RunCost }[] = [];
  for (const records of sizes) {
    const out = join(bench.folder, `out-${records}`);
    const args = buildExportArgs(build, out);
    const exported = await withService(startMeetingServer(records, 2), async (service) => {
      const env = connectTo(service, bench.env);
      return { first: await measureRun(bench, args, env), second: await measureRun(bench, args, env) };
    });
    rmSync(out, { recursive: true });
    const file = join(bench.folder, 'contacts.csv');
    writeContacts(file, records, 'all');
    const workspace = join(bench.folder, `imported-${records}.sqlite`);
    const imported = await withService(serveWorkspace(bench, build, workspace), (service) =>
      measureRun(bench, buildImportArgs(build, file), connectTo(service, bench.env)),
    );
    runs.push({ ...exported, imported });
  }
  const formatAll = (name: string, costs: RunCost[]) => formatCosts(name, costs, sizes);
  return [
    ...formatAll(
      '`events export` of all meetings',
      runs.map(({ first }) => first),
    ),
    ...formatAll(
      '`events export` without changes',
      runs.map(({ second }) => second),
    ),
    ...formatAll(
      '`contacts import` of all contacts',
      runs.map(({ imported }) => imported),
    ),
  ];
}
