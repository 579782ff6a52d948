import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { grow } from './grown.ts';
import { jsonServer, startedPeer } from './json-server.ts';
import { type Asked, connections, sent } from './load.ts';
import { inTurn, quantile } from './ratio.ts';
import { type Service, servedFile, started } from './started.ts';

const people = 10_000;
const rounds = 15;

/** Requests of one kind to a service, each another one. */
interface Load {
  readonly name: string;
  readonly service: Service;
  readonly asked: readonly Asked[];
  readonly before?: () => Promise<void>;
}

const gets = (paths: readonly string[]): Asked[] => paths.map((path) => ({ method: 'GET', path }));

/** So many numbers below `below`, evenly, in no order. */
const spread = (times: number, below: number) =>
  Array.from({ length: times }, (_, index) => Math.floor((((index * 7919) % times) * below) / times));

const cell = (values: readonly number[], digits: number) => {
  const [low, median, high] = [0.25, 0.5, 0.75].map((part) => quantile(values, part).toFixed(digits));
  return `${median} (${low} to ${high})`.padStart(24);
};

/** A line for each load of ours: requests a second, and as a multiple of those of the others, run in turn with it. */
async function compared(ours: readonly Load[], others: readonly Load[]): Promise<string> {
  const all = [...ours, ...others];
  const measured = all.map(({ name, service: { url, key }, asked, before }) => {
    const run = () => sent(url, key, asked);
    return before ? { name, run, before } : { name, run };
  });
  const times = await inTurn(measured, rounds);
  const rates = times.map((each, index) =>
    each.map((time) => ((all[index]?.asked.length ?? 0) / time) * 1000),
  );
  const line = ({ name }: Load, index: number) => {
    const own = rates[index] ?? [];
    const ratios = rates
      .slice(ours.length)
      .map((other) => own.map((rate, round) => rate / (other[round] ?? Number.NaN)));
    return `${cell(own, 0)}${ratios.map((each) => cell(each, 2)).join('')}  ${name}\n`;
  };
  return ours.map(line).join('');
}

/** `kith serve` on a workspace with a key, and all its contacts. */
async function served(folder: string) {
  const database = join(folder, 'served.sqlite');
  await grow(database, people);
  const kith = await servedFile(database);
  const get = async (path: string) => {
    const answer = await fetch(kith.url + path, { headers: { authorization: `Bearer ${kith.key}` } });
    return answer.text();
  };
  const contacts: { id: string }[] = [];
  for (let after = 0; after < people; after += 500) {
    contacts.push(...JSON.parse(await get(`/v1/contacts?first=500&after=${after}`)).data);
  }
  return { kith, get, contacts };
}

/** What is read: the same records of `kith serve` and of json-server, which is asked for fewer, being slower. */
function readingOf(contacts: readonly { readonly id: string }[]) {
  const ids = spread(2000, people).map((person) => contacts[person]?.id);
  const pages = spread(400, people - 100);
  return {
    'one contact': {
      own: ids.map((id) => `/v1/contacts/${id}`),
      other: ids.slice(0, 250).map((id) => `/contacts/${id}`),
    },
    'a page of 100': {
      own: pages.map((after) => `/v1/contacts?first=100&after=${after}`),
      other: pages.slice(0, 25).map((after) => `/contacts?_start=${after}&_limit=100`),
    },
  };
}

const creates = (path: string, times: number): Asked[] =>
  Array.from({ length: times }, (_, index) => ({
    method: 'POST',
    path,
    body: { first_name: `New ${index}` },
  }));

/** Requests a second of `kith serve`, beside bytes from memory, and beside json-server with the same data. */
export async function serving(folder: string, write: (text: string) => void) {
  const { kith, get, contacts } = await served(folder);
  const running = [kith];
  try {
    const reading = readingOf(contacts);
    const created = '/v1/contacts';
    const changed = `/v1/contacts/${contacts[0]?.id}`;
    const bodies: Record<string, string> = { [created]: await get(changed) };
    for (const path of Object.values(reading).flatMap(({ own }) => own)) bodies[path] = await get(path);
    const file = join(folder, 'bytes.json');
    writeFileSync(file, JSON.stringify(bodies));
    const bare = await started(['--import', 'tsx', 'test/bench/bytes-server.ts', file], '');
    running.push(bare);
    const peer = await startedPeer(join(folder, 'peer'), contacts);
    if (peer) running.push(peer);
    const others = (own: readonly Asked[], other: readonly Asked[]): Load[] => [
      { name: 'bytes from memory', service: bare, asked: own },
      ...(peer ? [{ name: 'json-server', service: peer, asked: other }] : []),
    ];
    const forget = () =>
      sent(kith.url, kith.key, [{ method: 'PATCH', path: changed, body: { last_name: 'Changed' } }]);
    const heads = ['requests a second', 'of bytes from memory', peer ? 'of json-server' : ''];
    write(`Service, ${people} contacts, ${connections} connections, median of ${rounds} (half lie between);`);
    write(' what was asked before is remembered until something is written\n');
    if (!peer) write(`  json-server is left out: ${jsonServer} cannot be installed\n`);
    write(`${heads.map((head) => head.padStart(24)).join('')}\n`);
    for (const [name, { own, other }] of Object.entries(reading)) {
      const asked = gets(own);
      const often = Array.from({ length: 4 }, () => asked).flat(); // too quick to be measured once
      const ours = [
        { name: `${name}, for the first time`, service: kith, asked, before: forget },
        { name: `${name}, asked before`, service: kith, asked: often },
      ];
      write(await compared(ours, others(often, gets(other))));
    }
    const asked = creates(created, 100);
    const create = { name: 'a durable create', service: kith, asked };
    write(await compared([create], others(asked, creates('/contacts', 10))));
  } finally {
    for (const { child } of running) child.kill();
  }
}
