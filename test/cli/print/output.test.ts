import { expect, test } from 'vitest';
import { startRecordingService } from '../../commands/recording-service.ts';
import {
  createDemoMachine,
  createLocalMachine,
  createMachine,
  createTemporaryFolder,
} from '../../support/kith.ts';

const ada = {
  id: 'c1',
  first_name: 'Ada',
  emails: ['ada@x.example', 'a@y.example'],
  attendees: [{ email: 'a@x.example', name: 'A' }, { email: 'b@x.example' }],
  organization_id: null,
  custom_fields: {
    f1: { name: 'Industry', data_type: 'text', value: 'Cold chain' },
    f2: { name: 'a.b,c', data_type: 'text', value: 'odd' },
  },
};
const alan = { id: 'c2', first_name: 'Alan', emails: [], custom_fields: {} };
const contacts = { data: [ada, alan] };

/** Runs lines on a service that has two contacts. */
async function startListService(responses = {}) {
  const { env, requests } = await startRecordingService({
    '/v1/contacts': contacts,
    '/v1/contacts/c1': ada,
    '/v1/notes': { data: [] },
    ...responses,
  });
  const kith = createMachine();
  return {
    kith: (line: string | string[], more = {}) => kith(line, { env, ...more }),
    env,
    requests,
  };
}

test.each([
  ['contacts list --fields id,emails.0 --format tsv', 'id\temails.0\nc1\tada@x.example\nc2\t\n'],
  ['contacts list --fields emails,id --format csv', 'emails,id\r\nada@x.example;a@y.example,c1\r\n,c2\r\n'],
  [
    'contacts list --fields first_name,custom_fields.Industry',
    'first_name\tcustom_fields.Industry\nAda\tCold chain\nAlan\t\n',
  ],
  ['contacts list --fields attendees.email -q --limit 1', 'attendees.email\na@x.example;b@x.example\n'],
  ['contacts list --fields id,first_name --format table', 'ID  FIRST NAME\nc1  Ada\nc2  Alan\n'],
  [
    'contacts list --fields emails.0,id --json',
    '[\n  {\n    "emails": [\n      "ada@x.example"\n    ],\n    "id": "c1"\n  },\n  {\n    "emails": [\n      null\n    ],\n    "id": "c2"\n  }\n]\n',
  ],
  [
    'contacts list --fields custom_fields.Industry,organization_id --format ndjson',
    '{"custom_fields":{"Industry":"Cold chain"},"organization_id":null}\n{"custom_fields":{"Industry":null},"organization_id":null}\n',
  ],
  [
    'contacts get c1 --fields custom_fields.f1.value --format ndjson',
    '{"custom_fields":{"f1":{"value":"Cold chain"}}}\n',
  ],
  [
    'contacts get c1 --fields attendees.0.email,attendees.0.name,attendees.1.email --format ndjson',
    '{"attendees":[{"email":"a@x.example","name":"A"},{"email":"b@x.example"}]}\n',
  ],
  [
    'contacts get c1 --fields attendees.email --format ndjson',
    '{"attendees":[{"email":"a@x.example"},{"email":"b@x.example"}]}\n',
  ],
  [
    'contacts get c1 --fields emails,emails.0 --format ndjson',
    '{"emails":["ada@x.example","a@y.example"]}\n',
  ],
  ['contacts get c1 --fields emails.0,id --format tsv', 'emails.0\tid\nada@x.example\tc1\n'],
  ['contacts get c1 --fields id --format csv', 'id\r\nc1\r\n'],
  [
    String.raw`contacts get c1 --fields custom_fields.a\.b\,c --format ndjson`,
    '{"custom_fields":{"a.b,c":"odd"}}\n',
  ],
])('%s', async (line, out) => {
  const { kith } = await startListService();
  expect(await kith(line)).toEqual({ code: 0, out, err: '' });
});

