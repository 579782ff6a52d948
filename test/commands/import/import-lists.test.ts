import { expect, test } from 'vitest';
import { startControlledService } from '../../import/controlled-service.ts';
import { createImportMachine, formatReportRows, type JsonRecord, stripGenerated } from './import-machine.ts';

/** Creates a machine that uses a service with three organizations, two of the same name, and a contact process. */
async function createListMachine() {
  const service = await startControlledService();
  const machine = await createImportMachine({ env: service.env });
  const { sendOk } = service;
  const list = (name: string, entry_type: string) =>
    sendOk<JsonRecord>('POST /v1/lists', {
      name,
      process: true,
      entry_type,
      identifier: name.slice(0, 3).toUpperCase(),
      duplicates_allowed: true,
      statuses: [
        { name: 'Lead', type: 'active' },
        { name: 'Won', type: 'won' },
      ],
      fields: [
        { name: 'Tier', data_type: 'select', accepts_multiple_values: false, options: ['Gold', 'Silver'] },
      ],
    });
  const funnelList = await list('Funnel', 'Contact');
  const deals = await list('Deals', 'Organization');
  const createOrganization = async (name: string, ...domains: string[]) =>
    String((await sendOk<JsonRecord>('POST /v1/organizations', { name, domains })).id);
  const ids = [
    await createOrganization('Twin', 't1.example'),
    await createOrganization('Twin', 't2.example'),
    await createOrganization('Acme', 'acme.example'),
  ];
  const readEntries = async ({ id }: JsonRecord) =>
    (await sendOk<{ data: JsonRecord[] }>(`GET /v1/lists/${id}/entries`)).data.map(stripGenerated);
  service.takeRequests();
  return { ...service, ...machine, funnelList, deals, ids, readEntries };
}

const readOrganizationIds = async (sendOk: Awaited<ReturnType<typeof createListMachine>>['sendOk']) =>
  (await sendOk<{ data: JsonRecord[] }>('GET /v1/contacts')).data.map(
    ({ organization_id }) => organization_id,
  );

test('finds an organization by id, domain or name, creates a new one once, and refuses an ambiguous name', async () => {
  const { importRows, sendOk, ids, readReport } = await createListMachine();
  const [twin1, twin2, acme] = ids;
  const cells = [
    twin1,
    'https://www.t2.example/about',
    'Acme',
    'New Ltd',
    'New Ltd',
    'fresh.example',
    'Twin',
    '',
  ];
  const csv = `email,organization\n${cells.map((cell, index) => `p${index}@x.example,${cell}\n`).join('')}`;
  const { code, err } = await importRows('contacts', csv, '--concurrency 1');
  expect([code, err]).toEqual([
    6,
    expect.stringContaining(`row 8: Several organizations have the name "Twin": ${twin1}, ${twin2}.`),
  ]);
  const { data } = await sendOk<{ data: JsonRecord[] }>('GET /v1/organizations');
  const createdIds = data.slice(3).map(({ id }) => id);
  expect(data.slice(3).map(({ name, domains }) => [name, domains])).toEqual([
    ['New Ltd', []],
    [null, ['fresh.example']],
  ]);
  expect(await readOrganizationIds(sendOk)).toEqual([
    twin1,
    twin2,
    acme,
    createdIds[0],
    createdIds[0],
    createdIds[1],
    null,
  ]);
  expect(formatReportRows(readReport())[6]).toContain('8 refused');
});

test('--organization names the column', async () => {
  const { importRows, sendOk, ids } = await createListMachine();
  expect(
    (await importRows('contacts', 'email,Company\na@x.example,Acme\n', '--organization Company')).code,
  ).toBe(0);
  expect(await readOrganizationIds(sendOk)).toEqual([ids[2]]);
});

test('--organization auto conflicts with --map COLUMN=organization, and has no effect with an organization column', async () => {
  const { importRows, kith } = await createImportMachine();
  for (const dryRun of ['', '--dry-run']) {
    const flags = `--organization auto --map X=organization ${dryRun}`;
    expect(await importRows('contacts', 'email,X\r\na@x.example,Acme\r\n', flags)).toEqual({
      code: 2,
      out: '',
      err: 'kith: Pass --map COLUMN=organization or --organization auto, not both.\n',
    });
  }
  expect((await kith('contacts list --json')).out).toBe('[]\n');
  const csvByName = 'email,organization\r\na@x.example,Acme\r\n';
  expect(await importRows('contacts', csvByName, '--organization auto --strict')).toMatchObject({
    code: 0,
    err: 'kith: The file has an organization column, so --organization auto has no effect.\n',
  });
});

