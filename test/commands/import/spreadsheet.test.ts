import { expect, test } from 'vitest';
import { sendJson, startTestService } from '../../client/loopback.ts';
import { createDemoMachine, createMachine } from '../../support/kith.ts';
import { startRecordingService } from '../recording-service.ts';

const times = { created_at: '2026-01-02T03:04:05.000Z', updated_at: '2026-01-03T03:04:05.000Z' };
const timeColumns = '2026-01-02T03:04:05.000Z,2026-01-03T03:04:05.000Z';

const ada = {
  id: 'c1',
  first_name: "'=Ada",
  last_name: 'a;b',
  emails: ['ada@x.example', 'a@y.example'],
  phone_numbers: ['+821055501234', '+14155552671'],
  organization_id: 'o1',
  custom_fields: {
    f1: { name: 'Role', value: 'Chief; of all' },
    f2: { name: 'Email', value: 'hers' },
    f3: { name: 'Tags', value: ['one;two', 'C:\\'] },
  },
  ...times,
};
const alan = { id: 'c2', first_name: 'Alan', emails: [], custom_fields: {}, organization_id: null, ...times };
const acme = { id: 'o1', name: 'Acme', domains: ['acme.example'], custom_fields: {}, ...times };
const other = { ...acme, id: 'o2', domains: ['www.example', 'w.example'] };

const definitions = [
  { id: 'f1', model: 'contact', name: 'Role' },
  { id: 'f9', model: 'organization', name: 'Industry' },
  { id: 'f2', model: 'contact', name: 'Email' },
  { id: 'f3', model: 'contact', name: 'Tags' },
  { id: 'f8', model: 'deal', name: 'Quote' },
];

/** Runs lines on a service that has two contacts, and two organizations of one name. */
async function startSpreadsheetService(responses = {}) {
  const { env, listRequests } = await startRecordingService({
    '/v1/contacts': { data: [ada, alan] },
    '/v1/contacts/c1': ada,
    '/v1/organizations': { data: [acme, other] },
    '/v1/organizations/o1': acme,
    '/v1/custom_fields': { data: definitions },
    ...responses,
  });
  const kith = createMachine();
  return { kith: (line: string) => kith(line, { env }), requests: listRequests };
}

const contactHeader =
  'id,first_name,last_name,emails,phone_numbers,organization,Role,custom_fields.Email,Tags,created_at,updated_at\r\n';
const adaRow =
  "c1,''=Ada,a;b,ada@x.example;a@y.example,+821055501234;+14155552671,acme.example,Chief; of all,hers," +
  `one\\;two;C:\\\\,${timeColumns}\r\n`;
const alanRow = `c2,Alan,,,,,,,,${timeColumns}\r\n`;
const organizationHeader = 'id,name,domains,Industry,created_at,updated_at\r\n';
const acmeRow = `o1,Acme,acme.example,,${timeColumns}\r\n`;
const otherRow = `o2,Acme,www.example;w.example,,${timeColumns}\r\n`;

const [definitionsRequest, organizationsAsked] = ['custom_fields', 'organizations'].map(
  (noun) => `GET /v1/${noun}?first=100&after=0`,
);

test.each([
  [
    'contacts list --format csv',
    contactHeader + adaRow + alanRow,
    ['GET /v1/contacts?first=25&after=0', organizationsAsked],
  ],
  ['contacts get c1 --format csv', contactHeader + adaRow, ['GET /v1/contacts/c1', organizationsAsked]],
  [
    'contacts find --email ada@x.example --format csv --no-header',
    adaRow,
    ['GET /v1/contacts?email=ada%40x.example', organizationsAsked],
  ],
  [
    'organizations list --format csv --bom',
    `\ufeff${organizationHeader}${acmeRow}${otherRow}`,
    ['GET /v1/organizations?first=25&after=0'],
  ],
  ['organizations get o1 --format csv', organizationHeader + acmeRow, ['GET /v1/organizations/o1']],
  ['organizations find --domain w.example --format csv', organizationHeader + otherRow, [organizationsAsked]],
])('%s: every column that an import reads', async (line, out, expected) => {
  const { kith, requests } = await startSpreadsheetService();
  expect(await kith(line)).toEqual({ code: 0, out, err: '' });
  expect(requests().toSorted()).toEqual([...expected, definitionsRequest].toSorted());
});

