import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect, test } from 'vitest';
import type { Contact } from '../../../../src/contract/contacts.ts';
import { createEnv, runKith } from '../../../support/binary.ts';
import { createEmptyWorkspace, createTemporaryFolder, writeStoredSettings } from '../../../support/kith.ts';
import { createNextVersion, schemaVersion } from '../../../support/next-version.ts';
import { openTestWorkspace } from '../../service.ts';

const [list, listAsJson] = [
  ['contacts', 'list'],
  ['contacts', 'list', '--json'],
] as const;

const readNames = (out: string) => JSON.parse(out).map((contact: Contact) => contact.first_name);

/** Creates a workspace of this version with a contact, which a profile uses. */
async function createWorkspace() {
  const file = createEmptyWorkspace();
  const { sendOk } = await openTestWorkspace(file);
  await sendOk('POST /v1/contacts', { first_name: 'Ada' });
  const home = dirname(file);
  writeStoredSettings(join(home, '.config/kith'), {
    active: 'local',
    profiles: { local: { database: file } },
  });
  return { file, home, env: createEnv(home) };
}

const readVersion = (file: string) => {
  const sqlite = new DatabaseSync(file);
  const rows = sqlite.prepare('pragma user_version').all();
  sqlite.close();
  return rows;
};

const renameContacts = "update contact set first_name = first_name || ' of the next version'";

test('updates a workspace of an older version and keeps its records', async () => {
  const { file, env } = await createWorkspace();
  const { code, out } = await createNextVersion(renameContacts)(listAsJson, { env });
  expect(code).toBe(0);
  expect(readNames(out)).toEqual(['Ada of the next version']);
  expect(readVersion(file)).toEqual([{ user_version: schemaVersion + 1 }]);
  expect(await runKith(list, { env })).toEqual({
    code: 1,
    out: '',
    err: [
      `kith: The workspace file ${file} was written by a newer version of kith.`,
      'hint: Update kith, or use another file: kith auth login --local --database FILE',
      '',
    ].join('\n'),
  });
});

test('copies a workspace before an update and prints where the copy is, once', async () => {
  const { file, home, env } = await createWorkspace();
  const runNextVersion = createNextVersion(renameContacts);
  const copy = `${file}.v${schemaVersion}.backup`;
  writeFileSync(copy, 'of an earlier attempt');
  const command = ['keys', 'list', '--database', file, '--json'];
  expect(await runNextVersion(command, { env })).toEqual({
    code: 0,
    out: '[]\n',
    err: `kith: Updated the workspace file ${file} for this version of kith. A backup from before the update is ${copy}.\n`,
  });
  expect(await runNextVersion(command, { env })).toEqual({ code: 0, out: '[]\n', err: '' });
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  expect(readVersion(copy)).toEqual([{ user_version: schemaVersion }]);
  const backup = new DatabaseSync(copy, { readOnly: true });
  expect(backup.prepare('select first_name from contact').all()).toEqual([{ first_name: 'Ada' }]);
  expect(backup.prepare('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
  backup.close();
  const names = readdirSync(home).filter((name) => /^(workspace\.sqlite|\.kith)/.test(name));
  expect(names.filter((name) => !/-(wal|shm)$/.test(name))).toEqual([
    'workspace.sqlite',
    `workspace.sqlite.v${schemaVersion}.backup`,
  ]);
});

test('does not update a workspace that cannot be copied', async () => {
  const { file, env } = await createWorkspace();
  const copy = `${file}.v${schemaVersion}.backup`;
  mkdirSync(join(copy, 'in', 'the', 'way'), { recursive: true });
  expect(await createNextVersion(renameContacts)(list, { env })).toEqual({
    code: 1,
    out: '',
    err: [
      `kith: Cannot copy the workspace file ${file} to ${copy}: it is a folder, not a file.`,
      'hint: Before kith updates a workspace for a new version, it copies the file. The workspace is unchanged.',
      '',
    ].join('\n'),
  });
  expect(readVersion(file)).toEqual([{ user_version: schemaVersion }]);
});

test('rolls a failed migration back, so that the older version can still use the workspace', async () => {
  const { file, env } = await createWorkspace();
  const runNextVersion = createNextVersion(`${renameContacts}; update contact set unknown_column = 1`);
  const { code, out, err } = await runNextVersion(list, { env });
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toContain(`Cannot use the workspace file ${file}: no such column: unknown_column`);
  expect(readVersion(file)).toEqual([{ user_version: schemaVersion }]);
  const older = await runKith(listAsJson, { env });
  expect(readNames(older.out)).toEqual(['Ada']);
});

test('leaves a workspace unchanged if killed during a migration, and the next command updates it', async () => {
  const { file, env } = await createWorkspace();
  const runNextVersion = createNextVersion(`create table filler (text text) strict;
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 300000)
      insert into filler select hex(randomblob(50)) from n;
    ${renameContacts}`);
  const sizeBefore = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  const killedResult = await runNextVersion(list, {
    env,
    onStart: (child) => {
      // Once a part of the migration is on disk.
      const timer = setInterval(() => {
        const size = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
        if (size < sizeBefore + 500_000) return;
        clearInterval(timer);
        child.kill('SIGKILL');
      }, 1);
      child.on('close', () => clearInterval(timer));
    },
  });
  expect(killedResult).toEqual({ code: -2, out: '', err: '' });
  expect(readVersion(file)).toEqual([{ user_version: schemaVersion }]);
  const { code, out } = await runNextVersion(listAsJson, { env });
  expect(code).toBe(0);
  expect(readNames(out)).toEqual(['Ada of the next version']);
});

test('refuses a workspace from before the first supported version and does not change it', async () => {
  const file = join(createTemporaryFolder(), 'kith.sqlite');
  const old = new DatabaseSync(file);
  old.exec('create table workspace (id integer); create table tally (scope text); pragma user_version = 3');
  old.close();
  expect(await runKith(['keys', 'list', '--database', file], { env: createEnv(dirname(file)) })).toEqual({
    code: 1,
    out: '',
    err: [
      `kith: The workspace file ${file} was written by a version of kith from before the first release.`,
      'hint: Create a new workspace: kith auth login --local --database FILE',
      '',
    ].join('\n'),
  });
  expect(readVersion(file)).toEqual([{ user_version: 3 }]);
});
