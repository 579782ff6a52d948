import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sendRequests } from './load.ts';
import { computeMedian, divide, formatQuartiles } from './measure.ts';
import { withPostgres } from './postgres.ts';
import { createKey, type Service, serveLocation, startScript, withServices } from './processes.ts';
import type { Bench, Section } from './report.ts';
import { fillContacts } from './workspaces.ts';

const people = 10_000;
const pagesPerRound = 300;
const rounds = 9;
/** The first rounds, which warm the caches, are not counted. */
const warmups = 2;

/** Microseconds in a tick of the clock in which Linux counts the CPU time of a process. */
const tick = 10_000;

/** Reads the CPU time of processes in microseconds: of the program and of the system for it. */
function readCpuTime(pids: readonly number[]): number {
  const ticks = pids.map((pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return Number(fields[11]) + Number(fields[12]);
  });
  return ticks.reduce((sum, each) => sum + each, 0) * tick;
}

/** Requests for random pages. */
const buildRequests = (offset: number) =>
  Array.from({ length: pagesPerRound }, (_, index) => ({
    method: 'GET' as const,
    path: `/v1/contacts?first=100&after=${((index + offset) * 7919) % (people - 100)}`,
  }));

async function readPageSize({ url, key }: Service): Promise<number> {
  const response = await fetch(`${url}/v1/contacts?first=100&after=5000`, {
    headers: { authorization: `Bearer ${key}`, 'accept-encoding': 'identity' },
  });
  return (await response.arrayBuffer()).byteLength;
}

/** The CPU time of a page in each round, in microseconds. */
interface PageCosts {
  readonly program: number[];
  readonly database: number[];
}

/** Measures services alternately. `readDatabase` returns the CPU time of the database's own processes. */
async function measureCosts(
  services: readonly Service[],
  readDatabase: () => Promise<number>,
): Promise<PageCosts[]> {
  const costs = services.map((): PageCosts => ({ program: [], database: [] }));
  for (let round = -warmups; round < rounds; round += 1) {
    for (const [index, service] of services.entries()) {
      const readTimes = async () => [readCpuTime([service.child.pid ?? 0]), await readDatabase()] as const;
      const [program, database] = await readTimes();
      await sendRequests(service, buildRequests((round + warmups) * pagesPerRound));
      const [programAfter, databaseAfter] = await readTimes();
      if (round < 0) continue;
      costs[index]?.program.push((programAfter - program) / pagesPerRound);
      costs[index]?.database.push((databaseAfter - database) / pagesPerRound);
    }
  }
  return costs;
}

/** Compares the builds with the bare handler on the workspace at a location, and returns a row for each of them. */
async function compareOn(
  bench: Bench,
  engine: string,
  location: string,
  readDatabase: () => Promise<number>,
): Promise<string[][]> {
  await fillContacts(location, people, { hasFields: true });
  const key = createKey(bench, bench.builds[0], location);
  const names = [
    'bare handler',
    ...bench.builds.map(({ name }) => (bench.builds.length > 1 ? name : 'kith')),
  ];
  const starting = [
    startScript('test/bench/bare-pages.ts', [location], key),
    ...bench.builds.map((build) => serveLocation(build, location, key)),
  ];
  return withServices(starting, async (services) => {
    const sizes: number[] = [];
    for (const service of services) sizes.push(await readPageSize(service));
    const costs = await measureCosts(services, readDatabase);
    const totals = costs.map(({ program, database }) =>
      program.map((each, round) => each + (database[round] ?? 0)),
    );
    return costs.map(({ program, database }, index) => [
      `${names[index]}, ${engine}`,
      String(sizes[index]),
      ...[program, database].map((each) => (computeMedian(each) / 1000).toFixed(2)),
      index === 0 ? '' : formatQuartiles(divide(totals[0] ?? [], totals[index])),
    ]);
  });
}

/** Measures the CPU time of pages of contacts with five custom fields, and that of a bare handler. */
export async function measurePages(bench: Bench): Promise<Section> {
  const rows = await compareOn(bench, 'SQLite', join(bench.folder, 'pages.sqlite'), async () => 0);
  const postgresRows = await withPostgres((server) =>
    compareOn(bench, 'PostgreSQL', server.url(), async () => {
      const backends = await server.query(`select pid from pg_stat_activity where pid <> pg_backend_pid()`);
      return readCpuTime(backends.map(({ pid }) => Number(pid)));
    }),
  );
  return {
    title: 'Pages of contacts',
    tables: [
      {
        text: `CPU time of a page of 100 contacts with five custom fields, in milliseconds, over HTTP (median of ${rounds} rounds with ${pagesPerRound} pages each, in turn). The bare handler is \`node:http\` with a check of the key and one statement, which builds JSON with the same members. It has no total, no page size limit, and row numbers instead of ids and times. The goals for bare / kith are 0.40 on SQLite and 0.45 on PostgreSQL.`,
        columns: ['service', 'bytes', 'program', 'database', 'bare / kith'],
        rows: [...rows, ...postgresRows],
      },
    ],
  };
}
