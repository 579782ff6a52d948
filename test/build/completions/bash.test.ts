import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { requireProgram } from '../../process/programs.ts';
import { runProgram } from '../../support/binary.ts';
import { bashScript, completeInDriver, pressTab } from './bash.ts';
import { candidates, completedLines, oddNames } from './cases.ts';
import { prompt } from './keys.ts';
import { createBridgedEnvironment, createShellEnvironment } from './machine.ts';

beforeEach(requireProgram('bash'));

test('offers the matching completions', async () => {
  expect(await completeInDriver(Object.keys(candidates), await createBridgedEnvironment())).toEqual({
    err: '',
    offers: candidates,
  });
});

test('Tab in a terminal completes a word inside the typed quotes', async () => {
  const environment = await createBridgedEnvironment(oddNames);
  expect((await pressTab(Object.keys(completedLines), environment)).completedLines).toEqual(completedLines);
  expect(existsSync(join(environment.cwd, 'pwned'))).toBe(false);
});

test('Tab closes the quote after a name that ends with one, and protects ! from history expansion', async () => {
  const environment = await createBridgedEnvironment(['Ends with "A"', "It's 'B'", 'Yes!', 'No! !$ "C"']);
  const expected = {
    'kith entries add "Ends': 'kith entries add "Ends with \\"A\\"" ',
    "kith entries add 'It": "kith entries add 'It'\\''s '\\''B'\\''' ",
    'kith entries add "Y': 'kith entries add "Yes"\\!"" ',
    'kith entries add "No': 'kith entries add "No"\\!" "\\!"\\$ \\"C\\"" ',
    'kith entries add Y': 'kith entries add Yes\\! ',
  };
  expect((await pressTab(Object.keys(expected), environment)).completedLines).toEqual(expected);
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
])('Tab after "%s" shows the matches, names before ids', async (line, expected) => {
  const { screen } = await pressTab([line], await createShellEnvironment());
  const start = screen.indexOf(prompt);
  const lines = screen.slice(start, screen.indexOf('<')).trim().split('\n');
  // The line is printed again below the candidates.
  expect(lines.map((one) => one.trim())).toEqual([prompt + line.trim(), ...expected, prompt + line.trim()]);
});

test.each([
  ["alias kk='kith --debug'", 'kk'],
  ['kk() { kith "$@"; }', 'kk'],
])('%s: runs the program under the name that was typed', async (startupLines, name) => {
  const environment = await createShellEnvironment();
  const line = `${name} entries add Sa`;
  const { completedLines } = await pressTab(
    [line],
    environment,
    `${startupLines}; complete -F _kith ${name}`,
  );
  expect(completedLines).toEqual({ [line]: `${name} entries add Sales\\ pipeline ` });
});

test('Tab completes the same if fewer characters separate words', async () => {
  const splitLines = Object.entries(completedLines).filter(([line]) => /(?<!--out)[=:@]\S*$/.test(line));
  const fewer = `COMP_WORDBREAKS=$' \\t\\n"\\''`;
  const lines = Object.fromEntries(splitLines);
  expect(
    (await pressTab(Object.keys(lines), await createBridgedEnvironment(oddNames), fewer)).completedLines,
  ).toEqual(lines);
});

describe('shellcheck', () => {
  beforeEach(requireProgram('shellcheck'));

  test('shellcheck has no warnings', async () => {
    expect(await runProgram('shellcheck', [bashScript], { env: process.env })).toEqual({
      code: 0,
      out: '',
      err: '',
    });
  });
});
