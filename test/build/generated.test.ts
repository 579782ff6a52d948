import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { buildCompletionScripts } from '../../src/build/completions/scripts.ts';
import { buildDocuments, fillRegions } from '../../src/build/documents.ts';

test.each(Object.entries(await buildDocuments()))('%s is fresh', (path, text) => {
  expect(readFileSync(path, 'utf8')).toBe(text);
});

test('fails for an unknown region', () => {
  const fill = () => fillRegions('<!-- flags -->\n<!-- /flags -->\n', {});
  expect(fill).toThrow('There is no generated region "flags".');
});

test.each(Object.entries(await buildCompletionScripts()))('%s is fresh', (file, text) => {
  expect(readFileSync(file, 'utf8')).toBe(text);
});

test('the script for PowerShell is ASCII: Windows PowerShell reads a file without a mark as it likes', () => {
  expect(readFileSync('completions/kith.ps1', 'utf8')).toMatch(/^[\t\n -~]+$/);
});
