import { expect, test } from 'vitest';
import { calendarEvents } from '../../src/contract/calendar-events.ts';
import { entries } from '../../src/contract/entries.ts';
import { createRecordNormalizer } from '../../src/contract/received.ts';
import { recordings } from '../../src/contract/recordings.ts';

const normalizeEntry = createRecordNormalizer(entries.get);

test('a record of the shape of the contract is returned itself', () => {
  const entry = {
    id: 'e',
    status: 'Won',
    assignee: { email: 'a@example.com' },
    one_time_value_cents: 5,
    list_fields: { f: { name: 'Size', data_type: 'number', value: [1] } },
    closed_at: null,
    another: { of: 'theirs' },
  };
  expect(normalizeEntry(entry)).toBe(entry);
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
  ['an object', { assignee: 'Ada' }, { assignee: {} }],
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
  ['null and missing fields', { status: null, key: undefined }, { status: null, key: undefined }],
  ['a record that is not an object', 'entry', {}],
])('%s of another kind is converted, or is null or empty', (_, value, expected) => {
  expect(normalizeEntry(value)).toEqual(expected);
});

test.each([
  ['names to values', { Topics: ['Probes'], Size: 1, Owner: null }],
  ['an array of fields', [{ name: 'Topics', value: ['Probes'] }]],
])('a map is unchanged if the service sends %s', (_, list_fields) => {
  const entry = { list_fields };
  expect(normalizeEntry(entry)).toBe(entry);
});

test('a list keeps its length with any items', () => {
  const normalize = createRecordNormalizer(calendarEvents.list);
  const attendees = [null, {}, { email: 5 }, 'x'];
  expect(normalize({ attendees })).toEqual({ attendees: [{}, {}, { email: '5' }, {}] });
  expect(normalize({ attendees: 'all' })).toEqual({ attendees: [] });
  expect(normalize({ title: 1 })).toEqual({ title: '1' });
});

test('a summary is unchanged, because a workspace chooses its structure', () => {
  const recording = { summary: ['free'], transcript: [{ words: [{ text: 5 }] }] };
  const expected = { summary: ['free'], transcript: [{ words: [{ text: '5' }] }] };
  expect(createRecordNormalizer(recordings.get)(recording)).toEqual(expected);
});

test('a member named __proto__ is a member like any other', () => {
  const entry = JSON.parse('{"list_fields":{"__proto__":{"name":7}}}');
  expect(JSON.stringify(normalizeEntry(entry))).toBe('{"list_fields":{"__proto__":{"name":"7"}}}');
});
