import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { grow } from './grown.ts';
import { type Kind, kindsOn } from './kinds.ts';
import { inTurn, lines, quantile, ratios } from './ratio.ts';

const sizes = [1_000, 10_000, 100_000, 1_000_000] as const;
const rounds = 15;

/** Seconds and megabytes that `kith contacts list --all` takes, its output thrown away. */
function readAll(
  folder: string,
  env: NodeJS.ProcessEnv,
  records: number,
): { seconds: number; megabytes: number } {
  const told = join(folder, 'rss');
  const script = join(folder, 'rss.cjs');
  writeFileSync(
    script,
    `process.on('exit', () => require('fs').writeFileSync(${JSON.stringify(told)}, String(process.resourceUsage().maxRSS)))`,
  );
  const profile = { ...env, KITH_CONFIG_DIR: join(folder, `config-${records}`) };
  const run = (...args: string[]) => {
    const output = openSync('/dev/null', 'w');
    const { status, stderr } = spawnSync(process.execPath, ['--require', script, 'bin/kith.js', ...args], {
      env: profile,
      encoding: 'utf8',
      stdio: ['ignore', output, 'pipe'],
    });
    closeSync(output);
    if (status !== 0) throw new Error(stderr);
  };
  run('auth', 'login', '--local', '--database', fileOf(folder, records));
  const start = performance.now();
  run('contacts', 'list', '--all', '--format', 'ndjson', '--page-size', '500');
  return {
    seconds: (performance.now() - start) / 1000,
    megabytes: Number(readFileSync(told, 'utf8')) / 1024,
  };
}

const fileOf = (folder: string, records: number) => join(folder, `grown-${records}.sqlite`);

const cell = (value: number, digits = 0) => value.toFixed(digits).padStart(8);

/** Microseconds that a request of one kind takes in each workspace, and the largest of them against the smallest. */
async function row(kinds: readonly Kind[]): Promise<string> {
  const sides = kinds.map(({ times, ask }, index) => ({
    name: String(sizes[index]),
    run: async () => {
      for (let time = 0; time < times; time += 1) await ask();
    },
  }));
  const found = await inTurn(sides, rounds);
  const each = found.map((times, index) => (quantile(times, 0.5) * 1000) / (kinds[index]?.times ?? 1));
  const [small = [], large = []] = [found[0], found.at(-1)];
  const ratios = large.map((time, round) => time / (small[round] ?? Number.NaN));
  const [low, median, high] = [0.25, 0.5, 0.75].map((part) => quantile(ratios, part).toFixed(2));
  return `${each.map((value) => cell(value)).join('')}${`${median} (${low} to ${high})`.padStart(24)}`;
}

/** Page 10,000 of a million contacts, against the first. */
async function deepPage(page: (after: number) => Promise<void>): Promise<string> {
  const often = (name: string, after: number) => ({
    name,
    run: async () => {
      for (let time = 0; time < 50; time += 1) await page(after);
    },
  });
  return lines(
    await ratios(often('', 0), [often('page 10,000 of a million contacts, to the first', 999_900)], rounds),
  );
}

/** What each request costs in workspaces of growing size. */
export async function growth(folder: string, env: NodeJS.ProcessEnv, write: (text: string) => void) {
  for (const records of sizes) await grow(fileOf(folder, records), records);
  const workspaces = sizes.map((records) => kindsOn(fileOf(folder, records), records));
  const heads = sizes.map((records) => `${records / 1000} k`.padStart(8)).join('');
  write('Growth, microseconds of a request where there are so many records of each kind, ');
  write(`median of ${rounds} (half lie between)\n${heads}${'a million to a thousand'.padStart(24)}\n`);
  try {
    const names = Object.keys(workspaces[0]?.kinds ?? {}) as (keyof (typeof workspaces)[0]['kinds'])[];
    for (const name of names) write(`${await row(workspaces.map(({ kinds }) => kinds[name]))}  ${name}\n`);
    const largest = workspaces.at(-1);
    if (largest) write(await deepPage(largest.page));
  } finally {
    for (const { close } of workspaces) await close();
  }
  const read = sizes.map((records) => ({ records, ...readAll(folder, env, records) }));
  const each = read.map(({ records, seconds }) => cell((seconds / records) * 1e6));
  const memory = read.map(({ megabytes }) => cell(megabytes));
  write(`${each.join('')}${' '.repeat(24)}  the whole list as NDJSON, from start to end, for each record\n`);
  write(`${memory.join('')}${' '.repeat(24)}  and megabytes at the most\n`);
}
