import { expect, test } from 'vitest';
import { cleanEnds, cleanToken, escapeInvisible, removeInvisible } from '../../src/values/clean-text.ts';
import { parseEmail } from '../../src/values/domain.ts';
import { foldText } from '../../src/values/fold.ts';
import { foldName } from '../../src/values/names.ts';
import { isNumber } from '../../src/values/phone.ts';

/** One of each kind of invisible character. */
const invisible = [...'\u00ad\u061c\u200b\u200e\u200f\u202a\u202e\u2060\u2066\u2069\ufeff'];

test.each(invisible.map((character) => [escapeInvisible(character), character]))(
  'removes %s at the ends of a text, and anywhere in a name, a token and a comparison form',
  (_, character) => {
    expect(cleanEnds(`${character} a${character}b ${character}`)).toBe(` a${character}b `);
    expect(removeInvisible(`${character}Mül${character}ler${character}`)).toBe('Müller');
    expect(cleanToken(`${character}a${character}-b${character}`)).toBe('a-b');
    expect([foldName(`Mül${character}ler`), foldText(`Mül${character}ler`)]).toEqual(['müller', 'muller']);
  },
);

test.each([
  ['Persian', 'می\u200cخواهم'],
  ['Hindi', 'क्\u200dष'],
  ['Malayalam, whose last letter is a joiner', 'അവന്\u200d'],
  ['a family', '👨\u200d👩\u200d👧'],
  ['flags', '🇩🇪 🏴󠁧󠁢󠁥󠁮󠁧󠁿'],
  ['a heart with a selector', '❤️'],
])('keeps %s', (_, text) => {
  expect([cleanEnds(text), removeInvisible(text), cleanToken(text)]).toEqual([text, text, text]);
});

test.each([
  ['2026\u201105\u201301', '2026-05-01'],
  ['1\u00a0200\u202f300\u3000400', '1 200 300 400'],
  ['ａｄａ＠ａ．ｅｘａｍｐｌｅ', 'ada@a.example'],
  ['ada\u200c@a.example\u200d', 'ada@a.example'],
])('writes the token %s in plain characters', (text, token) => {
  expect(cleanToken(text)).toBe(token);
});

test('treats typographic and plain hyphens and spaces of a name as equal', () => {
  expect(foldName('Jean\u2011Luc\u00a0Picard')).toBe(foldName('jean-luc picard'));
});

test('takes linear time for long runs of blanks', () => {
  const text = `é${' '.repeat(200_000)}x`;
  expect([cleanEnds(text), cleanToken(text), isNumber(text), parseEmail(text), foldName(text)]).toEqual([
    text,
    text,
    false,
    undefined,
    'é x',
  ]);
});
