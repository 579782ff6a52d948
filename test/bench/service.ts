import { join } from 'node:path';
import { startJsonServer } from './json-server.ts';
import { connections, type LoadRequest, sendRequests } from './load.ts';
import { divide, formatQuartiles, formatRatios, type Measurement, runInTurn } from './measure.ts';
import { type Service, serveWorkspace, startServer, withService, withServices } from './processes.ts';
import { type Bench, nameRatioColumns, type Section, type Table } from './report.ts';

const people = 10_000;
const rounds = 15;

interface Contact {
  readonly id: string;
}

/** Requests to one service. */
interface Load {
  readonly service: Service;
  /** Builds the requests of one round. */
  readonly buildRequests: () => readonly LoadRequest[];
  readonly prepare?: () => Promise<void>;
}

/** The same reads as requests to kith, to the bare handler and to json-server, which is slower and gets fewer. */
interface Reads {
  readonly name: string;
  readonly kith: readonly string[];
  readonly bare: readonly string[];
  readonly jsonServer: readonly string[];
}

const buildGets = (paths: readonly string[]): LoadRequest[] => paths.map((path) => ({ method: 'GET', path }));

const buildCreates = (path: string, count: number): LoadRequest[] =>
  Array.from({ length: count }, (_, index) => ({
    method: 'POST',
    path,
    body: {
      first_name: `First ${index}`,
      last_name: `Last ${index}`,
      emails: [`person.${index}.${Math.random()}@example.com`],
      phone_numbers: [`+1${2_012_000_000 + index}`],
    },
  }));

/** Returns `count` different numbers below `limit` in an order that no cache can predict. */
const spreadNumbers = (count: number, limit: number) =>
  Array.from({ length: count }, (_, index) => Math.floor((((index * 7919) % count) * limit) / count));

/** Sends loads alternately, and returns the requests per second of each round, for each load. */
async function measureRates(loads: readonly Load[]): Promise<number[][]> {
  const counts: number[] = [];
  const measurements = loads.map(({ service, buildRequests, prepare }, index): Measurement => {
    let requests: readonly LoadRequest[] = [];
    return {
      prepare: async () => {
        requests = buildRequests();
        counts[index] = requests.length;
        await prepare?.();
      },
      run: () => sendRequests(service, requests),
    };
  });
  const times = await runInTurn(measurements, rounds);
  return times.map((each, index) => each.map((time) => ((counts[index] ?? 0) / time) * 1000));
}

/** Creates the contacts of a new workspace over HTTP, and returns them in the order of their rows. */
async function fillService(service: Service): Promise<Contact[]> {
  await sendRequests(service, buildCreates('/v1/contacts', people));
  const contacts: Contact[] = [];
  for (let after = 0; after < people; after += 500) {
    const response = await fetch(`${service.url}/v1/contacts?first=500&after=${after}`, {
      headers: { authorization: `Bearer ${service.key}` },
    });
    contacts.push(...JSON.parse(await response.text()).data);
  }
  return contacts;
}

function buildReads(contacts: readonly Contact[]): readonly [Reads, Reads] {
  const numbers = spreadNumbers(2000, people);
  const ids = numbers.map((number) => contacts[number]?.id);
  const pages = spreadNumbers(400, people - 100);
  return [
    {
      name: 'one contact',
      kith: ids.map((id) => `/v1/contacts/${id}`),
      bare: numbers.map((number) => `/contacts/${number + 1}`),
      jsonServer: ids.slice(0, 250).map((id) => `/contacts/${id}`),
    },
    {
      name: 'a page of 100 contacts',
      kith: pages.map((after) => `/v1/contacts?first=100&after=${after}`),
      bare: pages.map((after) => `/contacts?after=${after}`),
      jsonServer: pages.slice(0, 25).map((after) => `/contacts?_start=${after}&_limit=100`),
    },
  ];
}

