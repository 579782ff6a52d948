import { expect, test } from 'vitest';
import type { Contact } from '../../../src/contract/contacts.ts';
import type { Page } from '../../../src/contract/grammar.ts';
import type { List } from '../../../src/contract/lists.ts';
import type { Organization } from '../../../src/contract/organizations.ts';
import { anId, fresh, later, noId, start, wholePage, workspace } from '../service.ts';

const empty = { id: anId, name: null, domains: [], custom_fields: {}, ...fresh };

test.each([
  [{ name: 'Acme' }, { name: 'Acme' }],
  [{ name: '한빛물류', domains: [] }, { name: '한빛물류' }],
  [{ domains: ['acme.example'] }, { domains: ['acme.example'] }],
  [{ name: ' ', domains: ['acme.example'] }, { domains: ['acme.example'] }],
  [
    { name: 'Acme', domains: ['https://www.Acme.example/about?x=1', 'acme.example', 'b.example'] },
    { name: 'Acme', domains: ['acme.example', 'b.example'] },
  ],
])('POST %j returns the whole record', async (body, shown) => {
  const { call, give } = workspace();
  const answer = await call('POST /v1/organizations', body);
  const record = { ...empty, ...shown };
  const { id } = answer.body as Organization;
  expect(answer).toEqual({ status: 201, headers: { location: `/v1/organizations/${id}` }, body: record });
  expect(await give(`GET /v1/organizations/${id}`)).toEqual(record);
});

test.each([
  ['acme.example', 'acme.example'],
  [' ACME.example ', 'acme.example'],
  ['www.acme.example', 'acme.example'],
  ['WWW.acme.example', 'acme.example'],
  ['http://acme.example', 'acme.example'],
  ['HTTPS://www.acme.example:8443/a/b?c#d', 'acme.example'],
  ['acme.example/contact', 'acme.example'],
  ['acme.example.', 'acme.example'],
  ['mail.acme.example', 'mail.acme.example'],
  ['https://bücher.example', 'xn--bcher-kva.example'],
  ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ['한빛.한국', 'xn--xx3br43b.xn--3e0b707e'],
  ['localhost', null],
  ['127.0.0.1', null],
  ['http://[::1]/', null],
  ['ftp://acme.example', null],
  ['mailto:a@acme.example', null],
  ['a@acme.example', null],
  ['acme example', null],
  ['-.example', null],
  ['', null],
])('stores the domain "%s" as %j', async (given, domain) => {
  const { call, faults } = workspace();
  const body = { name: 'A', domains: [given] };
  if (domain === null) expect(await faults('POST /v1/organizations', body)).toEqual(['#/domains/0 value']);
  else
    expect((await call('POST /v1/organizations', body)).body).toEqual({
      ...empty,
      name: 'A',
      domains: [domain],
    });
});

test.each([
  [{}, ['#/name required']],
  [{ name: '' }, ['#/name required']],
  [{ domains: [] }, ['#/name required']],
  [{ name: null }, ['#/name type']],
  [{ domains: ['good.example', 'bad'] }, ['#/domains/1 value']],
  [{ domains: ['https://www.TAKEN.example/'] }, ['#/domains/0 taken']],
  [{ name: 'A', domains: 'a.example' }, ['#/domains type']],
  [{ name: 'A', custom_fields: [{ name: 'None', value: 1 }] }, ['#/custom_fields/0/name unknown']],
  [
    { name: 7, domains: ['x', null], size: 3 },
    ['#/name type', '#/domains/1 type', '#/size unknown', '#/domains/0 value'],
  ],
])('POST %j returns every error', async (body, expected) => {
  const { faults, give } = workspace();
  await give('POST /v1/organizations', { domains: ['taken.example'] });
  expect(await faults('POST /v1/organizations', body)).toEqual(expected);
  expect((await give<Page<Organization>>('GET /v1/organizations')).pagination.total_count).toBe(1);
});

/** Acme with two domains, and a clock that went on since. */
async function acme() {
  const made = workspace();
  const body = { name: 'Acme', domains: ['acme.example', 'acme.test.example'] };
  const organization = await made.give<Organization>('POST /v1/organizations', body);
  made.clock.time = later;
  return { ...made, organization, path: `/v1/organizations/${organization.id}` };
}

test.each([
  [{ name: 'Acme Ltd' }, { name: 'Acme Ltd' }],
  [
    { domains: ['https://new.example', 'ACME.example'] },
    { domains: ['acme.example', 'acme.test.example', 'new.example'] },
  ],
  [{ name: '' }, { name: null }],
])('PATCH %j changes only the fields that it names', async (body, changed) => {
  const { call, organization, path } = await acme();
  const record = { ...organization, ...changed, updated_at: later };
  expect(await call(`PATCH ${path}`, body)).toEqual({ status: 200, headers: {}, body: record });
  expect((await call(`GET ${path}`)).body).toEqual(record);
});

