import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AnyCommand } from '../../src/cli/command.ts';
import { commandTree } from '../../src/cli/tree.ts';
import { createEnv, launcher, runShell } from '../support/binary.ts';
import { exampleFiles } from '../support/example-files.ts';
import {
  createMachine,
  createSampleWorkspace,
  createTemporaryFolder,
  type MachineOptions,
  splitWords,
} from '../support/kith.ts';
import { startRecordingService } from './commands/recording-service.ts';

/** The lines of the help, each with its command. */
const examples: (readonly [line: string, command: AnyCommand])[] = [];
for (const { commands } of commandTree) {
  for (const command of await commands()) for (const line of command.examples) examples.push([line, command]);
}
const lines = examples.map(([line]) => line);

/** A folder with the files of the examples and a fresh copy of the sample, which a machine is signed in to. */
async function atHome() {
  const folder = createTemporaryFolder();
  for (const [name, text] of Object.entries(exampleFiles)) writeFileSync(join(folder, name), text);
  const kith = createMachine(folder);
  await kith(['auth', 'login', '--local', '--demo', '--database', createSampleWorkspace(folder)]);
  const id = async (line: string, path = '.id') => (await kith(`${line} -q --jq ${path}`)).out.trim();
  const ids: Readonly<Record<string, () => Promise<string>>> = {
    MEETING: () => id('events list --limit 1', '.[0].id'),
    EVENT: () => id('events list --limit 1', '.[0].id'),
    RECORDING: () => id('events list --limit 1', '.[0].recordings[0].id'),
    SPEAKER: async () => id(`recordings transcript ${await ids.RECORDING?.()}`, '.[0].participant.name'),
    NOTE: () => id('notes list --limit 1', '.[0].id'),
    FIELD: () =>
      id('custom-fields create Zone --model organization --type select --option EMEA --option APAC'),
    KEY_ID: () => id('keys create cron'),
  };
  /** A line with ids in the place of its words in capitals. */
  const filled = async (line: string) => {
    let result = line;
    for (const [word, find] of Object.entries(ids))
      if (line.includes(word)) result = result.replaceAll(word, await find());
    return result;
  };
  /** The same for a line that is not run in the folder. */
  const placed = async (line: string) =>
    (await filled(line)).replace(
      /(?<=[ @])([\w-]+\.(md|ics|vtt|srt|report\.csv|csv|xlsx|sqlite)|meetings$|meetings(?= ))/g,
      `${folder}/$1`,
    );
  return { folder, kith, filled, placed };
}

const yes = { terminal: 100, answers: [true] };
const built = () => ({ invocation: { node: process.execPath, script: launcher, folder: '/' } });
const stopped = () => ({ interruptAt: ' on http://127.0.0.1:' });

/** Lines that cannot run as they stand, each with the reason, and how far they are run. */
const special: Readonly<
  Record<string, { why: string; instead?: string; setting?: () => MachineOptions } | undefined>
> = {
  'contacts delete 0rlnky': { why: 'it asks', setting: () => yes },
  'organizations delete rl16pk': { why: 'it asks', setting: () => yes },
  'contacts import --undo people.report.csv --dry-run': { why: 'it asks', setting: () => yes },
  'lists delete Newsletter': { why: 'it asks', setting: () => yes },
  'workspace remove-recording RECORDING': { why: 'it asks', setting: () => yes },
  'schedule test -- events export --out meetings --quiet': { why: 'it starts a process', setting: built },
  'schedule test -- auth status': { why: 'it starts a process', setting: built },
  'workspace snapshot /backups/monday.sqlite --force --database /srv/kith.sqlite': {
    why: 'its files are on another machine',
    instead: 'workspace snapshot monday.sqlite --force',
  },
  serve: { why: 'it serves until it is stopped', instead: 'serve --port 0', setting: stopped },
  'serve --demo --port 8080': {
    why: 'it serves until it is stopped',
    instead: 'serve --demo --port 0',
    setting: stopped,
  },
  'serve --demo --rate-limit 60': {
    why: 'it serves until it is stopped',
    instead: 'serve --demo --rate-limit 60 --port 0',
    setting: stopped,
  },
};

/** What comes first where a line needs a folder that is exported. */
const exporting = 'events export --transcript --out meetings';

