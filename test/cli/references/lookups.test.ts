import { expect, test } from 'vitest';
import { sendJson, startTestService } from '../../client/loopback.ts';
import { createImportMachine } from '../../commands/import/import-machine.ts';
import { startControlledService } from '../../import/controlled-service.ts';
import { createMachine } from '../../support/kith.ts';

const ada = {
  id: 'c1',
  first_name: 'Ada',
  last_name: 'Lovelace',
  emails: ['ada@x.example'],
  phone_numbers: ['+821055501234'],
  organization_id: null,
};
const grace = { ...ada, id: 'c2', first_name: 'Grace', emails: ['grace@x.example'], phone_numbers: [] };

/** Starts a service that responds to each contact lookup with the same body; lists are empty. */
async function startLookupService(body: unknown, status = 200) {
  const { requests, env } = await startTestService((request, response) => {
    if (/[?&](email|phone_number)=/.test(request.url)) return sendJson(response, status, body);
    if (request.method === 'GET') return sendJson(response, 200, { data: [] });
    sendJson(response, 201, { id: 'new', ...JSON.parse(request.body) });
  });
  return {
    env,
    listWrites: () =>
      requests.filter(({ method }) => method !== 'GET').map(({ method, url }) => `${method} ${url}`),
  };
}

const byEmail = ['contacts', 'find', '--email', 'Ada@X.example'];
const row = 'c1\tAda Lovelace\tada@x.example\t+821055501234\t\n';

test.each([
  ['{data, pagination}', { data: [ada], pagination: { total_count: 1 } }],
  ['a bare record', ada],
  ['emails as {address}', [{ ...ada, emails: [{ type: 'work', address: 'ada@x.example' }] }]],
  ['numbers as {number}', [{ ...ada, phone_numbers: [{ number: '+821055501234' }] }]],
])('contacts find and import accept a contact in the form %s', async (_, body) => {
  const { env, listWrites } = await startLookupService(body);
  const { kith, importRows } = await createImportMachine({ env });
  expect(await kith([...byEmail, '--no-header'])).toEqual({ code: 0, out: row, err: '' });
  expect(await kith('contacts find --phone 010-5550-1234 --no-header')).toMatchObject({ code: 0, out: row });
  const csv = 'email,phone,first_name\nada@x.example,010-5550-1234,Ada\n';
  expect((await importRows('contacts', csv)).out).toContain('1 same');
  expect(listWrites()).toEqual([]);
});

test('contacts find matches an address whose domain the service stores in ASCII', async () => {
  const { env } = await startLookupService({ ...ada, emails: ['ada@xn--bcher-kva.example'] });
  const kith = createMachine();
  expect((await kith('contacts find --email Ada@Bücher.example', { env })).code).toBe(0);
  expect((await kith('contacts find --email ada@buecher.example', { env })).code).toBe(1);
});

test.each([
  ['null', 200, null],
  ['404', 404, { message: 'Not found.' }],
])(
  'contacts find exits with 3 and import creates the contact if the lookup returns %s',
  async (_, status, body) => {
    const { env, listWrites } = await startLookupService(body, status);
    const { kith, importRows } = await createImportMachine({ env });
    expect(await kith(byEmail)).toEqual({
      code: 3,
      out: '',
      err: 'kith: No contact has the email address "Ada@X.example".\n',
    });
    expect((await importRows('contacts', 'email\nada@x.example\n')).code).toBe(0);
    expect(listWrites()).toEqual(['POST /v1/contacts']);
  },
);

const createIgnoredMessage = (filter: string, subject: string) =>
  `kith: The service ignored the filter ${filter}: it returned contact "c2", which does not have the ${subject}.\n`;

