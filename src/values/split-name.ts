/** The parts of a full name. */
export interface NameParts {
  readonly first_name: string;
  /** undefined if the name cannot be split with certainty: `first_name` is then the whole name. */
  readonly last_name?: string;
}

/** Splits a full name by the rules of its script. */
export function splitFullName(fullName: string): NameParts {
  const text = fullName.normalize('NFC').trim().replace(/\s+/g, ' ');
  const words = text.split(' ');
  if (words.some(isTitle)) return { first_name: text };
  const [last = '', first = '', ...more] = text.split(/[,，]/).map((part) => part.trim());
  // Two words before a comma may be a full name, with a company after it.
  const [lastWord = '', ...particlesBefore] = last.split(' ').reverse();
  const isFamily = isName(lastWord) && particlesBefore.every(isParticle);
  if (more.length === 0 && isFamily && isName(first) && !first.split(' ').some(isSuffix))
    return { first_name: first, last_name: last };
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

/** Words after a last name that belong to it. */
const suffixes = new Set('jr sr ii iii iv'.split(' '));

/** Forms of address, professional titles and degrees. A name with one of them is not split. */
const titles = new Set(
  `mr mrs ms miss mx dr drs prof professor sir madam dame lord lady rev reverend hon phd md mba esq dds cpa
  herr frau hr dipl dipling mag ing doktor mme mlle monsieur madame mademoiselle maître
  señor señora señorita senor senora sra srta don doña lic dña senhor senhora sig sigra signor signora dott dottssa avv
  dhr mevr mevrouw mw fru pan pani bey hanım shri smt господин госпожа г-н г-жа др
  님 씨 대리 과장 차장 부장 사원 팀장 실장 본부장 이사 상무 전무 대표 사장 회장 교수 박사 선생님
  様 さん 氏 殿 先生 部長 課長 社長 係長 会長 女士 小姐 太太 经理 總經理 总经理 总 總 老师 老師 博士 教授 主任`.split(
    /\s+/,
  ),
);

const simplify = (word: string) => word.toLowerCase().replace(/[.,]/g, '');

const isSuffix = (word: string) => suffixes.has(simplify(word));

const isTitle = (word: string) => titles.has(simplify(word));

const isParticle = (word: string) => {
  const lowerCase = word.toLowerCase();
  return particles.has(lowerCase) && (word === lowerCase || !lowerCaseOnly.has(lowerCase));
};

const isInitial = (word: string) =>
  /^(\p{Lu}\.?){1,3}$/u.test(word) && (word.length === 1 || word.includes('.'));

/** Common Vietnamese, Hungarian and Chinese family names, without accents. As the first word, they are the family name. */
const firstFamilyNames = new Set(
  `nguyen tran le pham hoang huynh phan vu vo dang bui do ho ngo duong ly dinh trinh
  nagy kovacs toth szabo horvath varga kiss molnar nemeth farkas balogh papp takacs juhasz lakatos meszaros olah racz
  fekete szilagyi torok feher szucs kocsis pinter fodor szalai sipos magyar gulyas biro
  zhang wang chen liu zhao huang zhou wu xu sun zhu gao guo luo zheng xie`.split(/\s+/),
);

const isFirstFamilyName = (word: string) =>
  firstFamilyNames.has(word.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '').replaceAll('đ', 'd'));

const isVietnamese = (text: string) => /[ơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ]/iu.test(text);

const isPatronymic = (word: string) =>
  /(ович|евич|ич|овна|евна|ична|инична|ovich|evich|ovna|evna|оглы|кызы|oglu|qizi)$/iu.test(word);

/** Endings of Cyrillic family names. Given names such as Марина have the weaker ones too. */
const cyrillicEnding = /(ов|ев|ёв|ова|ева|ёва|ский|ская|цкий|цкая|енко|чук)$/iu;
const weakCyrillicEnding = /(ин|ын|ина|ына)$/iu;

/** Whether the second of two words may be the given name: many lists have the family name first. */
function mayBeReversed(first: string, last: string): boolean {
  if (isFirstFamilyName(first) && !isFirstFamilyName(last)) return true;
  if (isVietnamese(first + last) && !isFirstFamilyName(last)) return true;
  // The family name is written in capitals: `LOVELACE Ada`.
  if (/^\p{Lu}{2,}$/u.test(first) && !/^[\p{Lu}\p{P}]+$/u.test(last)) return true;
  if (!/^\p{Script=Cyrillic}/u.test(first)) return false;
  return cyrillicEnding.test(last)
    ? cyrillicEnding.test(first)
    : !weakCyrillicEnding.test(last) || weakCyrillicEnding.test(first) || cyrillicEnding.test(first);
}

/**
 * The last word is the last name, with the particles before it: `Ludwig | van Beethoven`. Other words than initials
 * between the first and the last name may be given names or family names.
 */
function splitLatin(words: readonly string[]): NameParts | undefined {
  let end = words.length - 1;
  while (isSuffix(words[end] ?? '')) end -= 1;
  let start = end;
  if (conjunctions.has(words[start - 1] ?? '')) start -= 2;
  while (start > 1 && isParticle(words[start - 1] ?? '')) start -= 1;
  const [first = '', ...between] = words.slice(0, start);
  // A name that begins with `van` or `von` has no first name.
  if (start < 1 || (isParticle(first) && first === first.toLowerCase())) return undefined;
  if (isSuffix(first) || !between.every(isInitial) || isPatronymic(words[end] ?? '')) return undefined;
  if (start === end && mayBeReversed(first, words[end] ?? '')) return undefined;
  return { first_name: [first, ...between].join(' '), last_name: words.slice(start).join(' ') };
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
  if (isTitle(letters.slice(length).join(''))) return undefined;
  if (!isFamily || givenLength < 1 || givenLength > 2) return undefined;
  return { first_name: letters.slice(length).join(''), last_name: letters.slice(0, length).join('') };
}
