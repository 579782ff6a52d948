import { expect } from 'vitest';
import type { Contact } from '../../../src/contract/contacts.ts';
import type { CustomField } from '../../../src/contract/custom-fields.ts';
import { dataTypes } from '../../../src/contract/field-types.ts';
import { models } from '../../../src/contract/record-fields.ts';
import { test } from '../engines.ts';
import { anyId, createPage, laterTime, openTestWorkspace, startTimes, unknownId } from '../service.ts';

const plainField = { data_type: 'text', accepts_multiple_values: false, options: [] };
const select = { data_type: 'select', accepts_multiple_values: true, options: ['Red', 'Blue'] };

test.each<[object, object]>([
  [{}, plainField],
  ...dataTypes
    .filter((data_type) => !['select', 'user', 'contact'].includes(data_type))
    .map((data_type): [object, object] => [{ data_type }, { ...plainField, data_type }]),
  [{ data_type: 'text', options: [] }, plainField],
  [
    { data_type: 'number', accepts_multiple_values: true },
    { ...plainField, data_type: 'number', accepts_multiple_values: true },
  ],
  [
    { data_type: 'user', accepts_multiple_values: false },
    { ...plainField, data_type: 'user' },
  ],
  [
    { data_type: 'contact', accepts_multiple_values: true },
    { ...plainField, data_type: 'contact', accepts_multiple_values: true },
  ],
  [select, select],
])('POST %j is answered with the whole record', async (body, expected) => {
  const { call, sendOk } = await openTestWorkspace();
  const response = await call('POST /v1/custom_fields', { name: 'Color', model: 'contact', ...body });
  const { id } = response.body as CustomField;
  const record = { id: anyId, name: 'Color', model: 'contact', ...expected, ...startTimes };
  expect(response).toEqual({ status: 201, headers: { location: `/v1/custom_fields/${id}` }, body: record });
  expect(await sendOk(`GET /v1/custom_fields/${id}`)).toEqual(record);
  expect(await sendOk('GET /v1/custom_fields')).toEqual(createPage([record]));
});

test.each([
  [{}, ['#/name required', '#/model required']],
  [{ name: ' ', model: 'contact' }, ['#/name value']],
  [{ name: 'X', model: 'list' }, ['#/model value']],
  [{ name: 'X', model: 'deal', data_type: 'boolean' }, ['#/data_type value']],
  [{ name: 'X', model: 'deal', data_type: 'user' }, ['#/accepts_multiple_values required']],
  [{ name: 'X', model: 'deal', data_type: 'contact' }, ['#/accepts_multiple_values required']],
  [
    { name: 'X', model: 'deal', data_type: 'select' },
    ['#/accepts_multiple_values required', '#/options required'],
  ],
  [{ name: 'X', model: 'deal', ...select, options: [] }, ['#/options value']],
  [
    { name: 'X', model: 'deal', ...select, options: ['A', ' ', 'A'] },
    ['#/options/1 value', '#/options/2 taken'],
  ],
  [{ name: 'X', model: 'deal', data_type: 'text', options: ['A'] }, ['#/options value']],
  [
    { name: 'X', model: 'deal', ...select, options: ['A', 1, 'A'] },
    ['#/options/1 type', '#/options/2 taken'],
  ],
  [{ name: 'Taken', model: 'contact' }, ['#/name taken']],
  [
    { name: 'Taken', model: 'contact', data_type: 'select', size: 1 },
    ['#/size unknown', '#/accepts_multiple_values required', '#/options required', '#/name taken'],
  ],
])('POST %j returns every error', async (body, expected) => {
  const { findFieldErrors, sendOk } = await openTestWorkspace();
  const existing = await sendOk('POST /v1/custom_fields', { name: 'Taken', model: 'contact' });
  expect(await findFieldErrors('POST /v1/custom_fields', body)).toEqual(expected);
  expect(await sendOk('GET /v1/custom_fields')).toEqual(createPage([existing]));
});

test('a name is unique within a model only', async () => {
  const { sendOk } = await openTestWorkspace();
  const created: CustomField[] = [];
  for (const model of models)
    created.push(await sendOk<CustomField>('POST /v1/custom_fields', { name: 'Same', model }));
  expect(created.map(({ model }) => model)).toEqual(['organization', 'contact', 'deal']);
});

