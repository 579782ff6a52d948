import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startControlledService } from '../import/controlled-service.ts';
import {
  createEmptyWorkspace,
  createMachine,
  createTemporaryFolder,
  writeStoredSettings,
} from '../support/kith.ts';
import { createRecordingMachine } from './recording-machine.ts';

const update = 'contacts update 0rlnky --last-name Kim';

/** A machine whose last command was an update, with its journal. */
async function createUpdated() {
  const machine = createRecordingMachine();
  await machine.run(update);
  const undoFolder = join(machine.folder, 'undo');
  const listJournals = () => readdirSync(undoFolder).filter((name) => name.endsWith('.jsonl'));
  const [name = ''] = listJournals();
  return { ...machine, undoFolder, listJournals, journal: join(undoFolder, name) };
}

test('journals have mode 0600 in a folder with mode 0700', async () => {
  const { undoFolder, journal } = await createUpdated();
  expect((statSync(undoFolder).mode & 0o777).toString(8)).toBe('700');
  expect((statSync(journal).mode & 0o777).toString(8)).toBe('600');
});

test('a command that only reads, a dry run, and a refused write leave no journal to undo', async () => {
  const { kith, folder } = createRecordingMachine();
  await kith('contacts list');
  await kith('api /v1/contacts');
  await kith(`${update} --dry-run`);
  expect(readdirSync(folder)).not.toContain('undo');
  expect((await kith('contacts update 0rlnky --email "not an address"')).code).not.toBe(0);
  expect((await kith('undo --yes')).code).toBe(3);
});

test('the next write removes journals that were not written for 30 days', async () => {
  const { run, journal, listJournals } = await createUpdated();
  const days = (count: number) => new Date(Date.now() + count * 86_400_000);
  await run('contacts update 0rlnky --last-name Lee', { now: days(29) });
  expect(listJournals()).toHaveLength(2);
  await run('contacts update 0rlnky --last-name Park', { now: days(31) });
  expect(listJournals()).toHaveLength(1);
  expect(readFileSync(journal, 'utf8')).toContain('Park');
});

test('two processes never create the same journal', async () => {
  const folder = createTemporaryFolder();
  const source = join(process.cwd(), 'src/undo/journal-files.ts');
  const program = `
    import { readdirSync, writeFileSync } from 'node:fs';
    import { createJournalFile } from ${JSON.stringify(source)};
    const [, folder, name] = process.argv;
    writeFileSync(folder + '/' + name, '');
    while (readdirSync(folder).length < 2);
    for (let count = 0; count < 100; count += 1) createJournalFile(folder + '/undo', 'w', new Date());`;
  const run = async (name: string) => {
    const args = ['--import', 'tsx', '--input-type=module', '--eval', program, folder, name];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    return (await once(child, 'close'))[0];
  };
  expect(await Promise.all(['one', 'two'].map(run))).toEqual([0, 0]);
  expect(readdirSync(join(folder, 'undo'))).toHaveLength(200);
});

test('a journal that is older than 30 days is not undone', async () => {
  const { kith, journal } = await createUpdated();
  utimesSync(journal, 0, 0);
  expect((await kith('undo --yes', { now: new Date(Date.now() + 31 * 86_400_000) })).code).toBe(3);
});

test.each([
  ['an emptied', (path: string) => truncateSync(path)],
  ['a foreign', (path: string) => writeFileSync(path, 'hello\n')],
  ['a damaged', (path: string) => appendFileSync(path, '{"result":2,"after":\n')],
])('%s journal does not break later commands, and is not undone', async (_, damage) => {
  const { kith, run, journal } = await createUpdated();
  damage(journal);
  expect(await kith('undo --yes')).toEqual({
    code: 2,
    out: '',
    err: `kith: The last command cannot be undone: it was not recorded completely.\nhint: Its journal is ${journal}\n`,
  });
  await run(update);
  await run('contacts update 0rlnky --last-name Lee');
  expect((await kith('undo --yes')).code).toBe(0);
});

test('ignores an incomplete line of a killed command', async () => {
  const { kith, journal } = await createUpdated();
  appendFileSync(journal, '{"write":4,"wh');
  expect((await kith('undo --yes')).code).toBe(0);
  expect((await kith('contacts get 0rlnky --jq .last_name')).out).toBe('김\n');
});

test('a folder that cannot be written does not stop a write, and is reported once', async () => {
  const { kith, folder } = createRecordingMachine();
  writeFileSync(join(folder, 'undo'), '');
  const { code, err } = await kith('contacts delete 0rlnky dohyun.park@hanbit-cold.example --yes');
  expect({ code, err }).toEqual({
    code: 0,
    err: expect.stringMatching(
      /^kith: This command is not recorded for `kith undo`: Cannot write .*: it is a file, not a folder\.\n$/,
    ),
  });
  expect(await kith('undo --yes')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^kith: Cannot write .*: it is a file, not a folder\.\n/),
  });
});

test('a journal never contains an API key', async () => {
  const service = await startControlledService();
  const folder = createTemporaryFolder();
  const kith = createMachine(folder);
  const env = { ...service.env, KITH_UNDO: 'on' };
  const { id } = (await service.sendOk('POST /v1/contacts', { first_name: 'Ada' })) as { id: string };
  const { code, err } = await kith(['contacts', 'update', id, '--last-name', 'key-for-tests'], { env });
  expect(code).toBe(0);
  expect(err).toContain('This command is not recorded for `kith undo`: it contains an API key');
  const read = () =>
    readdirSync(join(folder, 'undo')).map((name) => readFileSync(join(folder, 'undo', name), 'utf8'));
  expect(read().join()).not.toContain('key-for-tests');
  expect((await kith('undo --yes', { env })).code).toBe(2);
  await kith(['contacts', 'update', id, '--last-name', 'Lovelace'], { env });
  expect((await kith('undo --yes', { env })).code).toBe(2); // its record still contains the key
  expect(read().join()).not.toContain('key-for-tests');
});

test('the changes of another profile are not undone', async () => {
  const folder = createTemporaryFolder();
  const one = createEmptyWorkspace(folder, 'one.sqlite');
  const profiles = { one: { database: one }, two: { database: createEmptyWorkspace(folder, 'two.sqlite') } };
  writeStoredSettings(folder, { active: 'one', profiles });
  const machine = createMachine(folder);
  const kith = (line: string) => machine(line, { env: { KITH_UNDO: 'on' } });
  await kith('contacts create --first-name 지우');
  await kith('contacts create --first-name Ada --profile two');
  expect((await kith('undo --yes')).out).toBe('Undid `kith contacts create`: 1 change.\n');
  expect((await kith('contacts list --jq length')).out).toBe('0\n');
  expect((await kith('contacts list --profile two --jq length')).out).toBe('1\n');
  expect((await kith('undo --yes --profile two')).code).toBe(0);
  expect((await kith('contacts list --profile two --jq length')).out).toBe('0\n');
  rmSync(one);
});
