import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { buildCompletionScripts } from '../../src/build/completions/scripts.ts';
import { buildDocuments, fillRegions } from '../../src/build/documents.ts';

test.each(Object.entries(await buildDocuments()))('%s is fresh', (path, text) => {
  expect(readFileSync(path, 'utf8')).toBe(text);
});

test('fails for an unknown region', () => {
  const fillEmptyRegion = () => fillRegions('<!-- flags -->\n<!-- /flags -->\n', {});
  expect(fillEmptyRegion).toThrow('Unknown generated region: flags');
});

test('docs/reliability.md names each file of reliability tests', () => {
  const page = readFileSync('docs/reliability.md', 'utf8');
  const files = readdirSync('test/reliability').filter((file) => file.endsWith('.test.ts'));
  expect(files.filter((file) => !page.includes(`\`${file}\``))).toEqual([]);
});

test.each(Object.entries(await buildCompletionScripts()))('%s is fresh', (file, text) => {
  expect(readFileSync(file, 'utf8')).toBe(text);
});

test('the PowerShell script is ASCII, because Windows PowerShell guesses the encoding of a file without a byte order mark', () => {
  expect(readFileSync('completions/kith.ps1', 'utf8')).toMatch(/^[\t\n -~]+$/);
});