test.each([
  ['contacts list --format tsv', 'id\tname\temails\tphone_numbers\torganization_id\n'],
  ['contacts list --format ndjson', '{"id":"c1",'],
  ['contacts list --fields id,emails,custom_fields.Tags --format csv', 'id,emails,custom_fields.Tags\r\n'],
  ['contacts get c1 --fields id --format csv', 'id\r\n'],
  ['contacts find --email ada@x.example', 'id\tname\temails\tphone_numbers\torganization_id\n'],
  ['organizations get o1 --format tsv', 'id\tname\tdomains\n'],
  ['contacts create --first-name A --format csv', 'id,name,emails,phone_numbers,organization_id\r\n'],
  ['contacts update c1 --first-name A --format csv', 'id,name,emails,phone_numbers,organization_id\r\n'],
  ['lists list --format csv', 'id,name,kind,'],
])('%s sends no further request', async (line, out) => {
  const { kith, requests } = await startSpreadsheetService();
  expect((await kith(line)).out.slice(0, out.length)).toBe(out);
  expect(requests()).toHaveLength(1);
});

test('organizations are read once, when the first contact has one', async () => {
  const contacts = [alan, ada, alan, ada];
  const { requests, env } = await startTestService(({ url }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://any');
    const [, , noun] = pathname.split('/');
    const lastPage = { end_cursor: 1, has_next_page: false };
    if (noun === 'custom_fields') return sendJson(response, 200, { data: definitions, pagination: lastPage });
    if (noun === 'organizations') return sendJson(response, 200, { data: [acme], pagination: lastPage });
    const offset = Number(searchParams.get('after'));
    const pagination = { end_cursor: offset + 1, has_next_page: offset + 1 < contacts.length };
    sendJson(response, 200, { data: [{ ...contacts[offset], id: `c${offset}` }], pagination });
  });
  const { out } = await createMachine()('contacts list --all --page-size 1 --format csv', { env });
  expect(out.split('\r\n').map((row) => row.split(',')[5])).toEqual([
    ...['organization', '', 'Acme', '', 'Acme'],
    undefined,
  ]);
  const formatContactPage = (index: number) => `/v1/contacts?first=1&after=${index}`;
  // The service sends one record at a time, so an overlapping page has only the last one.
  const formatContactPages = (index: number) => [
    `/v1/contacts?first=2&after=${index - 1}`,
    formatContactPage(index),
  ];
  expect(requests.map(({ url }) => url)).toEqual([
    '/v1/custom_fields?first=1&after=0',
    ...[formatContactPage(0), ...formatContactPages(1)],
    '/v1/organizations?first=1&after=0',
    ...[2, 3].flatMap(formatContactPages),
  ]);
});

test('prints the header of an empty list', async () => {
  const { kith } = await startSpreadsheetService({ '/v1/contacts': { data: [] } });
  expect((await kith('contacts list --all --format csv')).out).toBe(contactHeader);
});

test('prints the id of an organization that is not listed', async () => {
  const { kith } = await startSpreadsheetService({ '/v1/organizations': { data: [other] } });
  expect((await kith('contacts list --fields organization_id --no-header --format csv')).out).toBe(
    'o1\r\n\r\n',
  );
  expect((await kith('contacts list --format csv')).out).toContain(',o1,Chief');
});

test('the spreadsheet of the sample does not depend on the page size', async () => {
  const kith = createDemoMachine();
  const { out } = await kith('contacts list --all --format csv');
  expect(out.split('\r\n').slice(0, 2)).toEqual([
    'id,first_name,last_name,emails,phone_numbers,organization,' +
      'Role,"Language:select:Arabic,Dutch,English,French,German,Japanese,Korean,Portuguese,Spanish",' +
      'Birthday:date,Last visit:datetime,Met by:user:multiple,Good to know:textarea,created_at,updated_at',
    '0rlnky,지우,김,jiwoo.kim@hanbit-cold.example,+821055501234,한빛물류,' +
      'Head of operations,Korean,1988-11-02,2026-11-10T01:00:00.000Z,mina@tidewater.example;kenji@tidewater.example,' +
      'Our very first customer contact. Tests every alarm with a cup of iced coffee.,' +
      '2026-03-03T15:30:00.000Z,2026-04-17T16:00:00.000Z',
  ]);
  expect(out.split('\r\n')).toHaveLength(152);
  expect((await kith('contacts list --all --page-size 7 --format csv')).out).toBe(out);
});
