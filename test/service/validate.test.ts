import { expect, test } from 'vitest';
import type { Contact } from '../../src/contract/contacts.ts';
import { createPage, openTestWorkspace, startTime } from './service.ts';

const pageParameters = 'first, after';

test.each([
  [
    'contacts?emial=a@b.co',
    `Unknown query parameter "emial". Valid parameters: ${pageParameters}, email, phone_number.`,
  ],
  ['organizations?name=Acme', `Unknown query parameter "name". Valid parameters: ${pageParameters}.`],
  [
    'notes?organization_id=abcdef',
    `Unknown query parameter "organization_id". Valid parameters: ${pageParameters}.`,
  ],
  ['recordings/abcdef?first=1', 'Unknown query parameter "first". This path has no query parameters.'],
  [
    'contacts?toString=1',
    `Unknown query parameter "toString". Valid parameters: ${pageParameters}, email, phone_number.`,
  ],
  ['contacts?first=1&first=2', 'Query parameter "first" is repeated.'],
  ['contacts?first=0', 'Query parameter "first" must be 1 or more, not "0".'],
  ['contacts?first=501', 'Query parameter "first" must be at most 500, not "501".'],
  ['contacts?first=ten', 'Query parameter "first" must be a number, not "ten".'],
  ['contacts?first=1.5', 'Query parameter "first" must be a number, not "1.5".'],
  ['contacts?first=', 'Query parameter "first" must be a number, not "".'],
  ['contacts?after=-1', 'Query parameter "after" must be 0 or more, not "-1".'],
  ['contacts?after=0x10', 'Query parameter "after" must be a number, not "0x10".'],
  [
    'calendar_events?starts_after=2026-05-04',
    'Query parameter "starts_after" must be a number, not "2026-05-04".',
  ],
  ['calendar_events?updated_after=1e9', 'Query parameter "updated_after" must be a number, not "1e9".'],
])('GET /v1/%s returns 400', async (target, detail) => {
  const { call } = await openTestWorkspace();
  expect(await call(`GET /v1/${target}`)).toEqual({
    status: 400,
    headers: { 'content-type': 'application/problem+json' },
    body: { type: 'about:blank', title: 'Bad Request', status: 400, detail },
  });
});

test.each([
  'contacts?first=500&after=0',
  'contacts?email=12345',
  'calendar_events?contact_id=123456&starts_after=-1&starts_before=0&updated_after=999999999999999',
])('GET /v1/%s returns an empty page', async (target) => {
  const { sendOk } = await openTestWorkspace();
  expect(await sendOk(`GET /v1/${target}`)).toEqual(createPage([]));
});

test.each([[undefined], [null], [[]], ['text'], [7]])(
  'refuses the body %j, which is not an object, with 400',
  async (body) => {
    const { call } = await openTestWorkspace();
    expect(await call('POST /v1/contacts', body)).toMatchObject({
      status: 400,
      body: { title: 'Bad Request', detail: 'The body must be a JSON object.' },
    });
  },
);

const contactFields = 'first_name, last_name, emails, phone_numbers, organization_id, custom_fields';

test.each([
  [{ first_nam: 'Ada' }, 'first_nam', 'Did you mean "first_name"?'],
  [{ Emails: [] }, 'Emails', 'Did you mean "emails"?'],
  [{ name: 'Ada' }, 'name', `Available fields: ${contactFields}.`],
  [{ custom_fields: [{ name: 'Tier', value: 1, valu: 1 }] }, 'valu', 'Did you mean "value"?'],
])(
  'the response to the unknown field of %j begins with its name and the field that was meant',
  async (body, name, advice) => {
    const { call } = await openTestWorkspace();
    const start = JSON.stringify({ detail: `Unknown field "${name}". ${advice}` }).slice(0, -'}'.length);
    const { body: problem } = await call('POST /v1/contacts', { first_name: 'Ada', ...body });
    expect(JSON.stringify(problem).slice(0, start.length)).toBe(start);
  },
);

test("reports all errors of a body together: of its structure and of the workspace's rules", async () => {
  const { call, sendOk } = await openTestWorkspace();
  const { id } = await sendOk<Contact>('POST /v1/contacts', { emails: ['taken@example.com'] });
  const body = {
    first_name: 7,
    emails: ['bad', 'Taken@example.com', true],
    organization_id: 'nowhere',
    'a/b~c d': 1,
  };
  expect(await call('POST /v1/contacts', body, { requestId: 'r-1' })).toEqual({
    status: 422,
    headers: { 'content-type': 'application/problem+json' },
    body: {
      type: 'about:blank',
      title: 'Unprocessable Content',
      status: 422,
      detail: 'first_name must be a string. (and 5 more)',
      request_id: 'r-1',
      errors: [
        { pointer: '#/first_name', code: 'type', message: 'first_name must be a string.' },
        { pointer: '#/emails/2', code: 'type', message: 'emails.2 must be a string.' },
        {
          pointer: '#/a~1b~0c%20d',
          code: 'unknown',
          message: `Unknown field "a/b~c d". Available fields: ${contactFields}.`,
        },
        { pointer: '#/emails/0', code: 'value', message: '"bad" is not an email address.' },
        {
          pointer: '#/emails/1',
          code: 'taken',
          message: `The email address "Taken@example.com" has already been taken by the contact ${id}.`,
          id,
        },
        {
          pointer: '#/organization_id',
          code: 'not_found',
          message: 'No organization has the id "nowhere".',
        },
      ],
    },
  });
});

