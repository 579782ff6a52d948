import { once } from 'node:events';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { History } from '../../src/undo/history.ts';
import { ChangeLog } from '../../src/writes/log.ts';
import { leaveMark, readMarks } from '../../src/writes/unrecorded.ts';
import { connectInProcess } from '../commands/mcp/agent.ts';
import { startModule } from '../support/binary.ts';
import { createTemporaryFolder, type MachineOptions } from '../support/kith.ts';
import { createRecordingMachine, listLogs } from '../undo/recording-machine.ts';

const script = { env: { KITH_UNDO: '' } };
const off = { env: { KITH_UNDO: 'off' } };

/** A machine on which a recorded command has renamed the contact 0rlnky. */
async function createRenamed() {
  const machine = await createRecordingMachine();
  await machine.run('contacts update 0rlnky --last-name Kim');
  const [log = ''] = listLogs(machine.folder);
  const readName = async () => (await machine.kith('contacts get 0rlnky --jq .last_name')).out.trim();
  return { ...machine, logs: dirname(log), readName };
}

test.each<[name: string, line: string, options: MachineOptions, command?: string]>([
  ['a create of a script', 'contacts create --first-name Ada', script],
  ['an update of a script', 'contacts update e4yek8 --first-name Ada', script],
  ['a deletion of a script', 'contacts delete e4yek8 --yes', script],
  ['a deletion of a person who records nothing', 'contacts delete e4yek8 --yes', { ...off, terminal: 80 }],
  ['an API request in a terminal', 'api /v1/contacts/e4yek8 -X DELETE --yes', { terminal: 80 }, 'api'],
  ['an update of many records', 'contacts update - --first-name Ada --yes', { ...off, stdin: 'e4yek8\n' }],
  ['an import', 'contacts import FILE', off],
  ['action items', 'actions done ITEM', off],
])('undo names %s before it offers an older command', async (_, line, options, name) => {
  const { kith, run, folder, logs, readName } = await createRenamed();
  const file = join(folder, 'people.csv');
  writeFileSync(file, 'email\nnew@analytical.example\n');
  const item = line.includes('ITEM') && (await run('actions list --jq ".[0].id"')).out.trim();
  const words = line.replace('FILE', file).replace('ITEM', String(item));
  const command = name ?? line.split(' ').slice(0, 2).join(' ');
  await run(words, { ...options, env: { ...options.env } });
  expect(readdirSync(logs).filter((name) => name.endsWith('.unrecorded'))).toEqual(['2.unrecorded']);
  expect(readMarks(logs)).toMatchObject([{ command, at: expect.any(String), number: 2 }]);
  const refused = await kith('undo --yes');
  expect(refused).toEqual({
    code: 2,
    out: '',
    err:
      `kith: The last command is not recorded, so it cannot be reverted: \`kith ${command}\` from just now.\n` +
      'hint: To revert an earlier command, pass its number: kith undo --list\n',
  });
  // An agent that follows the command of an error must not revert anything.
  expect(JSON.parse((await kith('undo --yes --json')).err).error.command).toBe('kith undo --list');
  const later = `A later command is not recorded: \`kith ${command}\` from just now.\n`;
  expect((await kith('undo --dry-run')).out).toMatch(new RegExp(`^${later}Undo \`kith contacts update\``));
  const declined = await kith('undo', { terminal: 200, answers: [false] });
  expect(declined).toMatchObject({ code: 1, err: expect.stringContaining(later) });
  expect(JSON.parse((await kith('undo --list --json')).out)).toMatchObject([
    { command, changes: null, status: 'not recorded', number: 2 },
    { command: 'contacts update', changes: 1, status: 'can be undone', number: 1 },
  ]);
  expect(await readName()).toBe('Kim');
  expect(JSON.parse((await run('undo 1 --yes --json')).out)).toMatchObject({
    number: 1,
    unrecorded: [{ command, at: expect.any(String) }],
    undone: true,
  });
  expect(await readName()).toBe('김');
});

test('a mark has only the command and its time', async () => {
  const { run, logs } = await createRenamed();
  await run('contacts update e4yek8 --first-name Ada', { ...script, now: new Date('2026-11-23T10:00:00Z') });
  const path = join(logs, '2.unrecorded');
  expect(readFileSync(path, 'utf8')).toBe('{"command":"contacts update","at":"2026-11-23T10:00:00.000Z"}\n');
  expect((statSync(path).mode & 0o777).toString(8)).toBe('600');
});

test('a refused command and a command without changes leave no mark', async () => {
  const { kith, run, readName } = await createRenamed();
  expect((await kith('contacts delete zzzzzz --yes', script)).code).toBe(3);
  expect((await kith('contacts delete e4yek8 --dry-run', script)).code).toBe(0);
  await run('contacts list', script);
  await run('undo --yes');
  expect(await readName()).toBe('김');
  expect((await kith('contacts delete zzzzzz e4yek8 --yes', script)).code).toBe(6);
  expect((await kith('redo --yes')).code).toBe(2);
});

