import { join } from 'node:path';
import { ids } from '../../src/service/db/ids.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { measureRequests } from './growth.ts';
import { connections, type LoadRequest, spreadRequests, type Target } from './load.ts';
import { computeMedian, divide, formatQuartiles, type Measurement, runInTurn } from './measure.ts';
import { createKey, serveLocation, startScript, withServices } from './processes.ts';
import type { Bench, Section, Table } from './report.ts';
import { fillContacts, fillEvents, getEmail } from './workspaces.ts';

const people = 10_000;
const rounds = 9;
const processCounts = [1, 2, 4];

/** The same request to kith and to the bare handler. */
interface RequestPair {
  readonly kith: LoadRequest;
  readonly bare: LoadRequest;
}

const random = (limit: number) => Math.floor(Math.random() * limit);
const randomRow = () => 1 + random(people);

const pairGets = (kith: string, bare: string): RequestPair => ({
  kith: { method: 'GET', path: kith },
  bare: { method: 'GET', path: bare },
});

const getPath = (row: number) => `/v1/contacts/${ids.contact.encode(row)}`;

function readContact(): RequestPair {
  const row = randomRow();
  return pairGets(getPath(row), `/${row}`);
}

function lookUpEmail(): RequestPair {
  const query = `?email=${getEmail(randomRow())}`;
  return pairGets(`/v1/contacts${query}`, `/${query}`);
}

function readPage(): RequestPair {
  const after = random(people - 100);
  return pairGets(`/v1/contacts?first=100&after=${after}`, `/?after=${after}`);
}

function createContact(): RequestPair {
  const body = {
    first_name: 'New',
    last_name: `Contact ${Math.random()}`,
    emails: [`new.${Math.random()}@example.com`],
    phone_numbers: [`+1${2_012_000_000 + random(900_000)}`],
  };
  return {
    kith: { method: 'POST', path: '/v1/contacts', body },
    bare: { method: 'POST', path: '/', body },
  };
}

function updateContact(): RequestPair {
  const row = randomRow();
  const body = { last_name: `Changed ${Math.random()}` };
  return {
    kith: { method: 'PATCH', path: getPath(row), body },
    bare: { method: 'PATCH', path: `/${row}`, body },
  };
}

/** Builds one of 20 requests: 12 contacts, 4 lookups, 2 pages, a create or an update. */
function buildMixed(): RequestPair {
  const number = random(20);
  if (number < 12) return readContact();
  if (number < 16) return lookUpEmail();
  if (number < 18) return readPage();
  return number === 18 ? createContact() : updateContact();
}

/** The kinds of requests, and how many of them one round sends. */
const loads = [
  { name: 'one contact', count: 1000, build: readContact },
  { name: 'lookup by email', count: 600, build: lookUpEmail },
  { name: 'a page of 100 contacts', count: 120, build: readPage },
  { name: 'create a contact', count: 100, build: createContact },
  { name: 'mixed', count: 500, build: buildMixed },
] as const;

/** Processes that serve the same contacts. */
interface Contender {
  readonly services: readonly Target[];
  readonly form: keyof RequestPair;
}

/** Measures one kind of requests to 1, 2 and 4 processes of each contender, and returns a row for each number. */
async function measureLoad(
  { name, count, build }: (typeof loads)[number],
  contenders: readonly Contender[],
): Promise<string[][]> {
  const measurements = processCounts.flatMap((processes) =>
    contenders.map(({ services, form }): Measurement => {
      let requests: LoadRequest[] = [];
      return {
        prepare: () => {
          requests = Array.from({ length: count }, () => build()[form]);
        },
        run: () => spreadRequests(services.slice(0, processes), requests),
      };
    }),
  );
  const times = await runInTurn(measurements, rounds);
  const rates = times.map((each) => each.map((time) => (count / time) * 1000));
  return processCounts.map((processes, index) => {
    const [file, database, bare] = rates.slice(index * contenders.length);
    return [
      name,
      String(processes),
      ...[file, database, bare].map((each) => computeMedian(each).toFixed(0)),
      formatQuartiles(divide(database ?? [], bare)),
    ];
  });
}

