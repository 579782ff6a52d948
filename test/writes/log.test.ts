import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Journal } from '../../src/files/journal.ts';
import { ChangeLog } from '../../src/writes/log.ts';
import { startControlledMachine } from '../import/controlled-service.ts';
import { startModule } from '../support/binary.ts';
import {
  createEmptyWorkspace,
  createMachine,
  createTemporaryFolder,
  writeStoredSettings,
} from '../support/kith.ts';
import { createRecordingMachine, listLogs, withoutUpdates } from '../undo/recording-machine.ts';

const update = 'contacts update 0rlnky --last-name Kim';

/** A machine whose last command was an update, with its log. */
async function createUpdated() {
  const machine = await createRecordingMachine();
  await machine.run(update);
  const [log = ''] = listLogs(machine.folder);
  return { ...machine, log };
}

test('logs have mode 0600 in a folder with mode 0700', async () => {
  const { log } = await createUpdated();
  expect((statSync(dirname(log)).mode & 0o777).toString(8)).toBe('700');
  expect((statSync(log).mode & 0o777).toString(8)).toBe('600');
});

test('two profiles of one workspace file share the recorded commands', async () => {
  const { run, kith, folder } = await createUpdated();
  await run(['auth', 'login', '--local', '--database', join(folder, 'demo.sqlite'), '--profile', 'second']);
  expect(await kith('undo --yes --profile second')).toMatchObject({ code: 0 });
  expect((await kith('undo --yes --profile demo')).code).toBe(3);
});

test('finds the logs of an earlier build, whose folder name contained the profile', async () => {
  const { kith, folder, log } = await createUpdated();
  const secret = `${JSON.stringify(['demo', join(folder, 'demo.sqlite')])} `;
  const name = createHash('sha256').update(secret).digest('hex').slice(0, 16);
  renameSync(dirname(log), join(folder, 'changes', name));
  expect(await kith('undo --yes')).toMatchObject({ code: 0 });
});

test('a command that only reads, a dry run, and a refused write leave no log', async () => {
  const { kith, folder } = await createRecordingMachine();
  await kith('contacts list');
  await kith('api /v1/contacts');
  await kith(`${update} --dry-run`);
  expect((await kith('contacts update 0rlnky --email "not an address"')).code).not.toBe(0);
  expect((await kith('contacts update 0rlnky --last-name 김')).code).toBe(0); // it has this name
  expect(listLogs(folder)).toEqual([]);
  expect((await kith('undo --yes')).code).toBe(3);
});

test('the last 100 logs are kept, whatever the clock of a command was', async () => {
  const { run, kith, folder, dump } = await createRecordingMachine();
  const before = withoutUpdates(await dump());
  const rename = (name: string, now?: string) =>
    run(`contacts update 0rlnky --last-name ${name}`, now ? { now: new Date(now) } : {});
  await rename('N0', '2000-01-01T00:00:00Z');
  await rename('N1', '2100-01-01T00:00:00Z');
  await rename('N2');
  expect(listLogs(folder)).toHaveLength(3);
  for (let count = 0; count < 3; count += 1) await run('undo --yes');
  expect(withoutUpdates(await dump())).toEqual(before);
  const [first = ''] = listLogs(folder);
  const workspace = dirname(first);
  for (let number = 200; number < 300; number += 1) copyFileSync(first, join(workspace, `${number}.jsonl`));
  await rename('N3');
  const names = listLogs(folder).map((path) => basename(path));
  expect(names).toHaveLength(100);
  expect([names[0], names.at(-1)]).toEqual(['201.jsonl', '300.jsonl']);
  expect((await kith('undo --dry-run')).out).toContain('last_name: N3 -> 김');
});

test('keeps the log of a running command, however many commands are recorded meanwhile', () => {
  const folder = createTemporaryFolder();
  const [running, finished] = ['running', 'finished'].map((many) => createLog(many).path);
  writeFileSync(join(folder, 'running.lock'), '');
  for (let count = 0; count < 100; count += 1) createLog();
  expect([running, finished].map((path = '') => existsSync(path))).toEqual([true, false]);

  function createLog(many?: string) {
    const at = '2026-11-28T00:00:00.000Z';
    return ChangeLog.create(folder, {
      command: 'contacts import',
      at,
      is_script: true,
      ...(many && { many }),
    });
  }
});

