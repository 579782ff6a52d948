import { expect, test } from 'vitest';
import type { Contact } from '../../../src/contract/contacts.ts';
import type { CustomField } from '../../../src/contract/custom-fields.ts';
import type { Entry } from '../../../src/contract/entries.ts';
import type { DataType } from '../../../src/contract/field-types.ts';
import type { Organization } from '../../../src/contract/organizations.ts';
import { ids } from '../../../src/service/db/ids.ts';
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

const contactId = ids.contact.encode(1);

/** Values that a field of a type holds and refuses. An empty text clears it, or is a value like any other. */
const types: Readonly<
  Record<DataType, { holds: unknown[]; refuses: unknown[]; empty?: 'is held' | 'is refused' }>
> = {
  text: { holds: ['Any text, 한글, ""'], refuses: [5, true, { a: 1 }], empty: 'is held' },
  textarea: { holds: ['two\nlines'], refuses: [5], empty: 'is held' },
  url: {
    holds: ['https://example.com/a?b=c#d', 'http://bücher.example'],
    refuses: ['example.com', 'ftp://example.com', 'javascript:alert(1)', 'http://exa mple.com', 'https://'],
  },
  number: { holds: [0, -1.5, 1e21], refuses: ['5', true] },
  date: {
    holds: ['2024-02-29'],
    refuses: ['2026-02-29', '2026-13-01', '2026-5-4', '2026-05-04T00:00:00Z', 20260504],
  },
  datetime: {
    holds: ['2026-05-04T09:30:00Z', '2026-05-04T09:30:00.123+09:00', '2026-05-04T09:30-07:00'],
    refuses: [
      ...['2026-05-04', '2026-05-04T09:30:00', '2026-02-30T09:30:00Z', '2026-05-04T25:00:00Z'],
      1777887000,
    ],
  },
  select: { holds: ['Red'], refuses: ['red', 1], empty: 'is refused' },
  user: { holds: ['mina@example.com'], refuses: ['mina', 7] },
  contact: { holds: [contactId], refuses: [unknownId, 12] },
};

test.each(Object.keys(types) as DataType[])('a %s field holds and refuses values', async (data_type) => {
  const { findFieldErrors, sendOk, organization, path, write, stored } = await withField(data_type, false);
  await sendOk('POST /v1/contacts', { first_name: 'Ada' });
  expect(organization.custom_fields).toEqual(stored(null));
  const { holds, refuses, empty } = types[data_type];
  for (const value of empty === 'is held' ? [...holds, ''] : holds) {
    const record = { ...organization, custom_fields: stored(value) };
    expect(await sendOk(`PATCH ${path}`, write(value))).toEqual(record);
    expect(await sendOk(`GET ${path}`)).toEqual(record);
    expect(await sendOk(`PATCH ${path}`, write(empty === undefined ? '' : null))).toEqual(organization);
  }
  for (const value of empty === 'is refused' ? [...refuses, ''] : refuses) {
    const errors = await findFieldErrors(`PATCH ${path}`, write(value));
    expect({ value, errors }).toEqual({ value, errors: ['#/custom_fields/0/value value'] });
  }
  const errors = await findFieldErrors(`PATCH ${path}`, write(['x']));
  expect(errors).toEqual(['#/custom_fields/0/value type']);
  await sendOk(`PATCH ${path}`, write(holds[0]));
  expect(await sendOk(`PATCH ${path}`, write(null))).toEqual(organization);
});

test('an empty text clears a field of a list', async () => {
  const { sendOk, regular, ada } = await createBoardWorkspace();
  const entry = await sendOk<Entry>(`POST ${regular}`, { ...ada, list_fields: [{ name: 'Day', value: '' }] });
  expect(withNormalizedFieldId(entry)).toMatchObject({ list_fields: createDayField(null) });
});

test.each<[DataType, unknown, string[]]>([
  ['select', ['Blue', 'Red'], []],
  ['select', [], []],
  ['user', ['a@b.co', 'c@d.co'], []],
  ['number', [1, 2], []],
  ['contact', [contactId], []],
  ['select', ['Red', 'Green', null], ['/1 value', '/2 value']],
  ['select', 'Red', [' type']],
  ['user', 'a@b.co', [' type']],
  ['contact', [contactId, unknownId], ['/1 value']],
])(
  'a %s field for several values given %j has the faults %j, and an empty text clears it',
  async (type, value, faults) => {
    const { findFieldErrors, sendOk, path, write, stored, organization } = await withField(type, true);
    await sendOk('POST /v1/contacts', { first_name: 'Ada' });
    const expected = faults.map((fault) => `#/custom_fields/0/value${fault}`);
    if (faults.length > 0)
      return expect(await findFieldErrors(`PATCH ${path}`, write(value))).toEqual(expected);
    expect(await sendOk(`PATCH ${path}`, write(value))).toMatchObject({ custom_fields: stored(value) });
    if (type === 'user') expect(await sendOk(`PATCH ${path}`, write(''))).toEqual(organization);
  },
);

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
