import fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitRawList } from '../../src/values/raw-json-list.ts';
import { countRuns } from '../support/rounds.ts';

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Returns the value of a split list. */
function foundIn(text: string): unknown {
  const list = splitRawList(text, JSON.parse);
  if (!list) return undefined;
  const elements = list.elements.map((element) => parsed(element.text));
  return Array.isArray(list.frame) ? elements : { ...(list.frame as object), data: elements };
}

const records = fc.array(fc.jsonValue({ depthSize: 'small', maxDepth: 4 }), { maxLength: 4 });
const pages = fc.oneof(
  records,
  fc.record({ data: records, pagination: fc.record({ total_count: fc.nat() }) }),
);
const texts = fc
  .tuple(pages, fc.constantFrom('', ' ', '\n', '\t'))
  .map(([page, space]) => JSON.stringify(page, null, space).replaceAll(/\n +/g, space));

test('finds the same elements as JSON.parse', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const elements = foundIn(text);
      if (elements !== undefined) expect(elements).toEqual(JSON.parse(text));
    }),
    { numRuns: countRuns(500) },
  );
});

test('finds nothing in invalid JSON', () => {
  const damage = fc.record({
    index: fc.nat(200),
    gone: fc.nat(2),
    put: fc.constantFrom('', ',', '"', '\\', '{', ']', '0', 'e', 'tru', 'NaN', '\n', '\u0000', ':'),
  });
  fc.assert(
    fc.property(texts, damage, (text, { index, gone, put }) => {
      const place = index % text.length;
      const damaged = text.slice(0, place) + put + text.slice(place + gone);
      if (parsed(damaged) === undefined) expect(splitRawList(damaged, JSON.parse)).toBeUndefined();
    }),
    { numRuns: countRuns(2000) },
  );
});

test.each([
  '[{"a":tru}]',
  '[{"a":1,}]',
  '[{"a":1},]',
  '[{"a":[1, ]}]',
  '[{"a":[1 2]}]',
  '[{"a":1 "b":2}]',
  '[{"a":1}{"a":2}]',
  '[{"a":NaN}]',
  '[{"a":"\n"}]',
  '[{"a":"\\x"}]',
  '[{"a":01}]',
  '[{"a":1}',
  '[{"a":1}]]',
  '{"data":[{"a":1}',
  '{"data":[{"a":1}],}',
])('does not split %j', (text) => {
  expect(splitRawList(text, JSON.parse)).toBeUndefined();
});

test('splits records of the API with nested fields', () => {
  const record = {
    id: 'c1',
    first_name: '김 "지우" \u2028',
    custom_fields: { Regions: ['EMEA', 'APAC'], Score: -1.5e-7, Renewal: { one_time: null } },
    emails: [],
  };
  const text = JSON.stringify({ data: [record, record], pagination: { total_count: 2 } });
  for (const sent of [text, text.replaceAll('":', '": ').replaceAll(',"', ', "')]) {
    expect(foundIn(sent)).toEqual(JSON.parse(text));
    expect(splitRawList(sent, JSON.parse)?.elements.map(({ value }) => value)).toEqual([record, record]);
  }
});

test.each(['{"data":[1],"data":[2]}', '{"data":[1],"data":[]}', '{"data":[1],"d\\u0061ta":[2]}'])(
  'does not split %s, because the last of two lists counts',
  (text) => {
    expect(splitRawList(text, JSON.parse)).toBeUndefined();
  },
);

test('does not split a text with a string that is too long for the pattern', () => {
  expect(splitRawList(`["${'\\n'.repeat(12_000_000)}"]`, JSON.parse)).toBeUndefined();
});
