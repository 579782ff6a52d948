import { expect, test } from 'vitest';
import { startRecordingService } from '../../commands/recording-service.ts';
import { createDemoMachine, createMachine } from '../../support/kith.ts';

const pipeline = 'vy7gy3';
const newsletter = '4y3m1d';

test.each([
  ['lists get vy7gy3 --jq .name', 'Sales pipeline\n'],
  ['lists get "Sales pipeline" --jq .id', `${pipeline}\n`],
  ['lists get newsletter --jq .id', `${newsletter}\n`],
  ['entries list Newsletter --limit 1 -q --jq .[0].list_id', `${newsletter}\n`],
  ['entries get "Sales pipeline" m7lwpy --jq .id', 'm7lwpy\n'],
  ['lists update Newsletter --name Digest --jq .name', 'Digest\n'],
  ['contacts create --email a@hanbit-cold.example --organization auto --jq .organization_id', 'rl16pk\n'],
])('%s', async (line, out) => {
  const kith = createDemoMachine();
  expect(await kith(line)).toEqual({ code: 0, out, err: '' });
});

test.each([
  ['entries get Newsletter nope', 3, 'kith: No entry of "Newsletter" has the id "nope".\n'],
  ['entries get vy7gy3 nope', 3, 'kith: No entry of "Sales pipeline" has the id "nope".\n'],
  ['entries delete Newsletter nope --yes', 3, 'kith: No entry of "Newsletter" has the id "nope".\n'],
  [
    'entries get Nope nope',
    3,
    'kith: No list or process has the id or name "Nope".\nhint: kith lists list\n',
  ],
  [
    'entries list Newsleter',
    3,
    'kith: No list or process has the id or name "Newsleter". Closest names: Newsletter (4y3m1d).\n',
  ],
  [
    'contacts update 0rlnky --organization auto',
    3,
    'kith: No organization has the id or name "auto".\nhint: kith organizations list\n',
  ],
])('%s exits with %i', async (line, code, err) => {
  const kith = createDemoMachine();
  expect(await kith(line)).toEqual({ code, out: '', err });
});

test('reports an ambiguous name with both ids, and writes nothing', async () => {
  const kith = createDemoMachine();
  const { out: second } = await kith('lists create Newsletter --entry-type Contact --jq .id');
  const { out: other } = await kith('organizations create --name 한빛물류 --jq .id');
  const ids = [newsletter, second.trim()];
  const candidates = ids.map((id) => `${id} (list)`).join(', ');
  for (const line of [
    'lists get Newsletter',
    'entries list Newsletter',
    'entries add Newsletter --contact 0rlnky',
    'entries add Newsletter --contact 0rlnky --dry-run',
    'lists delete Newsletter --yes',
    'lists delete Newsletter vy7gy3 --yes',
  ]) {
    const [first, last] = ids.map((id) => `kith ${line.replace('Newsletter', id)}`);
    const err = `kith: 2 lists match "Newsletter": ${candidates}.\nhint: ${first}\n      ${last}\n`;
    expect(await kith(line)).toEqual({ code: 2, out: '', err });
  }
  expect(await kith('contacts create --first-name A --organization 한빛물류')).toEqual({
    code: 2,
    out: '',
    err:
      `kith: 2 organizations match "한빛물류": rl16pk (hanbit-cold.example), ${other.trim()}.\n` +
      'hint: kith contacts create --first-name A --organization rl16pk\n' +
      `      kith contacts create --first-name A --organization ${other.trim()}\n`,
  });
  expect((await kith('lists list --jq length')).out).toBe('5\n');
  expect((await kith('contacts list --all --jq length')).out).toBe('150\n');
});

