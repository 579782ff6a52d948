import { peakOf, ran } from './ran.ts';
import { lines, type Measured, ratios } from './ratio.ts';
import { type Service, started } from './started.ts';

const contacts = 100_000;
const rounds = 7;

/** What a script does without kith: a page after the other, each to its records as lines. */
const loop = `
for after in $(seq 0 "$1" "$(($2 - 1))"); do
  curl -sf -H "Authorization: Bearer $KITH_API_KEY" "$KITH_BASE_URL/v1/contacts?first=$1&after=$after" | jq -c '.data[]' || exit 1
done`;

/** A service of so many contacts. */
export const contactsService = (count: number) =>
  started(['--import', 'tsx', 'test/bench/contacts-server.ts', String(count)], 'key-for-bench');

/** The words of a command that reads all contacts, and of a program that only counts their bytes. */
export const listArgs = (size: number) => [
  ...['bin/kith.js', 'contacts', 'list', '--all', '--format', 'ndjson', '--page-size', String(size)],
];
export const bareArgs = ({ url, key }: Service, size: number) => [
  ...['test/bench/bare-list.mjs', url, key, String(size)],
];

/** What the list takes beside who only reads it, and beside who reads it with other tools. */
async function compared(env: NodeJS.ProcessEnv, write: (text: string) => void): Promise<void> {
  const service = await contactsService(contacts);
  const own = { ...env, KITH_BASE_URL: service.url, KITH_API_KEY: service.key };
  const node = (name: string, args: readonly string[]): Measured => ({
    name,
    run: () => ran(process.execPath, args, own, 'pipe'),
  });
  try {
    for (const size of [100, 500]) {
      const name = `pages of ${size}`;
      const bare = node('bare', bareArgs(service, size));
      write(lines(await ratios(bare, [node(name, listArgs(size))], rounds)));
    }
    write('How many times as long a loop of curl and jq takes\n');
    for (const size of [100, 500]) {
      const args = ['-c', loop, 'loop', String(size), String(contacts)];
      const looped = { name: `pages of ${size}`, run: () => ran('bash', args, own, 'pipe') };
      write(lines(await ratios(node('kith', listArgs(size)), [looped], 3, 1)));
    }
  } finally {
    service.child.kill();
  }
}

/** The most memory that the reading of a list held, in MB. */
async function peak(folder: string, env: NodeJS.ProcessEnv, count: number): Promise<number> {
  const { url, key, child } = await contactsService(count);
  try {
    const own = { ...env, KITH_BASE_URL: url, KITH_API_KEY: key };
    return await peakOf(folder, (flags) => ran(process.execPath, [...flags, ...listArgs(100)], own, 'pipe'));
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
