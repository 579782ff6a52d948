import {
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { requireProgram } from '../process/programs.ts';
import { createEnv, runKith, runProgram, startKithServe } from '../support/binary.ts';
import { createEmptyWorkspace, createSampleWorkspace, createTemporaryFolder } from '../support/kith.ts';

beforeEach(requireProgram('sqlite3'));

async function sqlite3(file: string, command: string): Promise<string> {
  const { code, out, err } = await runProgram('sqlite3', [file, command], { env: process.env });
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return out.trim();
}

/** Returns the sorted dump of a database: a copy has its indexes and triggers in another order. */
const dumpOf = async (file: string) => (await sqlite3(file, '.dump')).split('\n').sort();

const contacts = async (file: string) => Number(await sqlite3(file, 'select count(*) from contact'));

test('copies every contact acknowledged before the snapshot began, even while the workspace is served and written to', async () => {
  const home = createTemporaryFolder();
  const env = createEnv(home);
  const database = createEmptyWorkspace(home);
  const kith = (...args: string[]) => runKith([...args, '--database', database], { env });
  const { key } = JSON.parse((await kith('keys', 'create', 'trial', '--json')).out);
  const { url, stop } = await startKithServe(database, env);
  let posted = 0;
  const post = async () => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ emails: [`n${posted}@example.com`] });
    const { status } = await fetch(`${url}/v1/contacts`, { method: 'POST', headers, body });
    expect(status).toBe(201);
    posted += 1;
  };
  while (posted < 60) await post();
  let isOver = false;
  const written = (async () => {
    while (!isOver) await post();
  })();
  const during = join(home, 'during.sqlite');
  const before = posted;
  const { code, out, err } = await kith('workspace', 'snapshot', during, '--json');
  isOver = true;
  await written;
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(JSON.parse(out)).toEqual({ file: during, workspace: database, size: statSync(during).size });
  expect(statSync(during).mode & 0o777).toBe(0o600);
  expect(await sqlite3(during, 'pragma integrity_check')).toBe('ok');
  expect(await contacts(during)).toBeGreaterThanOrEqual(before);
  expect(await contacts(during)).toBeLessThanOrEqual(posted);

  const after = join(home, 'after.sqlite');
  expect(await kith('workspace', 'snapshot', after)).toEqual({
    code: 0,
    out: `Wrote ${after} (${statSync(after, { throwIfNoEntry: false })?.size} bytes).\n`,
    err: '',
  });
  await stop('SIGKILL');
  expect(await contacts(database)).toBe(posted);
  expect(await dumpOf(after)).toEqual(await dumpOf(database));
  const names = readdirSync(home).filter((name) => !/^\.config|-wal$|-shm$/.test(name));
  expect(names.sort()).toEqual(['after.sqlite', 'during.sqlite', 'workspace.sqlite']);
});

test('replaces no file without --force, and never the workspace or a database in use', async () => {
  const home = createTemporaryFolder();
  const env = createEnv(home);
  const database = createSampleWorkspace(home);
  const snapshot = async (...args: string[]) => {
    const { code, err } = await runKith(['workspace', 'snapshot', ...args, '--database', database], { env });
    return [code, ...err.trim().split('\n')];
  };
  const [copy, link, used] = ['copy', 'link', 'used'].map((name) => join(home, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(copy, 'my notes');
  expect(await snapshot(copy)).toEqual([
    1,
    `kith: The file ${copy} already exists.`,
    'hint: Pass --force to replace it.',
  ]);
  expect(await snapshot(copy, '--force')).toEqual([0, '']);
  expect(await contacts(copy)).toBe(150);
  symlinkSync(database, link);
  expect(await snapshot(link, '--force')).toEqual([
    2,
    `kith: The snapshot cannot replace the workspace file ${database} itself.`,
    'hint: Name another file.',
  ]);
  writeFileSync(`${used}-wal`, '');
  expect(await snapshot(used)).toEqual([
    1,
    `kith: A program may be using ${used} as a database: ${used}-wal exists.`,
    'hint: Name another file.',
  ]);
  expect(await snapshot(home, '--force')).toEqual([
    1,
    `kith: Cannot write the snapshot ${home}: it is not a file.`,
  ]);
  expect(await snapshot('-')).toEqual([
    2,
    'kith: FILE: a snapshot cannot be written to stdout.',
    'hint: Pass a file name. For a file named "-": kith workspace snapshot ./-',
  ]);
  const missing = join(home, 'missing', 'copy');
  expect(await snapshot(missing)).toEqual([
    1,
    `kith: Cannot copy the workspace file ${database} to ${missing}: a folder in its path does not exist.`,
  ]);
});

test('does not copy a damaged workspace (exit code 1)', async () => {
  const home = createTemporaryFolder();
  const database = createSampleWorkspace(home);
  const page = Number(await sqlite3(database, "select rootpage from sqlite_schema where name = 'note'"));
  const bytes = readFileSync(database);
  writeFileSync(database, bytes.fill(0xff, (page - 1) * 4096, page * 4096));
  const copy = join(home, 'copy.sqlite');
  const args = ['workspace', 'snapshot', copy, '--database', database];
  expect(await runKith(args, { env: createEnv(home) })).toEqual({
    code: 1,
    out: '',
    err: `kith: Cannot copy the workspace file ${database} to ${copy}: it is damaged.\n`,
  });
  expect(readdirSync(home).filter((name) => !/^\.config|-wal$|-shm$/.test(name))).toEqual(['demo.sqlite']);
});

test('removes temporary copies of killed snapshots after an hour', async () => {
  const home = createTemporaryFolder();
  const database = createSampleWorkspace(home);
  const folder = join(home, 'backups');
  for (const [name, minutes] of Object.entries({ '.kith-copy-killed': 61, '.kith-copy-running': 1 })) {
    mkdirSync(join(folder, name), { recursive: true });
    const copy = join(folder, name, 'copy.sqlite');
    writeFileSync(copy, 'half');
    const time = Date.now() / 1000 - minutes * 60;
    utimesSync(copy, time, time);
  }
  const args = ['workspace', 'snapshot', join(folder, 'backup'), '--database', database];
  expect(await runKith(args, { env: createEnv(home) })).toMatchObject({ code: 0, err: '' });
  expect(readdirSync(folder).sort()).toEqual(['.kith-copy-running', 'backup']);
});
