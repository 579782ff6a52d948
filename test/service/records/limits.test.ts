import { expect } from 'vitest';
import { createRow, insertRow } from '../../../src/service/db/statements.ts';
import { slowTest, test } from '../engines.ts';
import { openTestWorkspace, type TestWorkspace } from '../service.ts';

const kibibyte = 1024;
const largest = 256 * kibibyte;

interface Stored {
  readonly id: string;
  readonly name: string;
}

const createOrganization = ({ sendOk }: TestWorkspace) =>
  sendOk<Stored>('POST /v1/organizations', { name: 'Acme' });

/** A request with a long text in its body, and the pointer to it. */
const requests: readonly (readonly [
  pointer: string,
  line: string,
  body: (text: string, organization: string) => object,
])[] = [
  ['#/first_name', 'POST /v1/contacts', (text) => ({ first_name: text })],
  ['#/name', 'PATCH /v1/organizations/:id', (text) => ({ name: text })],
  ['#/body', 'POST /v1/notes', (text, organization_id) => ({ organization_id, body: text })],
  ['#/name', 'POST /v1/custom_fields', (text) => ({ name: text, model: 'contact' })],
  [
    '#/statuses/0/name',
    'POST /v1/lists',
    (text) => ({ ...list, statuses: [{ name: text, type: 'active' }] }),
  ],
  [
    '#/fields/0/options/1',
    'POST /v1/lists',
    (text) => ({ ...list, fields: [{ ...tier, options: ['A', text] }] }),
  ],
  [
    '#/custom_fields/0/value',
    'PATCH /v1/organizations/:id',
    (text) => ({ custom_fields: [{ name: 'Plan', value: text }] }),
  ],
  [
    '#/custom_fields/0/value/1',
    'PATCH /v1/organizations/:id',
    (text) => ({ custom_fields: [{ name: 'Tags', value: ['A', text] }] }),
  ],
];
const list = { name: 'L', process: true, entry_type: 'Contact', identifier: 'L', duplicates_allowed: false };
const tier = { name: 'Tier', data_type: 'select', accepts_multiple_values: false };

test('stores 256 KiB of UTF-8 in each text, and refuses one byte more', async () => {
  const workspace = await openTestWorkspace();
  const { id } = await createOrganization(workspace);
  const fields = { Plan: false, Tags: true };
  for (const [name, accepts_multiple_values] of Object.entries(fields))
    await workspace.sendOk('POST /v1/custom_fields', {
      name,
      model: 'organization',
      accepts_multiple_values,
    });
  for (const [pointer, line, body] of requests) {
    const send = (text: string) => workspace.call(line.replace(':id', id), body(text, id));
    const message = expect.stringMatching(/ must have at most 262,144 bytes of UTF-8\.$/);
    expect(await send(`${'é'.repeat(largest / 2 - 1)}xyz`)).toMatchObject({
      status: 422,
      body: { errors: [{ pointer, code: 'value', message }] },
    });
    expect([line, (await send('é'.repeat(largest / 2))).status < 300]).toEqual([line, true]);
  }
});

/** Creates text fields of organizations and an organization that has 256 KiB in each, without the limits of the service. */
async function createLargeOrganization(workspace: TestWorkspace, count: number) {
  const { db, sendOk } = workspace;
  const stamps = { created_at: 0, updated_at: 0 };
  const record_id = await createRow(db, 'organization', { name: 'Acme', ...stamps });
  for (let index = 0; index < count; index += 1) {
    const field_id = await createRow(db, 'custom_field', {
      ...{
        name: `Plan ${index}`,
        model: 'organization',
        data_type: 'text',
        options: '[]',
        accepts_multiple_values: 0,
      },
      ...stamps,
    });
    await insertRow(db, 'organization_value', {
      record_id,
      field_id,
      value: JSON.stringify('x'.repeat(largest)),
    });
  }
  const { data } = await sendOk<{ data: Stored[] }>('GET /v1/organizations');
  return data[0]?.id ?? '';
}

const setPlan = (index: number, value: string | null) => ({
  custom_fields: [{ name: `Plan ${index}`, value }],
});

slowTest('refuses a write that would make a record larger than 4 MiB, and changes nothing', async () => {
  const workspace = await openTestWorkspace();
  const { call, sendOk } = workspace;
  const id = await createLargeOrganization(workspace, 15);
  await sendOk('POST /v1/custom_fields', { name: 'Plan 15', model: 'organization' });
  const before = await sendOk(`GET /v1/organizations/${id}`);
  expect(
    await call(`PATCH /v1/organizations/${id}`, { name: 'Other', ...setPlan(15, 'y'.repeat(largest)) }),
  ).toMatchObject({
    status: 422,
    body: {
      errors: [
        {
          pointer: '#',
          code: 'value',
          message: expect.stringMatching(
            /^The record must have at most 4,194,304 bytes as JSON, not 4,19\d,\d{3}\.$/,
          ),
        },
      ],
    },
  });
  expect(await sendOk(`GET /v1/organizations/${id}`)).toEqual(before);
  await sendOk(`PATCH /v1/organizations/${id}`, setPlan(15, 'y'.repeat(largest - 10 * kibibyte)));
});

