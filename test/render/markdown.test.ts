import { expect, test } from 'vitest';
import { formatGuide } from '../../src/render/markdown.ts';

test('a guide names the columns of a table that has more than two, and wraps long terms', () => {
  const table = '| case | read | write |\n|---|---|---|\n| no response within the timeout | retry | 7 |\n';
  expect(formatGuide(table, 26)).toBe(
    '  no response within the\n  timeout\n      read: retry; write:\n      7\n',
  );
  expect(formatGuide('| code | meaning |\n|---|---|\n| 7 | unknown |\n', 26)).toBe('  7\n      unknown\n');
});
