import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import sql, { raw } from 'sql-template-tag';
import { expect, onTestFinished } from 'vitest';
import { Failure } from '../../../src/contract/errors.ts';
import { listTablesToCopy } from '../../../src/service/copy/copy-tables.ts';
import { openWorkspace } from '../../../src/service/db/open.ts';
import { createEmptyWorkspace, createSampleWorkspace } from '../../support/kith.ts';
import { createTestDatabase } from '../../support/test-database.ts';
import { createEngineSample, isOnPostgres, slowTest, test } from '../engines.ts';
import { createTarget, openRequests } from './locations.ts';
import { createSource, createSourceOf, type RecordTexts, readTexts, restore, workspaces } from './records.ts';

/** The records of the sample, read once. */
let sampleTexts: Promise<RecordTexts> | undefined;

const sampleSource = async () => {
  sampleTexts ??= readTexts(createSampleWorkspace());
  return createSource(await sampleTexts);
};

/** Returns the number of rows of each table that has any, and the triggers that do not run. */
async function readState(location: string) {
  const db = await openWorkspace(location);
  onTestFinished(() => db.close());
  const rows: Record<string, number> = {};
  for (const { name } of listTablesToCopy()) {
    const found = await db.all(sql`select 1 from ${raw(name)}`);
    if (found.length > 0) rows[name] = found.length;
  }
  const disabled = isOnPostgres()
    ? await db.all(sql`select tgname from pg_trigger where not tgisinternal and tgenabled <> 'O'`)
    : [];
  return { rows, disabled };
}

const emptyState = { rows: { workspace: 1 }, disabled: [] };

/** Expects that a restore has left no trace in a location, and that it succeeds now. */
async function expectUntouched(location: string) {
  if (isOnPostgres()) expect(await readState(location)).toEqual(emptyState);
  else expect(existsSync(location)).toBe(false);
  const { rows } = await restore(location, await sampleSource());
  expect(rows).toContainEqual({ noun: 'recordings', rows: 37 });
  if (!isOnPostgres()) expect(readdirSync(dirname(location))).toEqual(['restored.sqlite']);
}

test('refuses a target with records, and keeps the API keys of an empty target', async () => {
  const sample = await createEngineSample();
  await expect(restore(sample, await sampleSource())).rejects.toThrow(/ has records; the target/);
  const withKey = isOnPostgres() ? await createTestDatabase() : createEmptyWorkspace();
  await (await openWorkspace(withKey)).close();
  await workspaces.createKey(withKey, 'cron', true);
  await restore(withKey, await sampleSource());
  expect((await readState(withKey)).rows).toMatchObject({ workspace: 1, api_key: 1, recording: 37 });
  await workspaces.createKey(withKey, 'later', true);
  expect(await workspaces.listKeys(withKey)).toHaveLength(2);
});

slowTest('fills an existing workspace whose records were deleted', async () => {
  const target = await createTarget();
  const { read, send, db } = await openRequests(target);
  const { id } = await read('POST contacts', { first_name: 'Old' });
  await send(`DELETE contacts/${id}`);
  await db.run(sql`insert into foreign_id values ('contact', 1, 'old')`);
  await restore(target, await sampleSource());
  expect(await readTexts(target)).toEqual(await sampleTexts);
});

test('leaves the target as it was if the source fails or the signal is aborted', async () => {
  const target = await createTarget();
  const source = await sampleSource();
  const controller = new AbortController();
  let reads = 0;
  const read: typeof source.read = (noun) => {
    if (noun === 'notes') reads += 1;
    // The first time, only the ids are read.
    if (reads > 1) throw new Failure('failed', 'The archive is damaged.');
    return source.read(noun);
  };
  await expect(restore(target, { read })).rejects.toThrow('The archive is damaged.');
  const abort = (noun: string) =>
    noun === 'entries' && controller.abort(new Failure('interrupted', 'Ctrl-C'));
  await expect(workspaces.restore(target, source, abort, controller.signal)).rejects.toThrow('Ctrl-C');
  await expectUntouched(target);
});

slowTest('creates nothing if no record can be stored', async () => {
  const target = await createTarget();
  const notes = [{ id: 'n1', organization_id: 'o1', body: 'x' }];
  await expect(restore(target, createSourceOf({ notes }))).rejects.toThrow('No record can be stored in ');
  await expectUntouched(target);
});

slowTest('a killed restore leaves the target as it was', async () => {
  const target = await createTarget();
  const script = `
    import { createWorkspaces } from '${process.cwd()}/src/service/workspace.ts';
    const record = (id) => ({
      ...{ id, first_name: id, last_name: null, emails: [], phone_numbers: [] },
      ...{ organization_id: null, custom_fields: {} },
    });
    const read = function* (noun) {
      if (noun !== 'contacts') return;
      for (let id = 1; id <= 100_000; id += 1) {
        const value = record('c' + id);
        yield { text: JSON.stringify(value), value };
      }
    };
    const now = () => new Date();
    const workspaces = createWorkspaces({ env: {}, now, newId: () => 'id', version: '0.0.0', log: () => {} });
    const report = (noun, done) => process.stdout.write(done + '\\n');
    await workspaces.restore('${target}', { read }, report, new AbortController().signal);`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script]);
  onTestFinished(() => void child.kill('SIGKILL'));
  let errors = '';
  child.stderr.on('data', (text) => {
    errors += text;
  });
  const first = once(child.stdout, 'data').then(([chunk]) => String(chunk));
  const closed = once(child, 'close');
  await Promise.race([first, closed]);
  child.kill('SIGKILL');
  await closed;
  expect(errors).toBe('');
  expect(await first).toMatch(/^500\n/);
  await expectUntouched(target);
});
