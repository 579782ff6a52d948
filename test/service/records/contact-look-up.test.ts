import { expect, test } from 'vitest';
import type { Contact } from '../../../src/contract/contacts.ts';
import { ada } from '../ada.ts';
import { wholePage, workspace } from '../service.ts';

test.each([
  ['ada@example.com', true],
  ['ADA@Example.COM', true],
  ['%20ada@example.com%20', true],
  ['second@example.com', true],
  ['ada@example', false],
  ['', false],
  ['no address', false],
])('looking up the email "%s" finds a contact: %s', async (email, found) => {
  const { give, contact } = await ada();
  expect(await give(`GET /v1/contacts?email=${email}`)).toEqual(wholePage(found ? [contact] : []));
});

test('pages a lookup like any list', async () => {
  const { give } = workspace();
  const numbers = ['A', 'B', 'C'].map((first_name) => ({ first_name, phone_numbers: ['+14155550100'] }));
  const made: Contact[] = [];
  for (const body of numbers) made.push(await give<Contact>('POST /v1/contacts', body));
  const lookUp = 'GET /v1/contacts?phone_number=4155550100';
  expect(await give(lookUp)).toEqual(wholePage(made));
  expect(await give(`${lookUp}&first=1&after=1`)).toEqual({
    data: [made[1]],
    pagination: { end_cursor: 2, has_next_page: true, total_count: 3 },
  });
});

test('a lookup by email and phone number returns contacts that have both', async () => {
  const { give, contact } = await ada();
  const grace = await give<Contact>('POST /v1/contacts', {
    emails: ['grace@example.com'],
    phone_numbers: ['+14155550100'],
  });
  const both = 'GET /v1/contacts?phone_number=4155550100&email=';
  expect(await give(`${both}grace@example.com`)).toEqual(wholePage([grace]));
  expect(await give(`${both}ada@example.com`)).toEqual(wholePage([contact]));
  expect(await give(`${both}nobody@example.com`)).toEqual(wholePage([]));
});
