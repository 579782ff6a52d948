import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import type { MachineOptions } from '../support/kith.ts';

// The one line that a new field needs in the contract. All modules are reloaded, because they are derived from it.
vi.resetModules();
const { recordFields } = await import('../../src/contract/record-fields.ts');
Reflect.set(recordFields.contacts.ownFields, 'first_meeting', {
  type: 'datetime',
  label: 'First meeting',
  title: 'met',
  write: 'always',
  clear: null,
});
const { buildOpenApi } = await import('../../src/service/http/openapi.ts');
const { terminal } = await import('../commands/edit/editor.ts');
const { sendJson, startTestService } = await import('../client/loopback.ts');
const { createCompleter } = await import('../completion/machine.ts');
const { createEmptyWorkspace, createMachine, createTemporaryFolder, writeStoredSettings } = await import(
  '../support/kith.ts'
);
afterAll(() => vi.resetModules());

const ada = {
  id: 'c1',
  first_name: 'Ada',
  last_name: null,
  emails: ['ada@analytical.example'],
  phone_numbers: [],
  organization_id: null,
  first_meeting: '2026-05-01T09:30:00.000Z',
  custom_fields: {},
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
};
const grace = { ...ada, id: 'c2', first_name: 'Grace', emails: [], first_meeting: null };

/** Starts a service whose contacts have the field, and returns a function that runs commands on it. */
async function startService() {
  const { requests, env } = await startTestService(({ method, url, body }, response) => {
    const [, id] = /^\/v1\/contacts\/(\w+)/.exec(url) ?? [];
    if (method !== 'GET') sendJson(response, 200, { ...ada, ...JSON.parse(body) });
    else if (id) sendJson(response, 200, id === 'c1' ? ada : grace);
    else sendJson(response, 200, { data: url.startsWith('/v1/contacts') ? [ada, grace] : [] });
  });
  const kith = createMachine();
  return {
    kith: (line: string, { env: more, ...options }: MachineOptions = {}) =>
      kith(line, { ...options, env: { ...env, ...more }, now: new Date('2027-01-01') }),
    listWrites: () =>
      requests.flatMap(({ method, body }) => (method === 'GET' ? [] : [[method, JSON.parse(body)]])),
  };
}

test.each([
  ['--where "first_meeting > 2026-01-01"', ['c1']],
  ['--where "met = 2026-05-01"', ['c1']],
  ['--where "first_meeting = null"', ['c2']],
  ['--sort -first_meeting', ['c1', 'c2']],
])('an added field is found by contacts list %s', async (flags, ids) => {
  const { kith } = await startService();
  const { out } = await kith(`contacts list --json ${flags}`);
  expect(JSON.parse(out).map(({ id }: { id: string }) => id)).toEqual(ids);
});

test('an added field has a flag, which an update can clear', async () => {
  const { kith, listWrites } = await startService();
  await kith('contacts create --first-name Ada --first-meeting 2026-05-01T09:30:00Z');
  await kith('contacts update c1 --first-meeting ""');
  expect(listWrites()).toEqual([
    ['POST', { first_name: 'Ada', first_meeting: '2026-05-01T09:30:00Z' }],
    ['PATCH', { first_meeting: null }],
  ]);
  expect(await kith('contacts update c1 --first-meeting yesterday')).toMatchObject({
    code: 2,
    err: expect.stringContaining('--first-meeting: "yesterday" is not a time such as 2026-05-01T09:30:00Z.'),
  });
  const { out } = await kith('contacts update --help');
  expect(out).toMatch(/--first-meeting <TIME> +First meeting; '' clears it\n/);
});

test('an added field is a line in the editor', async () => {
  const { kith, listWrites } = await startService();
  let shown = '';
  const editorText = (text: string) => {
    shown = text;
    return text.replace(/first_meeting: .*/, 'first_meeting: 2026-06-01T09:30:00Z');
  };
  const { err } = await kith('contacts edit c1 --yes', { ...terminal, editorText });
  expect(shown).toContain('# a time such as 2026-05-01T09:30:00Z\nfirst_meeting: 2026-05-01T09:30:00.000Z\n');
  expect(err).toContain('first_meeting: 2026-05-01T09:30:00.000Z -> 2026-06-01T09:30:00Z');
  expect(listWrites()).toEqual([['PATCH', { first_meeting: '2026-06-01T09:30:00Z' }]]);
});

test('an added field is a question of the form', async () => {
  const { kith, listWrites } = await startService();
  const answers = ['Ada', '', '', '', '', 'soon', '2026-05-01T09:30:00Z', 'y'];
  const { err } = await kith('contacts create', { ...terminal, answers });
  expect(err).toContain('First meeting\n"soon" is not a time such as 2026-05-01T09:30:00Z.\n');
  expect(listWrites()).toEqual([['POST', { first_name: 'Ada', first_meeting: '2026-05-01T09:30:00Z' }]]);
});

test('an added field is a column of an import', async () => {
  const { kith, listWrites } = await startService();
  const file = join(createTemporaryFolder(), 'people.csv');
  writeFileSync(
    file,
    'email,First Meeting\nada@analytical.example,2026-06-01T09:30:00Z\nada@analytical.example,soon\n',
  );
  const { out, err } = await kith(`contacts import ${file}`);
  expect(out + err).toContain('"soon" is not a time such as 2026-05-01T09:30:00Z.');
  expect(listWrites()).toEqual([['PATCH', { first_meeting: '2026-06-01T09:30:00Z' }]]);
});

test('an added field is a column of CSV, and a local time in details', async () => {
  const { kith } = await startService();
  const { out: csv } = await kith('contacts list --format csv');
  expect(csv.split('\r\n').slice(0, 2)).toEqual([
    'id,first_name,last_name,emails,phone_numbers,organization,first_meeting,created_at,updated_at',
    'c1,Ada,,ada@analytical.example,,,2026-05-01T09:30:00.000Z,2026-01-01T00:00:00.000Z,2026-01-01T00:00:00.000Z',
  ]);
  const { out: details } = await kith('contacts get c1', terminal);
  expect(details).toMatch(/^First meeting +2026-05-01 09:30$/m);
});

test('an added field can be taken over by a merge', async () => {
  const { kith } = await startService();
  const { out, err } = await kith('contacts merge c2 c1 --dry-run');
  expect(out + err).toContain('"first_meeting": "2026-05-01T09:30:00.000Z"');
});

test('an added field is completed', () => {
  const folder = createTemporaryFolder();
  const database = createEmptyWorkspace(folder);
  writeStoredSettings(folder, { active: 'a', profiles: { a: { database } } });
  const complete = createCompleter(folder);
  expect(complete('sort', { command: 'contacts', word: 'first_m' })).toEqual(['first_meeting']);
});

test('an added field is part of the OpenAPI document', () => {
  const { schemas } = Object(buildOpenApi('1')).components;
  expect(schemas.Contact.properties.first_meeting.anyOf).toContainEqual({ type: 'null' });
});
