import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { grow } from './grown.ts';
import { jsonServer, startedPeer } from './json-server.ts';
import { type Asked, connections, sent } from './load.ts';
import { inTurn, quantile } from './ratio.ts';
import { type Service, started } from './started.ts';

const people = 10_000;
const rounds = 15;

/** So many requests of one kind, each another one. */
interface Load {
  readonly asked: readonly Asked[];
  readonly before?: () => Promise<void>;
}

const gets = (paths: readonly string[]): Asked[] => paths.map((path) => ({ method: 'GET', path }));

/** So many numbers below `below`, evenly, in no order. */
const spread = (times: number, below: number) =>
  Array.from({ length: times }, (_, index) => Math.floor((((index * 7919) % times) * below) / times));

/** A load on a service, and what is known of it when it was run in turn with others: requests a second. */
function side({ url, key }: Service, { asked, before }: Load) {
  const run = () => sent(url, key, asked);
  const rates = (milliseconds: readonly number[]) => milliseconds.map((time) => (asked.length / time) * 1000);
  return { measured: { name: url, run, ...(before && { before }) }, rates };
}

const cell = (values: readonly number[], digits: number) => {
  const [low, median, high] = [0.25, 0.5, 0.75].map((part) => quantile(values, part).toFixed(digits));
  return `${median} (${low} to ${high})`.padStart(24);
};

/** `kith serve` on a workspace with a key, and all its contacts. */
async function served(folder: string, env: NodeJS.ProcessEnv) {
  const database = join(folder, 'served.sqlite');
  await grow(database, people);
  const made = execFileSync(
    process.execPath,
    ['bin/kith.js', 'keys', 'create', 'bench', '--database', database, '--json'],
    { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const { key }: { key: string } = JSON.parse(made);
  const kith = await started(['bin/kith.js', 'serve', '--port', '0', '--database', database], key);
  const get = async (path: string) => {
    const answer = await fetch(kith.url + path, { headers: { authorization: `Bearer ${key}` } });
    return answer.text();
  };
  const contacts: { id: string }[] = [];
  for (let after = 0; after < people; after += 500) {
    contacts.push(...JSON.parse(await get(`/v1/contacts?first=500&after=${after}`)).data);
  }
  return { kith, get, contacts };
}

/** Requests a second of `kith serve`, beside bytes from memory, and beside json-server with the same data. */
export async function serving(folder: string, env: NodeJS.ProcessEnv, write: (text: string) => void) {
  const { kith, get, contacts } = await served(folder, env);
  const created = '/v1/contacts';
  const ones = spread(2000, people).map((person) => contacts[person]?.id);
  const pages = spread(400, people - 100);
  const reads = {
    'one contact': {
      own: ones.map((id) => `/v1/contacts/${id}`),
      peer: ones.map((id) => `/contacts/${id}`).slice(0, 250),
    },
    'a page of 100': {
      own: pages.map((after) => `/v1/contacts?first=100&after=${after}`),
      peer: pages.map((after) => `/contacts?_start=${after}&_limit=100`).slice(0, 25),
    },
  };
  const bodies: Record<string, string> = { [created]: await get(`/v1/contacts/${ones[0]}`) };
  for (const path of Object.values(reads).flatMap(({ own }) => own)) bodies[path] = await get(path);
  const file = join(folder, 'bytes.json');
  writeFileSync(file, JSON.stringify(bodies));
  const bare = await started(['--import', 'tsx', 'test/bench/bytes-server.ts', file], '');
  const peer = await startedPeer(join(folder, 'peer'), contacts);
  const compare = async (rows: Readonly<Record<string, Load>>, floor: Load, other: Load) => {
    const sides = Object.values(rows).map((load) => side(kith, load));
    const others = [side(bare, floor), ...(peer ? [side(peer, other)] : [])];
    const all = [...sides, ...others];
    const times = await inTurn(
      all.map(({ measured }) => measured),
      rounds,
    );
    const rates = all.map((one, index) => one.rates(times[index] ?? []));
    for (const [index, name] of Object.keys(rows).entries()) {
      const own = rates[index] ?? [];
      const ratios = rates.slice(sides.length).map((against) =>
        cell(
          own.map((rate, round) => rate / (against[round] ?? Number.NaN)),
          2,
        ),
      );
      write(`${cell(own, 0)}${ratios.join('')}  ${name}\n`);
    }
  };
  const forgotten = () =>
    sent(kith.url, kith.key, [
      { method: 'PATCH', path: `/v1/contacts/${contacts[0]?.id}`, body: { last_name: 'Changed' } },
    ]);
  let made = 0;
  const creates = (path: string, times: number): Asked[] =>
    Array.from({ length: times }, () => ({ method: 'POST', path, body: { first_name: `New ${++made}` } }));
  try {
    write(
      `Service, ${people} contacts, ${connections} connections, median of ${rounds} (half lie between)\n`,
    );
    if (!peer) write(`  json-server is left out: ${jsonServer} cannot be installed\n`);
    write(
      `${['requests a second', 'of bytes from memory', 'of json-server'].map((head) => head.padStart(24)).join('')}\n`,
    );
    for (const [name, { own, peer }] of Object.entries(reads)) {
      const asked = gets(own);
      const rows = {
        [`${name}, for the first time`]: { asked, before: forgotten },
        [`${name}, asked before`]: { asked },
      };
      await compare(rows, { asked }, { asked: gets(peer) });
    }
    const asked = creates(created, 100);
    await compare({ 'a durable create': { asked } }, { asked }, { asked: creates('/contacts', 10) });
  } finally {
    for (const service of [kith, bare, peer]) service?.child.kill();
  }
}
