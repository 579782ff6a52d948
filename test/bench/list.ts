import { measureRatios } from './measure.ts';
import {
  connectTo,
  measureRun,
  runNode,
  runProgram,
  type Service,
  startServer,
  withService,
} from './processes.ts';
import { type Bench, type Build, nameRatioColumns, type Section, type Table } from './report.ts';

const contacts = 100_000;
const rounds = 7;

/** The work of a script without kith: it requests page after page and prints their records as lines. */
const loop = `
for after in $(seq 0 100 "$(($1 - 1))"); do
  curl -sf -H "Authorization: Bearer $KITH_API_KEY" "$KITH_BASE_URL/v1/contacts?first=100&after=$after" | jq -c '.data[]' || exit 1
done`;

/** Returns the command line that lists all contacts as NDJSON. */
export const buildListArgs = ({ entry }: Build, pageSize: number): string[] => [
  entry,
  'contacts',
  'list',
  '--all',
  '--format',
  'ndjson',
  '--page-size',
  String(pageSize),
];

/** Returns the command line of the bare client that reads the same pages. */
export const buildBareListArgs = ({ url, key }: Service, pageSize: number): string[] => [
  'test/bench/bare-client.mjs',
  'list',
  url,
  key,
  String(pageSize),
];

/** Measures the reading of a long list over HTTP: time and, for one build, memory and the same in a shell loop. */
export async function measureList(bench: Bench): Promise<Section> {
  const tables = await withService(startServer('contacts', contacts), async (service) => {
    const reading = await measureReading(bench, service);
    return bench.builds.length === 1 ? [reading, await measureLoop(bench, service)] : [reading];
  });
  if (bench.builds.length === 1) tables.push(await measureMemory(bench));
  return { title: 'Long lists', tables };
}

async function measureReading(bench: Bench, service: Service): Promise<Table> {
  const env = connectTo(service, bench.env);
  const rows: string[][] = [];
  for (const size of [100, 500]) {
    const floor = { run: () => runNode(buildBareListArgs(service, size), env, 'pipe') };
    const builds = bench.builds.map((build) => ({
      run: () => runNode(buildListArgs(build, size), env, 'pipe'),
    }));
    rows.push([`pages of ${size}`, ...(await measureRatios(floor, builds, rounds))]);
  }
  return {
    text: `\`kith contacts list --all --format ndjson\` reads ${contacts.toLocaleString('en')} contacts over HTTP (${rounds} runs). The bare program requests the same pages with undici, four at a time, and only counts their bytes.`,
    columns: ['list', ...nameRatioColumns(bench, 'ratio to the bare program')],
    rows,
  };
}

async function measureLoop(bench: Bench, service: Service): Promise<Table> {
  const env = connectTo(service, bench.env);
  const floor = { run: () => runNode(buildListArgs(bench.builds[0], 100), env, 'pipe') };
  const shell = { run: () => runProgram('bash', ['-c', loop, 'loop', String(contacts)], env, 'pipe') };
  return {
    text: 'A shell loop of `curl` and `jq` for the same list, in pages of 100 (3 runs).',
    columns: ['list', '`curl` and `jq`, ratio to kith'],
    rows: [['pages of 100', ...(await measureRatios(floor, [shell], 3, 0))]],
  };
}

async function measureMemory(bench: Bench): Promise<Table> {
  const rows: string[][] = [];
  for (const count of [1000, 10_000, contacts, 4 * contacts]) {
    const { memory } = await withService(startServer('contacts', count), (service) =>
      measureRun(bench, buildListArgs(bench.builds[0], 100), connectTo(service, bench.env)),
    );
    rows.push([count.toLocaleString('en'), memory.toFixed(0)]);
  }
  const text =
    'Peak memory of the same command. Only the ids are held, to recognize duplicates: about 8 MB for 100,000 records. The rest is the heap of V8, which grows up to a limit.';
  return { text, columns: ['contacts', 'MB'], rows };
}
