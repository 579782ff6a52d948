import { expect, test } from 'vitest';
import { createDefinedField, createFieldFinder, nounFields } from '../../src/filter/noun-fields.ts';

test('finds fields by name, alias and prefix, without regard to case', async () => {
  const defined = [
    createDefinedField('custom_fields', { name: 'Name', data_type: 'text' }),
    createDefinedField('custom_fields', { name: 'Tier', data_type: 'select', options: ['Gold'] }),
  ];
  const reads: string[] = [];
  const find = createFieldFinder({
    fields: nounFields.contacts,
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
  expect(await find('tier')).toMatchObject({ kind: 'choice', options: ['Gold'] });
  await expect(find('custom_fields.id')).rejects.toMatchObject({
    message: 'unknown field "custom_fields.id".',
  });
});

test('a select field without options is a text', () => {
  expect(createDefinedField('list_fields', { name: 'Tier', data_type: 'select' }).kind).toBe('text');
  expect(createDefinedField('list_fields', { name: 'Other', data_type: null }).kind).toBe('text');
  const unknownType = JSON.parse('{"name": "Other", "data_type": "constructor"}');
  expect(createDefinedField('list_fields', unknownType).kind).toBe('text');
});
