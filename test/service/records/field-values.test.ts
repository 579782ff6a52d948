import { expect, test } from 'vitest';
import type { Contact } from '../../../src/contract/contacts.ts';
import type { CustomField } from '../../../src/contract/custom-fields.ts';
import type { Entry } from '../../../src/contract/entries.ts';
import type { DataType } from '../../../src/contract/field-types.ts';
import type { Organization } from '../../../src/contract/organizations.ts';
import { createBoardWorkspace, createDayField, withNormalizedFieldId } from '../board-workspace.ts';
import { laterTime, openTestWorkspace, unknownId } from '../service.ts';

/** A workspace with one custom field of organizations, and an organization. */
async function withField(data_type: DataType, accepts_multiple_values: boolean) {
  const created = await openTestWorkspace();
  const field = await created.sendOk<CustomField>('POST /v1/custom_fields', {
    name: 'Field',
    model: 'organization',
    data_type,
    accepts_multiple_values,
    ...(data_type === 'select' && { options: ['Red', 'Blue'] }),
  });
  const organization = await created.sendOk<Organization>('POST /v1/organizations', { name: 'Acme' });
  const path = `/v1/organizations/${organization.id}`;
  const write = (value: unknown) => ({ custom_fields: [{ name: 'Field', value }] });
  const expected = (value: unknown) => ({ [field.id]: { name: 'Field', data_type, value } });
  return { ...created, organization, path, write, stored: expected };
}

test.each<[DataType, unknown]>([
  ['text', 'Any text, 한글, ""'],
  ['text', ''],
  ['textarea', 'two\nlines'],
  ['url', 'https://example.com/a?b=c#d'],
  ['url', 'http://bücher.example'],
  ['number', 0],
  ['number', -1.5],
  ['number', 1e21],
  ['date', '2024-02-29'],
  ['datetime', '2026-05-04T09:30:00Z'],
  ['datetime', '2026-05-04T09:30:00.123+09:00'],
  ['datetime', '2026-05-04T09:30-07:00'],
  ['select', 'Red'],
  ['user', 'mina@example.com'],
])('a %s field holds %j', async (data_type, value) => {
  const { sendOk, organization, path, write, stored: expected } = await withField(data_type, false);
  expect(organization.custom_fields).toEqual(expected(null));
  expect(await sendOk(`PATCH ${path}`, write(value))).toEqual({
    ...organization,
    custom_fields: expected(value),
  });
  expect((await sendOk<Organization>(`GET ${path}`)).custom_fields).toEqual(expected(value));
  expect(await sendOk(`PATCH ${path}`, write(null))).toEqual(organization);
});

test.each<[DataType, unknown, boolean]>([
  ['url', 'https://example.com', false],
  ['number', 5, false],
  ['date', '2024-02-29', false],
  ['datetime', '2026-05-04T09:30:00Z', false],
  ['user', 'mina@example.com', false],
  ['user', ['mina@example.com'], true],
  ['contact', 'made', false],
])('an empty text clears a %s field that holds %j', async (data_type, value, several) => {
  const { sendOk, organization, path, write } = await withField(data_type, several);
  const created = await sendOk<Contact>('POST /v1/contacts', { first_name: 'Ada' });
  await sendOk(`PATCH ${path}`, write(value === 'made' ? created.id : value));
  expect(await sendOk(`PATCH ${path}`, write(''))).toEqual(organization);
});

test('an empty text clears a field of a list', async () => {
  const { sendOk, regular, ada } = await createBoardWorkspace();
  const entry = await sendOk<Entry>(`POST ${regular}`, { ...ada, list_fields: [{ name: 'Day', value: '' }] });
  expect(withNormalizedFieldId(entry)).toMatchObject({ list_fields: createDayField(null) });
});

test.each<[DataType, unknown]>([
  ['text', 5],
  ['text', true],
  ['text', { a: 1 }],
  ['textarea', 5],
  ['url', 'example.com'],
  ['url', 'ftp://example.com'],
  ['url', 'javascript:alert(1)'],
  ['url', 'http://exa mple.com'],
  ['url', 'https://'],
  ['number', '5'],
  ['number', true],
  ['date', '2026-02-29'],
  ['date', '2026-13-01'],
  ['date', '2026-5-4'],
  ['date', '2026-05-04T00:00:00Z'],
  ['date', 20260504],
  ['datetime', '2026-05-04'],
  ['datetime', '2026-05-04T09:30:00'],
  ['datetime', '2026-02-30T09:30:00Z'],
  ['datetime', '2026-05-04T25:00:00Z'],
  ['datetime', 1777887000],
  ['select', 'red'],
  ['select', ''],
  ['select', 1],
  ['user', 'mina'],
  ['user', 7],
  ['contact', unknownId],
  ['contact', 12],
])('a %s field refuses %j', async (data_type, value) => {
  const { findFieldErrors, sendOk, organization, path, write } = await withField(data_type, false);
  expect(await findFieldErrors(`PATCH ${path}`, write(value))).toEqual(['#/custom_fields/0/value value']);
  expect(await sendOk(`GET ${path}`)).toEqual(organization);
});

