import { expect, test } from 'vitest';
import { formatLabeled } from '../../../src/render/text/labeled.ts';

test('a value that exactly fits is next to its label, and a longer one below', () => {
  const format = (text: string) =>
    formatLabeled({ label: 'Name', texts: [text] }, { width: 16, labelWidth: 4 });
  expect(format('a'.repeat(10))).toEqual([`Name  ${'a'.repeat(10)}`]);
  expect(format('a'.repeat(11))).toEqual(['Name', `  ${'a'.repeat(11)}`]);
});