/** Measures `kith serve` in several processes on a workspace file and on PostgreSQL, and bare `pg`. */
export async function measurePostgres(bench: Bench): Promise<Section> {
  const table = await withPostgres(async (server) => {
    const locations = [join(bench.folder, 'processes.sqlite'), server.url()];
    for (const location of locations) await fillContacts(location, people);
    await server.query('vacuum analyze');
    const [build] = bench.builds;
    const kith = locations.map((location) => {
      const key = createKey(bench, build, location);
      return () => serveLocation(build, location, key);
    });
    const bare = () => startScript('test/bench/bare-postgres.ts', [server.url()]);
    const most = Math.max(...processCounts);
    const starting = [...kith, bare].flatMap((start) => Array.from({ length: most }, start));
    return withServices(starting, (services) =>
      compareContenders([
        { services: services.slice(0, most), form: 'kith' },
        { services: services.slice(most, 2 * most), form: 'kith' },
        { services: services.slice(2 * most), form: 'bare' },
      ]),
    );
  });
  return { title: 'PostgreSQL', tables: [table] };
}

async function compareContenders(contenders: readonly Contender[]): Promise<Table> {
  const rows: string[][] = [];
  for (const load of loads) rows.push(...(await measureLoad(load, contenders)));
  return {
    text: `\`kith serve\` in 1, 2 and 4 processes with ${people.toLocaleString('en')} contacts, on a workspace file and on PostgreSQL with its default settings, over a Unix socket (median of ${rounds} runs, in requests per second: more is better). ${connections} connections are spread over the processes. Clients, processes and PostgreSQL share the cores, so more processes help only while a core is idle. Every request selects a different record or page; creates are durable. Of 20 mixed requests, 12 read a contact, 4 look up an email address, 2 read a page, one creates and one updates a contact.

Bare \`pg\` is \`node:http\` with a \`pg\` pool in the same number of processes. It runs the statements and transactions recorded from kith, sends the JSON of PostgreSQL unchanged, and validates nothing. The goal for lookups with one process is a ratio of at least 0.50.`,
    columns: ['request', 'processes', 'file', 'PostgreSQL', 'bare `pg`', 'PostgreSQL, ratio to bare `pg`'],
    rows,
  };
}

/** Measures what requests cost on PostgreSQL with a thousand and with a million contacts. */
export async function measurePostgresGrowth(): Promise<Section> {
  const table = await withPostgres(
    async (server) => {
      const workspaces = [1000, 1_000_000].map((records) => ({ records, name: `contacts_${records}` }));
      for (const { records, name } of workspaces) {
        await server.query(`create database ${name}`);
        await fillContacts(server.url(name), records);
        await fillEvents(server.url(name), records);
        await server.query('vacuum analyze', name);
      }
      await server.query('checkpoint');
      const requests = await measureRequests(
        workspaces.map(({ records, name }) => ({ records, location: server.url(name) })),
      );
      return {
        ...requests,
        text: 'Microseconds per request, without HTTP, in databases with 1,000 and 1,000,000 contacts and events (medians). The last column divides the second by the first. Both databases are in memory (`shared_buffers` of 1 GB); creates and updates are durable. The goal for lookups and pages is at most 1.50, and for the last pages of events at most 5.',
      };
    },
    { shared_buffers: '1GB' },
  );
  return { title: 'Growth on PostgreSQL', tables: [table] };
}

export async function withPostgres<T>(
  work: (server: PostgresServer) => Promise<T>,
  settings: Readonly<Record<string, string>> = {},
): Promise<T> {
  const server = await startPostgres({ settings });
  try {
    return await work(server);
  } finally {
    await server.close();
  }
}
