import { expect, test } from 'vitest';
import { foldText, foldWithPlaces } from '../../src/values/fold.ts';

test.each([
  ['case and accents', 'Élodie Ångström', 'elodie angstrom'],
  ['Vietnamese accents', 'Nguyễn Thị Đào', 'nguyen thi dao'],
  ['both Turkish i', 'İSTANBUL ılık Iğdır', 'istanbul ilik igdir'],
  ['German sharp s', 'Straße STRASSE', 'strasse strasse'],
  ['Greek final sigma', 'ΟΔΥΣΣΕΥΣ', 'οδυσσευσ'],
  ['letters that Unicode does not decompose', 'Øre Łódź Æsir', 'ore lodz aesir'],
  ['full-width letters', 'ＡＢＣ １２３', 'abc 123'],
  ['Katakana', 'サクラ コーヒー', 'さくら こーひー'],
  ['half-width Katakana with voicing marks', 'ｶﾞﾗｽ', 'がらす'],
  ['decomposed Hangul', '한빛'.normalize('NFD'), '한빛'],
  ['Arabic vowels, extender and forms of alef', 'أَحْمَد مـكتبة', 'احمد مكتبه'],
  ['Hebrew vowels', 'שָׁלוֹם', 'שלום'],
])('folds %s', (_, text, folded) => {
  expect(foldText(text)).toBe(folded);
});

test('keeps marks that are letters', () => {
  expect(foldText('か')).not.toBe(foldText('が'));
  expect(foldText('कि')).toBe('कि');
  expect(foldText('น้ำ')).toBe(foldText('น้ำ'));
});

test('maps the positions of characters that are folded to more or fewer', () => {
  for (const [original, word, found] of [
    ['die Straße!', 'strasse', 'Straße'],
    ['cafe\u0301 ole\u0301', 'ole', 'ole\u0301'],
    ['은 '.normalize('NFD') + '한빛'.normalize('NFD'), '한빛', '한빛'.normalize('NFD')],
    ['ｶﾞﾗｽ', 'らす', 'ﾗｽ'],
  ] as const) {
    const { text, starts } = foldWithPlaces(original);
    const start = text.indexOf(word);
    expect(original.slice(starts?.[start], starts?.[start + word.length])).toBe(found);
  }
});