test.each([
  ['contacts find --email ada@x.example', 'email', 'email address "ada@x.example"'],
  ['contacts find --email ada@x.example --json', 'email', ''],
  ['contacts find --phone +82-10-5550-1234', 'phone_number', 'phone number "+82-10-5550-1234"'],
])('%s refuses a response with other contacts', async (line, filter, subject) => {
  const { env } = await startLookupService({ data: [ada, grace] });
  const { code, out, err } = await createMachine()(line, { env });
  expect({ code, out }).toEqual({ code: 1, out: '' });
  if (subject !== '')
    expect(err).toBe(`${createIgnoredMessage(filter, subject)}hint: Check the base URL: kith auth status\n`);
  else
    expect(JSON.parse(err).error).toMatchObject({ code: 'unverified', method: 'GET', path: '/v1/contacts' });
});

test.each([
  ['email,first_name\nada@x.example,Augusta\n', '--dry-run', 'email', 'email address "ada@x.example"'],
  ['email,first_name\nada@x.example,Augusta\n', '', 'email', 'email address "ada@x.example"'],
  ['phone,first_name\n010-5550-9999,Augusta\n', '', 'phone_number', 'phone number "010-5550-9999"'],
])('an import from "%s" %s stops if the service ignores the filter', async (csv, flags, filter, subject) => {
  const { env, listWrites } = await startLookupService({ data: [grace] });
  const { importRows } = await createImportMachine({ env });
  const { code, err } = await importRows('contacts', csv, flags);
  expect({ code, err }).toEqual({
    code: 1,
    err: expect.stringContaining(createIgnoredMessage(filter, subject)),
  });
  expect(listWrites()).toEqual([]);
});

test.each([
  ['without an id', [{ ...ada, id: undefined }]],
  ['that is null', [null, ada]],
])('contacts find and import reject a contact %s', async (_, body) => {
  const { env, listWrites } = await startLookupService(body);
  const { kith, importRows } = await createImportMachine({ env });
  const problem = 'The response to GET /v1/contacts has a record without an id.';
  const err = `kith: ${problem}\nhint: Check the base URL: kith auth status\n`;
  expect(await kith(byEmail)).toEqual({ code: 1, out: '', err });
  expect(await importRows('contacts', 'email,first_name\nada@x.example,Augusta\n')).toMatchObject({
    code: 1,
    err: expect.stringContaining(problem),
  });
  expect(listWrites()).toEqual([]);
});

test('accepts a contact without the field if another field has the address', async () => {
  const { emails, phone_numbers, ...rest } = ada;
  const custom_fields = { f1: { name: 'Mobile', data_type: 'text', value: '010 5550 1234' } };
  const { env } = await startLookupService({ ...rest, contact: { email: 'ada@x.example' }, custom_fields });
  const kith = createMachine();
  expect((await kith(byEmail, { env })).code).toBe(0);
  expect((await kith('contacts find --phone +821055501234', { env })).code).toBe(0);
  expect((await kith('contacts find --email grace@x.example', { env })).code).toBe(1);
});

test.each([
  ['strings', 'acme.example', ['acme.example']],
  ['{domain}', 'acme.example', [{ id: 1, domain: 'acme.example' }]],
  ['{url}', 'https://acme.example', [{ url: 'https://acme.example' }]],
])('finds, matches and prints domains in the form %s', async (_, domain, domains) => {
  const acme = { id: 'o1', name: 'Acme', domains };
  const { requests, env } = await startTestService((request, response) => {
    const { pathname } = new URL(request.url, 'http://service');
    const lists: Readonly<Record<string, object[]>> = {
      '/v1/organizations': [acme],
      '/v1/custom_fields': [],
    };
    sendJson(response, 200, lists[pathname] ?? acme);
  });
  const { kith, importRows } = await createImportMachine({ env });
  expect(await kith('organizations find --domain acme.example --no-header')).toEqual({
    code: 0,
    out: `o1\tAcme\t${domain}\n`,
    err: '',
  });
  expect((await kith('organizations get o1')).out).toContain(domain);
  expect((await kith('organizations list --fields domains --no-header')).out).toBe(`${domain}\n`);
  expect((await kith('organizations list --format csv --no-header')).out).toContain(domain);
  expect((await importRows('organizations', 'domains\nacme.example\n')).out).toContain('1 same');
  expect(requests.filter(({ method }) => method !== 'GET')).toEqual([]);
});

