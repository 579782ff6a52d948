import { expect } from 'vitest';
import type { Contact } from '../../../src/contract/contacts.ts';
import type { CustomField } from '../../../src/contract/custom-fields.ts';
import { ids } from '../../../src/service/db/ids.ts';
import { createPage } from '../../client/loopback.ts';
import { test } from '../engines.ts';
import { openWithRecord } from '../nouns.ts';
import { openTestWorkspace } from '../service.ts';

test('a field that is not a select takes no options', async () => {
  const { findFieldErrors } = await openWithRecord('custom field');
  const path = `/v1/custom_fields/${ids.customField.encode(2)}`;
  expect(await findFieldErrors(`PATCH ${path}`, { options: ['A'] })).toEqual(['#/options value']);
});

test('values survive the deletion of their option and the renaming of their field', async () => {
  const { sendOk, findFieldErrors, record: field, path } = await openWithRecord('custom field');
  const other = ids.customField.encode(2);
  const custom_fields = [{ name: 'Tier', value: ['A'] }];
  const contact = await sendOk<Contact>('POST /v1/contacts', { first_name: 'Ada', custom_fields });
  await sendOk(`PATCH ${path}`, { name: 'Hue', options: ['B'] });
  expect(await sendOk(`GET /v1/contacts/${contact.id}`)).toEqual({
    ...contact,
    custom_fields: {
      [field.id]: { name: 'Hue', data_type: 'select', value: ['A'] },
      [other]: { name: 'Taken', data_type: 'text', value: null },
    },
  });
  const again = { custom_fields: [{ name: 'Hue', value: ['A'] }] };
  expect(await findFieldErrors(`PATCH /v1/contacts/${contact.id}`, again)).toEqual([
    '#/custom_fields/0/value/0 value',
  ]);
});

test('returns all fields from the offset on if first is omitted', async () => {
  const { sendOk } = await openTestWorkspace();
  const created: CustomField[] = [];
  for (let index = 0; index < 30; index += 1)
    created.push(await sendOk<CustomField>('POST /v1/custom_fields', { name: `N${index}`, model: 'deal' }));
  expect(await sendOk('GET /v1/custom_fields')).toEqual(createPage(created));
  expect(await sendOk('GET /v1/custom_fields?after=28')).toEqual({
    ...createPage(created),
    data: created.slice(28),
  });
  expect(await sendOk('GET /v1/custom_fields?first=2')).toMatchObject({
    data: created.slice(0, 2),
    pagination: { has_next_page: true },
  });
});
