import { expect } from 'vitest';
import type { Contact } from '../../../src/contract/contacts.ts';
import { createAdaWorkspace } from '../ada-workspace.ts';
import { test } from '../engines.ts';
import { createPage, openTestWorkspace } from '../service.ts';

test.each([
  ['ada@example.com', true],
  ['ADA@Example.COM', true],
  ['%20ada@example.com%20', true],
  ['second@example.com', true],
  ['ada@example', false],
  ['', false],
  ['no address', false],
])('looking up the email "%s" finds a contact: %s', async (email, found) => {
  const { sendOk, contact } = await createAdaWorkspace();
  expect(await sendOk(`GET /v1/contacts?email=${email}`)).toEqual(createPage(found ? [contact] : []));
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
  const { sendOk, contact } = await createAdaWorkspace();
  const grace = await sendOk<Contact>('POST /v1/contacts', {
    emails: ['grace@example.com'],
    phone_numbers: ['+14155550100'],
  });
  const both = 'GET /v1/contacts?phone_number=4155550100&email=';
  expect(await sendOk(`${both}grace@example.com`)).toEqual(createPage([grace]));
  expect(await sendOk(`${both}ada@example.com`)).toEqual(createPage([contact]));
  expect(await sendOk(`${both}nobody@example.com`)).toEqual(createPage([]));
});