test('an import and its undo write strings to a service that sends objects', async () => {
  let contact = {
    ...ada,
    phone_numbers: [{ number: '+821055501234' }],
    emails: [{ address: 'ada@x.example' }],
  };
  const { requests, env } = await startTestService((request, response) => {
    if (request.method === 'PATCH') {
      const { phone_numbers } = JSON.parse(request.body);
      contact = { ...contact, phone_numbers: phone_numbers.map((number: string) => ({ number })) };
    }
    sendJson(response, 200, request.url.includes('?') ? { data: [contact] } : contact);
  });
  const { importRows, kith, toPath } = await createImportMachine({
    env,
  });
  expect((await importRows('contacts', 'email,phone\nada@x.example,+82 10-5550-9999\n')).out).toContain(
    '1 updated',
  );
  expect(await kith(['contacts', 'import', '--undo', toPath('sheet.report.csv'), '--yes'])).toMatchObject({
    code: 0,
  });
  const bodies = requests.filter(({ method }) => method === 'PATCH').map(({ body }) => JSON.parse(body));
  expect(bodies).toEqual([
    { phone_numbers: ['+821055501234', '+82 10-5550-9999'] },
    { phone_numbers: ['+821055501234'] },
  ]);
});

test('contacts find prints all matches of a lookup with several pages', async () => {
  const { env, sendOk, takeRequests } = await startControlledService();
  for (let index = 0; index < 30; index += 1)
    await sendOk('POST /v1/contacts', { first_name: `P${index}`, phone_numbers: ['+14155550100'] });
  const { code, out, err } = await createMachine()('contacts find --phone 415-555-0100 --json', { env });
  expect({ code, count: JSON.parse(out).length, err }).toEqual({ code: 0, count: 30, err: '' });
  expect(takeRequests().filter((line) => line.startsWith('GET'))).toEqual([
    'GET /v1/contacts?phone_number=415-555-0100',
    'GET /v1/contacts?phone_number=415-555-0100&first=100&after=0',
  ]);
});

test('an import reads the records of a service that sends objects', async () => {
  const { env, sendOk } = await startControlledService();
  const { importRows } = await createImportMachine({ env });
  const record = {
    emails: [{ email: 'ada@x.example' }, { email: 'a@y.example' }],
    phone_numbers: [{ number: '+14155550100' }],
  };
  expect((await importRows('contacts', `${JSON.stringify(record)}\n`, '', 'people.ndjson')).out).toContain(
    '1 created',
  );
  expect(await sendOk('GET /v1/contacts')).toMatchObject({
    data: [{ emails: ['ada@x.example', 'a@y.example'], phone_numbers: ['+14155550100'] }],
  });
});

test('finds a name on a later page than the id of another reference', async () => {
  const { requests, env } = await startTestService((request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://service');
    if (request.method === 'DELETE') return sendJson(response, 204);
    if (pathname !== '/v1/contacts') return sendJson(response, 404, {});
    const after = Number(searchParams.get('after'));
    const data = [{ ...grace, id: 'crm.c2' }, ada].slice(after, after + 1);
    sendJson(response, 200, { data, pagination: { total_count: 2 } });
  });
  const words = ['contacts', 'delete', 'crm.c2', 'Ada Lovelace', '--yes', '--page-size', '1'];
  expect((await createMachine()(words, { env })).code).toBe(0);
  const deleted = requests.filter(({ method }) => method === 'DELETE').map((request) => request.url);
  expect(deleted).toEqual(['/v1/contacts/crm.c2', '/v1/contacts/c1']);
});
