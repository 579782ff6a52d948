import { Agent, request } from 'node:http';
import { ids } from '../../src/service/db/ids.ts';
import { computeQuantile } from './measure.ts';
import { withPostgres } from './postgres.ts';
import { createKey, type Service, serveLocation, withServices } from './processes.ts';
import type { Bench, Section } from './report.ts';

const processes = 3;
const loads = [
  { updaters: 0, noun: 'deals' },
  { updaters: 16, noun: 'deals' },
  { updaters: 40, noun: 'deals' },
  { updaters: 40, noun: 'contacts' },
] as const;
const recordCount = 200;
/** Milliseconds of one round, and the number of rounds. */
const roundLength = 2000;
const rounds = 5;

const entries = `/v1/lists/${ids.list.encode(1)}/entries`;
const agent = new Agent({ keepAlive: true });

/** Sends a request with a body. @throws {Error} for a response that is not successful */
const send = ({ url, key }: Service, method: string, path: string, body: object) =>
  new Promise<void>((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const outgoing = request(url + path, { method, agent, headers }, (response) => {
      const { statusCode = 0 } = response;
      if (statusCode > 299) reject(new Error(`${method} ${path}: status ${statusCode}`));
      response.resume().once('end', resolve).once('error', reject);
    });
    outgoing.once('error', reject).end(JSON.stringify(body));
  });

/** Sends a request repeatedly for a time, and returns the milliseconds of each request. */
async function repeatFor(milliseconds: number, sendOne: () => Promise<void>): Promise<number[]> {
  const times: number[] = [];
  const end = performance.now() + milliseconds;
  for (let start = performance.now(); start < end; start = performance.now()) {
    await sendOne();
    times.push(performance.now() - start);
  }
  return times;
}

/** Measures how long the creation of a deal takes while clients change other deals of the same process. */
export async function measureDeals(bench: Bench): Promise<Section> {
  const [build] = bench.builds;
  const rows = await withPostgres(async (server) => {
    const key = createKey(bench, build, server.url());
    const starting = Array.from({ length: processes }, () => serveLocation(build, server.url(), key));
    return withServices(starting, measureCreations);
  });
  return {
    title: 'Deals on PostgreSQL',
    tables: [
      {
        text: `Milliseconds to create a deal over HTTP while other clients update deals of the same process, one request after the other without a pause, in ${processes} processes of \`kith serve\` (${rounds} rounds of ${roundLength / 1000} s each, in turn). Clients, processes and PostgreSQL share the cores of this machine. The updates of contacts share no row with the deals: beside them, a create waits only for the cores and for a connection. The goal beside 40 clients is a 95th percentile of at most 10 times the median alone.`,
        columns: [
          'clients that update',
          'median',
          '95th percentile',
          'longest',
          'updates per second',
          '95th percentile, of the median alone',
        ],
        rows,
      },
    ],
  };
}

async function measureCreations(services: readonly Service[]): Promise<string[][]> {
  const select = (index: number) => services[index % services.length] as Service; // there is at least one
  const statuses = ['Open', 'Meeting', 'Offer'].map((name) => ({ name, type: 'active' }));
  await send(select(0), 'POST', '/v1/contacts', { first_name: 'Ada' });
  await send(select(0), 'POST', '/v1/lists', {
    ...{ name: 'Deals', process: true, entry_type: 'Contact', identifier: 'DEAL', duplicates_allowed: true },
    statuses,
  });
  const deal = { entryable_id: ids.contact.encode(1), entryable_type: 'Contact' };
  let created = 0;
  const create = () => send(select(created++), 'POST', entries, deal);
  while (created < recordCount) {
    await send(select(0), 'POST', '/v1/contacts', { first_name: 'Grace' });
    await create();
  }
  const random = (limit: number) => Math.floor(Math.random() * limit);
  const updates = {
    deals: () => ({
      path: `${entries}/${ids.entry.encode(1 + random(recordCount))}`,
      body: { status: statuses[random(statuses.length)]?.name, one_time_value_cents: random(1_000_000) },
    }),
    contacts: () => ({
      path: `/v1/contacts/${ids.contact.encode(1 + random(recordCount))}`,
      body: { last_name: `Changed ${random(1_000_000)}` },
    }),
  };
  const update = (index: number, noun: keyof typeof updates) => {
    const { path, body } = updates[noun]();
    return send(select(index), 'PATCH', path, body);
  };
  const results = loads.map((load) => ({ ...load, times: [] as number[], updates: 0 }));
  for (let round = -1; round < rounds; round += 1) {
    for (const result of results) {
      const [times, ...others] = await Promise.all([
        repeatFor(roundLength, create),
        ...Array.from({ length: result.updaters }, (_, index) =>
          repeatFor(roundLength, () => update(index, result.noun)),
        ),
      ]);
      if (round < 0) continue;
      result.times.push(...times);
      result.updates += others.flat().length;
    }
  }
  const alone = computeQuantile(results[0]?.times ?? [], 0.5);
  return results.map(({ updaters, noun, times, updates }) => {
    const [median, most, longest] = [0.5, 0.95, 1].map((part) => computeQuantile(times, part)) as [
      number,
      number,
      number,
    ];
    const rate = (updates * 1000) / rounds / roundLength;
    return [
      updaters === 0 ? 'none' : `${updaters}, of ${noun}`,
      ...[median, most, longest].map((time) => time.toFixed(1)),
      rate.toFixed(0),
      (most / alone).toFixed(1),
    ];
  });
}
