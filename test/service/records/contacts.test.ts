import { expect } from 'vitest';
import type { Contact } from '../../../src/contract/contacts.ts';
import type { Organization } from '../../../src/contract/organizations.ts';
import { createPage } from '../../client/loopback.ts';
import { test } from '../engines.ts';
import { openWithRecord } from '../nouns.ts';
import { openTestWorkspace, startTimes } from '../service.ts';

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

test('auto never creates an organization for a public mail host, but assigns one that has its domain', async () => {
  const { sendOk } = await openTestWorkspace();
  const assign = async (host: string) => {
    const body = { organization_id: 'auto', emails: [`a@${host}`] };
    return (await sendOk<Contact>('POST /v1/contacts', body)).organization_id;
  };
  for (const host of ['GMAIL.com', 'naver.com', 'yahoo.co.jp', 'outlook.com'])
    expect([host, await assign(host)]).toEqual([host, null]);
  expect(await sendOk('GET /v1/organizations')).toEqual(createPage([]));
  const google = { name: 'Mail', domains: ['naver.com'] };
  const { id } = await sendOk<Organization>('POST /v1/organizations', google);
  const body = { organization_id: 'auto', emails: ['b@naver.com'] };
  expect((await sendOk<Contact>('POST /v1/contacts', body)).organization_id).toBe(id);
});

test('auto creates no organization if the contact has errors', async () => {
  const { findFieldErrors, sendOk } = await openTestWorkspace();
  const body = { organization_id: 'auto', emails: ['a@new.example'], phone_numbers: ['x'] };
  expect(await findFieldErrors('POST /v1/contacts', body)).toEqual(['#/phone_numbers/0 value']);
  expect(await sendOk('GET /v1/organizations')).toEqual(createPage([]));
});

test('finds a contact by each of its email addresses, in any letters', async () => {
  const { sendOk, record } = await openWithRecord('contact');
  const find = (email: string) => sendOk(`GET /v1/contacts?email=${email}`);
  for (const email of ['ada@example.com', 'ADA@Example.COM', '%20ada@example.com%20', 'second@example.com'])
    expect([email, await find(email)]).toEqual([email, createPage([record])]);
  for (const email of ['ada@example', '', 'no address'])
    expect([email, await find(email)]).toEqual([email, createPage([])]);
});

test('pages a lookup like any list', async () => {
  const { sendOk } = await openTestWorkspace();
  const numbers = ['A', 'B', 'C'].map((first_name) => ({ first_name, phone_numbers: ['+14155550100'] }));
  const contacts: Contact[] = [];
  for (const body of numbers) contacts.push(await sendOk<Contact>('POST /v1/contacts', body));
  const lookup = 'GET /v1/contacts?phone_number=4155550100';
  expect(await sendOk(lookup)).toEqual(createPage(contacts));
  expect(await sendOk(`${lookup}&first=1&after=1`)).toEqual({
    data: [contacts[1]],
    pagination: { end_cursor: 2, has_next_page: true, total_count: 3 },
  });
});

test('a lookup by email and phone number returns contacts that have both', async () => {
  const { sendOk, record } = await openWithRecord('contact');
  const grace = await sendOk<Contact>('POST /v1/contacts', {
    emails: ['grace@example.com'],
    phone_numbers: ['+14155550100'],
  });
  const both = 'GET /v1/contacts?phone_number=4155550100&email=';
  expect(await sendOk(`${both}grace@example.com`)).toEqual(createPage([grace]));
  expect(await sendOk(`${both}ada@example.com`)).toEqual(createPage([record]));
  expect(await sendOk(`${both}nobody@example.com`)).toEqual(createPage([]));
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
