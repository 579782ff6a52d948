import { expect } from 'vitest';
import type { Contact } from '../../../src/contract/contacts.ts';
import type { Entry } from '../../../src/contract/entries.ts';
import type { Page } from '../../../src/contract/grammar.ts';
import type { List } from '../../../src/contract/lists.ts';
import type { Organization } from '../../../src/contract/organizations.ts';
import { createAdaWorkspace } from '../ada-workspace.ts';
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

const empty = {
  id: anyId,
  first_name: null,
  last_name: null,
  emails: [],
  phone_numbers: [],
  organization_id: null,
  custom_fields: {},
  ...startTimes,
};

test.each([
  [{ first_name: 'Ada' }, { first_name: 'Ada' }],
  [{ emails: ['ada@example.com'] }, { emails: ['ada@example.com'] }],
  [{ first_name: 'Ada', last_name: null, organization_id: null, emails: [] }, { first_name: 'Ada' }],
  [{ first_name: '  ', emails: ['a@example.com'] }, { emails: ['a@example.com'] }],
  [
    { emails: [' Ada@Example.com ', 'ada@example.COM', 'b@example.com'] },
    { emails: ['Ada@Example.com', 'b@example.com'] },
  ],
  [
    { emails: ['taro..y@docomo.ne.jp', 'x.@docomo.ne.jp'] },
    { emails: ['taro..y@docomo.ne.jp', 'x.@docomo.ne.jp'] },
  ],
  [{ emails: ['김지우@한빛.한국', "o'neil+x@a-b.co"] }, { emails: ['김지우@한빛.한국', "o'neil+x@a-b.co"] }],
  [
    { first_name: 'A', phone_numbers: ['(415) 555-0100', '+1 415 555 0100', '+82 10-5550-1234'] },
    { first_name: 'A', phone_numbers: ['+14155550100', '+821055501234'] },
  ],
])('POST %j returns the whole record', async (body, expected) => {
  const { call, sendOk } = await openTestWorkspace();
  const response = await call('POST /v1/contacts', body);
  const record = { ...empty, ...expected };
  const { id } = response.body as Contact;
  expect(response).toEqual({ status: 201, headers: { location: `/v1/contacts/${id}` }, body: record });
  expect(await sendOk(`GET /v1/contacts/${id}`)).toEqual(record);
});

test.each([
  [{}, ['#/first_name required']],
  [{ last_name: 'Lovelace' }, ['#/first_name required']],
  [{ first_name: ' ' }, ['#/first_name required']],
  [{ first_name: null, emails: [] }, ['#/first_name required']],
  [{ emails: ['good@example.com', 'bad'] }, ['#/emails/1 value']],
  [{ first_name: 'A', emails: ['a@b', '.a@b.co', 'a b@c.co', 'a@@b.co', '@b.co', 'a@-b.co', ''] }, 'emails'],
  [{ first_name: 'A', emails: ['TAKEN@example.com'] }, ['#/emails/0 taken']],
  [{ first_name: 'A', phone_numbers: ['+14155550100', 'call me', '12', ''] }, 'phones'],
  [{ first_name: 'A', organization_id: unknownId }, ['#/organization_id not_found']],
  [{ first_name: 'A', organization_id: '' }, ['#/organization_id not_found']],
  [{ first_name: 'A', organization_id: 'auto' }, ['#/organization_id value']],
  [{ first_name: 'A', custom_fields: [{ name: 'None', value: 1 }] }, ['#/custom_fields/0/name unknown']],
  [
    { emails: ['bad', 5], phone_numbers: 'x', nick: 'A', organization_id: unknownId },
    [
      '#/emails/1 type',
      '#/phone_numbers type',
      '#/nick unknown',
      '#/emails/0 value',
      '#/organization_id not_found',
    ],
  ],
])('POST %j returns every error', async (body, expected) => {
  const { call, findFieldErrors, sendOk } = await openTestWorkspace();
  await call('POST /v1/contacts', { emails: ['taken@example.com'] });
  const wanted = {
    emails: [0, 1, 2, 3, 4, 5, 6].map((index) => `#/emails/${index} value`),
    phones: [1, 2, 3].map((index) => `#/phone_numbers/${index} value`),
  };
  expect(await findFieldErrors('POST /v1/contacts', body)).toEqual(
    expected === 'emails' || expected === 'phones' ? wanted[expected] : expected,
  );
  expect((await sendOk<Page<Contact>>('GET /v1/contacts')).pagination.total_count).toBe(1);
});

