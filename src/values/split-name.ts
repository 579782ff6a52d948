/** The parts of a full name. */
export interface NameParts {
  readonly first_name: string;
  /** undefined if the name cannot be split with certainty: `first_name` is then the whole name. */
  readonly last_name?: string;
}

/** Splits a full name by the rules of its script. */
export function splitFullName(fullName: string): NameParts {
  const text = fullName.normalize('NFC').trim().replace(/\s+/g, ' ');
  const [last = '', first = '', ...more] = text.split(/[,，]/).map((part) => part.trim());
  const isReversed = last !== '' && first !== '' && more.length === 0 && !isSuffix(first);
  if (isReversed && isName(last) && isName(first)) return { first_name: first, last_name: last };
  const words = text.split(' ');
  const parts = isLatin(text)
    ? splitLatin(words)
    : isHangul(text)
      ? splitHangul(words)
      : splitEastAsian(words);
  return parts ?? { first_name: text };
}

/** Whether a text has only letters and the marks in names, such as `O'Brien` and `J.-P.`. */
const isName = (text: string) => /^[\p{L}\p{M}][\p{L}\p{M}'’.· -]*$/u.test(text);

const eastAsian = '\\p{Script=Hangul}\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}';
const hasEastAsian = new RegExp(`[${eastAsian}]`, 'u');
const isEastAsian = new RegExp(`^[${eastAsian}ー々]+$`, 'u');

/** Whether a name is in an alphabet, such as Latin, Greek or Cyrillic. */
const isLatin = (text: string) => isName(text) && !hasEastAsian.test(text);

const isHangul = (text: string) => /^[\p{Script=Hangul} ]+$/u.test(text);

/** Words before a last name that belong to it. */
const particles = new Set(
  `van von vom vander de da di do du das dos des del dela della degli der den het la las le los lo ten ter te zu zum zur
  af av bin ibn bint binti ben abu al el ould st. saint`.split(/\s+/),
);

/** Particles that are first or middle names if they are capitalized. */
const lowerCaseOnly = new Set(['ben', 'al', 'do', 'la', 'te', 'el']);

/** Words between two last names. */
const conjunctions = new Set(['y', 'e', 'i']);

const suffixes = new Set('jr sr ii iii iv phd md mba esq dds cpa'.split(' '));

const isSuffix = (word: string) => suffixes.has(word.toLowerCase().replaceAll('.', ''));

const isParticle = (word: string) => {
  const lowerCase = word.toLowerCase();
  return particles.has(lowerCase) && (word === lowerCase || !lowerCaseOnly.has(lowerCase));
};

/** The last word is the last name, with the particles before it: `Ludwig | van Beethoven`. */
function splitLatin(words: readonly string[]): NameParts | undefined {
  let start = words.length - 1;
  while (isSuffix(words[start] ?? '')) start -= 1;
  if (conjunctions.has(words[start - 1] ?? '')) start -= 2;
  while (start > 1 && isParticle(words[start - 1] ?? '')) start -= 1;
  const [first = ''] = words;
  // A name that begins with `van` or `von` has no first name.
  if (start < 1 || (isParticle(first) && first === first.toLowerCase())) return undefined;
  return { first_name: words.slice(0, start).join(' '), last_name: words.slice(start).join(' ') };
}

/** Korean family names with one syllable. */
const koreanFamilyNames = new Set(
  '김이박최정강조윤장임한오서신권황안송전홍유류고문양손배백허남심노하곽성차주우구민나진지엄채원천방공현함변염여추도소석선설마길연위표명기반왕금옥육인맹제모탁국어은편용예경봉사부가복태목형피두감음빈동호좌팽승간상갈견당창시단화',
);

/** Korean family names with two syllables, in Hangul and in Han characters. */
const doubleFamilyNames = new Set(
  '남궁 황보 제갈 사공 선우 서문 독고 동방 南宮 皇甫 諸葛 司空 鮮于 西門 獨孤 東方 欧阳 歐陽 司马 司馬 上官 诸葛'.split(
    ' ',
  ),
);

/** Family names with one Han character that does not begin a Japanese name. */
const hanFamilyNames = new Set(
  '李王张張刘劉陈陳杨楊赵趙吴吳孙孫郭罗羅郑鄭梁谢謝许許韩韓冯馮邓鄧彭萧蕭蔡潘董苏蘇吕呂魏蒋蔣沈姚卢盧崔朴',
);

/** The family name comes first, with or without a space: `김지우`, `남궁 민`. */
function splitHangul([family = '', given, ...more]: readonly string[]): NameParts | undefined {
  if (given === undefined) return splitFamilyName(family, koreanFamilyNames);
  const isFamily = koreanFamilyNames.has(family) || doubleFamilyNames.has(family);
  return isFamily && more.length === 0 ? { first_name: given, last_name: family } : undefined;
}

/** In Chinese and Japanese the family name comes first. Only a space shows where it ends in Japanese. */
function splitEastAsian([family = '', given, ...more]: readonly string[]): NameParts | undefined {
  if (given === undefined) return splitFamilyName(family, hanFamilyNames);
  const isSplit = isEastAsian.test(family) && isEastAsian.test(given) && more.length === 0;
  return isSplit ? { first_name: given, last_name: family } : undefined;
}

/** Splits a name without a space that begins with a family name and has one or two more characters. */
function splitFamilyName(name: string, families: ReadonlySet<string>): NameParts | undefined {
  const letters = Array.from(name);
  const [first = ''] = letters;
  const length = doubleFamilyNames.has(letters.slice(0, 2).join('')) ? 2 : 1;
  const givenLength = letters.length - length;
  const isFamily = length === 2 || families.has(first);
  if (!isFamily || givenLength < 1 || givenLength > 2) return undefined;
  return { first_name: letters.slice(length).join(''), last_name: letters.slice(0, length).join('') };
}