const hosted = [
  'auth login --base-url https://crm.example.com',
  'auth login --base-url https://crm.example.com --key-stdin < key.txt',
];
/** test/reliability/keychain.test.ts runs it, where there is a keychain. */
const inKeychain = ['auth login --base-url https://crm.example.com --keychain'];
const inShell = lines.filter((line) => /[|<>]/.test(line));
/** What they print is generated and checked elsewhere. */
const generated = lines.filter((line) => line.startsWith('completion '));
/** What they answer to an agent is in mcp.test.ts. */
const forAgents = ['mcp', 'mcp --allow-write --profile demo'];
const elsewhere = new Set([...hosted, ...inKeychain, ...inShell, ...generated, ...forAgents]);

test('every read-only example runs on the sample', async () => {
  const { kith, placed } = await atHome();
  expect((await kith(splitWords(await placed(exporting)))).code).toBe(0);
  const reading = examples.filter(
    ([line, { isWrite, isLocal }]) =>
      !isWrite && !isLocal && !elsewhere.has(line) && !line.startsWith('auth '),
  );
  const failed: unknown[] = [];
  for (const [line] of reading) {
    const { code, out, err } = await kith(splitWords(await placed(line)));
    if (code !== 0 || out === '') failed.push({ line, code, err });
  }
  expect(failed).toEqual([]);
  expect(reading.length).toBeGreaterThan(35);
});

const writing = examples.filter(
  ([line, { isWrite, isLocal }]) => (isWrite || isLocal || line.startsWith('auth ')) && !elsewhere.has(line),
);

test.each(writing.map(([line]) => line))('%s runs on a fresh copy of the sample', async (line) => {
  const { kith, placed } = await atHome();
  const { instead = line, setting } = special[line] ?? {};
  if (line.startsWith('events export ')) await kith(splitWords(await placed(exporting)));
  if (line.includes('people.report.csv')) await kith(splitWords(await placed('contacts import people.csv')));
  if (line.includes('readers.report.csv')) {
    await kith(splitWords(await placed('entries import Newsletter readers.csv --map E-mail=email')));
  }
  // A request that is only shown must be one that the service takes.
  for (const run of new Set([instead, instead.replace(' --dry-run', '')])) {
    const { code, err } = await kith(splitWords(await placed(run)), setting?.());
    expect({ code, err }).toEqual({ code: 0, err: expect.any(String) });
  }
});

test.each(inShell.filter((line) => !hosted.includes(line)))('%s runs in a shell', async (line) => {
  const { folder, filled } = await atHome();
  const env = createEnv(folder, { KITH_CONFIG_DIR: folder });
  const { code, out } = await runShell(`kith ${await filled(line)}`, { env, cwd: folder });
  expect({ code, isEmpty: out === '' }).toEqual({ code: 0, isEmpty: line.includes('>') });
});

test('the examples that sign in to a hosted service run against one', async () => {
  const { env, requests } = await startRecordingService();
  const { folder, kith } = await atHome();
  const [asking = '', piped = ''] = hosted.map((line) =>
    line.replace('https://crm.example.com', env.KITH_BASE_URL),
  );
  const asked = await kith(asking, { terminal: 100, answers: ['key-for-tests'] as never });
  const home = createEnv(folder, { KITH_CONFIG_DIR: createTemporaryFolder() });
  const given = await runShell(`kith ${piped}`, { env: home, cwd: folder });
  expect([asked.code, given.code]).toEqual([0, 0]);
  expect(requests.map(({ headers }) => headers.authorization)).toEqual([
    'Bearer key-for-tests',
    'Bearer key-for-tests',
  ]);
});

test('every special case is an existing example, and no example appears twice', () => {
  expect(Object.keys(special).filter((line) => !lines.includes(line))).toEqual([]);
  expect(hosted.filter((line) => !lines.includes(line))).toEqual([]);
  expect(new Set(lines).size).toBe(lines.length);
});

test('every example can be pasted into a shell, which expands none of its words', () => {
  const plain = lines.filter((line) => !inShell.includes(line));
  const script = plain.map((line) => `p ${line}`).join('\n');
  const printed = execFileSync('bash', ['-c', `p() { printf '%s\\036' "$@"; printf '\\035'; }\n${script}`], {
    encoding: 'utf8',
  });
  const split = printed.split('\x1d').map((one) => one.split('\x1e').slice(0, -1));
  expect(split.slice(0, -1)).toEqual(plain.map(splitWords));
  const expanded = lines.filter((line) =>
    /[*?[\]{}~!&;$`\\]/.test(line.replace(/"[^"$`\\!]*"|'[^']*'/g, '')),
  );
  expect(expanded).toEqual([]);
});