test.each([
  ['ada@acme.example', 'the organization that has the domain', 'Acme', ['acme.example']],
  ['ada@WWW.Acme.example', 'the same under www', 'Acme', ['acme.example']],
  ['ada@mail.acme.example', 'another organization for a subdomain', null, ['mail.acme.example']],
  ['ada@new.example', 'a new organization', null, ['new.example']],
  ['ada@bücher.example', 'a new organization with punycode', null, ['xn--bcher-kva.example']],
])('auto for %s assigns %s', async (email, _, name, domains) => {
  const { sendOk } = await openTestWorkspace();
  await sendOk('POST /v1/organizations', { name: 'Acme', domains: ['acme.example'] });
  const contact = await sendOk<Contact>('POST /v1/contacts', {
    organization_id: 'auto',
    emails: [email, 'second@other.example'],
  });
  expect(await sendOk(`GET /v1/organizations/${contact.organization_id}`)).toEqual({
    id: contact.organization_id,
    name,
    domains,
    custom_fields: {},
    ...startTimes,
  });
});

test.each(['gmail.com', 'GMAIL.com', 'naver.com', 'yahoo.co.jp', 'outlook.com'])(
  'auto never creates an organization for %s',
  async (host) => {
    const { sendOk } = await openTestWorkspace();
    const contact = await sendOk<Contact>('POST /v1/contacts', {
      organization_id: 'auto',
      emails: [`a@${host}`],
    });
    expect([contact.organization_id, await sendOk('GET /v1/organizations')]).toEqual([null, createPage([])]);
  },
);

test('auto assigns an existing organization whose domain is a public mail host', async () => {
  const { sendOk } = await openTestWorkspace();
  const google = await sendOk<Organization>('POST /v1/organizations', {
    name: 'Mail',
    domains: ['gmail.com'],
  });
  const body = { organization_id: 'auto', emails: ['a@gmail.com'] };
  expect((await sendOk<Contact>('POST /v1/contacts', body)).organization_id).toBe(google.id);
});

test('auto creates no organization if the contact has errors', async () => {
  const { findFieldErrors, sendOk } = await openTestWorkspace();
  const body = { organization_id: 'auto', emails: ['a@new.example'], phone_numbers: ['x'] };
  expect(await findFieldErrors('POST /v1/contacts', body)).toEqual(['#/phone_numbers/0 value']);
  expect(await sendOk('GET /v1/organizations')).toEqual(createPage([]));
});

test.each([
  [{ first_name: 'Augusta' }, { first_name: 'Augusta' }],
  [{ last_name: 'King' }, { last_name: 'King' }],
  [
    { first_name: null, last_name: null, organization_id: null },
    { first_name: null, last_name: null, organization_id: null },
  ],
  [{ first_name: '' }, { first_name: null }],
  [
    { emails: ['third@example.com', 'ADA@example.com'] },
    { emails: ['ada@example.com', 'second@example.com', 'third@example.com'] },
  ],
  [{ phone_numbers: ['+821055501234'] }, { phone_numbers: ['+821055501234'] }],
  [{ phone_numbers: [] }, { phone_numbers: [] }],
])('PATCH %j changes only the fields that it names', async (body, changes) => {
  const { call, contact, path } = await createAdaWorkspace();
  const record = { ...contact, ...changes, updated_at: laterTime };
  expect(await call(`PATCH ${path}`, body)).toEqual({ status: 200, headers: {}, body: record });
  expect((await call(`GET ${path}`)).body).toEqual(record);
});

test('PATCH moves a contact to another organization', async () => {
  const { sendOk, contact, path } = await createAdaWorkspace();
  const { id } = await sendOk<Organization>('POST /v1/organizations', { name: 'Other' });
  expect(await sendOk(`PATCH ${path}`, { organization_id: id })).toEqual({
    ...contact,
    organization_id: id,
    updated_at: laterTime,
  });
});

test.each([
  [{ emails: null }, ['#/emails type']],
  [{ phone_numbers: null }, ['#/phone_numbers type']],
  [{ custom_fields: null }, ['#/custom_fields type']],
  [{ organization_id: 'auto' }, ['#/organization_id value']],
  [{ organization_id: unknownId }, ['#/organization_id not_found']],
  [{ emails: ['grace@example.com'] }, ['#/emails/0 taken']],
  [{ emails: ['new@example.com', 'bad'], first_name: 'X' }, ['#/emails/1 value']],
  [{ id: 'abcdef', created_at: startTime }, ['#/id unknown', '#/created_at unknown']],
])('PATCH %j is rejected and changes nothing', async (body, expected) => {
  const { findFieldErrors, sendOk, contact, path } = await createAdaWorkspace();
  await sendOk('POST /v1/contacts', { emails: ['grace@example.com'] });
  expect(await findFieldErrors(`PATCH ${path}`, body)).toEqual(expected);
  expect(await sendOk(`GET ${path}`)).toEqual(contact);
});

