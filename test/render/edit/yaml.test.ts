import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readYaml, type TypedNode, type TypedValue } from '../../../src/render/edit/read-yaml.ts';
import { writeYaml, type YamlValue } from '../../../src/render/edit/write-yaml.ts';
import { anyCharacter } from '../../support/any-text.ts';
import { countRuns } from '../../support/rounds.ts';

/** Texts that YAML readers take for something else, or that are hard to quote. */
const trapTexts = fc.constantFrom(
  ...['', 'null', '~', 'Null', 'yes', 'no', 'on', 'off', 'true', '007', '1e3', '0x1f', '1_000', '.inf', '<<'],
  ...[
    '2026-05-01',
    '12:30',
    'a: b',
    'a #b',
    '#1',
    ' leading',
    'trailing ',
    '\ttab',
    'a\tb',
    '- a',
    '? a',
    ': ',
  ],
  ...[
    '!important',
    '*star',
    '&anchor',
    '@at',
    '`tick',
    '%TAG',
    '---',
    '...',
    '| pipe',
    '> fold',
    '{a}',
    '[b]',
  ],
  ...[
    '__proto__',
    'constructor',
    'toString',
    '"quoted"',
    "it's",
    '\\',
    'a\\nb',
    '👩‍🚒 🏴󠁧󠁢󠁥󠁮󠁧󠁿',
    '한빛물류',
    'é',
    'e\u0301',
  ],
  ...['\u001b[31m', '\u202eabc', '\u0085', '\u2028', '\ufeff', '\u0000', '\u007f', '\ud800', '\u{e0001}'],
  ...[
    'a\nb',
    'a\n',
    '\na',
    'a\n\n',
    '\n',
    '  a\nb',
    'a\n  b\n',
    'a\r\nb',
    'a\rb',
    'a\n\t',
    'a\n ',
    '---\na',
    '# a\nb',
  ],
);
const texts = fc.oneof(
  trapTexts,
  fc.string({ unit: anyCharacter }),
  fc.array(trapTexts, { maxLength: 4 }).map((all) => all.join('\n')),
);

const scalars = fc.oneof(
  fc.record({ value: fc.oneof(texts, fc.constant(null)), comment: fc.option(texts, { nil: undefined }) }),
  fc.record({ value: texts, isBlock: fc.boolean() }),
);
const entriesOf = (values: fc.Arbitrary<YamlValue>) =>
  fc
    .uniqueArray(fc.record({ name: texts, value: values, comment: fc.option(texts, { nil: undefined }) }), {
      selector: ({ name }) => name,
      maxLength: 6,
    })
    .map((members) => ({ members }));
const values = fc.letrec<{ value: YamlValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    scalars,
    fc.array(tie('value'), { maxLength: 3 }),
    entriesOf(tie('value')),
  ),
})).value;

const unwrapTyped = ({ value }: TypedNode): unknown => unwrapValue(value);
const unwrapValue = (value: TypedValue): unknown =>
  value instanceof Map
    ? Array.from(value, ([name, node]) => [name, unwrapTyped(node)])
    : Array.isArray(value)
      ? value.map(unwrapTyped)
      : value;
const unwrapWritten = (value: YamlValue): unknown => {
  if ('members' in value) return value.members.map((member) => [member.name, unwrapWritten(member.value)]);
  return 'value' in value ? value.value : value.map(unwrapWritten);
};
/** A mapping without names is written as `{}`, which has no names either. */
const roundTrip = (text: string) => unwrapValue(readYaml(text).mapping);

test('any text survives the round trip through YAML, with any name and any comment', () => {
  fc.assert(
    fc.property(entriesOf(values), fc.array(texts, { maxLength: 3 }), (mapping, header) => {
      const text = writeYaml(header, mapping);
      expect({ problems: readYaml(text).problems, values: roundTrip(text) }).toEqual({
        problems: [],
        values: unwrapWritten(mapping),
      });
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that must be escaped
      expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2028]/);
      // An editor may write the file with other line endings, or with a byte order mark.
      expect(roundTrip(`\ufeff${text.replaceAll('\n', '\r\n')}`)).toEqual(unwrapWritten(mapping));
    }),
    { numRuns: countRuns(200) },
  );
});

test('keeps a line of spaces in a long text that must be quoted', () => {
  const body = `${'a'.repeat(40)}\u001b\n \nb`;
  const text = writeYaml([], { members: [{ name: 'body', value: { value: body, isBlock: true } }] });
  expect(roundTrip(text)).toEqual([['body', body]]);
});

test('writes text of several lines as a block, and everything else on one line', () => {
  const body = `${'말 '.repeat(80)}\n\tone\n`;
  const text = writeYaml(['contact 0rlnky', '', 'id: x'], {
    members: [
      { name: 'first_name', value: { value: '007' } },
      { name: 'body', value: { value: body, isBlock: true } },
      { name: 'amount', value: { value: 1200.5, decimals: 2 } },
      { name: 'organization_id', value: { value: 'rl16pk', comment: '한빛\n물류' } },
      { name: 'Language', value: { value: null }, comment: 'one of: Korean, Japanese' },
      { name: 'emails', value: [] },
    ],
  });
  expect(text).toBe(
    '# contact 0rlnky\n#\n# id: x\n\n' +
      `first_name: "007"\nbody: |\n  ${'말 '.repeat(80)}\n  \tone\n` +
      'amount: 1200.50\norganization_id: rl16pk # 한빛 물류\n# one of: Korean, Japanese\nLanguage:\nemails: []\n',
  );
});

test.each([
  ['a: 1\n b: 2\n', [[1, /^column 4: Nested mappings are not allowed/]]],
  ['a: 1\na: 2\n', [[2, /^column 1: Map keys must be unique/]]],
  ['a: *x\n', [[1, /!, & or \*\.$/]]],
  ['a: 1\nb: !important x\n', [[2, /!, & or \*\.$/]]],
  ['a: 1\nb: &x x\n', [[2, /^column \d+: .*!, & or \*\.$/]]],
  ['just a text\n', [[1, /NAME: VALUE/]]],
  ['- a\n', [[1, /NAME: VALUE/]]],
  ['a: 1\n---\nb: 2\n', [[2, /^column 1: Remove this line. A file describes one record\.$/]]],
  ['a: 1\n? [b]\n: 2\n', [[2, /^column 3: A field name must be text\.$/]]],
  ['\ta: 1\n', [[1, /column/]]],
] as const)('reports where %j is not a document', (text, expected) => {
  const { problems } = readYaml(text);
  for (const [index, [line, message]] of expected.entries())
    expect(problems[index]).toEqual({ line, message: expect.stringMatching(message) });
});

test.each([
  ['brackets', `a: |\n  [\n  [\nb: ${'['.repeat(100_000)}`, 4],
  ['closed brackets', `b: ${'['.repeat(5000)}${']'.repeat(5000)}`, 1],
  ['dashes', `a: 1\nb:\n  ${'- '.repeat(5000)}`, 3],
])('refuses %s that nest too deeply', (_, text, line) => {
  expect(readYaml(text).problems).toEqual([{ line, message: 'The values are nested too deeply.' }]);
});

test('reads many lists and texts with brackets', () => {
  const lines = Array.from({ length: 300 }, (_, index) => `f${index}: [a, "[[", {b: c}]\n`).join('');
  const { mapping, problems } = readYaml(`${lines}body: |\n  ${'['.repeat(300)}\n  ${'- '.repeat(300)}\n`);
  expect([problems, mapping.size]).toEqual([[], 301]);
});