const pipeline = {
  name: 'S',
  process: true,
  entry_type: 'Contact',
  identifier: 'S',
  duplicates_allowed: true,
};

test.each([
  ['lists', { ...pipeline, name: undefined }, 'name is required.'],
  ['lists', { ...pipeline, process: 1 }, 'process must be true or false.'],
  ['lists', { ...pipeline, entry_type: 'Lead' }, 'entry_type must be one of Contact, Organization.'],
  ['lists', { ...pipeline, identifier: '' }, 'identifier must not be empty.'],
  ['lists', { ...pipeline, identifier: 'x'.repeat(51) }, 'identifier must have at most 50 characters.'],
  ['lists', { ...pipeline, statuses: ['Open'] }, 'statuses.0 must be an object.'],
  ['lists', { ...pipeline, statuses: {} }, 'statuses must be an array.'],
  [
    'lists',
    { ...pipeline, statuses: [{ name: 'A', type: 'done' }] },
    'statuses.0.type must be one of active, won, lost.',
  ],
  ['custom_fields', { name: 'A', model: 'list' }, 'model must be one of organization, contact, deal.'],
  [
    'custom_fields',
    { name: 'A', model: 'deal', data_type: 'bool' },
    'data_type must be one of text, textarea, url, number, date, datetime, select, user, contact.',
  ],
])('POST /v1/%s with %j returns one error, which is a sentence', async (noun, body, detail) => {
  const { call } = await openTestWorkspace();
  const response = await call(`POST /v1/${noun}`, JSON.parse(JSON.stringify(body)));
  expect(response.body).toMatchObject({ status: 422, detail, errors: [{ message: detail }] });
});

test.each([
  [{ one_time_value_cents: 1.5 }, 'one_time_value_cents must be a whole number.'],
  [{ one_time_value_cents: -1 }, 'one_time_value_cents must be 0 or more.'],
  [{ one_time_value_cents: 2 ** 53 }, 'one_time_value_cents must be at most 9007199254740991.'],
  [{ one_time_value_cents: '1' }, 'one_time_value_cents must be a number.'],
  [{ recurring_value_period: 'daily' }, 'recurring_value_period must be one of monthly, annual, one_time.'],
])('an entry with %j returns one error, which is a sentence', async (values, detail) => {
  const { call, sendOk } = await openTestWorkspace();
  const { id: list } = await sendOk<Contact>('POST /v1/lists', pipeline);
  const { id } = await sendOk<Contact>('POST /v1/contacts', { first_name: 'Ada' });
  const target = { entryable_id: id, entryable_type: 'Contact' };
  const response = await call(`POST /v1/lists/${list}/entries`, { ...target, ...values });
  expect(response.body).toMatchObject({ status: 422, detail, errors: [{ message: detail }] });
});

test.each([
  ['an email', { emails: ['ada@example.com'] }, ['#/emails unknown']],
  ['two', { emails: [], all: true }, ['#/emails unknown', '#/all unknown']],
])('a DELETE without a body in the contract rejects %s', async (_, body, expected) => {
  const { findFieldErrors, sendOk } = await openTestWorkspace();
  const contact = await sendOk<Contact>('POST /v1/contacts', {
    emails: ['ada@example.com', 'b@example.com'],
  });
  expect(await findFieldErrors(`DELETE /v1/contacts/${contact.id}`, body)).toEqual(expected);
  expect(await sendOk(`GET /v1/contacts/${contact.id}`)).toEqual(contact);
});

test.each(['toString', 'hasOwnProperty', 'value', '__proto__', 'constructor', 'prototype'])(
  'rejects the unknown key "%s"',
  async (key) => {
    const { findFieldErrors, sendOk } = await openTestWorkspace();
    const { id } = await sendOk<Contact>('POST /v1/contacts', { first_name: 'Ada' });
    const body: unknown = JSON.parse(`{"${key}": {"first_name": "Eve"}}`);
    expect(await findFieldErrors(`PATCH /v1/contacts/${id}`, body)).toEqual([`#/${key} unknown`]);
    expect(await sendOk(`GET /v1/contacts/${id}`)).toMatchObject({
      first_name: 'Ada',
      updated_at: startTime,
    });
  },
);

/** Nests an array in arrays. */
const nested = (depth: number): unknown => (depth === 0 ? [] : [nested(depth - 1)]);

test('refuses a body that is nested too deeply with 400, before any other error', async () => {
  const { call } = await openTestWorkspace();
  const deep = await call('POST /v1/contacts', { emails: nested(60) });
  expect(deep).toMatchObject({ status: 400 });
  expect(JSON.stringify(deep.body)).toContain('The body is nested more than 50 levels deep.');
});

test.each([
  [1000, 201],
  [1001, 422],
])('a body with an array of %i items returns %i', async (count, status) => {
  const { call } = await openTestWorkspace();
  const emails = Array.from({ length: count }, (_, index) => `p${index}@x.example`);
  const response = await call('POST /v1/contacts', { first_name: 'Ada', emails });
  expect(response.status).toBe(status);
  const isTold = JSON.stringify(response.body).includes('emails must have at most 1000 items.');
  expect(isTold).toBe(status === 422);
});

test('refuses a query parameter that cannot be stored with 400', async () => {
  const { call } = await openTestWorkspace();
  expect(await call('GET /v1/contacts?email=a%00@x.example')).toMatchObject({ status: 400 });
});