test.each([
  [
    'the first name of one without email',
    { first_name: 'A' },
    'PATCH',
    '',
    { first_name: null },
    'first_name',
  ],
  [
    'the first name by a blank',
    { first_name: 'A', last_name: 'B' },
    'PATCH',
    '',
    { first_name: ' ' },
    'first_name',
  ],
  [
    'the last email of one without first name',
    { emails: ['a@b.co'] },
    'DELETE',
    '/emails',
    { emails: ['A@b.co'] },
    'emails',
  ],
])('an update may not take %s', async (_, operation, method, rest, body, name) => {
  const { sendOk, findFieldErrors } = await openTestWorkspace();
  const contact = await sendOk<Contact>('POST /v1/contacts', operation);
  const path = `/v1/contacts/${contact.id}`;
  expect(await findFieldErrors(`${method} ${path}${rest}`, body)).toEqual([`#/${name} required`]);
  expect(await sendOk(`GET ${path}`)).toEqual(contact);
});

test.each([
  [['SECOND@example.com '], ['ada@example.com'], laterTime],
  [['ada@example.com', 'second@example.com'], [], laterTime],
  [['never@example.com', 'ada@example.com'], ['second@example.com'], laterTime],
  [['never@example.com'], ['ada@example.com', 'second@example.com'], startTime],
  [['no address'], ['ada@example.com', 'second@example.com'], startTime],
  [[], ['ada@example.com', 'second@example.com'], startTime],
])('removing the emails %j keeps %j', async (emails, remaining, updated_at) => {
  const { call, contact, path } = await createAdaWorkspace();
  expect(await call(`DELETE ${path}/emails`, { emails })).toEqual({
    status: 200,
    headers: {},
    body: { ...contact, emails: remaining, updated_at },
  });
});

test.each([
  [{}, ['#/emails required']],
  [{ emails: 'ada@example.com' }, ['#/emails type']],
  [{ emails: ['ada@example.com', 5] }, ['#/emails/1 type']],
  [{ emails: ['ada@example.com'], all: true }, ['#/all unknown']],
])('removing emails with %j is rejected completely', async (body, expected) => {
  const { findFieldErrors, sendOk, contact, path } = await createAdaWorkspace();
  expect(await findFieldErrors(`DELETE ${path}/emails`, body)).toEqual(expected);
  expect(await sendOk(`GET ${path}`)).toEqual(contact);
});

test('accepts a removed email address for another contact', async () => {
  const { sendOk, path } = await createAdaWorkspace();
  await sendOk(`DELETE ${path}/emails`, { emails: ['ada@example.com'] });
  const other = await sendOk<Contact>('POST /v1/contacts', { emails: ['ada@example.com'] });
  expect(await sendOk('GET /v1/contacts?email=ada@example.com')).toEqual(createPage([other]));
});

test('deletes the entries of a deleted contact and clears contact_id of other entries', async () => {
  const { call, sendOk, contact, path } = await createAdaWorkspace();
  const list = await sendOk<List>('POST /v1/lists', { name: 'P', process: false, entry_type: 'Contact' });
  const firms = await sendOk<List>('POST /v1/lists', {
    name: 'F',
    process: false,
    entry_type: 'Organization',
  });
  await sendOk(`POST /v1/lists/${list.id}/entries`, {
    entryable_id: contact.id,
    entryable_type: 'Contact',
  });
  const keptEntry = await sendOk<Entry>(`POST /v1/lists/${firms.id}/entries`, {
    entryable_id: contact.organization_id,
    entryable_type: 'Organization',
    contact_id: contact.id,
  });
  expect(keptEntry.contact_id).toBe(contact.id);
  expect(await call(`DELETE ${path}`)).toEqual({ status: 204, headers: {}, body: undefined });
  expect((await call(`GET ${path}`)).status).toBe(404);
  expect(await sendOk('GET /v1/contacts')).toEqual(createPage([]));
  expect(await sendOk(`GET /v1/lists/${list.id}/entries`)).toEqual(createPage([]));
  expect(await sendOk(`GET /v1/lists/${firms.id}/entries`)).toEqual(
    createPage([{ ...keptEntry, contact_id: null }]),
  );
  expect(await sendOk('GET /v1/contacts?email=ada@example.com')).toEqual(createPage([]));
});

test('never reuses the id of a deleted contact', async () => {
  const { sendOk, contact, path } = await createAdaWorkspace();
  await sendOk(`DELETE ${path}`);
  expect((await sendOk<Contact>('POST /v1/contacts', { first_name: 'New' })).id).not.toBe(contact.id);
});

test('finds contacts with distant ids, each with its own values', async () => {
  const { sendOk } = await openTestWorkspace();
  const created: Contact[] = [];
  for (let index = 0; index < 30; index += 1) {
    const phone_numbers = index % 14 === 0 ? ['+14155550100', `+141555501${10 + index}`] : ['+14155550199'];
    const emails = [`b${index}@a.example`, `a${index}@a.example`];
    const body = { first_name: `N${index}`, emails, phone_numbers };
    created.push(await sendOk<Contact>('POST /v1/contacts', body));
  }
  const contacts = await sendOk('GET /v1/contacts?phone_number=%2B14155550100');
  expect(contacts).toEqual(createPage(created.filter((_, index) => index % 14 === 0)));
  expect(await sendOk('GET /v1/contacts?first=30')).toEqual(createPage(created));
});
