import { expect, test } from 'vitest';
import { calendarEvents } from '../../src/contract/calendar-events.ts';
import { contacts } from '../../src/contract/contacts.ts';
import { customFields } from '../../src/contract/custom-fields.ts';
import { entries } from '../../src/contract/entries.ts';
import type { Route } from '../../src/contract/grammar.ts';
import { listFields } from '../../src/contract/list-fields.ts';
import { lists } from '../../src/contract/lists.ts';
import { createRecordNormalizer, replacedLists } from '../../src/contract/received.ts';
import { recordFields } from '../../src/contract/record-fields.ts';
import { recordings } from '../../src/contract/recordings.ts';
import type { ListedNoun } from '../../src/contract/singular-nouns.ts';

const normalizeEntry = createRecordNormalizer(entries.get);

/** An entry of a list without values, except the id. */
const emptyEntry = {
  id: 'e',
  key: null,
  list_id: '',
  entryable_id: '',
  entryable_type: null,
  contact_id: null,
  list_fields: null,
  created_at: '',
  updated_at: '',
};

const fullEntry = {
  ...emptyEntry,
  entryable_type: 'Contact',
  status: 'Won',
  assignee: { email: 'a@example.com' },
  one_time_value_cents: 5,
  list_fields: { f: { name: 'Size', data_type: 'number', value: [1] } },
  closed_at: null,
  another: { of: 'theirs' },
};

test('a record of the shape of the contract is returned itself', () => {
  expect(normalizeEntry(emptyEntry)).toBe(emptyEntry);
  expect(normalizeEntry(fullEntry)).toBe(fullEntry);
});

test.each<[string, unknown, unknown]>([
  ['a text', { status: 5 }, { status: '5' }],
  ['a text that is an object', { status: { name: 'Won' } }, { status: '{"name":"Won"}' }],
  [
    'a number that is text',
    { one_time_value_cents: '9007199254740993' },
    { one_time_value_cents: '9007199254740993' },
  ],
  ['a number', { one_time_value_cents: [1] }, { one_time_value_cents: null }],
  ['an object', { assignee: 'Ada' }, { assignee: { email: '' } }],
  [
    'a field of an object',
    { assignee: { email: 5, name: 'Ada' } },
    { assignee: { email: '5', name: 'Ada' } },
  ],
  ['a map', { list_fields: 'none' }, { list_fields: null }],
  [
    'a field of a map',
    { list_fields: { f: null, g: { name: 5 } } },
    { list_fields: { f: null, g: { name: '5' } } },
  ],
  [
    'a field that is null',
    { status: null, list_id: null, closed_at: null },
    { list_id: '', closed_at: null },
  ],
  ['an optional field that is missing', { status: undefined }, {}],
])('%s of another kind is converted, or is null or empty', (_, value, expected) => {
  expect(normalizeEntry({ ...emptyEntry, ...(value as object) })).toEqual({
    ...emptyEntry,
    ...(expected as object),
  });
});

test('fields that the service omits are null or empty, except those that only a process has', () => {
  expect(normalizeEntry({ id: 'e' })).toStrictEqual(emptyEntry);
  expect(createRecordNormalizer(contacts.list)({ id: 'c', emails: null })).toEqual({
    id: 'c',
    first_name: null,
    last_name: null,
    emails: [],
    organization_id: null,
    custom_fields: null,
    created_at: '',
    updated_at: '',
  });
  expect(createRecordNormalizer(lists.get)({ id: 'l', statuses: [{ name: 'Won' }], fields: [{}] })).toEqual({
    id: 'l',
    name: '',
    process: null,
    entry_type: null,
    statuses: [{ name: 'Won', type: null }],
    fields: [{ name: '', data_type: null, accepts_multiple_values: null }],
    created_at: '',
    updated_at: '',
    archived_at: null,
  });
});

test.each([
  ['contacts', contacts.get, 'phone_numbers', undefined],
  ['contacts', contacts.get, 'phone_numbers', null],
  ['lists', lists.get, 'fields', null],
  ['lists', lists.get, 'statuses', null],
  ['customFields', customFields.get, 'options', null],
])('a list of %s that a write replaces is unknown if it is missing', (_, route, name, value) => {
  const record = createRecordNormalizer<Route>(route)({ id: 'a', [name]: value });
  expect(Object(record)[name]).toBeUndefined();
});

test('the lists that a write replaces are those of the field tables', () => {
  const replaced = (Object.keys(recordFields) as ListedNoun[])
    .flatMap(listFields)
    .flatMap(({ key, listUpdate }) => (listUpdate === 'replace' ? key : []));
  expect(replaced.toSorted()).toEqual(replacedLists.toSorted());
});

test.each([
  ['no id', { key: 'A-1' }],
  ['an id of null', { id: null }],
  ['an empty id', { id: '' }],
  ['no object', 'entry'],
  ['null', null],
])('a record with %s is refused', (_, record) => {
  expect(() => normalizeEntry(record)).toThrow('The response has a record without an id.');
});

test('a recording without an id is refused in its meeting', () => {
  const normalize = createRecordNormalizer(calendarEvents.list);
  expect(() => normalize({ id: 'm', recordings: [{ status: 'done' }] })).toThrow(
    'The response has an item of recordings without an id.',
  );
});

test.each([
  ['names to values', { Topics: ['Probes'], Size: 1, Owner: null }],
  ['an array of fields', [{ name: 'Topics', value: ['Probes'] }]],
])('a map is unchanged if the service sends %s', (_, list_fields) => {
  const entry = { ...emptyEntry, list_fields };
  expect(normalizeEntry(entry)).toBe(entry);
});

test('a list keeps its length with any items', () => {
  const normalize = createRecordNormalizer(calendarEvents.list);
  const attendees = [null, {}, { email: 5 }, 'x'];
  expect(normalize({ id: 'm', attendees })).toMatchObject({
    attendees: [{ email: '' }, { email: '' }, { email: '5' }, { email: '' }],
  });
  expect(normalize({ id: 'm', attendees: 'all' })).toMatchObject({ attendees: [] });
  expect(normalize({ id: 'm', title: 1 })).toMatchObject({ title: '1' });
});

test('a summary is unchanged, because a workspace chooses its structure', () => {
  const recording = { id: 'r', summary: ['free'], transcript: [{ words: [{ text: 5 }] }] };
  expect(createRecordNormalizer(recordings.get)(recording)).toMatchObject({
    summary: ['free'],
    transcript: [{ participant: null, words: [{ text: '5', start_timestamp: null }] }],
  });
});

test('a member named __proto__ is a member like any other', () => {
  const entry = JSON.parse('{"id":"e","list_fields":{"__proto__":{"name":7}}}');
  expect(JSON.stringify(normalizeEntry(entry))).toContain('"list_fields":{"__proto__":{"name":"7"}}');
});
