import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  compactJson,
  indentJson,
  parseRawJson,
  parseRawObject,
  rawElements,
  rawMember,
  rawMembers,
  scanRawObject,
  toRawJson,
} from '../../src/values/raw-json.ts';

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
      if (Array.isArray(value)) expect(rawElements(sent).map(({ text }) => JSON.parse(text))).toEqual(value);
      else if (value !== null && typeof value === 'object') {
        const members = rawMembers(sent).map(([name, { text }]) => [name, JSON.parse(text)]);
        expect(members).toEqual(Object.entries(value));
      }
    }),
    { numRuns: 2000 },
  );
});

test('finds a member by its name, the last one of two', () => {
  expect(rawMember(parseRawJson(odd), 'b')?.text).toBe('null');
  expect(rawMember(parseRawJson(odd), 'c')).toBeUndefined();
  expect(rawMember(toRawJson({ a: [1] }), 'a')?.text).toBe('[1]');
});

test('splits a text of ten megabytes', () => {
  const long = JSON.stringify(['\\"'.repeat(2_500_000), 'x'.repeat(1_000_000)]);
  expect(rawElements(parseRawJson(long)).map(({ text }) => text.length)).toEqual([10_000_002, 1_000_002]);
});

const whole = '{"data": {"id": "a", "list": [1.10, {"b": "}]\\""}], "none": null}}';

test('scans an object for its text and those of its members', () => {
  const inner = '{"id": "a", "list": [1.10, {"b": "}]\\""}], "none": null}';
  const members = [
    ['id', '"a"'],
    ['list', '[1.10, {"b": "}]\\""}]'],
    ['none', 'null'],
  ];
  const known = (text: string) => {
    const { text: found, members } = scanRawObject(text, 'data') ?? { members: [] };
    return [found, [...members]];
  };
  expect(known(whole)).toEqual([inner, members]);
  expect(known(` ${inner}\n`)).toEqual([inner, members]);
  expect(known(`{"data":{"id":"b"},"d\\u0061ta":${inner}}`)).toEqual([inner, members]);
  const bare = '{"data": [{"data":{}}], "id": 1, "id": 2.0}';
  expect(known(bare)).toEqual([
    bare,
    [
      ['data', '[{"data":{}}]'],
      ['id', '2.0'],
    ],
  ]);
  expect(known('{}')).toEqual(['{}', []]);
});

test.each(['', ' ', '"a text with {brackets} in it"', 'null', '[{"data":{}}]', '<html>{"data":{}}</html>'])(
  'finds no object in %j',
  (text) => {
    expect(scanRawObject(text, 'data')).toBeUndefined();
  },
);

test('throws for a truncated text and for trailing characters', () => {
  for (let end = 1; end < whole.length; end += 1) {
    expect(() => scanRawObject(whole.slice(0, end), 'data')).toThrow(SyntaxError);
  }
  for (const more of ['x', ' }', '{', ',']) {
    expect(() => scanRawObject(whole + more, 'data')).toThrow(SyntaxError);
  }
});

test.each([
  whole,
  ` ${whole}\r\n\t`,
  '{"data":{"a":{"b":"}"}}}',
  '{"data":{"a":1},"meta":{"b":2}}',
  '{"meta":1,"data":{"a":1}}',
  '{"data":{"a":1},"data":{"b":2}}',
  '{"data":null}',
  '{"a":{"data":{}}}',
  '{"data":{"a":1}',
  '{"data":{"a":1}}}',
  '{"data":{"a":1}]',
  '{"data":\u00a0{"a":1}}',
  '{"data":{"a":1}\u00a0}',
  '{"data":{"a":1}}\u2028',
])('parseRawObject and scanRawObject agree on %j', (text) => {
  const from = (read: () => unknown) => {
    try {
      return read();
    } catch (error) {
      return error instanceof SyntaxError;
    }
  };
  const found = () => scanRawObject(text, 'data');
  expect(from(() => parseRawObject(text, 'data'))).toEqual(
    from(() => found() && parseRawJson(found()?.text ?? '')),
  );
});