test('--organization auto lets the service choose, for new contacts only', async () => {
  const { importRows, sendOk, ids, takeWrites } = await createListMachine();
  await sendOk('POST /v1/contacts', { first_name: 'Old', emails: ['old@acme.example'] });
  takeWrites();
  expect(
    (await importRows('contacts', 'email\nold@acme.example\nnew@acme.example\n', '--organization auto')).code,
  ).toBe(0);
  expect(takeWrites()).toEqual([
    'POST /v1/contacts {"emails":["new@acme.example"],"organization_id":"auto"}',
  ]);
  expect(await readOrganizationIds(sendOk)).toEqual([null, ids[2]]);
});

test('--list adds each record once; an existing entry keeps its status', async () => {
  const { importRows, sendOk, funnelList, readEntries, takeWrites } = await createListMachine();
  const old = await sendOk<JsonRecord>('POST /v1/contacts', { first_name: 'Old', emails: ['o@x.example'] });
  await sendOk(`POST /v1/lists/${funnelList.id}/entries`, {
    entryable_id: old.id,
    entryable_type: 'Contact',
    status: 'Won',
  });
  const csv = 'email,Level\no@x.example,Gold\nn@x.example,Silver\nn@x.example,\n';
  const flags = '--list Funnel --status LEAD --list-field Level=Tier';
  expect((await importRows('contacts', csv, flags)).out).toContain('1 created, 1 updated, 1 same');
  expect(await readEntries(funnelList)).toMatchObject([
    { status: 'Won', list_fields: { Tier: 'Gold' } },
    { status: 'Lead', list_fields: { Tier: 'Silver' } },
  ]);
  takeWrites();
  expect((await importRows('contacts', csv, flags)).out).toContain('3 same');
  expect(takeWrites()).toEqual([]);
});

test('adds organizations to a list of organizations', async () => {
  const { importRows, deals, readEntries } = await createListMachine();
  expect(
    (await importRows('organizations', 'name,domain\nAcme,acme.example\nNew,new.example\n', '--list Deals'))
      .code,
  ).toBe(0);
  expect(await readEntries(deals)).toHaveLength(2);
});

test.each([
  ['--list Deals', 2, '"Deals" holds organizations, not a contact.'],
  ['--list Nothing', 3, 'Nothing'],
  ['--list Funnel --status Gone', 2, '"Funnel" has no status "Gone".'],
  ['--list Funnel --list-field email=Gone', 2, 'the list has no field "Gone".'],
])('%s is refused', async (flags, code, message) => {
  const { importRows, takeWrites } = await createListMachine();
  expect(await importRows('contacts', 'email\na@x.example\n', flags)).toMatchObject({
    code,
    err: expect.stringContaining(message),
  });
  expect(takeWrites()).toEqual([]);
});

test('refuses a row with an invalid value for a field of the list', async () => {
  const { importRows } = await createListMachine();
  const { code, err } = await importRows(
    'contacts',
    'email,Tier\na@x.example,Lead\n',
    '--list Funnel --list-field Tier=Tier',
  );
  expect([code, err]).toEqual([6, expect.stringContaining('Tier: "Lead" is not one of Gold, Silver.')]);
});

test('matches organizations by domain, then by name, and refuses several matches', async () => {
  const { importRows, sendOk, readReport, takeWrites, ids } = await createListMachine();
  const csv =
    'name,domain\nAcme Inc,www.ACME.example\nTwin,\nTwin,t2.example\nAcme Inc,a2.example\nt1 again,t1.example;t2.example\n,\nnew,not a domain\n';
  expect((await importRows('organizations', csv)).code).toBe(6);
  expect(formatReportRows(readReport())).toEqual([
    '2 update',
    `3 refused Several organizations have the name "Twin": ${ids[0]}, ${ids[1]}.`,
    '4 same',
    '5 create',
    `6 refused Several organizations have the domains "t1.example; t2.example": ${ids[0]}, ${ids[1]}.`,
    '7 create (left out: domain: "not a domain" is not a domain or a URL.)',
  ]);
  const { data } = await sendOk<{ data: JsonRecord[] }>('GET /v1/organizations');
  expect(data.map(({ name, domains }) => [name, domains])).toEqual([
    ['Twin', ['t1.example']],
    ['Twin', ['t2.example']],
    ['Acme Inc', ['acme.example']],
    ['Acme Inc', ['a2.example']],
    ['new', []],
  ]);
  takeWrites();
  await importRows('organizations', csv);
  expect(takeWrites()).toEqual([]);
});

