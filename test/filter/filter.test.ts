import { expect, test } from 'vitest';
import { Failure } from '../../src/contract/errors.ts';
import type { FieldType } from '../../src/contract/field-types.ts';
import type { FilterContext } from '../../src/filter/comparators.ts';
import { parseExpression } from '../../src/filter/expression.ts';
import { compileFilter, type Field } from '../../src/filter/filter.ts';
import { createFieldFinder } from '../../src/filter/noun-fields.ts';

const now = new Date('2026-11-23T12:00:00Z');

/** Days and times in UTC; the id of "Acme" is o1. */
const context: FilterContext = {
  now,
  readTime(text) {
    const age = /^(\d+)d$/.exec(text)?.[1];
    const time = age === undefined ? Date.parse(text) : now.getTime() - Number(age) * 86_400_000;
    if (Number.isNaN(time)) throw new Failure('usage', `"${text}" is not a time.`);
    return Math.floor(time / 1000);
  },
  toDay: (time) => new Date(time).toISOString().slice(0, 10),
  async resolve(_, text) {
    if (text !== 'Acme') throw new Failure('not_found', `No organization "${text}".`);
    return 'o1';
  },
  search: async (_, text) => (text === 'ac' ? ['o1', 'o2'] : []),
  completeAddress: async (text) => (text.toLowerCase() === 'me' ? 'Ada@analytical.example' : text),
};

const options = ['Low', 'Medium', 'High'];

/** Compiles an expression about the field `x`, and returns whether a record with values of it matches. */
async function createMatcher(type: FieldType, expression: string) {
  const field: Field = {
    name: 'x',
    type,
    ...(type === 'select' && { options }),
    read: ({ x }) => [x].flat(),
  };
  const filter = await compileFilter(
    parseExpression(expression),
    createFieldFinder({ fields: [field] }),
    context,
  );
  return (x: unknown) => filter.matches({ x });
}

