import { expect, test } from 'vitest';
import { type Expression, parseExpression } from '../../src/filter/expression.ts';

/** Formats an expression with parentheses around each part. */
function format(expression: Expression): string {
  if (expression.kind === 'not') return `not ${format(expression.operand)}`;
  if (expression.kind === 'comparison')
    return `[${expression.name.text}] ${expression.operator} ${expression.values.map(({ text }) => `<${text}>`).join(' ')}`;
  return `(${expression.operands.map(format).join(` ${expression.kind} `)})`;
}

test.each([
  ['a=1', '[a] = <1>'],
  ['  a  !=  1  ', '[a] != <1>'],
  [
    'a<1 and b<=2 and c>3 and d>=4 and e~5',
    '([a] < <1> and [b] <= <2> and [c] > <3> and [d] >= <4> and [e] ~ <5>)',
  ],
  ['a = 1 or b = 2 and c = 3', '([a] = <1> or ([b] = <2> and [c] = <3>))'],
  ['(a = 1 or b = 2) and c = 3', '(([a] = <1> or [b] = <2>) and [c] = <3>)'],
  ['not a = 1 and b = 2', '(not [a] = <1> and [b] = <2>)'],
  ['not (a = 1 and b = 2)', 'not ([a] = <1> and [b] = <2>)'],
  ['not not a = 1', 'not not [a] = <1>'],
  ['a IN (1, "2 3",\'4\') AND NOT b = 1', '([a] in <1> <2 3> <4> and not [b] = <1>)'],
  ['a not in (1)', 'not [a] in <1>'],
  ['"Cold rooms" > 3', '[Cold rooms] > <3>'],
  ["'and' = 'or'", '[and] = <or>'],
  [String.raw`a = "say \"hi\" \\"`, '[a] = <say "hi" \\>'],
  ['a = ""', '[a] = <>'],
  ["name = O'Brien", "[name] = <O'Brien>"],
  ['start_at > 2026-05-01T09:30:00+09:00', '[start_at] > <2026-05-01T09:30:00+09:00>'],
  ['domain = https://acme.example/a?b', '[domain] = <https://acme.example/a?b>'],
  ['custom_fields.역할 = 대표', '[custom_fields.역할] = <대표>'],
  ['updated_at > 7d', '[updated_at] > <7d>'],
])('parses %s', (text, expected) => {
  expect(format(parseExpression(text))).toBe(expected);
});

const quotes = 'Put quotes around a value with spaces, symbols or keywords: Country = "South Korea"';
const all = 'Operators: = != ~ < <= > >= in';

const invalidExpressions: readonly (readonly [text: string, message: string, hint?: string])[] = [
  ['', 'column 1: expected a field name, not the end of the expression.'],
  ['   ', 'column 4: expected a field name, not the end of the expression.'],
  ['a', 'column 2: expected an operator after "a", not the end of the expression.', all],
  ['a 1', 'column 3: expected an operator after "a", not "1".', all],
  ['a == 1', 'column 3: expected an operator after "a", not "==".', all],
  ['a !~ 1', 'column 3: expected an operator after "a", not "!~".', all],
  ['a =', 'column 4: expected a value after "=", not the end of the expression.', quotes],
  ['a = and b = 1', 'column 5: expected a value after "=", not "and".', quotes],
  ['a = = 1', 'column 5: expected a value after "=", not "=".', quotes],
  ['a = Hanbit Logistics', 'column 12: expected "and" or "or", not "Logistics".', quotes],
  ['a = 1 && b = 2', 'column 7: expected "and" or "or", not "&&".', quotes],
  ['a = 1 and', 'column 10: expected a field name, not the end of the expression.'],
  ['or a = 1', 'column 1: expected a field name, not "or".'],
  ['(a = 1', 'column 7: expected "and", "or" or ")", not the end of the expression.', quotes],
  ['a = 1)', 'column 6: expected "and" or "or", not ")".', quotes],
  ['()', 'column 2: expected a field name, not ")".'],
  ['a in 1', 'column 6: expected "(" after "in", not "1".'],
  ['a in ()', 'column 7: expected a value after "(", not ")".', quotes],
  ['a in (1 2)', 'column 9: expected "," or ")", not "2".', quotes],
  ['a in (1,)', 'column 9: expected a value after ",", not ")".', quotes],
  ['a not 1', 'column 3: expected an operator after "a", not "not".', all],
  ['a = "b', 'column 5: missing closing quote (").'],
  ["a = 'b", "column 5: missing closing quote (')."],
  ['이름 = "김', 'column 6: missing closing quote (").'],
  ['"😀" 1', 'column 5: expected an operator after "😀", not "1".', all],
  ['('.repeat(101), 'column 101: more than 100 levels of nesting.'],
  ['not '.repeat(101), 'column 401: more than 100 levels of nesting.'],
];