test('imports entries of existing contacts and organizations once, with all values of the row', async () => {
  const { kith, writeTestFile, sendOk, funnelList, deals, readEntries, readReport, takeWrites } =
    await createListMachine();
  await sendOk('POST /v1/contacts', {
    first_name: 'Ada',
    emails: ['a@x.example'],
    phone_numbers: ['+821055501234'],
  });
  const csv = 'phone,status,one_time_value,Tier\n010-5550-1234,WON,1200.50,Gold\n+44 20 7946 0000,Lead,,\n';
  const { code } = await kith(`entries import Funnel ${writeTestFile('sheet.csv', csv)}`);
  expect([code, formatReportRows(readReport())]).toEqual([
    6,
    ['2 create', '3 refused The contact of this row was not found.'],
  ]);
  expect(await readEntries(funnelList)).toMatchObject([
    { status: 'Won', one_time_value_cents: 120050, list_fields: { Tier: 'Gold' } },
  ]);
  takeWrites();
  await kith(`entries import Funnel ${writeTestFile('sheet.csv', csv)}`);
  expect(takeWrites()).toEqual([]);
  const more = 'domain,organization,status,one_time_value\nacme.example,,Won,\n,Twin,Lead,\n,Acme,,100\n';
  expect((await kith(`entries import Deals ${writeTestFile('deals.csv', more)}`)).code).toBe(6);
  expect(formatReportRows(readReport('deals.report.csv')).map((line) => line.slice(0, 9))).toEqual([
    '2 create',
    '3 refused',
    '4 update',
  ]);
  expect(await readEntries(deals)).toMatchObject([{ status: 'Won' }]);
});

test('refuses an unknown status of a process before anything is sent', async () => {
  const { kith, writeTestFile, sendOk, takeWrites } = await createListMachine();
  for (const email of ['a@x.example', 'b@x.example']) await sendOk('POST /v1/contacts', { emails: [email] });
  takeWrites();
  const csvPath = writeTestFile('sheet.csv', 'email,status\na@x.example,Won \nb@x.example,Gone\n');
  const { code, err } = await kith(['entries', 'import', 'Funnel', csvPath, '--strict']);
  expect([code, err, takeWrites()]).toEqual([
    2,
    `kith: ${csvPath}: 1 row refused; nothing was imported: row 3, status: "Gone" is not one of Lead, Won.\n`,
    [],
  ]);
});

test('distinguishes colleagues who share a phone number, and matches a person with two email addresses', async () => {
  const { importRows, sendOk, readReport } = await createListMachine();
  await sendOk('POST /v1/contacts', {
    first_name: 'Ada',
    last_name: 'L',
    emails: ['a@x.example'],
    phone_numbers: ['+821055501234'],
  });
  await importRows(
    'contacts',
    'email,phone,first_name\nb@x.example,+82 10-5550-1234,Bob\na2@x.example,+82 10-5550-1234,ada\n,+82 10-5550-1234,Cy\n',
    '--dry-run',
  );
  await importRows(
    'contacts',
    'email,phone,first_name\na2@x.example,+82 10-5550-1234,ada\nb@x.example,+82 10-5550-1234,Bob\n,+82 10-5550-1234,\n',
  );
  expect(formatReportRows(readReport())).toEqual([
    '2 update',
    '3 create',
    expect.stringMatching(/^4 refused Several contacts have its phone numbers: \w+, row 3\.$/),
  ]);
});

test('accepts an assignee for entries of a list, but no column of a process', async () => {
  const { kith, writeTestFile, sendOk } = await createListMachine();
  await sendOk('POST /v1/contacts', { first_name: 'Ada', emails: ['ada@x.example'] });
  const { id } = await sendOk<JsonRecord>('POST /v1/lists', {
    name: 'News',
    process: false,
    entry_type: 'Contact',
  });
  const importEntries = (csv: string, flags = '') =>
    kith(`entries import News ${writeTestFile('sheet.csv', csv)} ${flags}`);
  expect((await importEntries('email,assignee\nada@x.example,me@x.example\n')).code).toBe(0);
  expect(await sendOk(`GET /v1/lists/${id}/entries`)).toMatchObject({
    data: [{ assignee: { email: 'me@x.example' } }],
  });
  expect((await importEntries('email,assignee\nada@x.example,me@x.example\n')).out).toContain('1 same');
  expect((await importEntries('email,status\nada@x.example,Won\n', '--strict-columns')).code).toBe(2);
  expect((await importEntries('email,status\nada@x.example,Won\n')).err).toContain(
    'Skipped 1 column without a field: status',
  );
});