/** Creates a select field of contacts and another field, and advances the clock. */
async function createColorFields() {
  const created = await openTestWorkspace();
  const field = await created.sendOk<CustomField>('POST /v1/custom_fields', {
    name: 'Color',
    model: 'contact',
    ...select,
  });
  const other = await created.sendOk<CustomField>('POST /v1/custom_fields', {
    name: 'Other',
    model: 'contact',
  });
  created.clock.time = laterTime;
  return { ...created, field, other, path: `/v1/custom_fields/${field.id}` };
}

test.each([
  [{ name: 'Hue' }, { name: 'Hue' }],
  [{ options: ['Blue', 'Green'] }, { options: ['Blue', 'Green'] }],
  [
    { name: 'Hue', options: ['Green'] },
    { name: 'Hue', options: ['Green'] },
  ],
])('PATCH %j changes only the fields that it names', async (body, changed) => {
  const { call, field, path } = await createColorFields();
  const record = { ...field, ...changed, updated_at: laterTime };
  expect(await call(`PATCH ${path}`, body)).toEqual({ status: 200, headers: {}, body: record });
  expect((await call(`GET ${path}`)).body).toEqual(record);
});

test.each([
  [{ name: 'Other' }, ['#/name taken']],
  [{ name: '' }, ['#/name value']],
  [{ name: null, options: null }, ['#/name type', '#/options type']],
  [{ options: [] }, ['#/options value']],
  [{ options: ['A', 'A'], name: 'Hue' }, ['#/options/1 taken']],
  [
    { model: 'deal', data_type: 'text', accepts_multiple_values: false },
    ['#/model unknown', '#/data_type unknown', '#/accepts_multiple_values unknown'],
  ],
])('PATCH %j is rejected and changes nothing', async (body, expected) => {
  const { findFieldErrors, sendOk, field, path } = await createColorFields();
  expect(await findFieldErrors(`PATCH ${path}`, body)).toEqual(expected);
  expect(await sendOk(`GET ${path}`)).toEqual(field);
});

test('rejects options for a field that is not a select', async () => {
  const { findFieldErrors, other } = await createColorFields();
  expect(await findFieldErrors(`PATCH /v1/custom_fields/${other.id}`, { options: ['A'] })).toEqual([
    '#/options value',
  ]);
});

test('values survive the deletion of their option and the renaming of their field', async () => {
  const { sendOk, findFieldErrors, field, other, path } = await createColorFields();
  const custom_fields = [{ name: 'Color', value: ['Red'] }];
  const contact = await sendOk<Contact>('POST /v1/contacts', { first_name: 'Ada', custom_fields });
  await sendOk(`PATCH ${path}`, { name: 'Hue', options: ['Blue'] });
  expect(await sendOk(`GET /v1/contacts/${contact.id}`)).toEqual({
    ...contact,
    custom_fields: {
      [field.id]: { name: 'Hue', data_type: 'select', value: ['Red'] },
      [other.id]: { name: 'Other', data_type: 'text', value: null },
    },
  });
  const again = { custom_fields: [{ name: 'Hue', value: ['Red'] }] };
  expect(await findFieldErrors(`PATCH /v1/contacts/${contact.id}`, again)).toEqual([
    '#/custom_fields/0/value/0 value',
  ]);
});

test('deletes the values of a deleted field', async () => {
  const { call, sendOk, other, path } = await createColorFields();
  const custom_fields = [{ name: 'Color', value: ['Red'] }];
  const contact = await sendOk<Contact>('POST /v1/contacts', { first_name: 'Ada', custom_fields });
  expect(await call(`DELETE ${path}`)).toEqual({ status: 204, headers: {}, body: undefined });
  expect((await call(`GET ${path}`)).status).toBe(404);
  const remaining = { [other.id]: { name: 'Other', data_type: 'text', value: null } };
  expect(await sendOk(`GET /v1/contacts/${contact.id}`)).toEqual({ ...contact, custom_fields: remaining });
});

test.each(['GET', 'PATCH', 'DELETE'])('%s returns 404 for an unknown id', async (method) => {
  const { call } = await openTestWorkspace();
  const { status } = await call(
    `${method} /v1/custom_fields/${unknownId}`,
    method === 'PATCH' ? {} : undefined,
  );
  expect(status).toBe(404);
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
