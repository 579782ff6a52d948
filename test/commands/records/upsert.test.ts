import { expect, test } from 'vitest';
import { sendJson, startTestService } from '../../client/loopback.ts';
import { createLocalMachine, createMachine, createTemporaryFolder } from '../../support/kith.ts';
import { startRecordingService } from '../recording-service.ts';

/** A machine with an empty workspace, and functions that run commands with --json. */
function createUpsertMachine() {
  const kith = createLocalMachine(createTemporaryFolder());
  const json = async (line: string) => JSON.parse((await kith(`${line} --json`)).out);
  return { kith, json, count: async (noun: string) => (await json(`${noun} list --all`)).length };
}

test.each([
  ['email', '--email Ada@X.example --last-name Byron', '--email ada@x.example'],
  ['email', '--email new@x.example --email ADA@x.example', '--email ada@x.example'],
  ['phone', '--phone "010-5550-1234"', '--phone "+82 10 5550 1234"'],
  ['name', '--first-name "ada " --last-name LOVELACE', '--first-name Ada --last-name Lovelace'],
  ['name', '--first-name Lovelace --last-name Ada', '--first-name Ada --last-name Lovelace'],
])('contacts create --if-absent %s %s prints the contact that exists', async (by, flags, existing) => {
  const { kith, json, count } = createUpsertMachine();
  const { id } = await json(`contacts create --first-name Ada ${existing}`);
  const line = `contacts create --first-name Ada ${flags} --if-absent ${by}`;
  expect(await json(line)).toMatchObject({ id, first_name: 'Ada', created: false });
  expect(await kith(`${line} --jq .created`)).toEqual({ code: 0, out: 'false\n', err: '' });
  expect((await kith(line)).out).toMatch(new RegExp(`^id\\t.*\n${id}\\t`));
  expect(await kith(`${line} --dry-run --json`)).toMatchObject({ out: expect.stringContaining(id) });
  expect(await count('contacts')).toBe(1);
});

test('--if-absent creates a record of each noun once', async () => {
  const { json, count } = createUpsertMachine();
  const lines = [
    ['contacts', 'contacts create --first-name Ada --email ada@x.example --if-absent email'],
    ['organizations', 'organizations create --name Acme --domain www.ACME.example --if-absent domain'],
    ['lists', 'lists create News --entry-type Contact --if-absent name'],
    ['custom-fields', 'custom-fields create Region --model contact --if-absent name'],
  ];
  for (const [noun = '', line = ''] of lines) {
    const created = await json(line);
    expect(created).toMatchObject({ created: true });
    expect(await json(line)).toEqual({ ...created, created: false });
    expect(await count(noun)).toBe(1);
  }
  expect(await json('organizations create --name "ACME " --if-absent name')).toMatchObject({
    created: false,
  });
  expect(await json('custom-fields create Region --model deal --if-absent name')).toMatchObject({
    created: true,
  });
});

test('a create that cannot be matched, or matches several records, is a usage error and writes nothing', async () => {
  const { kith, json, count } = createUpsertMachine();
  const ids = [
    await json('contacts create --first-name Ada'),
    await json('contacts create --first-name ADA'),
  ].map(({ id }) => id);
  expect(await kith('contacts create --first-name Ada --if-absent name')).toMatchObject({
    code: 2,
    err: `kith: 2 contacts have the same name: ${ids.join(', ')}.\nhint: To update one of them: kith contacts update ID [flags]\n`,
  });
  expect(await kith('contacts create --first-name Ada --if-absent email')).toMatchObject({
    code: 2,
    err: 'kith: --if-absent email: the contact has no email.\nhint: Pass --email.\n',
  });
  expect(await kith('contacts upsert --organization auto')).toMatchObject({
    code: 2,
    err: 'kith: kith matches a contact by email, phone, name. Pass at least one of these fields.\n',
  });
  expect((await kith('contacts upsert --by phone --email a@x.example')).code).toBe(2);
  expect((await kith('contacts upsert')).code).toBe(2);
  expect(await count('contacts')).toBe(2);
});

test('contacts upsert creates a contact, then sends only values that differ', async () => {
  const { env, requests } = await startUpsertService();
  const kith = createMachine();
  const upsert = async (line: string) => {
    requests.length = 0;
    const { out } = await kith(`contacts upsert ${line} --json`, { env });
    const sent = requests.map(({ method, url, body }) => `${method} ${url} ${body}`.trim());
    return { created: JSON.parse(out).created, sent };
  };
  const lookup = (email: string) => `GET /v1/contacts?email=${encodeURIComponent(email)}`;
  expect(await upsert('--email new@x.example --first-name New')).toEqual({
    created: true,
    sent: [lookup('new@x.example'), 'POST /v1/contacts {"first_name":"New","emails":["new@x.example"]}'],
  });
  expect(await upsert('--email ADA@x.example --first-name Ada --phone "+82 10-5550-1234"')).toEqual({
    created: false,
    sent: [lookup('ADA@x.example')],
  });
  expect(
    await upsert(
      '--email ada@x.example --email a@y.example --last-name Byron --phone 02-555-0000 --organization auto',
    ),
  ).toEqual({
    created: false,
    sent: [
      lookup('ada@x.example'),
      lookup('a@y.example'),
      'PATCH /v1/contacts/c1 {"last_name":"Byron","emails":["a@y.example"],"phone_numbers":["+821055501234","02-555-0000"]}',
    ],
  });
  expect(
    await upsert(
      '--email ada@x.example --data {"custom_fields":[{"name":"Region","value":"EU"},{"name":"Size","value":2}]}',
    ),
  ).toEqual({
    created: false,
    sent: [lookup('ada@x.example'), 'PATCH /v1/contacts/c1 {"custom_fields":[{"name":"Size","value":2}]}'],
  });
});

