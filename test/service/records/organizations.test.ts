import { expect } from 'vitest';
import type { Contact } from '../../../src/contract/contacts.ts';
import type { Page } from '../../../src/contract/grammar.ts';
import type { List } from '../../../src/contract/lists.ts';
import type { Organization } from '../../../src/contract/organizations.ts';
import { test } from '../engines.ts';
import {
  anyId,
  createPage,
  laterTime,
  openTestWorkspace,
  startTime,
  startTimes,
  unknownId,
} from '../service.ts';

const empty = { id: anyId, name: null, domains: [], custom_fields: {}, ...startTimes };

test.each([
  [{ name: 'Acme' }, { name: 'Acme' }],
  [{ name: '한빛물류', domains: [] }, { name: '한빛물류' }],
  [{ domains: ['acme.example'] }, { domains: ['acme.example'] }],
  [{ name: ' ', domains: ['acme.example'] }, { domains: ['acme.example'] }],
  [
    { name: 'Acme', domains: ['https://www.Acme.example/about?x=1', 'acme.example', 'b.example'] },
    { name: 'Acme', domains: ['acme.example', 'b.example'] },
  ],
])('POST %j returns the whole record', async (body, expected) => {
  const { call, sendOk } = await openTestWorkspace();
  const response = await call('POST /v1/organizations', body);
  const record = { ...empty, ...expected };
  const { id } = response.body as Organization;
  expect(response).toEqual({ status: 201, headers: { location: `/v1/organizations/${id}` }, body: record });
  expect(await sendOk(`GET /v1/organizations/${id}`)).toEqual(record);
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
])('stores the domain "%s" as %j', async (input, domain) => {
  const { call, findFieldErrors } = await openTestWorkspace();
  const body = { name: 'A', domains: [input] };
  if (domain === null)
    expect(await findFieldErrors('POST /v1/organizations', body)).toEqual(['#/domains/0 value']);
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
  const { findFieldErrors, sendOk } = await openTestWorkspace();
  await sendOk('POST /v1/organizations', { domains: ['taken.example'] });
  expect(await findFieldErrors('POST /v1/organizations', body)).toEqual(expected);
  expect((await sendOk<Page<Organization>>('GET /v1/organizations')).pagination.total_count).toBe(1);
});

/** Acme with two domains, and a later clock. */
async function acme() {
  const created = await openTestWorkspace();
  const body = { name: 'Acme', domains: ['acme.example', 'acme.test.example'] };
  const organization = await created.sendOk<Organization>('POST /v1/organizations', body);
  created.clock.time = laterTime;
  return { ...created, organization, path: `/v1/organizations/${organization.id}` };
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
  const record = { ...organization, ...changed, updated_at: laterTime };
  expect(await call(`PATCH ${path}`, body)).toEqual({ status: 200, headers: {}, body: record });
  expect((await call(`GET ${path}`)).body).toEqual(record);
});

test.each([
  [{ name: null }, ['#/name type']],
  [{ domains: null }, ['#/domains type']],
  [{ domains: ['other.example'], name: 'X' }, ['#/domains/0 taken']],
  [{ domains: ['new.example', 'bad'] }, ['#/domains/1 value']],
])('PATCH %j is rejected and changes nothing', async (body, expected) => {
  const { findFieldErrors, sendOk, organization, path } = await acme();
  await sendOk('POST /v1/organizations', { domains: ['other.example'] });
  expect(await findFieldErrors(`PATCH ${path}`, body)).toEqual(expected);
  expect(await sendOk(`GET ${path}`)).toEqual(organization);
});

test.each([
  [['https://www.ACME.example/'], ['acme.test.example'], laterTime],
  [['acme.example', 'acme.test.example'], [], laterTime],
  [['never.example'], ['acme.example', 'acme.test.example'], startTime],
  [['no domain'], ['acme.example', 'acme.test.example'], startTime],
  [[], ['acme.example', 'acme.test.example'], startTime],
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
])('an update may not take %s', async (_, created, method, rest, body, name) => {
  const { findFieldErrors, sendOk } = await openTestWorkspace();
  const organization = await sendOk<Organization>('POST /v1/organizations', created);
  const path = `/v1/organizations/${organization.id}`;
  expect(await findFieldErrors(`${method} ${path}${rest}`, body)).toEqual([`#/${name} required`]);
  expect(await sendOk(`GET ${path}`)).toEqual(organization);
});

test.each([
  [{}, ['#/domains required']],
  [{ domains: null }, ['#/domains type']],
  [{ domains: ['acme.example', 1] }, ['#/domains/1 type']],
])('removing domains with %j is rejected completely', async (body, expected) => {
  const { findFieldErrors, sendOk, organization, path } = await acme();
  expect(await findFieldErrors(`DELETE ${path}/domains`, body)).toEqual(expected);
  expect(await sendOk(`GET ${path}`)).toEqual(organization);
});

test('deletes the notes and entries of a deleted organization and unlinks its contacts', async () => {
  const { call, sendOk, organization, path } = await acme();
  const { id } = organization;
  const contact = await sendOk<Contact>('POST /v1/contacts', { first_name: 'Ada', organization_id: id });
  const list = await sendOk<List>('POST /v1/lists', {
    name: 'F',
    process: false,
    entry_type: 'Organization',
  });
  await sendOk(`POST /v1/lists/${list.id}/entries`, { entryable_id: id, entryable_type: 'Organization' });
  await sendOk('POST /v1/notes', { organization_id: id, body: 'Called.' });
  expect(await call(`DELETE ${path}`)).toEqual({ status: 204, headers: {}, body: undefined });
  expect((await call(`GET ${path}`)).status).toBe(404);
  expect(await sendOk('GET /v1/organizations')).toEqual(createPage([]));
  expect(await sendOk('GET /v1/notes')).toEqual(createPage([]));
  expect(await sendOk(`GET /v1/lists/${list.id}/entries`)).toEqual(createPage([]));
  expect(await sendOk('GET /v1/contacts')).toEqual(createPage([{ ...contact, organization_id: null }]));
  expect(await sendOk('POST /v1/organizations', { domains: ['acme.example'] })).toEqual({
    ...empty,
    domains: ['acme.example'],
    created_at: laterTime,
    updated_at: laterTime,
  });
});

test('responds with 404 to every request with an unknown id', async () => {
  const { call } = await openTestWorkspace();
  const lines = ['GET', 'PATCH', 'DELETE'].map((method) => `${method} /v1/organizations/${unknownId}`);
  const responses = await Promise.all(
    lines.map((line) => call(line, line.startsWith('PATCH') ? {} : undefined)),
  );
  expect(responses.map(({ status }) => status)).toEqual([404, 404, 404]);
});

test('the error for a taken domain contains the phrases that clients search for', async () => {
  const { call, organization, path } = await acme();
  const body = { name: 'Other', domains: ['acme.example'] };
  const message = `The domain "acme.example" has already been taken: ${organization.id} has the same organization domain.`;
  expect(await call('POST /v1/organizations', body)).toMatchObject({
    status: 422,
    body: {
      detail: message,
      errors: [{ pointer: '#/domains/0', code: 'taken', message, id: organization.id }],
    },
  });
  expect((await call(`GET ${path}`)).body).toEqual(organization);
});