test.each<readonly [type: FieldType, expression: string, matching: unknown[], others: unknown[]]>([
  ['text', 'x = won', ['Won', 'WON', ['Lost', 'won']], ['Won!', '', null, undefined, []]],
  ['text', 'x = "한빛"', ['한빛', '한빛'.normalize('NFD')], ['한']],
  ['text', 'x = "カナ"', ['ｶﾅ'], ['かな']],
  ['text', 'x != won', ['Lost', '', null, undefined, []], ['Won', ['Lost', 'Won']]],
  ['text', 'x ~ "OLD ro"', ['Cold  room', ['a', 'cold rooms']], ['cold', null]],
  ['text', 'not x ~ cold', ['warm', null], ['Cold']],
  ['text', 'x in (a, "b c")', ['A', 'b  C'], ['b', null]],
  ['text', 'x not in (a, b)', ['c', null], ['a', ['c', 'b']]],
  ['text', 'x > m', ['n', 'Z', '한'], ['a', 'M', null]],
  ['text', 'x = ""', ['', null, undefined, [], ['']], ['a', 0]],
  ['text', 'x != ""', ['a'], ['', null]],
  ['text', 'x in ("", a)', ['', null, 'a'], ['b']],
  ['text', 'x = null', ['', null, undefined, []], ['null', 'a']],
  ['text', 'x != NULL', ['null', 'a'], ['', null]],
  ['text', 'x in (null, a)', [null, 'a'], ['null']],
  ['text', 'x = "null"', ['Null'], [null, '']],
  ['text', 'x ~ null', ['nullable'], [null]],
  ['text', 'x = 5', [5, '5'], [{ a: 5 }, true]],
  ['id', 'x = aB1', ['aB1'], ['AB1', 'ab1']],
  ['id', 'x in (aB1)', ['aB1'], ['ab1']],
  ['number', 'x = 1.50', [1.5, '1.5'], [1, 'a', null]],
  ['number', 'x > 9', [10, '10'], [9, 2, null]],
  ['number', 'x >= 9', [9], [8.9]],
  ['number', 'x < -1e1', [-11], [-10, null]],
  ['number', 'x <= 0', [0, -1], [1, null]],
  ['number', 'x = 0', [0], [null, '']],
  ['number', 'x = null', [null, ''], [0]],
  ['money', 'x > 1200.50', [120_051], [120_050, 1300]],
  ['money', 'x = 12', [1200], [12]],
  ['date', 'x = 1988-03-02', ['1988-03-02'], ['1988-03-03', null, 'soon']],
  ['date', 'x < 2000-01-01', ['1999-12-31'], ['2000-01-01', null]],
  ['date', 'x = today', ['2026-11-23'], ['2026-11-22']],
  ['date', 'x >= 7d and x < Tomorrow', ['2026-11-16', '2026-11-23'], ['2026-11-15', '2026-11-24']],
  [
    'datetime',
    'x = 2026-05-01',
    ['2026-05-01T00:00:00.000Z', '2026-05-02T08:59:59.999+09:00'],
    ['2026-05-02T00:00:00Z', 'x'],
  ],
  ['datetime', 'x > 2026-05-01', ['2026-05-02T00:00:00.000Z'], ['2026-05-01T23:59:59.999Z', null]],
  ['datetime', 'x >= 2026-05-01', ['2026-05-01T00:00:00.000Z'], ['2026-04-30T23:59:59.999Z']],
  ['datetime', 'x < 2026-05-01', ['2026-04-30T23:59:59.999Z'], ['2026-05-01T00:00:00.000Z']],
  ['datetime', 'x <= 2026-05-01', ['2026-05-01T23:59:59.999Z'], ['2026-05-02T00:00:00.000Z']],
  ['datetime', 'x != 2026-05-01', ['2026-05-02T00:00:00Z', null], ['2026-05-01T12:00:00Z']],
  ['datetime', 'x in (yesterday, today)', ['2026-11-22T00:00:00Z'], ['2026-11-24T00:00:00Z']],
  ['datetime', 'x = "last week"', ['2026-11-16T00:00:00Z', '2026-11-22T23:59:59Z'], ['2026-11-23T00:00:00Z']],
  ['date', 'x = "this month"', ['2026-11-01', '2026-11-30'], ['2026-10-31', '2026-12-01']],
  ['date', 'x > friday', ['2026-11-28'], ['2026-11-27']],
  ['date', 'x = "end of month"', ['2026-11-30'], ['2026-11-29', '2026-12-01']],
  ['date', 'x < "end of month"', ['2026-11-30'], ['2026-12-01']],
  ['date', 'x >= end-of-month', ['2026-11-30'], ['2026-11-29']],
  ['date', 'x > "end of month"', ['2026-12-01'], ['2026-11-30']],
  ['date', 'x < "beginning of next month"', ['2026-11-30'], ['2026-12-01']],
  ['datetime', 'x < "end of week"', ['2026-11-29T23:59:59.999Z'], ['2026-11-30T00:00:00Z']],
  ['datetime', 'x >= "end of week"', ['2026-11-29T00:00:00Z'], ['2026-11-28T23:59:59Z']],
  ['datetime', 'x != null', ['2026-11-16T12:00:00Z'], [null]],
  ['datetime', 'x > 7d', ['2026-11-16T12:00:00.001Z'], ['2026-11-16T12:00:00.000Z']],
  ['datetime', 'x = 2026-05-01T10:00:00.123Z', ['2026-05-01T10:00:00.123Z'], ['2026-05-01T10:00:00.124Z']],
  ['boolean', 'x = TRUE', [true], [false, 'true', null]],
  ['boolean', 'x != true', [false, null], [true]],
  ['user', 'x = me', ['ada@Analytical.example'], ['bob@acme.example', null]],
  ['user', 'x in (bob@acme.example, ME)', [['c@acme.example', 'Bob@acme.example']], ['c@acme.example']],
  ['user', 'x ~ acme', ['bob@acme.example'], ['ada@analytical.example']],
  ['phone', 'x = 010-5550-1234', ['+821055501234'], ['+821055501235', null]],
  ['phone', 'x != 010-5550-1234', ['+821055501235', null], ['+821055501234']],
  ['phone', 'x = ""', [null, []], ['+821055501234']],
  ['phone', 'x ~ 5550', ['+821055501234'], ['+8210']],
  ['select', 'x = medium', ['Medium'], ['High', null]],
  ['select', 'x > low', ['Medium', 'High', 'Former option'], ['Low', null]],
  ['select', 'x <= Medium', ['Low', 'Medium'], ['High']],
  ['select', 'x ~ i', ['Medium', 'High'], ['Low']],
  ['organization', 'x = Acme', ['o1'], ['o2', 'O1', null]],
  ['organization', 'x != Acme', ['o2', null], ['o1']],
  ['organization', 'x ~ ac', ['o1', 'o2'], ['o3', null]],
  ['organization', 'x ~ zz', [], ['o1', null]],
  ['organization', 'x = ""', [null, ''], ['o1']],
  ['organization', 'x = null', [null, ''], ['o1']],
])('a field of type %s with %s', async (type, expression, matching, others) => {
  const matches = await createMatcher(type, expression);
  expect(matching.filter((value) => !matches(value))).toEqual([]);
  expect(others.filter(matches)).toEqual([]);
});

