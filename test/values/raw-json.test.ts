import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  compactJson,
  findRawMember,
  indentJson,
  listRawElements,
  listRawMembers,
  parseRawJson,
  toRawJson,
} from '../../src/values/raw-json.ts';
import { countRuns } from '../support/rounds.ts';

const odd =
  '{"b":1.10,"2":[],"1":{},"big":12345678901234567890,"u":"\\u00e9\\"}{","n":-0,"e":1e400,"b":null}';

test('indenting keeps every token and the order of fields', () => {
  expect(indentJson(odd)).toBe(
    [
      '{',
      '  "b": 1.10,',
      '  "2": [],',
      '  "1": {},',
      '  "big": 12345678901234567890,',
      '  "u": "\\u00e9\\"}{",',
      '  "n": -0,',
      '  "e": 1e400,',
      '  "b": null',
      '}',
    ].join('\n'),
  );
});

test('indenting nested brackets does not grow quadratically', () => {
  const depth = 50_000;
  const deep = `${'['.repeat(depth)}1${']'.repeat(depth)}`;
  expect(compactJson(indentJson(deep)).replaceAll(' ', '')).toBe(deep);
  expect(indentJson(deep).length).toBeLessThan(500 * depth);
});

test.each([
  ['{"a":12345678901234567890}', { a: '12345678901234567890' }],
  ['{"a":9007199254740991,"b":1e2}', { a: 9007199254740991, b: 100 }],
  ['{"a":1e400}', { a: '1e400' }],
  ['{"a":"12345678901234567890"}', { a: '12345678901234567890' }],
])('parses %s without losing digits', (text, value) => {
  expect(parseRawJson(text).value).toEqual(value);
});

test('splits, indents and compacts any JSON without changing its value', () => {
  fc.assert(
    fc.property(fc.json(), fc.constantFrom(0, 1, '\t', '\r\n '), (json, space) => {
      const value = JSON.parse(json);
      const sent = parseRawJson(JSON.stringify(value, null, space));
      expect(indentJson(sent.text)).toBe(JSON.stringify(value, null, 2));
      expect(JSON.parse(compactJson(sent.text))).toEqual(value);
      expect(compactJson(sent.text)).not.toMatch(/[\n\r]/);
      if (Array.isArray(value))
        expect(listRawElements(sent).map(({ text }) => JSON.parse(text))).toEqual(value);
      else if (value !== null && typeof value === 'object') {
        const members = listRawMembers(sent).map(([name, { text }]) => [name, JSON.parse(text)]);
        expect(members).toEqual(Object.entries(value));
      }
    }),
    { numRuns: countRuns(2000) },
  );
});

test('finds a member by its name, the last one of two', () => {
  expect(findRawMember(parseRawJson(odd), 'b')?.text).toBe('null');
  expect(findRawMember(parseRawJson(odd), 'c')).toBeUndefined();
  expect(findRawMember(toRawJson({ a: [1] }), 'a')?.text).toBe('[1]');
});

test('splits a text of ten megabytes', () => {
  const long = JSON.stringify(['\\"'.repeat(2_500_000), 'x'.repeat(1_000_000)]);
  expect(listRawElements(parseRawJson(long)).map(({ text }) => text.length)).toEqual([10_000_002, 1_000_002]);
});

const whole = '{"data": {"id": "a", "list": [1.10, {"b": "}]\\""}], "none": null}}';

/** Reads the members from the text alone. */
const readMembers = (text: string) =>
  listRawMembers({ text, value: {} }).map(([name, member]) => [name, member.text]);

test('splits an object into its members, with brackets and quotes in strings', () => {
  const [[name, data] = []] = readMembers(whole);
  expect(name).toBe('data');
  expect(readMembers(data ?? '')).toEqual([
    ['id', '"a"'],
    ['list', '[1.10, {"b": "}]\\""}]'],
    ['none', 'null'],
  ]);
  expect(readMembers('{"data": [{"data":{}}], "id": 1, "i\\u0064": 2.0}')).toEqual([
    ['data', '[{"data":{}}]'],
    ['id', '1'],
    ['id', '2.0'],
  ]);
  expect(readMembers('{}')).toEqual([]);
});

test.each(['', ' ', '"a text with {brackets} in it"', 'null', '[{"data":{}}]', '<html>{"data":{}}</html>'])(
  'finds no members in %j',
  (text) => {
    expect(readMembers(text)).toEqual([]);
  },
);
