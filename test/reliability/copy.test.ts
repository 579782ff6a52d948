import type { ChildProcess } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { requireProgram } from '../process/programs.ts';
import { createEnv, runKith, runProgram, startKithServe } from '../support/binary.ts';
import {
  createEmptyWorkspace,
  createMachine,
  createSampleWorkspace,
  createTemporaryFolder,
} from '../support/kith.ts';

beforeEach(requireProgram('sqlite3'));

async function runSqlite(file: string, command: string): Promise<string> {
  const { code, out, err } = await runProgram('sqlite3', [file, command], { env: process.env });
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return out.trim();
}

/** Returns the sorted dump of a database: a copy has its indexes and triggers in another order. */
const readDump = async (file: string) => (await runSqlite(file, '.dump')).split('\n').sort();

const countContacts = async (file: string) => Number(await runSqlite(file, 'select count(*) from contact'));

test('copies every contact acknowledged before the copy began, even while the workspace is served and written to', async () => {
  const home = createTemporaryFolder();
  const env = createEnv(home);
  const database = createEmptyWorkspace(home);
  const copyTo = (file: string) => runKith(['workspace', 'copy', database, file, '--json'], { env });
  const createKey = ['keys', 'create', 'trial', '--json', '--database', database];
  const { key } = JSON.parse((await runKith(createKey, { env })).out);
  const { url, stop } = await startKithServe(database, env);
  let createdCount = 0;
  const createContact = async () => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ emails: [`n${createdCount}@example.com`] });
    const { status } = await fetch(`${url}/v1/contacts`, { method: 'POST', headers, body });
    expect(status).toBe(201);
    createdCount += 1;
  };
  while (createdCount < 60) await createContact();
  let isOver = false;
  const writeLoop = (async () => {
    while (!isOver) await createContact();
  })();
  const during = join(home, 'during.sqlite');
  const before = createdCount;
  const { code, out, err } = await copyTo(during);
  isOver = true;
  await writeLoop;
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(JSON.parse(out)).toContainEqual({ table: 'contact', rows: await countContacts(during) });
  expect(statSync(during).mode & 0o777).toBe(0o600);
  expect(await runSqlite(during, 'pragma integrity_check')).toBe('ok');
  expect(await countContacts(during)).toBeGreaterThanOrEqual(before);
  expect(await countContacts(during)).toBeLessThanOrEqual(createdCount);

  const after = join(home, 'after.sqlite');
  expect(await copyTo(after)).toMatchObject({ code: 0, err: '' });
  await stop('SIGKILL');
  expect(await countContacts(database)).toBe(createdCount);
  expect(await readDump(after)).toEqual(await readDump(database));
  const names = readdirSync(home).filter((name) => !/^\.config|-wal$|-shm$/.test(name));
  expect(names.sort()).toEqual(['after.sqlite', 'during.sqlite', 'workspace.sqlite']);
});

test('never writes to a file that is no workspace, a database in use, or the workspace itself', async () => {
  const home = createTemporaryFolder();
  const database = createSampleWorkspace(home);
  const copyTo = async (file: string) => {
    const { code, err } = await createMachine()(['workspace', 'copy', database, file]);
    return [code, ...err.trim().split('\n')];
  };
  const [notes, link, used] = ['notes', 'link', 'used'].map((name) => join(home, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(notes, 'my notes');
  expect(await copyTo(notes)).toEqual([
    1,
    `kith: Cannot use the workspace file ${notes}: it is not an SQLite database.`,
    'hint: Use another file: kith auth login --local --database FILE',
  ]);
  expect(readFileSync(notes, 'utf8')).toBe('my notes');
  symlinkSync(database, link);
  expect(await copyTo(link)).toEqual([2, `kith: FROM and TO are the same workspace: ${link}`]);
  writeFileSync(`${used}-wal`, '');
  expect(await copyTo(used)).toEqual([
    1,
    `kith: A program may be using ${used} as a database: ${used}-wal exists.`,
    'hint: Name another file.',
  ]);
});

test('does not copy a damaged workspace (exit code 1)', async () => {
  const home = createTemporaryFolder();
  const database = createSampleWorkspace(home);
  const page = Number(await runSqlite(database, "select rootpage from sqlite_schema where name = 'note'"));
  const bytes = readFileSync(database);
  writeFileSync(database, bytes.fill(0xff, (page - 1) * 4096, page * 4096));
  const copy = join(home, 'copy.sqlite');
  expect(await createMachine()(['workspace', 'copy', database, copy])).toEqual({
    code: 1,
    out: '',
    err:
      `kith: Cannot use the workspace file ${database}: it is damaged.\n` +
      'hint: Restore it from a backup. Use another file: kith auth login --local --database FILE\n',
  });
  expect(readdirSync(home).filter((name) => !/^\.config|-wal$|-shm$/.test(name))).toEqual(['demo.sqlite']);
});

test('removes the temporary copy of a killed copy when the next one starts', async () => {
  const home = createTemporaryFolder();
  const database = createSampleWorkspace(home);
  await runSqlite(database, 'update note set body = hex(zeroblob(20000000)) where id = 1');
  const folder = join(home, 'backups');
  mkdirSync(folder);
  const listNames = () => readdirSync(folder).map((name) => name.replace(/^(\.kith-copy-).*/, '$1'));
  const args = ['workspace', 'copy', database, join(folder, 'backup')];
  const children: ChildProcess[] = [];
  const killed = runKith(args, {
    env: createEnv(home),
    onStart: (child) => void children.push(child),
  });
  const hasCopy = () =>
    readdirSync(folder, { recursive: true }).some((name) => /copy.sqlite$/.test(`${name}`));
  await expect.poll(hasCopy, { interval: 1 }).toBe(true);
  children[0]?.kill('SIGKILL');
  expect(await killed).toMatchObject({ code: -2, out: '' });
  expect(listNames()).toEqual(['.kith-copy-']);
  expect(await runKith(args, { env: createEnv(home) })).toMatchObject({ code: 0, err: '' });
  expect(listNames()).toEqual(['backup']);
});