test.each([
  [{ name: null }, ['#/name type']],
  [{ domains: null }, ['#/domains type']],
  [{ domains: ['other.example'], name: 'X' }, ['#/domains/0 taken']],
  [{ domains: ['new.example', 'bad'] }, ['#/domains/1 value']],
])('PATCH %j is rejected and changes nothing', async (body, expected) => {
  const { faults, give, organization, path } = await acme();
  await give('POST /v1/organizations', { domains: ['other.example'] });
  expect(await faults(`PATCH ${path}`, body)).toEqual(expected);
  expect(await give(`GET ${path}`)).toEqual(organization);
});

test.each([
  [['https://www.ACME.example/'], ['acme.test.example'], later],
  [['acme.example', 'acme.test.example'], [], later],
  [['never.example'], ['acme.example', 'acme.test.example'], start],
  [['no domain'], ['acme.example', 'acme.test.example'], start],
  [[], ['acme.example', 'acme.test.example'], start],
])('removing the domains %j keeps %j', async (domains, left, updated_at) => {
  const { call, organization, path } = await acme();
  expect(await call(`DELETE ${path}/domains`, { domains })).toEqual({
    status: 200,
    headers: {},
    body: { ...organization, domains: left, updated_at },
  });
});

test.each([
  ['the name of one without domain', { name: 'A' }, 'PATCH', '', { name: ' ' }, 'name'],
  [
    'the last domain of one without name',
    { domains: ['a.example'] },
    'DELETE',
    '/domains',
    { domains: ['a.example'] },
    'domains',
  ],
])('an update may not take %s', async (_, made, method, rest, body, name) => {
  const { faults, give } = workspace();
  const organization = await give<Organization>('POST /v1/organizations', made);
  const path = `/v1/organizations/${organization.id}`;
  expect(await faults(`${method} ${path}${rest}`, body)).toEqual([`#/${name} required`]);
  expect(await give(`GET ${path}`)).toEqual(organization);
});

test.each([
  [{}, ['#/domains required']],
  [{ domains: null }, ['#/domains type']],
  [{ domains: ['acme.example', 1] }, ['#/domains/1 type']],
])('removing domains with %j is rejected completely', async (body, expected) => {
  const { faults, give, organization, path } = await acme();
  expect(await faults(`DELETE ${path}/domains`, body)).toEqual(expected);
  expect(await give(`GET ${path}`)).toEqual(organization);
});

test('deletes the notes and entries of a deleted organization and unlinks its contacts', async () => {
  const { call, give, organization, path } = await acme();
  const { id } = organization;
  const contact = await give<Contact>('POST /v1/contacts', { first_name: 'Ada', organization_id: id });
  const list = await give<List>('POST /v1/lists', { name: 'F', process: false, entry_type: 'Organization' });
  await give(`POST /v1/lists/${list.id}/entries`, { entryable_id: id, entryable_type: 'Organization' });
  await give('POST /v1/notes', { organization_id: id, body: 'Called.' });
  expect(await call(`DELETE ${path}`)).toEqual({ status: 204, headers: {}, body: undefined });
  expect((await call(`GET ${path}`)).status).toBe(404);
  expect(await give('GET /v1/organizations')).toEqual(wholePage([]));
  expect(await give('GET /v1/notes')).toEqual(wholePage([]));
  expect(await give(`GET /v1/lists/${list.id}/entries`)).toEqual(wholePage([]));
  expect(await give('GET /v1/contacts')).toEqual(wholePage([{ ...contact, organization_id: null }]));
  expect(await give('POST /v1/organizations', { domains: ['acme.example'] })).toEqual({
    ...empty,
    domains: ['acme.example'],
    created_at: later,
    updated_at: later,
  });
});

test('responds with 404 to every request with an unknown id', async () => {
  const { call } = workspace();
  const lines = ['GET', 'PATCH', 'DELETE'].map((method) => `${method} /v1/organizations/${noId}`);
  const answers = await Promise.all(
    lines.map((line) => call(line, line.startsWith('PATCH') ? {} : undefined)),
  );
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
});

test('the error for a taken domain contains the phrases that clients search for', async () => {
  const { call, organization, path } = await acme();
  const body = { name: 'Other', domains: ['acme.example'] };
  const message = `The domain "acme.example" has already been taken: ${organization.id} has the same organization domain.`;
  expect(await call('POST /v1/organizations', body)).toMatchObject({
    status: 422,
    body: { detail: message, errors: [{ pointer: '#/domains/0', code: 'taken', message }] },
  });
  expect((await call(`GET ${path}`)).body).toEqual(organization);
});
