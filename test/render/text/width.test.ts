import fc from 'fast-check';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { measureWidth, wrap } from '../../../src/render/text/width.ts';

const letters = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code));

test('measures every character as string-width does', () => {
  expect(letters.filter((letter) => measureWidth(letter) !== stringWidth(letter))).toEqual([]);
});

test('measures simple and other texts as string-width does', () => {
  const plainText = fc.constantFrom(...letters.filter((letter) => /[\x20-~é-ɏあ-ヺ一-鿿가-힣]/.test(letter)));
  const any = fc.string({ unit: 'grapheme' });
  const text = fc.array(fc.oneof(plainText, plainText, any)).map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, (sample) => {
      expect(measureWidth(sample)).toBe(stringWidth(sample));
    }),
  );
});

test.each([
  ['breaks at spaces', 'one two three', 8, 9, ['one two', 'three']],
  ['keeps a text that fits', 'one two', 7, 9, ['one two']],
  ['breaks before a word that ends one column too far', 'one twos', 7, 9, ['one', 'twos']],
  ['splits a long word', 'abcdefghij k', 4, 9, ['abcd', 'efgh', 'ij k']],
  ['breaks Korean at spaces', '밤마다 울린 까닭은', 9, 9, ['밤마다', '울린', '까닭은']],
  ['breaks Japanese anywhere, but not before punctuation', '七つ目の。印', 8, 9, ['七つ目', 'の。印']],
  ['truncates the last line', 'one two three four', 8, 2, ['one two', 'three f…']],
  ['truncates the only line', 'one two three', 8, 1, ['one two…']],
  [
    'wraps at no width in a pipe',
    'one '.repeat(99).trim(),
    Number.POSITIVE_INFINITY,
    2,
    ['one '.repeat(99).trim()],
  ],
])('%s', (_, text, width, maxLines, lines) => {
  expect(wrap(text, width, maxLines)).toEqual(lines);
});

test('keeps every character, in lines that fit', () => {
  const words = fc.array(fc.string({ unit: 'grapheme', maxLength: 12 }));
  fc.assert(
    fc.property(words, fc.integer({ min: 8, max: 30 }), (parts, width) => {
      const text = parts.join(' ');
      const lines = wrap(text, width, Number.POSITIVE_INFINITY);
      expect(lines.filter((line) => measureWidth(line) > width)).toEqual([]);
      expect(lines.join('').replaceAll(/\s/g, '')).toBe(text.replaceAll(/\s/g, ''));
    }),
  );
});
