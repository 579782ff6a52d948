import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const [, section = ''] = /^## What it survives\n(.*?)^## /ms.exec(readFileSync('README.md', 'utf8')) ?? [];
const rows = Array.from(
  section.matchAll(/^\| (.+?) \| .+ \| `([\w-]+)` \|$/gm),
  ([, title = '', file = '']) => ({
    title,
    file,
  }),
);

test('the README says what it survives', () => {
  expect(rows.length).toBeGreaterThan(50);
  expect(new Set(rows.map(({ title }) => title)).size).toBe(rows.length);
});

// A title that ends with … stands for all that begin so.
test.each(rows)('"$title" is a test of $file', ({ title, file }) => {
  const tests = readFileSync(`test/reliability/${file}.test.ts`, 'utf8').toLowerCase();
  expect(tests).toContain(title.replace(/ ?…$/, '').toLowerCase());
});
