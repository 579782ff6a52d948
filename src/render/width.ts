import stringWidth from 'string-width';

/** Latin, Hangul, kana and Chinese characters: each stands by itself, in one column or in two. */
const plainLetters = /^[\x20-\x7e\xc0-\u024f\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3]*$/;
const wide = /[\u3041-\ud7a3]/g;

/** The columns of a terminal that a text takes. What most texts are made of needs no table of all letters. */
export function measureWidth(text: string): number {
  return plainLetters.test(text) ? text.length + (text.match(wide)?.length ?? 0) : stringWidth(text);
}
