import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { requireProgram } from '../process/programs.ts';
import { createEnv, runKith, runProgram, startKithServe } from '../support/binary.ts';
import { createEmptyWorkspace, createTemporaryFolder } from '../support/kith.ts';
import { countRounds } from '../support/rounds.ts';

/** The number of contacts posted after each read by another program. */
const perRound = 13;

type Reader = (file: string, copy: string) => readonly string[];

const pythonArgs = (script: string) => ['-c', `import sqlite3, sys\n${script}`];

/** Programs that open the workspace by themselves, read it and close it again. */
const readers: readonly [title: string, program: string, args: Reader][] = [
  [
    'select in Python',
    'python3',
    (file) => [
      ...pythonArgs(
        "c = sqlite3.connect(sys.argv[1]); c.execute('select * from contact').fetchall(); c.close()",
      ),
      file,
    ],
  ],
  [
    'backup in Python',
    'python3',
    (file, copy) => [
      ...pythonArgs('c, d = map(sqlite3.connect, sys.argv[1:]); c.backup(d); c.close(); d.close()'),
      file,
      copy,
    ],
  ],
  ['select in the sqlite3 shell', 'sqlite3', (file) => [file, 'select count(*) from contact']],
  ['.backup in the sqlite3 shell', 'sqlite3', (file, copy) => [file, `.backup '${copy}'`]],
];

/** Reads a workspace with another program. */
async function readContent(file: string) {
  const queries = 'pragma integrity_check; select count(*) from contact';
  const { out, err } = await runProgram('sqlite3', [file, queries], { env: process.env });
  expect(err).toBe('');
  const [integrity, contacts] = out.split('\n');
  return { integrity, contacts: Number(contacts) };
}

/** Serves a workspace and returns a function that posts contacts. */
async function startServedWorkspace() {
  const home = createTemporaryFolder();
  const file = createEmptyWorkspace(home);
  const env = createEnv(home);
  // In a process of its own: this one would still hold a lock, until its statements are collected as garbage.
  const { out } = await runKith(['keys', 'create', 'trial', '--database', file, '--json'], { env });
  const { key } = JSON.parse(out);
  const { url, pid, stop } = await startKithServe(file, env);
  const createContact = async (name: string) => {
    const { status } = await fetch(`${url}/v1/contacts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ first_name: name, emails: [`${name}@example.com`] }),
    });
    return status;
  };
  return { home, file, env, pid, stop, createContact };
}

/** Returns the first lock of a process on each file, as the kernel lists it. */
function readLocks(pid: number, files: readonly string[]): (string | undefined)[] {
  if (!existsSync('/proc/locks')) return [];
  const lockLines = readFileSync('/proc/locks', 'utf8')
    .split('\n')
    .filter((line) => line.split(/\s+/)[4] === String(pid));
  return files.map((file) => {
    const inode = statSync(file, { throwIfNoEntry: false })?.ino;
    return lockLines.find((line) => line.includes(`:${inode} `));
  });
}

beforeEach(requireProgram('sqlite3'));

test.for(readers)(
  'keeps its locks and every acknowledged write, even after a kill, if another program reads a served workspace: %s',
  async ([, program, args], context) => {
    requireProgram(program)(context);
    const { home, file, pid, stop, createContact } = await startServedWorkspace();
    const read = async (copy: string) => {
      const end = await runProgram(program, args(file, join(home, copy)), { env: process.env });
      expect(end).toMatchObject({ code: 0, err: '' });
    };
    expect(await createContact('first')).toBe(201);
    let rounds = 0;
    for (const round of countRounds(1, 50)) {
      rounds += 1;
      await read(`copy${round}`);
      const names = Array.from({ length: perRound }, (_, index) => `n${round}-${index}`);
      expect(new Set(await Promise.all(names.map(createContact)))).toEqual(new Set([201]));
    }
    const locks = readLocks(pid, [file, `${file}-shm`]);
    expect(await stop('SIGKILL')).toBe(-2);
    expect(await readContent(file)).toEqual({ integrity: 'ok', contacts: 1 + rounds * perRound });
    if (existsSync('/proc/locks')) expect(locks).toEqual([expect.any(String), expect.any(String)]);
  },
);

test('damages nothing if an import writes to a served workspace that another program has read', async () => {
  const { home, file, env, stop, createContact } = await startServedWorkspace();
  expect((await runKith(['auth', 'login', '--local', '--database', file], { env })).code).toBe(0);
  const rows = 50;
  const emails = Array.from({ length: rows }, (_, index) => `row${index}@example.com`);
  writeFileSync(join(home, 'people.csv'), `email\n${emails.join('\n')}\n`);
  const statuses = new Set([await createContact('first')]);
  expect(await readContent(file)).toEqual({ integrity: 'ok', contacts: 1 });
  let isOver = false;
  const importRun = runKith(['contacts', 'import', join(home, 'people.csv')], { env }).finally(() => {
    isOver = true;
  });
  let createdCount = 0;
  for (let after = 0; after < 30; createdCount += 1) {
    statuses.add(await createContact(`http${createdCount}`));
    if (isOver) after += 1;
  }
  expect((await importRun).code).toBe(0);
  expect(statuses).toEqual(new Set([201]));
  await stop('SIGKILL');
  expect(await readContent(file)).toEqual({ integrity: 'ok', contacts: 1 + rows + createdCount });
});
