import { expect, test } from 'vitest';
import { toRecordField } from '../../src/contract/field-table.ts';
import { getComparator } from '../../src/filter/comparators.ts';
import { createFieldFinder, listFilterFields, toFilterField } from '../../src/filter/noun-fields.ts';

const createDefinedField = (...definition: Parameters<typeof toRecordField>) =>
  toFilterField(toRecordField(...definition));

test('finds fields by name, alias and prefix, without regard to case', async () => {
  const defined = [
    createDefinedField('custom_fields', { name: 'Name', data_type: 'text' }),
    createDefinedField('custom_fields', { name: 'Tier', data_type: 'select', options: ['Gold'] }),
  ];
  const reads: string[] = [];
  const find = createFieldFinder({
    fields: listFilterFields('contacts'),
    container: 'custom_fields',
    readDefined: async () => {
      reads.push('definitions');
      return defined;
    },
  });
  const record = { first_name: 'Ada', custom_fields: { f1: { name: 'Name', value: 'own' } } };
  expect((await find('NAME')).read(record)).toEqual(['Ada']);
  expect((await find('email')).name).toBe('emails');
  expect((await find('Phones')).name).toBe('phone_numbers');
  expect(reads).toEqual([]);
  expect((await find('custom_fields.name')).read(record)).toEqual(['own']);
  expect(await find('tier')).toMatchObject({ type: 'select', options: ['Gold'] });
  await expect(find('custom_fields.id')).rejects.toMatchObject({
    message: 'unknown field "custom_fields.id".',
  });
});

test('a select field without options, and one of an unknown type, compare like a text', () => {
  const compareLike = (definition: string) => {
    const { type, options } = createDefinedField('list_fields', JSON.parse(definition));
    return getComparator(type, options);
  };
  for (const data_type of ['select', null, 'constructor'])
    expect(compareLike(JSON.stringify({ name: 'Tier', data_type }))).toBe(getComparator('text'));
});