test.each<[DataType, unknown, string[]]>([
  ['select', ['Blue', 'Red'], []],
  ['select', [], []],
  ['user', ['a@b.co', 'c@d.co'], []],
  ['number', [1, 2], []],
  ['select', ['Red', 'Green', null], ['#/custom_fields/0/value/1 value', '#/custom_fields/0/value/2 value']],
  ['select', 'Red', ['#/custom_fields/0/value type']],
  ['user', 'a@b.co', ['#/custom_fields/0/value type']],
])('a %s field for several values given %j has the faults %j', async (data_type, value, expected) => {
  const { call, findFieldErrors, path, write, stored } = await withField(data_type, true);
  if (expected.length > 0) expect(await findFieldErrors(`PATCH ${path}`, write(value))).toEqual(expected);
  else
    expect((await call(`PATCH ${path}`, write(value))).body).toMatchObject({ custom_fields: stored(value) });
});

test('a field with one value rejects an array, even with one item', async () => {
  const { findFieldErrors, path, write } = await withField('text', false);
  expect(await findFieldErrors(`PATCH ${path}`, write(['x']))).toEqual(['#/custom_fields/0/value type']);
});

test('accepts only the id of a contact in a contact field', async () => {
  const {
    findFieldErrors,
    sendOk,
    organization,
    path,
    write,
    stored: expected,
  } = await withField('contact', true);
  const { id } = await sendOk<Contact>('POST /v1/contacts', { first_name: 'Ada' });
  expect(await sendOk(`PATCH ${path}`, write([id]))).toEqual({
    ...organization,
    custom_fields: expected([id]),
  });
  expect(await findFieldErrors(`PATCH ${path}`, write([id, organization.id]))).toEqual([
    '#/custom_fields/0/value/1 value',
  ]);
});

test.each([
  [[{ name: 'Color', value: 'Red' }], ['#/custom_fields/0/name unknown']],
  [[{ name: 'field', value: 'x' }], ['#/custom_fields/0/name unknown']],
  [[{ name: 'Field' }], ['#/custom_fields/0/value required']],
  [[{ value: 'x' }], ['#/custom_fields/0/name required']],
  [[{ name: 'Field', value: 'x', id: 1 }], ['#/custom_fields/0/id unknown']],
  [['Field'], ['#/custom_fields/0 type']],
  [
    [
      { name: 'Field', value: 'a' },
      { name: 'Field', value: 'b' },
    ],
    ['#/custom_fields/1/name taken'],
  ],
  [
    [
      { name: 5, value: 'a' },
      { name: 'Field', value: 6 },
      { name: 'X', value: 1 },
    ],
    ['#/custom_fields/0/name type', '#/custom_fields/1/value value', '#/custom_fields/2/name unknown'],
  ],
  [{ Field: 'x' }, ['#/custom_fields type']],
])('custom_fields %j returns the errors %j', async (custom_fields, expected) => {
  const { findFieldErrors, sendOk, organization, path } = await withField('text', false);
  expect(await findFieldErrors(`PATCH ${path}`, { custom_fields })).toEqual(expected);
  expect(await sendOk(`GET ${path}`)).toEqual(organization);
});

test('returns the fields of its model, oldest first, and keeps values that an update omits', async () => {
  const { clock, sendOk } = await openTestWorkspace();
  const [b, a] = [
    await sendOk<CustomField>('POST /v1/custom_fields', { name: 'B', model: 'contact' }),
    await sendOk<CustomField>('POST /v1/custom_fields', { name: 'A', model: 'contact', data_type: 'number' }),
  ];
  await sendOk('POST /v1/custom_fields', { name: 'A', model: 'organization' });
  const contact = await sendOk<Contact>('POST /v1/contacts', {
    first_name: 'Ada',
    custom_fields: [{ name: 'B', value: 'kept' }],
  });
  clock.time = laterTime;
  const changed = await sendOk<Contact>(`PATCH /v1/contacts/${contact.id}`, {
    custom_fields: [{ name: 'A', value: 7 }],
  });
  expect(changed).toEqual({
    ...contact,
    custom_fields: {
      [b.id]: { name: 'B', data_type: 'text', value: 'kept' },
      [a.id]: { name: 'A', data_type: 'number', value: 7 },
    },
    updated_at: laterTime,
  });
  expect(Object.values(changed.custom_fields).map(({ name }) => name)).toEqual(['B', 'A']);
});