/** Starts a service with one contact, which finds it by its email address. */
async function startUpsertService() {
  const ada = {
    id: 'c1',
    first_name: 'Ada',
    last_name: 'Lovelace',
    emails: ['ada@x.example'],
    phone_numbers: ['+821055501234'],
    organization_id: 'o1',
    custom_fields: { f1: { name: 'Region', value: 'EU' }, f2: { name: 'Size', value: 1 } },
  };
  const { requests, env } = await startTestService(({ method, url }, response) => {
    if (method !== 'GET') return sendJson(response, method === 'POST' ? 201 : 200, ada);
    const email = new URL(url, 'http://service').searchParams.get('email');
    return sendJson(response, 200, { data: email?.toLowerCase() === 'ada@x.example' ? [ada] : [] });
  });
  return { requests, env };
}

test('organizations upsert matches by domain, then by name, and keeps the matched form of the name', async () => {
  const { json, kith, count } = createUpsertMachine();
  const { id } = await json('organizations upsert --name Acme');
  expect(await json('organizations upsert --name ACME --by name')).toMatchObject({
    id,
    name: 'Acme',
    created: false,
  });
  expect(await json('organizations upsert --by name --name acme --domain acme.example')).toMatchObject({
    id,
    domains: ['acme.example'],
    created: false,
  });
  expect(
    await json('organizations upsert --domain https://www.acme.example/ --name "Acme Corp"'),
  ).toMatchObject({
    id,
    name: 'Acme Corp',
    created: false,
  });
  expect(await count('organizations')).toBe(1);
  expect((await kith('organizations upsert --domain acme.example --name Acme --dry-run')).out).toContain(
    `PATCH /v1/organizations/${id}\n`,
  );
});

test('an upsert is recorded for kith undo', async () => {
  const { json, kith } = createUpsertMachine();
  const env = { KITH_UNDO: 'on' };
  await kith('organizations upsert --name Acme --domain acme.example', { env });
  await kith('organizations upsert --domain acme.example --name Other', { env });
  expect((await kith('undo --yes', { env })).code).toBe(0);
  expect(await json('organizations list')).toMatchObject([{ name: 'Acme' }]);
  expect((await kith('undo --yes', { env })).code).toBe(0);
  expect(await json('organizations list')).toEqual([]);
});

test('uses the contact of another process if the service refuses a second contact', async () => {
  let isCreated = false;
  const { requests, env } = await startTestService(({ method }, response) => {
    const ada = { id: 'c1', first_name: 'Ada', emails: ['ada@x.example'] };
    if (method === 'GET') return sendJson(response, 200, { data: isCreated ? [ada] : [] });
    isCreated = true;
    return sendJson(response, 422, { code: 'invalid', detail: 'taken' });
  });
  const line = 'contacts create --first-name Ada --email ada@x.example --if-absent email --json';
  const { code, out } = await createMachine()(line, { env });
  expect([code, JSON.parse(out)]).toMatchObject([0, { id: 'c1', created: false }]);
  expect(requests.map(({ method }) => method)).toEqual(['GET', 'POST', 'GET']);
});

test('organizations upsert warns if it creates a second organization of the same name', async () => {
  const { kith, json } = createUpsertMachine();
  const { id } = await json('organizations create --name Acme --domain acme.example');
  const upsert = (flags: string) => kith(`organizations upsert --name Acme ${flags} --jq .`);
  expect((await upsert('--domain acme.example')).err).toBe('');
  expect((await upsert('--domain acme.example --domain acme.kr')).err).toBe('');
  const second = await upsert('--domain other.example');
  expect(JSON.parse(second.out)).toMatchObject({ created: true });
  expect(second.err).toBe(`kith: An organization named "Acme" already exists: ${id}\n`);
});

test('organizations create in a script warns of a cached name, with one request', async () => {
  const { env, listRequests } = await startRecordingService();
  const kith = createLocalMachine(createTemporaryFolder());
  expect((await kith('organizations create --name Acme')).err).toBe('');
  const { id } = JSON.parse((await kith('organizations list --json --jq ".[0]"')).out);
  const warning = `kith: An organization named "Acme" already exists: ${id}\n`;
  expect((await kith('organizations create --name " ACME" --quiet')).err).toBe(warning);
  const envelope = JSON.parse((await kith('organizations create --name acme --json-envelope')).out);
  expect(envelope.warnings).toEqual([expect.stringContaining('already exists: ')]);
  expect((await kith('organizations create --name "Acme Corp"')).err).toBe('');
  // Another workspace has another cache.
  expect((await kith('organizations create --name Acme', { env })).err).toBe('');
  expect(listRequests()).toEqual(['POST /v1/organizations {"name":"Acme"}']);
});

test('the warning is not given for an organization that was renamed or deleted', async () => {
  const { kith, json } = createUpsertMachine();
  const { id } = await json('organizations create --name Acme');
  await kith(`api /v1/organizations/${id} -X PATCH -f name=Other`);
  expect((await kith('organizations create --name Acme')).err).toBe('');
  await kith('organizations delete Acme --yes');
  expect((await kith('organizations create --name Acme')).err).toBe('');
});
