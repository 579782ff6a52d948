import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { buildCompletionScripts } from '../../src/build/completions/scripts.ts';
import { buildDocuments, fillRegions, parseTestTitles } from '../../src/build/documents.ts';

test.each(Object.entries(await buildDocuments()))('%s is fresh', (path, text) => {
  expect(readFileSync(path, 'utf8')).toBe(text);
});

test('fails for an unknown region', () => {
  const fillEmptyRegion = () => fillRegions('<!-- flags -->\n<!-- /flags -->\n', {});
  expect(fillEmptyRegion).toThrow('Unknown generated region: flags');
});

test('parses plain titles, titles with values, and titles in the rows of a table', () => {
  const source = `
test('keeps the user\\'s text', async () => {});
describe('with a keychain', () => {
  test("uses the service's clock", () => {});
});
test.runIf(existsSync('/proc'))('reads a process', () => {});
test.each(['a', 'b'])('works in any zone: TZ=%s', () => {});
test.each<[string, number]>([
  ['exits with 7', 1],
  [
    'exits with 75',
    2,
  ],
])('%s', () => {});
`;
  expect(parseTestTitles(source)).toEqual([
    "keeps the user's text",
    "uses the service's clock",
    'reads a process',
    'works in any zone',
    'exits with 7',
    'exits with 75',
  ]);
});

test('docs/reliability.md has a list for each file of reliability tests and no duplicate titles', () => {
  const page = readFileSync('docs/reliability.md', 'utf8');
  const files = readdirSync('test/reliability').filter((file) => file.endsWith('.test.ts'));
  const missing = files.filter((file) => !page.includes(`<!-- ${file.replace('.test.ts', '')} -->`));
  expect(missing).toEqual([]);
  const items = page.split('\n').filter((line) => line.startsWith('- '));
  expect(items.length).toBeGreaterThan(150);
  expect(items.filter((item, index) => items.indexOf(item) !== index || /%[sdij]/.test(item))).toEqual([]);
});

test.each(Object.entries(await buildCompletionScripts()))('%s is fresh', (file, text) => {
  expect(readFileSync(file, 'utf8')).toBe(text);
});

test('the PowerShell script is ASCII, because Windows PowerShell guesses the encoding of a file without a byte order mark', () => {
  expect(readFileSync('completions/kith.ps1', 'utf8')).toMatch(/^[\t\n -~]+$/);
});
