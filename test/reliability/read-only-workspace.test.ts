import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect, onTestFinished, test } from 'vitest';
import type { Contact } from '../../src/contract/contacts.ts';
import { openTestWorkspace } from '../service/service.ts';
import { createEnv, runKith } from '../support/binary.ts';
import { createEmptyWorkspace, createTemporaryFolder, writeStoredSettings } from '../support/kith.ts';
import { createNextVersion } from '../support/next-version.ts';

/** Another user than root, who may write everything. */
const uid = process.getuid?.() === 0 ? 65_534 : undefined;

/** Copies the files of a workspace while its newest contact is only in the -wal file, as a kill leaves them. */
async function copyUnfinished(folder: string, suffixes: readonly string[]): Promise<void> {
  const file = createEmptyWorkspace();
  const { sendOk } = await openTestWorkspace(file);
  await sendOk('POST /v1/contacts', { emails: ['ada@example.com'] });
  for (const suffix of suffixes) copyFileSync(file + suffix, join(folder, `kith.sqlite${suffix}`));
}

async function makeClosed(folder: string): Promise<void> {
  await copyUnfinished(folder, ['', '-wal']);
  const file = join(folder, 'kith.sqlite');
  const sqlite = new DatabaseSync(file);
  sqlite.exec('pragma wal_checkpoint(truncate)');
  sqlite.close();
  for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true });
}

const workspaces: readonly [name: string, make: (folder: string) => Promise<void>, migration?: string][] = [
  ['closed', makeClosed],
  ['left by a kill', (folder) => copyUnfinished(folder, ['', '-wal', '-shm'])],
  ['left by a kill, without its -shm file', (folder) => copyUnfinished(folder, ['', '-wal'])],
  ['of an older version', makeClosed, 'alter table contact add column nickname text'],
];

/** The name and the bytes of all files of a folder. */
const listFiles = (folder: string) =>
  readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'base64')]);

test.for(workspaces)(
  'reads a workspace in a read-only folder, even after a kill or from an older version, and refuses to write to it (exit code 1): one %s',
  async ([, prepareFile, migration]) => {
    const home = createTemporaryFolder();
    const folder = join(home, 'workspace');
    mkdirSync(folder);
    await prepareFile(folder);
    const database = join(folder, 'kith.sqlite');
    writeStoredSettings(join(home, '.config/kith'), { active: 'local', profiles: { local: { database } } });
    if (uid !== undefined) spawnSync('chown', ['-R', `${uid}`, home]);
    for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o444);
    chmodSync(folder, 0o555);
    onTestFinished(() => chmodSync(folder, 0o755));
    const before = listFiles(folder);
    const program = migration === undefined ? runKith : createNextVersion(migration);
    const kith = (...args: string[]) => program(args, { env: createEnv(home), uid });

    const { code, out, err } = await kith('contacts', 'list', '--json');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(JSON.parse(out).map(({ emails }: Contact) => emails)).toEqual([['ada@example.com']]);
    expect(await kith('contacts', 'create', '--first-name', 'Grace')).toEqual({
      code: 1,
      out: '',
      err: `kith: Cannot use the workspace file ${database}: it or its folder is read-only.\n`,
    });
    const copy = join(home, 'copy.sqlite');
    expect(await kith('workspace', 'snapshot', copy)).toMatchObject({ code: 0, err: '' });
    const { sendOk } = await openTestWorkspace(copy);
    expect((await sendOk<{ data: Contact[] }>('GET /v1/contacts')).data).toMatchObject([
      { emails: ['ada@example.com'] },
    ]);
    expect(listFiles(folder)).toEqual(before);
  },
);