/** Writes once before each round, so that a cache of responses would be empty. */
function buildReadLoad(service: Service, paths: readonly string[], changedId: string): Load {
  const path = `/v1/contacts/${changedId}`;
  // Another name each time, because an update that changes nothing writes nothing.
  const buildWrite = (): LoadRequest => ({ method: 'PATCH', path, body: { last_name: `${Math.random()}` } });
  return {
    service,
    buildRequests: () => buildGets(paths),
    prepare: () => sendRequests(service, [buildWrite()]),
  };
}

/** Measures the requests per second of `kith serve`. */
export async function measureService(bench: Bench): Promise<Section> {
  const { folder, builds } = bench;
  const files = builds.map((_, index) => join(folder, `service-${index}.sqlite`));
  const starting = builds.map((build, index) => serveWorkspace(bench, build, files[index] ?? ''));
  return withServices(starting, async (services) => {
    let contacts: Contact[] = [];
    for (const service of services) contacts = await fillService(service);
    const table = await withService(startServer('sqlite', files[0] ?? ''), (bare) => {
      const [service, other] = services;
      if (!service) throw new Error('Nothing to measure: no build was given.');
      return other
        ? compareBuilds(bench, services, bare, contacts)
        : measureBuild(service, bare, contacts, folder);
    });
    return { title: 'Service', tables: [table] };
  });
}

const description = `\`kith serve\` with ${people.toLocaleString('en')} contacts on ${connections} connections (${rounds} runs). No record or page is requested twice between two writes. The bare handler is \`node:http\` on the same SQLite file: it runs one prepared statement on the table of contacts, checks no key, encodes no ids, and reads no emails, phone numbers or custom fields.`;

/** Compares two builds with the bare handler and with each other. */
async function compareBuilds(
  bench: Bench,
  services: readonly Service[],
  bare: Service,
  contacts: readonly Contact[],
): Promise<Table> {
  const rows: string[][] = [];
  for (const reads of buildReads(contacts)) {
    const loads = services.map((service) => buildReadLoad(service, reads.kith, contacts[0]?.id ?? ''));
    const floor: Load = { service: bare, buildRequests: () => buildGets(reads.bare) };
    const [floorRates, ...rates] = await measureRates([floor, ...loads]);
    rows.push([reads.name, ...formatRatios(rates, floorRates)]);
  }
  const text = `${description} Ratios of requests per second: more is better.`;
  return {
    text,
    columns: ['first-time read', ...nameRatioColumns(bench, 'ratio to the bare handler')],
    rows,
  };
}

/** Measures one build, and compares it with the bare handler and with json-server. */
async function measureBuild(
  kith: Service,
  bare: Service,
  contacts: readonly Contact[],
  folder: string,
): Promise<Table> {
  const jsonServer = await startJsonServer(join(folder, 'json-server'), contacts);
  const rows: string[][] = [];
  const addRow = async (
    name: string,
    load: Load,
    bareLoad: Load | undefined,
    buildJsonLoad: () => LoadRequest[],
  ) => {
    const others = [bareLoad, jsonServer && { service: jsonServer, buildRequests: buildJsonLoad }];
    const [rates = [], ...otherRates] = await measureRates([
      load,
      ...others.filter((each) => each !== undefined),
    ]);
    const ratios = others.map((each) => (each ? formatQuartiles(divide(rates, otherRates.shift())) : ''));
    rows.push([name, formatQuartiles(rates, 0), ...ratios]);
  };
  try {
    for (const reads of buildReads(contacts)) {
      const load = buildReadLoad(kith, reads.kith, contacts[0]?.id ?? '');
      const bareLoad = { service: bare, buildRequests: () => buildGets(reads.bare) };
      await addRow(reads.name, load, bareLoad, () => buildGets(reads.jsonServer));
    }
    const creates = { service: kith, buildRequests: () => buildCreates('/v1/contacts', 100) };
    await addRow('create a contact', creates, undefined, () => buildCreates('/contacts', 10));
  } finally {
    jsonServer?.child.kill();
  }
  const columns = ['request', 'requests per second', 'ratio to the bare handler', 'ratio to json-server'];
  const note = jsonServer ? '' : ' json-server could not be installed.';
  return {
    text: `${description} json-server holds the same contacts in one JSON file. More is better.${note}`,
    columns,
    rows,
  };
}