test('points at the column of an error', () => {
  for (const [text, message, hint] of invalidExpressions)
    expect(() => parseExpression(text)).toThrow(
      expect.objectContaining({ code: 'usage', message, detail: { hint } }),
    );
});

test('parses many operands and 100 levels of nesting without a stack overflow', () => {
  const long = Array.from({ length: 50_000 }, () => 'a = 1').join(' or ');
  expect(parseExpression(long)).toMatchObject({ kind: 'or' });
  expect(format(parseExpression(`${'('.repeat(100)}a = 1${')'.repeat(100)}`))).toBe('[a] = <1>');
});

const names = new Set(
  [
    'expected close',
    'stage',
    'status and more',
    '예상 마감',
    'in',
    'and',
    'not',
    'checked in',
    'value (eur)',
  ].concat(['not contacted', 'list_fields.expected close', 'or else', "bob's size"]),
);

test.each([
  ['Expected close < today and Stage in (Won)', '([Expected close] < <today> and [Stage] in <Won>)'],
  ['EXPECTED  CLOSE<today', '[EXPECTED  CLOSE] < <today>'],
  ['list_fields.Expected close != ""', '[list_fields.Expected close] != <>'],
  ['예상 마감 = today', '[예상 마감] = <today>'],
  [`${'예상 마감'.normalize('NFD')} = today`, `[${'예상 마감'.normalize('NFD')}] = <today>`],
  ['Status and more = 1 and Stage = a', '([Status and more] = <1> and [Stage] = <a>)'],
  ['Stage = a and Status and more = 1', '([Stage] = <a> and [Status and more] = <1>)'],
  ['Stage = a or or else = b', '([Stage] = <a> or [or else] = <b>)'],
  ['in = 1 and and in (2)', '([in] = <1> and [and] in <2>)'],
  ['not = 1', '[not] = <1>'],
  ['not in = 1', 'not [in] = <1>'],
  ['not not = 1', 'not [not] = <1>'],
  ['Checked in = true', '[Checked in] = <true>'],
  ['not Checked in in (a)', 'not [Checked in] in <a>'],
  ['Checked in not in (a)', 'not [Checked in] in <a>'],
  ['Not contacted = true', '[Not contacted] = <true>'],
  ['not Not contacted = true', 'not [Not contacted] = <true>'],
  ['(Value (EUR) > 5)', '[Value (EUR)] > <5>'],
  ["Bob's size = 5", "[Bob's size] = <5>"],
])('parses %s with the names of fields', (text, expected) => {
  expect(format(parseExpression(text, names))).toBe(expected);
});

test('a name of several words needs quotes if it is also a shorter name and a keyword', () => {
  const parse = (text: string, ...fields: string[]) => parseExpression(text, new Set(fields));
  expect(() => parse('a = 1 and Not contacted = true', 'not contacted', 'contacted')).toThrow(
    expect.objectContaining({
      message: 'column 11: "Not contacted" is a field, and so is "contacted".',
      detail: {
        hint:
          `Did you mean --where 'a = 1 and "Not contacted" = true' ` +
          `or --where 'a = 1 and Not "contacted" = true'?`,
      },
    }),
  );
  expect(() => parse('Checked not in (a)', 'checked not', 'checked')).toThrow(
    'column 1: "Checked not" is a field, and so is "Checked".',
  );
  expect(format(parse('Not "contacted" = true', 'not contacted', 'contacted'))).toBe(
    'not [contacted] = <true>',
  );
});

test('an unknown name of several words is one name', () => {
  expect(format(parseExpression('Foo bar = 1', names))).toBe('[Foo bar] = <1>');
  for (const [text, message] of invalidExpressions)
    expect(() => parseExpression(text, names)).toThrow(expect.objectContaining({ message }));
});

test('parses an invalid expression of many words in a moment', () => {
  const start = performance.now();
  expect(() => parseExpression('a in ( '.repeat(20_000), names)).toThrow('column');
  expect(() => parseExpression('a '.repeat(20_000), names)).toThrow('column 3');
  expect(performance.now() - start).toBeLessThan(2000);
});
