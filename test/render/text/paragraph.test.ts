import { expect, test } from 'vitest';
import { formatTerm, wrapParagraph } from '../../../src/render/text/paragraph.ts';

test.each([
  ['at spaces', 'one two three four five six', 20, 'one two three four\nfive six'],
  ['not, if it fits', 'one  two', 20, 'one  two'],
  ['not, without a width', 'one two three four five six', undefined, 'one two three four five six'],
  ['by full-width columns', '빨간 냉동고 파란 냉동고 문', 20, '빨간 냉동고 파란\n냉동고 문'],
  [
    'inside a script without spaces',
    '稟議書の印は九つのうち六つのまま。',
    20,
    '稟議書の印は九つのう\nち六つのまま。',
  ],
  [
    'around code',
    'Run `kith auth login --local` or another one.',
    20,
    'Run\n`kith auth login --local`\nor another one.',
  ],
  ['around a command', 'Create it: kith keys create one two', 20, 'Create it:\nkith keys create one two'],
  [
    'around a long path',
    'Not found: /tmp/one/two/three/four here',
    20,
    'Not found:\n/tmp/one/two/three/four\nhere',
  ],
])('wraps a paragraph %s', (_, text, width, expected) => {
  expect(wrapParagraph(text, width)).toBe(expected);
});

test('indents all lines of a paragraph but the first one', () => {
  expect(wrapParagraph('one two three four five six', 26, 6)).toBe('one two three four\n      five six');
});

test('prints a meaning next to its term, or below it in a narrow terminal', () => {
  expect(formatTerm('--all', 7, 'Print all records, not only 25', 36)).toBe(
    '  --all    Print all records, not\n           only 25',
  );
  expect(formatTerm('--all', 7, 'Print all records, not only 25', 34)).toBe(
    '  --all\n      Print all records, not only\n      25',
  );
  expect(formatTerm('--all', 7, '', 34)).toBe('  --all');
  expect(formatTerm('NO_PROXY', 8, 'Hosts such as a.example,b.example,c.example', 38)).toBe(
    '  NO_PROXY\n      Hosts such as\n      a.example,b.example,c.example',
  );
});
