import type { ChildProcess } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createWatchedImport } from '../commands/import/import-machine.ts';
import { serveLocation } from '../service/serve.ts';
import { openTestWorkspace } from '../service/service.ts';
import { createEnv, createKey, runKith } from '../support/binary.ts';
import { createEmptyWorkspace, createTemporaryFolder, writeStoredSettings } from '../support/kith.ts';
import { readState } from './state.ts';

/** Rows without an email address, which no service could refuse as duplicates, in organizations that they share. */
const table = `phone,first_name,organization\n${Array.from(
  { length: 20 },
  (_, index) => `+8210${40_000_000 + index},P${index},Company ${index % 8}`,
).join('\n')}\n`;

/** Runs two imports at the same time: the first one pauses after its first contact until the second one has ended. */
async function runTwoImports(
  [firstEnv = {}, secondEnv = firstEnv]: readonly NodeJS.ProcessEnv[],
  folder: string,
  database: string,
) {
  const files = ['one.csv', 'two.csv'].map((name) => join(folder, name));
  for (const file of files) writeFileSync(file, table);
  const startImport = (file = '', env = firstEnv, onStart = (_: ChildProcess) => {}) =>
    runKith(['contacts', 'import', file], { env, onStart });
  const children: ChildProcess[] = [];
  const first = startImport(files[0], firstEnv, (child) => void children.push(child));
  const { sendOk } = await openTestWorkspace(database);
  for (;;) {
    const { data } = await sendOk<{ data: unknown[] }>('GET /v1/contacts?first=1');
    if (data.length > 0) break;
    await wait(5);
  }
  children[0]?.kill('SIGSTOP');
  const second = await startImport(files[1], secondEnv);
  children[0]?.kill('SIGCONT');
  expect(existsSync(join(folder, 'two.report.csv'))).toBe(false);
  return { first: await first, second, pid: children[0]?.pid, sendOk };
}

async function expectNoDuplicates(sendOk: Awaited<ReturnType<typeof runTwoImports>>['sendOk']) {
  const { contacts, organizations } = await readState(sendOk);
  expect([contacts.length, new Set(contacts).size]).toEqual([20, 20]);
  expect([organizations.length, new Set(organizations).size]).toEqual([8, 8]);
}

test('exits 75 and names the first import if a second one writes to the same workspace file', async () => {
  const folder = createTemporaryFolder();
  const database = createEmptyWorkspace(folder);
  writeStoredSettings(join(folder, '.config/kith'), { active: 'local', profiles: { local: { database } } });
  const { first, second, pid, sendOk } = await runTwoImports([createEnv(folder)], folder, database);
  expect([first.code, second.code]).toEqual([0, 75]);
  expect(second.err).toMatch(
    new RegExp(`^kith: Another run is importing into ${database}: process ${pid}, since `),
  );
  await expectNoDuplicates(sendOk);
  expect(existsSync(`${database}.import.lock`)).toBe(false);
});

test('exits 75 and names the first import if a second one uses the same key of a hosted service', async () => {
  const folder = createTemporaryFolder();
  const database = createEmptyWorkspace(folder);
  const KITH_API_KEY = await createKey(database);
  const { url: KITH_BASE_URL } = await serveLocation(database, KITH_API_KEY);
  const env = createEnv(folder, { KITH_BASE_URL, KITH_API_KEY });
  const { first, second, pid, sendOk } = await runTwoImports([env], folder, database);
  expect([first.code, second.code]).toEqual([0, 75]);
  expect(second.err).toContain(`Another run is importing into ${KITH_BASE_URL}/: process ${pid}, since `);
  await expectNoDuplicates(sendOk);
});

test.each(['file', 'service'])(
  'an import into a served file that starts with the %s locks both',
  async (start) => {
    const folder = createTemporaryFolder();
    const database = createEmptyWorkspace(folder);
    writeStoredSettings(join(folder, '.config/kith'), { active: 'local', profiles: { local: { database } } });
    const KITH_API_KEY = await createKey(database);
    const { url: KITH_BASE_URL } = await serveLocation(database, KITH_API_KEY);
    const local = createEnv(folder);
    const hostedEnv = createEnv(folder, { KITH_BASE_URL, KITH_API_KEY });
    const envs = start === 'file' ? [local, hostedEnv] : [hostedEnv, local];
    const { first, second, sendOk } = await runTwoImports(envs, folder, database);
    expect([first.code, second.code]).toEqual([0, 75]);
    expect(second.err).toMatch(/^kith: Another run is importing into /);
    await expectNoDuplicates(sendOk);
  },
);

test.each([
  [
    'a contact',
    'contacts',
    { first_name: 'Ada', phone_numbers: ['+821055501234'] },
    'phone,first_name\n010-5550-1234,Ada\n',
  ],
  ['an organization', 'organizations', { name: 'Acme' }, 'name\nacme\n'],
  [
    'an organization of a contact',
    'organizations',
    { name: 'Acme' },
    'email,organization\na@x.example,ACME\n',
  ],
])(
  'uses %s that another machine creates during the import instead of creating a duplicate',
  async (_, action, body, text) => {
    const { sendOk, importRows, control, json } = await createWatchedImport();
    let isLate = false;
    // After all lists were read, but before the row is looked up again.
    control.after = async ({ method, url }) => {
      if (method !== 'GET' || !url.startsWith(`/v1/${action}`) || isLate) return false;
      isLate = true;
      await sendOk(`POST /v1/${action}`, body);
      return false;
    };
    const noun = text.startsWith('name') ? 'organizations' : 'contacts';
    expect((await importRows(noun, text)).code).toBe(0);
    expect(await json(`${action} list --all`)).toHaveLength(1);
  },
);

test('reads a list again if records were removed and added during the import', async () => {
  const { sendOk, importRows, control, json } = await createWatchedImport();
  const [first] = await Promise.all(
    ['A', 'B', 'C'].map((name) => sendOk<{ id: string }>('POST /v1/organizations', { name })),
  );
  let isLate = false;
  control.after = async ({ method, url }) => {
    if (method !== 'GET' || !url.startsWith('/v1/organizations') || isLate) return false;
    isLate = true;
    await sendOk(`DELETE /v1/organizations/${first?.id}`);
    await sendOk('POST /v1/organizations', { name: 'Acme' });
    await sendOk('POST /v1/organizations', { name: 'Beta' });
    return false;
  };
  expect((await importRows('organizations', 'name\nacme\nbeta\nnew\n')).out).toContain(
    '1 created, 0 updated, 2 same',
  );
  expect(await json('organizations list')).toHaveLength(5);
});

test('runs a dry run while another import holds the lock', async () => {
  const folder = createTemporaryFolder();
  const database = createEmptyWorkspace(folder);
  writeStoredSettings(join(folder, '.config/kith'), { active: 'local', profiles: { local: { database } } });
  const env = createEnv(folder);
  const file = join(folder, 'people.csv');
  writeFileSync(file, table);
  const children: ChildProcess[] = [];
  const first = runKith(['contacts', 'import', file], { env, onStart: (child) => void children.push(child) });
  while (!existsSync(`${database}.import.lock`)) await wait(5);
  children[0]?.kill('SIGSTOP');
  const { code, out } = await runKith(['contacts', 'import', file, '--dry-run', '--quiet'], { env });
  children[0]?.kill('SIGCONT');
  expect([code, out.split('\n')]).toEqual([0, expect.objectContaining({ length: 21 })]);
  expect((await first).code).toBe(0);
});