slowTest('a record stored before the limits is still readable, and may change but not grow', async () => {
  const workspace = await openTestWorkspace();
  const { call, sendOk, db } = workspace;
  const id = await createLargeOrganization(workspace, 20);
  const line = `PATCH /v1/organizations/${id}`;
  expect(await sendOk<Stored>(`GET /v1/organizations/${id}`)).toMatchObject({ id, name: 'Acme' });
  expect(await sendOk(line, { name: 'Bolt' })).toMatchObject({ name: 'Bolt' });
  expect((await call(line, { name: 'Acme Corporation' })).status).toBe(422);
  await sendOk(line, { name: 'Acme Corporation', ...setPlan(0, null) });
  await insertRow(db, 'organization_domain', { domain: 'a.example', organization_id: 1, position: 0 });
  await sendOk(`DELETE /v1/organizations/${id}/domains`, { domains: ['a.example'] });
  await createRow(db, 'note', {
    organization_id: 1,
    body: 'x'.repeat(5 * kibibyte * kibibyte),
    created_at: 0,
    updated_at: 0,
  });
  const { data } = await sendOk<{ data: Stored[] }>('GET /v1/notes');
  expect(await sendOk(`PATCH /v1/notes/${data[0]?.id}`, { body: 'short', deal_id: 'D-1' })).toMatchObject({
    body: 'short',
  });
});

const long = 'x'.repeat(100_000);
const contactFields = 'first_name, last_name, emails, phone_numbers, organization_id, custom_fields';
const truncated = `"${'x'.repeat(200)}…"`;

test('an error quotes at most 200 characters of a value', async () => {
  const { call } = await openTestWorkspace();
  const twice = [
    { name: long, type: 'won' },
    { name: long, type: 'won' },
  ];
  const rows: readonly (readonly [noun: string, body: object, detail: string])[] = [
    ['contacts', { emails: [long] }, `${truncated} is not an email address.`],
    ['contacts', { phone_numbers: [long] }, `${truncated} is not a phone number.`],
    ['contacts', { organization_id: long }, `No organization has the id ${truncated}.`],
    [
      'contacts',
      { custom_fields: [{ name: long, value: 1 }] },
      `Unknown field ${truncated}. Available fields: none.`,
    ],
    ['contacts', { [long]: 1 }, `Unknown field ${truncated}. Available fields: ${contactFields}.`],
    [
      'contacts',
      { [long]: '\0' },
      `${truncated.slice(1, -1)} must not contain U+0000 or unpaired surrogates.`,
    ],
    ['lists', { ...list, fields: [{ name: long }, { name: long }] }, `The field ${truncated} is repeated.`],
    ['lists', { ...list, statuses: twice }, `The status ${truncated} is repeated.`],
    [
      'lists',
      { ...list, fields: [{ ...tier, options: [long, long] }] },
      `The option ${truncated} is repeated.`,
    ],
  ];
  for (const [noun, body, detail] of rows) {
    const name = noun === 'contacts' ? { first_name: 'A' } : {};
    const response = await call(`POST /v1/${noun}`, { ...name, ...body });
    expect(response).toMatchObject({ status: 422, body: { detail } });
    expect(JSON.stringify(response.body).length).toBeLessThan(1000);
  }
});

test('an error lists at most 20 valid values, of which it quotes at most 200 characters', async () => {
  const { call, sendOk } = await openTestWorkspace();
  const options = Array.from({ length: 25 }, (_, index) => `${index}`.padEnd(1000, 'x'));
  await sendOk('POST /v1/custom_fields', { ...tier, model: 'contact', options });
  const { body } = await call('POST /v1/contacts', {
    first_name: 'A',
    custom_fields: [{ name: 'Tier', value: 'Z' }],
  });
  const shown = options.slice(0, 20).map((option) => `${option.slice(0, 200)}…`);
  expect(body).toMatchObject({ detail: `The field "Tier" takes one of ${shown.join(', ')} and 5 more.` });
});

test('names at most 20 unknown keys and fields', async () => {
  const { call } = await openTestWorkspace();
  const name = (index: number) => `k${index}`;
  const unknownKeys = Object.fromEntries(Array.from({ length: 900 }, (_, index) => [name(index), index]));
  const custom_fields = Array.from({ length: 30 }, (_, index) => ({ name: name(index), value: 1 }));
  const { body } = await call('POST /v1/contacts', { emails: ['bad'], custom_fields, ...unknownKeys });
  const { detail, errors } = body as {
    detail: string;
    errors: { pointer: string; code: string; message: string }[];
  };
  expect(detail).toBe(`Unknown field "k0". Available fields: ${contactFields}. (and 930 more)`);
  expect(errors.slice(0, 20).map(({ pointer }) => pointer)).toEqual(
    Array.from({ length: 20 }, (_, index) => `#/k${index}`),
  );
  expect(errors.slice(20)).toEqual([
    { pointer: '#/emails/0', code: 'value', message: '"bad" is not an email address.' },
    { pointer: '#', code: 'unknown', message: 'Unknown keys and fields not listed here: 910.' },
  ]);
});
