import { expect, test } from 'vitest';
import type { Contact } from '../../src/contract/contacts.ts';
import { createPage } from '../client/loopback.ts';
import { contact1, openWithRecord } from './nouns.ts';
import { openTestWorkspace, unknownId } from './service.ts';

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
  ['contacts?email=a%00', 'Query parameter "email" must not contain U+0000 or unpaired surrogates.'],
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
  `calendar_events?contact_id=${unknownId}`,
  'calendar_events?contact_id=',
  `calendar_events?organization_id=${unknownId}`,
  ...['organizations', 'notes', 'custom_fields', 'lists', 'calendar_events'],
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
  ...{ name: 'S', process: true, entry_type: 'Contact', identifier: 'S' },
  duplicates_allowed: true,
};
const status = (type: string) => ({ statuses: [{ name: 'A', type }] });
const types = 'text, textarea, url, number, date, datetime, select, user, contact';

test('an error in a body is a sentence about its field', async () => {
  const { call, sendOk, collection: entries } = await openWithRecord('deal');
  const { id } = await sendOk<Contact>('POST /v1/organizations', { domains: ['taken.example'] });
  const deal = { entryable_id: contact1, entryable_type: 'Contact' };
  const rows: readonly (readonly [path: string, body: object, detail: string])[] = [
    ['/v1/lists', { ...pipeline, name: undefined }, 'name is required.'],
    ['/v1/lists', { ...pipeline, process: 1 }, 'process must be true or false.'],
    ['/v1/lists', { ...pipeline, entry_type: 'Lead' }, 'entry_type must be one of Contact, Organization.'],
    ['/v1/lists', { ...pipeline, identifier: '' }, 'identifier must not be empty.'],
    ['/v1/lists', { ...pipeline, identifier: 'x'.repeat(51) }, 'identifier must have at most 50 characters.'],
    ['/v1/lists', { ...pipeline, statuses: ['Open'] }, 'statuses.0 must be an object.'],
    ['/v1/lists', { ...pipeline, statuses: {} }, 'statuses must be an array.'],
    ['/v1/lists', { ...pipeline, ...status('done') }, 'statuses.0.type must be one of active, won, lost.'],
    ['/v1/custom_fields', { name: 'A', model: 'list' }, 'model must be one of organization, contact, deal.'],
    [
      '/v1/custom_fields',
      { name: 'A', model: 'deal', data_type: 'bool' },
      `data_type must be one of ${types}.`,
    ],
    [entries, { ...deal, one_time_value_cents: 1.5 }, 'one_time_value_cents must be a whole number.'],
    [entries, { ...deal, one_time_value_cents: -1 }, 'one_time_value_cents must be 0 or more.'],
    [
      entries,
      { ...deal, one_time_value_cents: 2 ** 53 },
      'one_time_value_cents must be at most 9007199254740991.',
    ],
    [entries, { ...deal, one_time_value_cents: '1' }, 'one_time_value_cents must be a number.'],
    [
      entries,
      { ...deal, recurring_value_period: 'daily' },
      'recurring_value_period must be one of monthly, annual, one_time.',
    ],
    // Clients search for the phrases in these.
    [
      '/v1/organizations',
      { name: 'Other', domains: ['taken.example'] },
      `The domain "taken.example" has already been taken: ${id} has the same organization domain.`,
    ],
  ];
  for (const [path, body, detail] of rows) {
    const response = await call(`POST ${path}`, JSON.parse(JSON.stringify(body)));
    expect(response.body).toMatchObject({ status: 422, detail, errors: [{ message: detail }] });
  }
});

test('the error for a duplicate entry contains the phrase that clients search for, and its id', async () => {
  const { call, record, collection } = await openWithRecord('entry');
  const { body } = await call(`POST ${collection}`, { entryable_id: contact1, entryable_type: 'Contact' });
  expect(body).toMatchObject({
    detail: `The contact ${contact1} has already been taken: "News" has an entry for it.`,
    errors: [{ id: record.id }],
  });
});

const parse = (text: string): unknown => JSON.parse(text);
const nested = '['.repeat(1000) + ']'.repeat(1000);

test.each([
  [{ emails: parse(nested) }],
  [{ prototype: parse(nested) }],
  [{ emails: [...Array(1001).fill('bad'), parse(nested)] }],
])('refuses a body that is nested too deeply with 400, before any other error: %#', async (body) => {
  const { call } = await openTestWorkspace();
  const deep = await call('POST /v1/contacts', body);
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