test.each<readonly [type: FieldType, expression: string, message: string]>([
  ['number', 'x = abc', 'column 5: "abc" is not a number.'],
  ['number', 'x in (1, 0x10)', 'column 10: "0x10" is not a number.'],
  ['number', 'x ~ 1', 'column 1: "~" is not supported for "x"; use = != < <= > >= in.'],
  ['money', 'x > 1.005', 'column 5: "1.005" is not an amount.'],
  ['date', 'x = 2026-13-01', 'column 5: "2026-13-01" is not a time.'],
  ['datetime', 'x > null', 'column 5: "null" is not a time.'],
  ['datetime', 'x > soon', 'column 5: "soon" is not a time.'],
  ['boolean', 'x = yes', 'column 5: "yes" is not true or false.'],
  ['boolean', 'x < true', 'column 1: "<" is not supported for "x"; use = != in.'],
  ['user', 'x = bob', 'column 5: "bob" is not an email address.'],
  ['select', 'x = Urgent', 'column 5: "Urgent" is not one of Low, Medium, High.'],
  ['organization', 'x > Acme', 'column 1: ">" is not supported for "x"; use = != in ~.'],
  ['text', 'x ~ ""', 'column 5: "~" requires a non-empty value.'],
  ['text', 'x > ""', 'column 5: ">" requires a non-empty value.'],
  ['text', 'x = 1 and y = 2', 'column 11: unknown field "y".'],
  ['organization', 'x = Nope', 'No organization "Nope".'],
])('a field of type %s refuses %s', async (type, expression, message) => {
  await expect(createMatcher(type, expression)).rejects.toMatchObject({ message });
});

test.each<readonly [expression: string, matching: number[]]>([
  ['a = 1 and b = 1', [3]],
  ['a = 1 or b = 1', [1, 2, 3]],
  ['not (a = 1 or b = 1)', [0]],
  ['not a = 1 or b = 1', [0, 2, 3]],
  ['a = 1 and not b = 1', [1]],
  ['(a = 1 or b = 0) and b = 0', [0, 1]],
])('combines comparisons: %s', async (expression, matching) => {
  const fields = ['a', 'b'].map(
    (name): Field => ({ name, type: 'number', read: (record) => [record[name]] }),
  );
  const filter = await compileFilter(parseExpression(expression), createFieldFinder({ fields }), context);
  const records = [0, 1, 2, 3].map((bits) => ({ a: bits & 1, b: bits >> 1 }));
  expect([0, 1, 2, 3].filter((index) => filter.matches(records[index] ?? {}))).toEqual(matching);
});

test('names the comparisons that every matching record meets', async () => {
  const fields = ['a', 'b', 'c', 'd'].map((name): Field => ({ name, type: 'text', read: () => [] }));
  const readRequired = async (expression: string) => {
    const filter = await compileFilter(parseExpression(expression), createFieldFinder({ fields }), context);
    return filter.required.map(({ field }) => field.name).join('');
  };
  expect(await readRequired('a = 1 and (b = 2 and (c = 3 or d = 4))')).toBe('ab');
  expect(await readRequired('a = 1 or b = 2')).toBe('');
  expect(await readRequired('not a = 1 and b = 2')).toBe('b');
});
