import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { guideSections, topics } from '../../src/cli/help/help.ts';
import { commandTree } from '../../src/commands/tree.ts';
import { measureWidth } from '../../src/render/text/width.ts';
import { createMachine } from '../support/kith.ts';

type Machine = ReturnType<typeof createMachine>;

/** Runs a command on a fresh machine. */
const kith: Machine = (...line) => createMachine()(...line);

/** Returns the lines that do not fit, except for code and addresses, which are not wrapped so that they can be copied. */
const findLongLines = (text: string, columns: number, code: ReadonlySet<string> = new Set()) =>
  text
    .split('\n')
    .filter((line) => measureWidth(line) > columns && !code.has(line.slice(2)))
    .filter((line) => !/^ {2}(\$|\S)|^\s*\S+$|`|https:\S+$/.test(line));

/** Returns the lines of a guide, which are its code among others. */
function readLines(topic: string): ReadonlySet<string> {
  const file = `docs/${guideSections[topic]?.[0] ?? topic}.md`;
  return new Set(existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []);
}

/** Returns the words of a text, without code. */
const listWords = (text: string) => text.split(/\s+/).filter((word) => word !== '');

const nouns = commandTree;

test('the help of every command fits 40 and 80 columns, and is complete', async () => {
  const lines = ['--help'];
  for (const { name, commands } of nouns) {
    lines.push(`${name} --help`);
    for (const command of await commands()) {
      if (command.name !== name) lines.push(`${name} ${command.name} --help`);
    }
  }
  expect(lines.length).toBeGreaterThan(80);
  for (const line of lines) {
    const { out: wide } = await kith(line);
    for (const terminal of [40, 80]) {
      const { code, out } = await kith(line, { terminal });
      expect({ line, code, long: findLongLines(out, terminal) }).toEqual({ line, code: 0, long: [] });
      expect(listWords(out)).toEqual(listWords(wide));
    }
  }
});

test.each(Object.keys(topics))('the topic %s fits 40 columns, and is complete', async (topic) => {
  const { out: wide } = await kith(`help ${topic}`);
  const { out } = await kith(`help ${topic}`, { terminal: 40 });
  expect(findLongLines(out, 40, readLines(topic))).toEqual([]);
  expect(listWords(out)).toEqual(listWords(wide));
});

test('wraps errors and hints in a terminal, and prints one line in a pipe', async () => {
  const line = 'contacts list --profile nobody';
  const { err } = await kith(line, { terminal: 40, env: { NO_COLOR: '1' } });
  expect(err.split('\n')).toEqual([
    'kith: Profile "nobody" not found.',
    'hint: Sign in with',
    '      `kith auth login --base-url URL`,',
    '      or try the sample workspace with',
    '      `kith auth login --local --demo`.',
    '',
  ]);
  expect((await kith(line)).err.split('\n')).toHaveLength(3);
});

test('COLUMNS replaces the width of the terminal', async () => {
  const env = { COLUMNS: '60', NO_COLOR: '1' };
  const { out } = await kith('help exit-codes', { terminal: 200, env });
  expect(findLongLines(out, 60)).toEqual([]);
  for (const COLUMNS of ['', '0', '-3', 'wide', '1e3'])
    expect((await kith('help exit-codes', { terminal: 200, env: { COLUMNS } })).out).toBe(
      (await kith('help exit-codes', { terminal: 200 })).out,
    );
});