test('prefers an id over a name: writes nothing to a list whose name is the id of another', async () => {
  const kith = createDemoMachine();
  const { out: secondOrganization } = await kith(`lists create ${newsletter} --entry-type Contact --jq .id`);
  const results = [
    await kith(`lists get ${newsletter} --jq .name`),
    await kith(`entries get ${newsletter} nope`),
    await kith(`entries add ${newsletter} --contact v49o47 --jq .list_id`),
    await kith(`entries add ${secondOrganization.trim()} --contact v49o47 --jq .list_id`),
  ];
  expect(results).toEqual([
    { code: 0, out: 'Newsletter\n', err: '' },
    { code: 3, out: '', err: 'kith: No entry of "Newsletter" has the id "nope".\n' },
    { code: 0, out: `${newsletter}\n`, err: '' },
    { code: 0, out: secondOrganization, err: '' },
  ]);
  const { out: id } = await kith(`entries list ${secondOrganization.trim()} --jq .[0].id`);
  // The entry is only in the list with that name: a matching id is not used.
  expect(await kith(`entries delete ${newsletter} ${id.trim()} --yes`)).toMatchObject({ code: 3 });
  expect((await kith(`entries list ${secondOrganization.trim()} --jq length`)).out).toBe('1\n');
});

test.each([
  ['lists get', 'gid://crm/List/1==', '/v1/lists/gid%3A%2F%2Fcrm%2FList%2F1%3D%3D'],
  ['contacts create --first-name A --organization', 'org.1', '/v1/contacts'],
])('%s accepts an id with any characters', async (line, id, path) => {
  const page = { data: [{ id, name: 'Some' }] };
  const { env, requests } = await startRecordingService({ '/v1/lists': page, '/v1/organizations': page });
  const { code, err } = await createMachine()([...line.split(' '), id], { env });
  expect({ code, err, path: requests.at(-1)?.url }).toEqual({ code: 0, err: '', path });
});

test('quotes the id to use if it is not a plain word', async () => {
  const data = ["o'1", 'o2'].map((id) => ({ id, name: 'Twin Inc' }));
  const { env } = await startRecordingService({ '/v1/organizations': { data } });
  const words = ['contacts', 'create', '--first-name', 'A', '--organization', 'Twin Inc'];
  expect((await createMachine()(words, { env })).err).toContain("--organization 'o'\\''1'\n");
});

test('uses an id without a lookup, and tries a name as an id before it reads all lists', async () => {
  const { env, requests, listRequests } = await startRecordingService({
    '/v1/lists/Deals': undefined,
    '/v1/lists/Deals/entries': undefined,
  });
  const kith = createMachine();
  await kith('entries list l1', { env });
  expect(listRequests()).toEqual(['GET /v1/lists/l1/entries?first=25&after=0']);
  requests.length = 0;
  await kith('entries list Deals', { env });
  expect(listRequests()).toEqual([
    'GET /v1/lists/Deals/entries?first=25&after=0',
    'GET /v1/lists?first=100&after=0',
    'GET /v1/lists/l1/entries?first=25&after=0',
  ]);
});

test('looks up no list names if the list exists but its entry does not', async () => {
  const { env, listRequests } = await startRecordingService({ '/v1/lists/l1/entries/e9': undefined });
  expect(await createMachine()('entries update l1 e9 --status Won', { env })).toEqual({
    code: 3,
    out: '',
    err: 'kith: Not found: /v1/lists/l1/entries/e9.\n',
  });
  expect(listRequests()).toEqual(['GET /v1/lists/l1', 'PATCH /v1/lists/l1/entries/e9 {"status":"Won"}']);
});

test('reads the statuses of a list only if a status differs in case from a known one', async () => {
  const { env, requests, listRequests } = await startRecordingService();
  const kith = createMachine();
  await kith('lists list', { env });
  requests.length = 0;
  await kith('entries update l1 e1 --status Open', { env });
  await kith('entries update l1 e1 --status Gone', { env });
  await kith('entries update l1 e1 --status open', { env });
  expect(listRequests()).toEqual([
    'PATCH /v1/lists/l1/entries/e1 {"status":"Open"}',
    'PATCH /v1/lists/l1/entries/e1 {"status":"Gone"}',
    'GET /v1/lists/l1',
    'PATCH /v1/lists/l1/entries/e1 {"status":"Open"}',
  ]);
});
