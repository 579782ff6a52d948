import sql from 'sql-template-tag';
import { expect } from 'vitest';
import type { Contact } from '../../../src/contract/contacts.ts';
import { isPhoneMatch } from '../../../src/values/phone.ts';
import { createPage } from '../../client/loopback.ts';
import { test } from '../engines.ts';
import { openTestWorkspace } from '../service.ts';

test('stores numbers in the international form, of the US if they have no country code', async () => {
  const { sendOk } = await openTestWorkspace();
  const phone_numbers = ['+82 10-5550-1234', '1-415-555-0100', '011 44 20 7946 0958', '٤١٥٥٥٥٠١٠١'];
  expect(await sendOk('POST /v1/contacts', { first_name: 'A', phone_numbers })).toMatchObject({
    phone_numbers: ['+821055501234', '+14155550100', '+442079460958', '+14155550101'],
  });
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

const numbers: Readonly<Record<string, string>> = {
  Seoul: '+821055501234',
  'San Francisco': '+14155550100',
  'New York': '+14155550100',
  London: '+442079460958',
  Washington: '+12025550143',
  Wuppertal: '+492025550143',
};

const lookUps: readonly (readonly [phones: readonly string[], found: readonly string[]])[] = [
  [['+821055501234', '+82 10-5550-1234', '+82 010-5550-1234', '010-5550-1234', '01055501234'], ['Seoul']],
  [['010 5550 1234', '1055501234', '821055501234', '(82) 10 5550 1234', '0082 10 5550 1234'], ['Seoul']],
  [
    ['415-555-0100', '+1 (415) 555-0100'],
    ['San Francisco', 'New York'],
  ],
  [['020 7946 0958', '+44 20 7946 0958'], ['London']],
  // The workspace's own region goes first: a stored +1 number hides a national match elsewhere.
  [['2025550143'], ['Washington']],
  [['+49 202 5550143'], ['Wuppertal']],
  // A number with a country code matches only that country.
  [['+81 10-5550-1234', '+1 20 7946 0958', '5550', 'nobody', ''], []],
];

test('looks up numbers in any form', async () => {
  const { sendOk } = await openTestWorkspace();
  const created: Contact[] = [];
  for (const [first_name, number] of Object.entries(numbers)) {
    const body = { first_name, phone_numbers: ['+12125550199', number] };
    created.push(await sendOk<Contact>('POST /v1/contacts', body));
  }
  for (const [phones, found] of lookUps) {
    const expected = createPage(created.filter(({ first_name }) => found.includes(first_name ?? '')));
    for (const phone of phones) {
      const page = await sendOk(`GET /v1/contacts?phone_number=${encodeURIComponent(phone)}`);
      expect({ phone, page }).toEqual({ phone, page: expected });
      // A client that checks the response agrees with the service.
      for (const name of found)
        expect([phone, await isPhoneMatch(numbers[name] ?? '', phone)]).toEqual([phone, true]);
    }
  }
});
