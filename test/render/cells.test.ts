import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  escapeFormula,
  joinValues,
  splitFieldValues,
  splitValues,
  unescapeFormula,
} from '../../src/render/cells.ts';
import { createPlainColumn } from '../../src/render/columns.ts';
import { createCsvRenderer } from '../../src/render/csv.ts';
import { anyCharacter } from '../support/any-text.ts';
import { countRuns } from '../support/rounds.ts';

test.each([
  ['=1+1', "'=1+1"],
  ["'=1+1", "''=1+1"],
  ["''@x", "'''@x"],
  ["'+82 10", "'+82 10"],
  ["'quoted'", "'quoted'"],
  ["'", "'"],
  ['a=b', 'a=b'],
])('escapes %s as a cell, and back', (text, cell) => {
  expect([escapeFormula(text), unescapeFormula(cell)]).toEqual([cell, text]);
});

test.each([
  ["'til then", "'til then"],
  ['=1+1', '=1+1'],
  ["'=1+1", '=1+1'],
])('reads the typed cell %s', (cell, text) => {
  expect(unescapeFormula(cell)).toBe(text);
});

test.each<[unknown, string]>([
  [['a', 'b'], 'a;b'],
  [['a;b', 'c\\'], 'a\\;b;c\\\\'],
  [['a;b'], 'a\\;b'],
  [['C:\\temp'], 'C:\\\\temp'],
  ['a;b\\', 'a;b\\'],
  [[' a ', '\tb', 'c d'], '\\ a\\ ;\\\tb;c d'],
  [[' ', '  '], '\\ ;\\ \\ '],
  [[], ''],
  [[1.5, true, null], '1.5;true;'],
  [{ a: ['x;y'] }, '{"a":["x;y"]}'],
])('joins several values in one cell: %j', (value, text) => {
  expect(joinValues(value)).toBe(text);
});

test.each([
  ['a; b ;;c;', ['a', 'b', 'c']],
  ['a\\;b;c\\\\', ['a;b', 'c\\']],
  ['C:\\temp', ['C:\\temp']],
  ['C:\\ temp', ['C:\\ temp']],
  ['\\ a ; b\\ ;c\\\\ ', [' a', 'b ', 'c\\']],
  ['a\\', ['a\\']],
  [' ; ', []],
  ['', []],
])('reads the values of the typed cell %s', (text, values) => {
  expect(splitValues(text)).toEqual(values);
});

test.each([
  ['email', 'a@x.example, b@x.example;c@x.example', ['a@x.example', 'b@x.example', 'c@x.example']],
  ['email', 'a@x.example ::: b@x.example / c@x.example', ['a@x.example', 'b@x.example', 'c@x.example']],
  ['email', '"X; Y, Z" <a@x.example>', ['"X; Y, Z" <a@x.example>']],
  ['email', '"X, Y" <a@x.example>, Z <b@x.example>', ['"X, Y" <a@x.example>', 'Z <b@x.example>']],
  ['email', 'a@x.example,', ['a@x.example,']],
  ['email', 'nobody, a@x.example', ['nobody', 'a@x.example']],
  ['domain', 'x.example\r\ny.example\tz.example', ['x.example', 'y.example', 'z.example']],
  ['domain', 'https://x.example/a,b', ['https://x.example/a,b']],
  ['domain', 'https://x.example/a,https://y.example/b', ['https://x.example/a', 'https://y.example/b']],
  ['phone', '030/901820', ['030/901820']],
  ['phone', '030/901820 or +1 415 555 2671', ['030/901820', '+1 415 555 2671']],
  ['phone', '030 901820\n+1 415 555 2671 ::: 030 901821', ['030 901820', '+1 415 555 2671', '030 901821']],
  ['phone', 'tel:+1-415-555-2671;ext=12', ['tel:+1-415-555-2671;ext=12']],
  ['phone', 'tel:+14155552671;ext=12 or 030/901820', ['tel:+14155552671;ext=12', '030/901820']],
  ['domain', 'https://x.example/a,b; y.example', ['https://x.example/a,b', 'y.example']],
  ['text', 'a; b, c', ['a; b, c']],
] as const)('splits the %s cell %j', (type, text, values) => {
  expect(splitFieldValues(text, type).map((value) => value.trim())).toEqual(values);
});

/** Texts with characters that matter in cells, and any other texts. */
const anyText = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'\'=+-@;\\,"\t\r\n 1a한') }),
  fc.string({ unit: anyCharacter }),
);
const anyValue = anyText.filter((text) => text !== '');

test('round-trips any text through a CSV cell that no spreadsheet runs', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(anyText, fc.array(anyValue)), { minLength: 1 }), (rows) => {
      const csv = createCsvRenderer(() => [createPlainColumn('one'), createPlainColumn('several')], {
        header: false,
      });
      const cells = parseCells(csv(rows.map(([one, values]) => ({ one, several: values }))));
      expect(cells.filter((cell) => /^[=@\t\r]/.test(cell))).toEqual([]);
      const texts = cells.map(unescapeFormula);
      expect(rows.map((_, index) => [texts[2 * index], splitValues(texts[2 * index + 1] ?? '')])).toEqual(
        rows,
      );
    }),
    { numRuns: countRuns(500) },
  );
});

/** The cells of a CSV file, by RFC 4180. */
function parseCells(csv: string): string[] {
  const cells = csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(?:,|\r\n)/gy);
  return Array.from(cells, ([, quoted, unquoted]) => quoted?.replaceAll('""', '"') ?? unquoted ?? '');
}