test.each([
  ['contacts list --jq .[].first_name', 'Ada\nAlan\n'],
  ['contacts list --jq .[0].emails', '["ada@x.example","a@y.example"]\n'],
  ['contacts list --jq length', '2\n'],
  ['contacts list --jq empty', ''],
  ['contacts list --json --jq .[0].organization_id', 'null\n'],
  ['contacts list --format ndjson --jq .id', 'c1\nc2\n'],
  ['contacts list --fields id --jq .', '[{"id":"c1"},{"id":"c2"}]\n'],
  ['contacts list --fields id --format ndjson --jq keys[]', 'id\nid\n'],
  ['contacts get c1 --jq .first_name,.id', 'Ada\nc1\n'],
  ['contacts get c1 --fields id,first_name --jq keys', '["first_name","id"]\n'],
  ['contacts get c1 --format ndjson --fields id --jq keys', '["id"]\n'],
  ['notes list --jq length', '0\n'],
  ['notes list --jq .[]', ''],
  ['notes list --format ndjson --jq .id', ''],
  ['recordings summary r1 --jq .detected_language', 'en\n'],
  ['recordings transcript r1 --jq length', '0\n'],
  ['contacts delete c1 --yes --jq .deleted', 'true\n'],
  ['contacts create --first-name A --dry-run --jq .body.first_name', 'A\n'],
  ['contacts create --first-name A --dry-run --format ndjson --jq .path', '/v1/contacts\n'],
  ['api /v1/contacts --format ndjson --jq .data[].id', 'c1\nc2\n'],
])('%s', async (line, out) => {
  const { kith } = await startListService();
  expect(await kith(line)).toEqual({ code: 0, out, err: '' });
});

test('prints strings raw: a line feed as such, and an empty string as an empty line', async () => {
  const { kith } = await startListService({ '/v1/contacts/c1': { id: 'a\nb', name: '', quote: '"' } });
  expect((await kith('contacts get c1 --jq .id,.name,.quote')).out).toBe('a\nb\n\n"\n');
});

const syntax = 'syntax error, unexpected end of file';

test.each([
  ['contacts list --jq .['],
  ['contacts get c1 --jq .['],
  ['notes list --format ndjson --jq .['],
  ['contacts create --first-name A --jq .['],
  ['contacts delete c1 --yes --jq .['],
  ['contacts create --first-name A --dry-run --jq .['],
  ['api /v1/contacts -f first_name=A --jq .['],
  ['recordings summary r1 --jq .['],
])('refuses the invalid jq expression of `%s` before any request', async (line) => {
  const { kith, requests } = await startListService();
  expect(await kith(line)).toEqual({
    code: 2,
    out: '',
    err: expect.stringMatching(`^kith: --jq: "\\.\\[" is not a valid jq expression: ${syntax}`),
  });
  expect(requests).toEqual([]);
});

test.each([
  ['contacts list --jq .id', 'Cannot index array with string "id"'],
  ['contacts get c1 --jq .id.x', 'Cannot index string with string "x"'],
  ['contacts list --format ndjson --jq .emails.x', 'Cannot index array with string "x"'],
])('reports that %s does not match the data', async (line, message) => {
  const { kith } = await startListService();
  expect(await kith(line)).toEqual({ code: 1, out: '', err: `kith: --jq: ${message}\n` });
});

test.each([
  ['notes list', 'id\torganization_id\tbody\tdeal_id\tcreated_at\n'],
  ['notes list --no-header', ''],
  ['notes list --format csv', 'id,organization_id,organization.name,body,deal_id,created_at\r\n'],
  ['notes list --format csv --bom', '\ufeffid,organization_id,organization.name,body,deal_id,created_at\r\n'],
  ['notes list --format csv --no-header', ''],
  ['notes list --format table', 'ID  ORGANIZATION  BODY  DEAL  CREATED\n'],
  ['notes list --json', '[]\n'],
  ['notes list --format ndjson', ''],
  ['notes list --fields id,updated_at', 'id\tupdated_at\n'],
  ['notes list --fields id --json', '[]\n'],
])('an empty list: %s', async (line, out) => {
  const { kith } = await startListService();
  expect(await kith(line)).toEqual({ code: 0, out, err: '' });
});

test('prints a previewed request with any body on one line with --format ndjson', async () => {
  const { kith } = await startListService({ '/v1/contacts/c1': { id: 'c1' } });
  expect([
    (await kith('contacts create --first-name A --dry-run --format ndjson')).out,
    (await kith('api /v1/contacts/c1 --format ndjson')).out,
  ]).toEqual(['{"method":"POST","path":"/v1/contacts","body":{"first_name":"A"}}\n', '{"id":"c1"}\n']);
});

