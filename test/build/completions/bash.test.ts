import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { needs } from '../../process/programs.ts';
import { runProgram } from '../../support/binary.ts';
import { offers, script, tabbed } from './bash.ts';
import { oddNames, offered, typed } from './cases.ts';
import { prompt } from './keys.ts';
import { placeWith } from './machine.ts';

beforeEach(needs('bash'));

test('offers the matching completions', async () => {
  expect(await offers(Object.keys(offered), await placeWith())).toEqual({
    err: '',
    offers: offered,
  });
});

test('Tab in a terminal completes a word inside the typed quotes', async () => {
  const place = await placeWith(oddNames);
  expect((await tabbed(Object.keys(typed), place)).typed).toEqual(typed);
  expect(existsSync(join(place.cwd, 'pwned'))).toBe(false);
});

test.each([
  [
    'kith entries add ',
    [
      ...['Newsletter', 'Cold\\ Chain\\ Days\\ Lisbon', 'Sales\\ pipeline', 'Reseller\\ program'],
      ...['4y3m1d', 'myk7xo', 'vy7gy3', '91vqxm'],
    ],
  ],
  ['kith lists create X --entry-type ', ['Contact', 'Organization']],
])('Tab after "%s" shows the matches, names before ids', async (line, shown) => {
  const { screen } = await tabbed([line], await placeWith());
  const start = screen.indexOf(prompt);
  const lines = screen.slice(start, screen.indexOf('<')).trim().split('\n');
  // Below what fits, the line stands again.
  expect(lines.map((one) => one.trim())).toEqual([prompt + line.trim(), ...shown, prompt + line.trim()]);
});

test.each([
  ["alias kk='kith --debug'", 'kk'],
  ['kk() { kith "$@"; }', 'kk'],
])('%s: runs the program under the name that was typed', async (setup, name) => {
  const place = await placeWith();
  const line = `${name} entries add Sa`;
  const { typed } = await tabbed([line], place, `${setup}; complete -F _kith ${name}`);
  expect(typed).toEqual({ [line]: `${name} entries add Sales\\ pipeline ` });
});

test('Tab completes the same if fewer characters separate words', async () => {
  const parted = Object.entries(typed).filter(([line]) => /(?<!--out)[=:@]\S*$/.test(line));
  const fewer = `COMP_WORDBREAKS=$' \\t\\n"\\''`;
  const lines = Object.fromEntries(parted);
  expect((await tabbed(Object.keys(lines), await placeWith(oddNames), fewer)).typed).toEqual(lines);
});

describe('shellcheck', () => {
  beforeEach(needs('shellcheck'));

  test('shellcheck has no warnings', async () => {
    expect(await runProgram('shellcheck', [script], { env: process.env })).toEqual({
      code: 0,
      out: '',
      err: '',
    });
  });
});
