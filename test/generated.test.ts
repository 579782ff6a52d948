import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readmeRegions, withRegions } from '../src/generate/readme.ts';

test('the generated regions of the README are fresh', async () => {
  const readme = readFileSync('README.md', 'utf8');
  expect(withRegions(readme, await readmeRegions())).toBe(readme);
});

test('a region that is missing is an error', () => {
  expect(() => withRegions('no region here', { flags: '' })).toThrow('README.md has no region "flags".');
});