test.each([
  ['contacts list --fields id --no-header', 'c1\nc2\n'],
  ['contacts list --fields id --no-header --format csv', 'c1\r\nc2\r\n'],
  ['contacts list --fields id,first_name --no-header --format table', 'c1  Ada\nc2  Alan\n'],
  ['contacts list --fields id --format csv --bom', '\ufeffid\r\nc1\r\nc2\r\n'],
  ['contacts list --fields id --format csv --bom --no-header', '\ufeffc1\r\nc2\r\n'],
  ['contacts get c1 --fields id --no-header', 'c1\n'],
])('%s', async (line, out) => {
  const { kith } = await startListService();
  expect(await kith(line)).toEqual({ code: 0, out, err: '' });
});

test.each([
  '--jq length --limit 1 contacts list',
  'contacts --jq length --limit 1 list',
  'contacts list --jq length --limit 1',
  '--jq length contacts --limit 1 list',
  '--jq keys --limit 2 contacts --limit 3 list --limit 1 --jq length',
])('%s: accepts a global flag in any position, and uses the last one', async (line) => {
  const { kith, requests } = await startListService();
  expect((await kith(line)).out).toBe('1\n');
  expect(requests.map(({ url }) => url)).toEqual(['/v1/contacts?first=1&after=0']);
});

test('an empty CSV or TSV has the header of a full one', async () => {
  const kith = createDemoMachine();
  for (const format of ['csv', 'tsv'])
    for (const list of [
      'entries list "Sales pipeline"',
      'entries list Newsletter',
      'notes list',
      'events list',
    ]) {
      const [full] = (await kith(`${list} --limit 1 --format ${format}`)).out.split(/\r?\n/);
      const empty = await kith(`${list} --where id=none --format ${format}`);
      expect(empty.out.trimEnd()).toBe(full);
    }
});

test('a terminal shows the newest notes first, and a pipe the order of the service', async () => {
  const kith = createDemoMachine();
  const read = async (line: string, more = {}) =>
    (await kith(`notes list ${line}`, more)).out.match(/^\w{6}(?= )|^\w{6}$/gm);
  const ids = await read('--ids-only --all');
  const newest = await read('--ids-only --all --sort -created_at');
  expect(await read('--limit 60', { terminal: 80, env: { NO_COLOR: '1' } })).toEqual(newest);
  expect(newest).not.toEqual(ids);
  expect(await read('--ids-only --all', { terminal: 80 })).toEqual(ids);
});

test('a terminal says that a list is empty, and what to do next', async () => {
  const kith = await createDemoMachine();
  const setting = { terminal: 100, env: { NO_COLOR: '1' } };
  await kith('lists create Empty --entry-type Contact');
  const empty = await kith('entries list Empty', setting);
  expect(empty).toMatchObject({
    code: 0,
    out: '',
    err: 'kith: There are no entries yet. To add one, see: kith entries add --help\n',
  });
  const filtered = "contacts list --where 'name = Nobody'";
  expect(await kith(filtered, setting)).toMatchObject({ out: '', err: 'kith: No contacts match.\n' });
  expect((await kith(`${filtered} -q`, setting)).err).toBe('');
  expect((await kith(filtered)).err).toBe('');
});

test('a terminal says that there are no meetings, and what to do next', async () => {
  const setting = { terminal: 120, env: { NO_COLOR: '1' } };
  const empty = createLocalMachine(createTemporaryFolder());
  expect(await empty('events list', setting)).toMatchObject({
    code: 0,
    err: 'kith: The list is empty. To import a calendar into a local workspace, see: kith workspace import-events --help\n',
  });
  const kith = createDemoMachine();
  for (const filter of ['--starts-after 2090-01-01', "--where 'title = Nothing'"]) {
    expect((await kith(`events list ${filter}`, setting)).err).toBe('kith: No meetings match.\n');
    expect((await kith(`events list ${filter}`)).err).toBe('');
  }
  const sunday = { ...setting, now: new Date('2026-11-22T12:00:00Z') };
  expect(await kith('events list --today', sunday)).toMatchObject({
    out: '',
    err: expect.stringMatching(/^kith: No meetings today\. The last one: 七つ目の印, Nov 18 \d\d:\d\d\n$/),
  });
});
