import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { man } from '../../package.json';
import { buildCommandPages, buildGuidePages, formatMacro, formatProse } from '../../src/build/man.ts';
import { requireProgram } from '../process/programs.ts';
import { createTemporaryFolder } from '../support/kith.ts';

const date = '2026-11-21';
const readGuide = (name: string) => readFileSync(join('docs', `${name}.md`), 'utf8');
const pages = { ...buildGuidePages(date, readGuide), ...(await buildCommandPages(date)) };

test('package.json names every page of the manual', () => {
  expect(man).toEqual(
    Object.keys(pages)
      .map((file) => `./dist/man/${file}`)
      .sort(),
  );
});

test.each([
  [['It', 'Fl', '-json'], '.It Fl -json'],
  [['Nm', 'No'], '.Nm \\&No'],
  [['Nd', 'say "x" \\n'], '.Nd "say ""x"" \\en"'],
])('formats the macro %j', ([name = '', ...words], line) => {
  expect(formatMacro(name, ...words)).toBe(line);
});

test('escapes text that looks like a macro, and starts each sentence on a new line', () => {
  expect(formatProse(".not 'a' macro. And a second one.")).toEqual([
    "\\&.not 'a' macro.",
    'And a second one.',
  ]);
  const words = Array.from({ length: 200 }, (_, index) => `word${index}`);
  const lines = formatProse(words.join(' '));
  expect(lines.join(' ').split(' ')).toEqual(words);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(80);
});

test.each([
  ['kith.1', ['--json', 'KITH_API_KEY', 'kith-contacts(1)', 'November 21, 2026']],
  ['kith-contacts.1', ['remove-emails', '--phone', '$ kith contacts get jiwoo.kim@hanbit-cold.example']],
  ['kith-import.7', ['KITH-IMPORT 7', 'people.report.csv', '.Sh COLUMNS']],
  ['kith-schedule.1', ['--daily', 'JOB']],
])('%s describes its commands', (file, texts) => {
  const plainText = (pages[file] ?? '').replaceAll(/ (Fl|Ar) /g, ' $1 -').replaceAll('\n', ' ');
  for (const text of texts) expect(plainText).toContain(text);
});

describe('with mandoc', () => {
  beforeEach(requireProgram('mandoc'));

  test.each(Object.entries(pages))('mandoc has no warnings for %s', (file, text) => {
    const path = join(createTemporaryFolder(), file);
    writeFileSync(path, text);
    const { status, stdout, stderr } = spawnSync('mandoc', ['-Tlint', path], { encoding: 'utf8' });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
  });
});
