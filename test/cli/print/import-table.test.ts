import { expect, test } from 'vitest';
import { createImportColumns } from '../../../src/cli/print/import-table.ts';
import { contacts } from '../../../src/contract/contacts.ts';
import { customFields } from '../../../src/contract/custom-fields.ts';
import type { NamedDefinition } from '../../../src/contract/field-table.ts';
import { createRecordNormalizer } from '../../../src/contract/received.ts';
import { formatCell } from '../../../src/render/cells.ts';
import { formatFieldHeader, formatHeaderName, parseFieldHeader } from '../../../src/render/field-headers.ts';

const toContact = createRecordNormalizer(contacts.get);
const toField = createRecordNormalizer(customFields.get);

test.each([
  ['Role', 'Role'],
  ['a.b, c', 'a.b, c'],
  ['Emails of his', 'Emails of his'],
  ['id', 'custom_fields.id'],
  ['First_Name', 'custom_fields.First_Name'],
  ['email', 'custom_fields.email'],
  ['Phones', 'custom_fields.Phones'],
  ['organization_id', 'custom_fields.organization_id'],
  ['DOMAIN', 'custom_fields.DOMAIN'],
  ['created_at', 'custom_fields.created_at'],
  ['custom_fields', 'custom_fields.custom_fields'],
  ['custom_fields.Role', 'custom_fields.custom_fields.Role'],
  ['Custom_Fields.Role', 'custom_fields.Custom_Fields.Role'],
  ['', 'custom_fields.'],
  [' Role', 'custom_fields. Role'],
  ['Role ', 'custom_fields.Role '],
])('the header of the custom field "%s" is "%s"', (name, header) => {
  expect(formatHeaderName(name)).toBe(header);
});

test.each([
  ['its id', { f0: { name: 'Role', value: 'other' }, f1: { name: 'Role', value: 'Chief' } }, 'Chief'],
  ['its name, where a service has other keys', { role: { name: 'Role', value: ['a', 'b'] } }, 'a;b'],
  [
    'its id, though it has no value',
    { f1: { name: 'Role', value: null }, r: { name: 'Role', value: 1 } },
    '',
  ],
  ['nothing', {}, ''],
  ['what is no object', 'Role', ''],
])('the value of a custom field is under %s', (_, custom_fields, text) => {
  const column = createImportColumns('contact', [toField({ id: 'f1', name: 'Role' })]).find(
    ({ name }) => name === 'Role',
  );
  expect(formatCell(column?.cell(toContact({ id: 'c', custom_fields })), ';')).toBe(text);
});

test('a spreadsheet starts with the id, then has the fields and the custom fields, and ends with the times', () => {
  const defined = [
    { id: 'f1', name: 'Role' },
    { id: 'f2', name: 'name' },
  ].map(toField);
  expect(
    (['contact', 'organization'] as const).map((model) =>
      createImportColumns(model, defined).map(({ name }) => name),
    ),
  ).toEqual([
    'id first_name last_name emails phone_numbers organization Role custom_fields.name created_at updated_at'.split(
      ' ',
    ),
    'id name domains Role custom_fields.name created_at updated_at'.split(' '),
  ]);
});

test.each<[string, NamedDefinition]>([
  ['Role', { name: 'Role', data_type: 'text' }],
  ['Role', { name: 'Role' }],
  ['Role:text:multiple', { name: 'Role', data_type: 'text', accepts_multiple_values: true }],
  ['Call: back', { name: 'Call: back', data_type: 'text' }],
  ['a\\:date:text', { name: 'a:date', data_type: 'text' }],
  ['a\\:b\\\\:number', { name: 'a:b\\', data_type: 'number' }],
  ['custom_fields.Email:url', { name: 'Email', data_type: 'url' }],
  ['L:select:a,b\\,c,\\:', { name: 'L', data_type: 'select', options: ['a', 'b,c', ':'] }],
  ['L:select:multiple:a', { name: 'L', data_type: 'select', options: ['a'], accepts_multiple_values: true }],
  ['L:select::multiple', { name: 'L', data_type: 'select', options: ['multiple'] }],
  ['custom_fields.L:select:a ', { name: 'L', data_type: 'select', options: ['a '] }],
])('the header %s contains the type of a field and is parsed back', (header, field) => {
  expect(formatFieldHeader(field)).toBe(header);
  const { name, parts } = parseFieldHeader(header);
  const { data_type = 'text', accepts_multiple_values = false, options } = field;
  expect([name, parts?.type ?? 'text', parts?.multiple ?? false, parts?.options]).toEqual([
    field.name,
    ...[data_type, accepts_multiple_values, options],
  ]);
});
