import sql from 'sql-template-tag';
import { expect } from 'vitest';
import type { Contact } from '../../../src/contract/contacts.ts';
import { isPhoneMatch } from '../../../src/values/phone.ts';
import { test } from '../engines.ts';
import { createPage, openTestWorkspace } from '../service.ts';

test.each([
  ['+82 10-5550-1234', '+821055501234'],
  ['(415) 555-0100', '+14155550100'],
  ['1-415-555-0100', '+14155550100'],
  ['011 44 20 7946 0958', '+442079460958'],
  ['٤١٥٥٥٥٠١٠٠', '+14155550100'],
])('%s is stored as %s in a workspace of the US', async (input, stored) => {
  const { sendOk } = await openTestWorkspace();
  const contact = await sendOk<Contact>('POST /v1/contacts', { first_name: 'A', phone_numbers: [input] });
  expect(contact.phone_numbers).toEqual([stored]);
});

test('reads a number without a country code in the region of the workspace', async () => {
  const { db, sendOk } = await openTestWorkspace();
  await db.run(sql`update workspace set region = 'KR'`);
  const contact = await sendOk<Contact>('POST /v1/contacts', {
    first_name: '지우',
    phone_numbers: ['010-5550-1234', '02-555-0100'],
  });
  expect(contact.phone_numbers).toEqual(['+821055501234', '+8225550100']);
});

test.each([
  ['+821055501234', ['Seoul']],
  ['+82 10-5550-1234', ['Seoul']],
  ['+82 010-5550-1234', ['Seoul']],
  ['010-5550-1234', ['Seoul']],
  ['01055501234', ['Seoul']],
  ['010 5550 1234', ['Seoul']],
  ['1055501234', ['Seoul']],
  ['821055501234', ['Seoul']],
  ['(82) 10 5550 1234', ['Seoul']],
  ['0082 10 5550 1234', ['Seoul']],
  ['415-555-0100', ['San Francisco', 'New York']],
  ['+1 (415) 555-0100', ['San Francisco', 'New York']],
  ['020 7946 0958', ['London']],
  ['+44 20 7946 0958', ['London']],
  // The workspace's own region goes first: a stored +1 number hides a national match elsewhere.
  ['2025550143', ['Washington']],
  ['+49 202 5550143', ['Wuppertal']],
  // A number with a country code matches only that country.
  ['+81 10-5550-1234', []],
  ['+1 20 7946 0958', []],
  ['5550', []],
  ['nobody', []],
  ['', []],
])('looking up "%s" finds %j', async (phone, found) => {
  const { sendOk } = await openTestWorkspace();
  const numbers = {
    Seoul: '+821055501234',
    'San Francisco': '+14155550100',
    'New York': '+14155550100',
    London: '+442079460958',
    Washington: '+12025550143',
    Wuppertal: '+492025550143',
  };
  const created: Contact[] = [];
  for (const [first_name, number] of Object.entries(numbers)) {
    created.push(
      await sendOk<Contact>('POST /v1/contacts', { first_name, phone_numbers: ['+12125550199', number] }),
    );
  }
  expect(await sendOk(`GET /v1/contacts?phone_number=${encodeURIComponent(phone)}`)).toEqual(
    createPage(created.filter(({ first_name }) => found.includes(first_name ?? ''))),
  );
  // A client that checks the response agrees with the service.
  for (const name of found) {
    expect(await isPhoneMatch(numbers[name as keyof typeof numbers], phone)).toBe(true);
  }
});
