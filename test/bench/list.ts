import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lines, type Measured, ratios } from './ratio.ts';
import { started } from './started.ts';

const contacts = 100_000;
const rounds = 7;

/** What a script does without kith: a page after the other, each to its records as lines. */
const loop = `
for after in $(seq 0 "$1" "$(($2 - 1))"); do
  curl -sf -H "Authorization: Bearer $KITH_API_KEY" "$KITH_BASE_URL/v1/contacts?first=$1&after=$after" | jq -c '.data[]' || exit 1
done`;

const served = (count: number) =>
  started(['--import', 'tsx', 'test/bench/contacts-server.ts', String(count)], 'key-for-bench');

/** Runs a program to its end; its output goes through a pipe, as to `wc`. */
function ran(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    child.stdout.resume();
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`${command} ended with ${code}`)),
    );
  });
}

const listed = (size: number) => [
  ...['bin/kith.js', 'contacts', 'list', '--all', '--format', 'ndjson', '--page-size', String(size)],
];

/** What the list takes beside who only reads it, and beside who reads it with other tools. */
async function compared(env: NodeJS.ProcessEnv, write: (text: string) => void): Promise<void> {
  const { url, key, child } = await served(contacts);
  const own = { ...env, KITH_BASE_URL: url, KITH_API_KEY: key };
  const node = (name: string, args: readonly string[]): Measured => ({
    name,
    run: () => ran(process.execPath, args, own),
  });
  try {
    for (const size of [100, 500]) {
      const name = `pages of ${size}`;
      const bare = node('bare', ['test/bench/bare-list.mjs', url, key, String(size)]);
      write(lines(await ratios(bare, [node(name, listed(size))], rounds)));
    }
    write('How many times as long a loop of curl and jq takes\n');
    for (const size of [100, 500]) {
      const args = ['-c', loop, 'loop', String(size), String(contacts)];
      const looped = { name: `pages of ${size}`, run: () => ran('bash', args, own) };
      write(lines(await ratios(node('kith', listed(size)), [looped], 3, 1)));
    }
  } finally {
    child.kill();
  }
}

/** The most memory that the reading of a list held, in MB. */
async function peak(folder: string, env: NodeJS.ProcessEnv, count: number): Promise<number> {
  const { url, key, child } = await served(count);
  const told = join(folder, 'rss');
  const script = join(folder, 'rss.cjs');
  writeFileSync(
    script,
    `process.on('exit', () => require('fs').writeFileSync(${JSON.stringify(told)}, String(process.resourceUsage().maxRSS)))`,
  );
  try {
    const own = { ...env, KITH_BASE_URL: url, KITH_API_KEY: key };
    await ran(process.execPath, ['--require', script, ...listed(100)], own);
    return Number(readFileSync(told, 'utf8')) / 1024;
  } finally {
    child.kill();
  }
}

/** What the reading of a long list takes, in time and in memory. */
export async function listing(
  folder: string,
  env: NodeJS.ProcessEnv,
  write: (text: string) => void,
): Promise<void> {
  write(
    `${contacts} contacts as lines, against a program that only counts the bytes (median of ${rounds}, quartiles)\n`,
  );
  await compared(env, write);
  write('The most memory that it held\n');
  for (const count of [1000, 10_000, contacts]) {
    write(`  ${(await peak(folder, env, count)).toFixed(0)} MB for ${count} contacts\n`);
  }
}
