import { expect, test } from 'vitest';
import { createMachine } from '../support/kith.ts';
import { sendJson, startTestService } from './loopback.ts';

const ada = { id: 'c1', first_name: 'Ada', emails: ['ada@x.example'], phone_numbers: ['+821055501234'] };

/** Starts a service that responds to each contact lookup with the same body; lists are empty. */
async function startLookupService(body: unknown) {
  const { requests, env } = await startTestService(({ url }, response) =>
    sendJson(response, 200, url.includes('phone_number=') ? body : { data: [] }),
  );
  return {
    env,
    listWrites: () => requests.filter(({ method }) => method !== 'GET'),
  };
}

const uncertain = (id: string, number: string) =>
  `The service returned contact "${id}" for the phone number "${number}", but kith cannot compare its phone numbers with that number.`;

test.each([
  ['without phone numbers', '+821055501234', { ...ada, phone_numbers: undefined }],
  ['whose phone numbers are null', '+821055501234', { ...ada, phone_numbers: null }],
  [
    'with an extension in an unknown form',
    '+14155550100',
    { ...ada, phone_numbers: ['+1 415 555 0100 p12'] },
  ],
  ['with the old mobile prefix', '+52 55 1234 5678', { ...ada, phone_numbers: ['+52 1 55 1234 5678'] }],
  ['with letters', '1-800-356-9377', { ...ada, phone_numbers: ['1-800-FLOWERS'] }],
  ['looked up with letters', '1-800-FLOWERS', { ...ada, phone_numbers: ['+18003569377'] }],
])('contacts find prints the only contact %s with a note', async (_, number, contact) => {
  const { env } = await startLookupService({ data: [contact], pagination: { total_count: 1 } });
  const kith = createMachine();
  expect(
    await kith(['contacts', 'find', '--phone', number, '--fields', 'id', '--no-header'], { env }),
  ).toEqual({
    code: 0,
    out: 'c1\n',
    err: `kith: ${uncertain('c1', number)}\n`,
  });
});

test('a phone number that cannot be compared refers to a contact in a read, not in a write', async () => {
  const number = '+52 55 1234 5678';
  const { env, listWrites } = await startLookupService({ ...ada, phone_numbers: ['+52 1 55 1234 5678'] });
  const kith = createMachine();
  const problem = uncertain('c1', number);
  expect(await kith(['events', 'list', '--contact', number, '--no-header'], { env })).toEqual({
    code: 0,
    out: '',
    err: `kith: ${problem}\n`,
  });
  expect(await kith(['contacts', 'update', number, '--last-name', 'Byron'], { env })).toEqual({
    code: 1,
    out: '',
    err: `kith: ${problem}\nhint: If it is the right contact, use its id.\n`,
  });
  expect(listWrites()).toEqual([]);
});

test.each([
  ['another number', { data: [{ ...ada, phone_numbers: ['+821055509999'] }] }],
  ['no number', { data: [{ ...ada, phone_numbers: [] }] }],
  ['an unknown form, in a list of two', { data: [ada, { ...ada, id: 'c2', phone_numbers: undefined }] }],
  [
    'an unknown form, before a further page',
    { data: [{ ...ada, phone_numbers: undefined }], pagination: { has_next_page: true, end_cursor: 1 } },
  ],
])('contacts find refuses a contact with %s', async (_, body) => {
  const { env } = await startLookupService(body);
  expect(await createMachine()('contacts find --phone +821055501234', { env })).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringContaining('The service '),
  });
});
