import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { completionScripts } from '../../src/build/completions/scripts.ts';
import { readmeRegions, withRegions } from '../../src/build/readme.ts';

test('the generated regions of the README are fresh', async () => {
  const readme = readFileSync('README.md', 'utf8');
  expect(withRegions(readme, await readmeRegions())).toBe(readme);
});

test('a region that is missing is an error', () => {
  expect(() => withRegions('no region here', { flags: '' })).toThrow('README.md has no region "flags".');
});

test.each(Object.entries(await completionScripts()))('%s is fresh', (file, text) => {
  expect(readFileSync(file, 'utf8')).toBe(text);
});

test('the script for PowerShell is ASCII: Windows PowerShell reads a file without a mark as it likes', () => {
  expect(readFileSync('completions/kith.ps1', 'utf8')).toMatch(/^[\t\n -~]+$/);
});