test('two processes never create the same log', async () => {
  const folder = createTemporaryFolder();
  const source = join(process.cwd(), 'src/writes/log-files.ts');
  const program = `
    import { readdirSync, writeFileSync } from 'node:fs';
    import { createLogFile } from ${JSON.stringify(source)};
    const [, folder, name] = process.argv;
    writeFileSync(folder + '/' + name, '');
    while (readdirSync(folder).length < 2);
    for (let count = 0; count < 100; count += 1) createLogFile(folder + '/logs');`;
  const run = async (name: string) => (await once(startModule(program, folder, name), 'close'))[0];
  expect(await Promise.all(['one', 'two'].map(run))).toEqual([0, 0]);
  expect(readdirSync(join(folder, 'logs'))).toHaveLength(200);
});

test.each([
  ['a discarded', (path: string) => truncateSync(path, 1)],
  ['a foreign', (path: string) => writeFileSync(path, 'hello\n')],
  ['a damaged', (path: string) => appendFileSync(path, '{"n":2,"after":\n')],
  ['a newer', (path: string) => writeFileSync(path, readFileSync(path, 'utf8').replace('"v":1', '"v":2'))],
])('%s log does not break later commands, and is not undone', async (_, damage) => {
  const { kith, run, log } = await createUpdated();
  damage(log);
  expect(await kith('undo --yes')).toEqual({
    code: 3,
    out: '',
    err: 'kith: Nothing to undo: no change to this workspace was recorded on this machine. Not recorded: an unknown command.\n',
  });
  await run(update);
  await run('contacts update 0rlnky --last-name Lee');
  expect((await kith('undo --yes')).code).toBe(0);
});

test('ignores an incomplete line of a killed command', async () => {
  const { kith, log } = await createUpdated();
  appendFileSync(log, '{"write":4,"wh');
  expect((await kith('undo --yes')).code).toBe(0);
  expect((await kith('contacts get 0rlnky --jq .last_name')).out).toBe('김\n');
});

test('a folder that cannot be written does not stop a write, and is reported once', async () => {
  const { kith, folder } = await createRecordingMachine();
  writeFileSync(join(folder, 'changes'), '');
  const { code, err } = await kith('contacts delete 0rlnky dohyun.park@hanbit-cold.example --yes');
  expect({ code, err }).toEqual({
    code: 0,
    err: expect.stringMatching(
      /^kith: This command is not recorded for `kith undo`: Cannot write .*changes.*: a part of its path is not a folder\.\n$/,
    ),
  });
  expect(await kith('undo --yes')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^kith: Cannot write .*changes.*: a part of its path is not a folder\.\n/),
  });
});

test('a log never contains an API key', async () => {
  const { kith, folder, create } = await startControlledMachine({ KITH_UNDO: 'on' });
  const id = await create('contacts', { first_name: 'Ada' });
  const { code, err } = await kith(['contacts', 'update', id, '--last-name', 'key-for-tests']);
  expect(code).toBe(0);
  expect(err).toContain('This command is not recorded for `kith undo`: it contains an API key');
  const read = () => listLogs(folder).map((path) => readFileSync(path, 'utf8'));
  expect(read().join()).not.toContain('key-for-tests');
  expect((await kith('undo --yes')).code).toBe(3);
  await kith(['contacts', 'update', id, '--last-name', 'Lovelace']);
  expect((await kith('undo --yes')).code).toBe(3); // its record still contains the key
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

test('flushes the lines of a merge, because they may have the only copy of an address', () => {
  const append = vi.spyOn(Journal.prototype, 'append');
  onTestFinished(() => append.mockRestore());
  const folder = createTemporaryFolder();
  const at = '2026-11-20T10:00:00.000Z';
  const merge = { noun: 'contact', place: '/srv/kith.sqlite', keep: 'a1', other: { id: 'b1' } } as const;
  ChangeLog.create(folder, { command: 'contacts merge', at, merge }).append({ n: 2, refused: true });
  ChangeLog.create(folder, { command: 'contacts update', at });
  expect(append.mock.calls.map(([, isFlushed]) => isFlushed)).toEqual([true, true, false]);
});
