import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const section = readFileSync('docs/reliability.md', 'utf8');
const rows = Array.from(
  section.matchAll(/^\| (.+?) \| .+ \| `([\w-]+)` \|$/gm),
  ([, title = '', file = '']) => ({
    title,
    file,
  }),
);

test('lists at least 50 situations, each once', () => {
  expect(rows.length).toBeGreaterThan(50);
  expect(new Set(rows.map(({ title }) => title)).size).toBe(rows.length);
});

// A title that ends with … stands for all that begin so.
test.each(rows)('"$title" is a test of $file', ({ title, file }) => {
  const tests = readFileSync(`test/reliability/${file}.test.ts`, 'utf8').toLowerCase();
  expect(tests).toContain(title.replace(/ ?…$/, '').toLowerCase());
});
