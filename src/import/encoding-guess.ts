import iconv from 'iconv-lite';

/** An encoding that a text may be in, and how its first foreign word reads then. */
export interface EncodingGuess {
  readonly encoding: string;
  readonly reading: string;
}

/** How likely a character is in a text of its encoding, from 0 to 1. `before` and `after` are its neighbors. */
type Likelihood = (character: string, before: string, after: string) => number;

/** Likelihood by the first byte of a character: the common ones of a double-byte encoding lie together. */
function byLeadByte(encoding: string, common: readonly (readonly [number, number, number])[]): Likelihood {
  return (character) => {
    const [lead = 0] = iconv.encode(character, encoding);
    return common.find(([from, to]) => lead >= from && lead <= to)?.[2] ?? 0.2;
  };
}

/** Likelihood of letters with diacritics, which stand in words between plain ones. */
const latin: Likelihood = (character, before, after) => {
  if (!/\p{Script=Latin}/u.test(character)) return 0.1;
  if (/\p{Ll}/u.test(before) && /\p{Lu}/u.test(character)) return 0.2;
  return /[a-z]/i.test(before + after) ? 1 : /\p{L}/u.test(before + after) ? 0.5 : 0.3;
};

const cyrillic: Likelihood = (character, before, after) => {
  if (!/\p{Script=Cyrillic}/u.test(character)) return 0.1;
  if (/\p{Ll}/u.test(before) && /\p{Lu}/u.test(character)) return 0.2;
  return /\p{Script=Cyrillic}/u.test(before + after) ? 0.9 : 0.2;
};

/** Encodings in which spreadsheet programs save text files. Of equally likely ones the first is named. */
const candidates: Readonly<Record<string, Likelihood>> = {
  'windows-1252': latin,
  'windows-1250': latin,
  'windows-1251': cyrillic,
  'euc-kr': byLeadByte('euc-kr', [[0xb0, 0xc8, 1]]),
  shift_jis: byLeadByte('shift_jis', [
    [0x82, 0x83, 1],
    [0x88, 0x97, 0.9],
  ]),
  gb18030: byLeadByte('gb18030', [[0xb0, 0xd7, 0.8]]),
  big5: byLeadByte('big5', [[0xa4, 0xc6, 0.8]]),
  'euc-jp': byLeadByte('euc-jp', [
    [0xa4, 0xa5, 1],
    [0xb0, 0xcf, 0.75],
  ]),
};

/** Names the encodings that bytes may be text in, the most likely first, at most three that read differently. */
export async function guessEncodings(bytes: Buffer): Promise<EncodingGuess[]> {
  const guesses = Object.entries(candidates).flatMap(([encoding, likelihood]) => {
    // The bytes may begin and end within a character.
    const text = iconv.decode(bytes, encoding).replace(/^\ufffd|\ufffd$/g, '');
    const [reading] = /[\p{L}\p{M}]*[^\0-\x7f][^\0-\x2f]*/u.exec(text) ?? [];
    if (text.includes('\ufffd') || reading === undefined) return [];
    return [{ encoding, reading: reading.slice(0, 20), score: meanLikelihood(text, likelihood) }];
  });
  const best = Math.max(...guesses.map(({ score }) => score));
  return guesses
    .filter(({ score }) => score > best / 2)
    .toSorted((one, other) => other.score - one.score)
    .filter(({ reading }, at, all) => all.findIndex((other) => other.reading === reading) === at)
    .slice(0, 3)
    .map(({ encoding, reading }) => ({ encoding, reading }));
}

function meanLikelihood(text: string, likelihood: Likelihood): number {
  const characters = [...text.slice(0, 20_000)];
  let sum = 0;
  let count = 0;
  for (const [at, character] of characters.entries()) {
    if (character <= '\x7f') continue;
    sum += likelihood(character, characters[at - 1] ?? '', characters[at + 1] ?? '');
    count += 1;
  }
  return count === 0 ? 0 : sum / count;
}
