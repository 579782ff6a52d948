import fc from 'fast-check';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { measureWidth } from '../../src/render/width.ts';

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