test('redo with --yes also requires the number after an unrecorded command', async () => {
  const { kith, run, readName } = await createRenamed();
  await run('undo --yes');
  await run('contacts update e4yek8 --first-name Ada', script);
  expect(await kith('redo --yes')).toMatchObject({
    code: 2,
    err: expect.stringContaining('kith undo --list\n'),
  });
  expect((await kith('redo 1 --yes')).code).toBe(2);
  await run('redo 2 --yes');
  expect(await readName()).toBe('Kim');
});

test('the undo tool of an agent also names the unrecorded command', async () => {
  const { kith, run } = await createRenamed();
  await run('contacts update e4yek8 --first-name Ada', script);
  const { call } = await connectInProcess(kith, {}, '--allow-write');
  const { structured } = await call('undo', { action: 'undo', dry_run: true });
  expect(structured.value).toMatchObject({ number: 1, unrecorded: [{ command: 'contacts update' }] });
});

test('undo reverts the command with a number, and only if that is possible', async () => {
  const { kith, run, readName } = await createRenamed();
  await run('contacts update e4yek8 --first-name Ada');
  await run('undo 1 --yes');
  expect(await readName()).toBe('김');
  const rows: [string, number, string][] = [
    ['undo 1 --yes', 2, '`kith undo` cannot revert command 1 (undone).'],
    ['undo 3 --yes', 2, '`kith undo` cannot revert command 3 (can be redone).'],
    ['redo 2 --yes', 2, '`kith redo` cannot revert command 2 (not the last undo).'],
    ['undo 9 --yes', 3, 'No recorded command has the number 9.'],
    ['undo x --yes', 2, 'NUMBER: "x" is not a number.'],
    ['undo 1 --list', 2, 'NUMBER and --list cannot be used together.'],
  ];
  for (const [line, code, message] of rows) {
    const result = await kith(line);
    expect([line, result.code, result.err.split('\n')[0]]).toEqual([line, code, `kith: ${message}`]);
  }
  expect((await run('undo --yes')).out).toBe('Undid `kith contacts update`: 1 change.\n');
});

test('neither scripts nor marks remove the commands of a person', async () => {
  const { run, kith, logs, readName } = await createRecordingMachine().then(async (machine) => {
    await machine.run('contacts update 0rlnky --last-name Kim', { terminal: 80 });
    const readName = async () => (await machine.kith('contacts get 0rlnky --jq .last_name')).out.trim();
    return { ...machine, logs: dirname(listLogs(machine.folder)[0] ?? ''), readName };
  });
  const at = '2026-11-23T10:00:00.000Z';
  for (let count = 0; count < 150; count += 1) {
    const log = ChangeLog.create(logs, { command: `lists ${count}`, at, is_script: true });
    log.append({ n: log.takeNumber(), impossible: 'Test.' });
  }
  const { commands } = new History(logs);
  expect([commands.length, commands.at(-1)?.command]).toEqual([101, 'contacts update']);
  for (let count = 0; count < 2000; count += 1) leaveMark(logs, { command: `lists ${count % 40}`, at });
  expect(readdirSync(logs).filter((name) => name.endsWith('.unrecorded'))).toHaveLength(40);
  expect((await kith('undo --yes')).code).toBe(2);
  await run('undo 1 --yes');
  expect(await readName()).toBe('김');
});

test('two processes mark and record commands at the same time', async () => {
  const folder = createTemporaryFolder();
  const program = `
    import { ChangeLog } from ${JSON.stringify(join(process.cwd(), 'src/writes/log.ts'))};
    import { leaveMark } from ${JSON.stringify(join(process.cwd(), 'src/writes/unrecorded.ts'))};
    const [, folder, name] = process.argv;
    const at = '2026-11-23T10:00:00.000Z';
    // 80 logs each, so that neither removes the last mark of the other.
    for (let count = 0; count < 120; count += 1) {
      const unmark = leaveMark(folder, { command: name + ' ' + count % 20, at });
      if (count % 3 === 0) unmark();
      else ChangeLog.create(folder, { command: name, at, is_script: true });
    }
    leaveMark(folder, { command: name, at });`;
  const run = async (name: string) => (await once(startModule(program, folder, name), 'close'))[0];
  expect(await Promise.all(['one', 'two'].map(run))).toEqual([0, 0]);
  const logs = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  expect(logs.length).toBeGreaterThanOrEqual(100);
  expect(logs.length).toBeLessThan(110);
  const marks = readMarks(folder).map(({ command }) => command);
  expect([marks.includes('one'), marks.includes('two')]).toEqual([true, true]);
  expect(marks.length).toBeLessThan(250); // at most 20 of each process between two logs
});

