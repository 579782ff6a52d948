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

test.each([
  ['workspace file', 'workspace file'],
  ['hosted service', 'hosted service'],
  ['workspace file', 'hosted service'],
  ['hosted service', 'workspace file'],
] as const)(
  'an import into a %s makes another one into the same records by the %s exit with 75, but not a dry run',
  async (first, second) => {
    const folder = createTemporaryFolder();
    const database = createEmptyWorkspace(folder);
    writeStoredSettings(join(folder, '.config/kith'), { active: 'local', profiles: { local: { database } } });
    const KITH_API_KEY = await createKey(database);
    const { url: KITH_BASE_URL } = await serveLocation(database, KITH_API_KEY);
    const createPlaceEnv = (place: string) =>
      createEnv(folder, place === 'hosted service' ? { KITH_BASE_URL, KITH_API_KEY } : {});
    const [one = '', two = ''] = ['one.csv', 'two.csv'].map((name) => join(folder, name));
    for (const file of [one, two]) writeFileSync(file, table);
    const children: ChildProcess[] = [];
    const onStart = (child: ChildProcess) => void children.push(child);
    const running = runKith(['contacts', 'import', one], { env: createPlaceEnv(first), onStart });
    const { sendOk } = await openTestWorkspace(database);
    for (;;) {
      const { data } = await sendOk<{ data: unknown[] }>('GET /v1/contacts?first=1');
      if (data.length > 0) break;
      await wait(5);
    }
    // The first import pauses after its first contact until the second one has ended.
    children[0]?.kill('SIGSTOP');
    const refused = await runKith(['contacts', 'import', two], { env: createPlaceEnv(second) });
    const dryRun = await runKith(['contacts', 'import', two, '--dry-run'], { env: createPlaceEnv(second) });
    children[0]?.kill('SIGCONT');
    expect([(await running).code, refused.code, dryRun.code]).toEqual([0, 75, 0]);
    expect(existsSync(join(folder, 'two.report.csv'))).toBe(false);
    const names = { 'workspace file': database, 'hosted service': `${KITH_BASE_URL}/` };
    expect(refused.err).toContain(
      `kith: Another run is importing into ${names[second]}: process ${children[0]?.pid}, since `,
    );
    const { contacts, organizations } = await readState(sendOk);
    expect([contacts.length, new Set(contacts).size]).toEqual([20, 20]);
    expect([organizations.length, new Set(organizations).size]).toEqual([8, 8]);
    expect(existsSync(`${database}.import.lock`)).toBe(false);
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