test('a log that another process removes while kith lists the logs is skipped', async () => {
  const { kith, logs } = await createRenamed();
  symlinkSync('removed', join(logs, '2.jsonl')); // is listed, but cannot be opened
  expect(JSON.parse((await kith('undo --list --jq "[.[].number]"')).out)).toEqual([1]);
});

test('a mark that cannot be written does not stop a write, and a damaged one counts', async () => {
  const { kith, run, logs } = await createRenamed();
  await run('contacts update e4yek8 --first-name Ada', script);
  const mark = join(logs, '2.unrecorded');
  rmSync(mark);
  mkdirSync(mark);
  expect(await kith('contacts update e4yek8 --first-name Ada', script)).toMatchObject({
    code: 0,
    err: expect.stringMatching(/^kith: The next `kith undo` will not know about this command: Cannot read /),
  });
  rmdirSync(mark);
  writeFileSync(mark, '\n{"command":"contacts dele\n');
  expect(await kith('undo --yes')).toMatchObject({
    code: 2,
    err: expect.stringContaining('an unknown command'),
  });
});

test.each([
  ['CLAUDECODE', '1'],
  ['AI_AGENT', 'kiro'],
  ['CURSOR_AGENT', '1'],
  ['CODEX_THREAD_ID', '019a'],
  ['GEMINI_CLI', '1'],
  ['COPILOT_CLI', '1'],
  ['OPENCODE', '1'],
])('the setting auto records commands in a shell with %s', async (name, value) => {
  const { kith, folder } = await createRecordingMachine();
  const agent = { env: { KITH_UNDO: '', [name]: value } };
  expect((await kith('contacts delete e4yek8 --yes', agent)).err).toBe('');
  expect(listLogs(folder)).toHaveLength(1);
  expect((await kith('undo --yes', agent)).code).toBe(0);
  expect(
    (await kith('contacts update 0rlnky --last-name Kim', { env: { ...agent.env, KITH_UNDO: 'off' } })).code,
  ).toBe(0);
  expect(listLogs(folder)).toHaveLength(2);
});

test.each<[string, string, MachineOptions, string]>([
  [
    'names the setting once',
    'contacts delete 0rlnky e4yek8 --yes',
    script,
    'kith: `kith undo` cannot revert this deletion. To record deletions, set KITH_UNDO=on.\n',
  ],
  ['names nothing with --quiet', 'contacts delete 0rlnky --yes --quiet', script, ''],
  ['names nothing if the deletion is recorded', 'contacts delete 0rlnky --yes', {}, ''],
  ['names nothing if undo is off', 'contacts delete 0rlnky --yes', off, ''],
  ['names nothing for an update', 'contacts update 0rlnky --first-name Ada', script, ''],
  ['names nothing for an API request', 'api /v1/contacts/0rlnky -X DELETE --yes', {}, ''],
])('a script that deletes %s', async (_, line, options, err) => {
  const { kith } = await createRecordingMachine();
  expect(await kith(line, options)).toMatchObject({ code: 0, err });
});

test('undo and redo revert a change of action items before an earlier command', async () => {
  const { kith, run, readName } = await createRenamed();
  const [id, other] = JSON.parse((await run('actions list --open --json --jq "[.[].id]"')).out);
  const readStates = async () =>
    JSON.parse((await run('actions list --json')).out).flatMap((item: { id: string; state: string }) =>
      [id, other].includes(item.id) ? [item.state] : [],
    );
  await run(`actions done ${other}`);
  await run(`actions done ${id} ${other}`); // changes only the first one
  const plan = await run('undo --dry-run');
  expect(plan.out).toMatch(
    new RegExp(
      `^Undo \`kith actions done\` from just now:\n  update action item .* \\(${id}\\)\n    state: done -> open\n$`,
    ),
  );
  expect((await run('undo --yes')).out).toBe('Undid `kith actions done`: 1 change.\n');
  expect(await readStates()).toEqual(['open', 'done']);
  await run('redo --yes');
  expect(await readStates()).toEqual(['done', 'done']);
  await run('undo --yes');
  await run('undo --yes');
  expect(await readStates()).toEqual(['open', 'open']);
  expect(await readName()).toBe('Kim');
  expect(
    JSON.parse((await run('undo --list --json')).out).map((row: Record<string, unknown>) => row.command),
  ).toEqual(['undo', 'undo', 'redo', 'undo', 'actions done', 'actions done', 'contacts update']);
  await run(`actions done ${id} ${other}`);
  expect((await kith('undo --yes --allow contacts')).code).toBe(8);
  expect((await kith('undo --yes', { env: { KITH_UNDO: 'off' } })).out).toBe(
    'Undid `kith actions done`: 2 changes.\n',
  );
});
