import { createReadStream } from 'node:fs';
import iconv from 'iconv-lite';
import { Failure } from '../contract/errors.ts';

/** The encodings for TextDecoder. Its tables of legacy encodings depend on the Node version and lack characters. */
type Unicode = 'utf-8' | 'utf-16le' | 'utf-16be';

/** Names that browsers and spreadsheets use for another encoding, and names that are not encodings of a text file. */
const exceptions: Readonly<Record<string, string | undefined>> = {
  ascii: 'windows-1252',
  latin1: 'windows-1252',
  'iso-8859-1': 'windows-1252',
  utf8: 'utf-8',
  'utf-16': 'utf-16le',
  base64: undefined,
  binary: undefined,
  hex: undefined,
};

/**
 * Returns the encoding with a name such as `windows-1252`, as `decodeFile` takes it.
 * @throws {Failure} usage if there is none
 */
export function resolveEncoding(name: string): string {
  const folded = name.toLowerCase();
  const encoding = Object.hasOwn(exceptions, folded) ? exceptions[folded] : folded;
  if (encoding !== undefined && iconv.encodingExists(encoding)) return encoding;
  throw new Failure('usage', `--encoding: "${name}" is not a known encoding.`, {
    hint: 'Use one such as utf-8, utf-16le, windows-1252, euc-kr, shift_jis, gb18030 or big5.',
  });
}

/** Returns the Unicode encoding of a file by its first bytes, with or without a byte order mark. */
export function detectUnicode([one, two, three]: Uint8Array): Unicode | undefined {
  if (one === 0xef && two === 0xbb && three === 0xbf) return 'utf-8';
  if (one === 0xff && two === 0xfe) return 'utf-16le';
  if (one === 0xfe && two === 0xff) return 'utf-16be';
  // No table begins with NUL: this is half of an ASCII character in UTF-16.
  if (one === 0 && two !== undefined && two !== 0) return 'utf-16be';
  return two === 0 && one !== undefined && one !== 0 ? 'utf-16le' : undefined;
}

/** Decodes bytes in chunks, without the byte order mark. */
interface Decoder {
  /** @throws {TypeError} if the bytes are not in the encoding */
  decode(bytes: Uint8Array): string;
  end(): string;
}

export function createDecoder(encoding: string): Decoder {
  if (/^utf-(8|16le|16be)$/.test(encoding)) {
    const decoder = new TextDecoder(encoding, { fatal: true });
    return { decode: (bytes) => decoder.decode(bytes, { stream: true }), end: () => decoder.decode() };
  }
  const decoder = iconv.getDecoder(encoding);
  const valid = (text = '') => {
    if (text.includes('\ufffd')) throw new TypeError(`not ${encoding}`);
    return text;
  };
  return { decode: (bytes) => valid(decoder.write(Buffer.from(bytes))), end: () => valid(decoder.end()) };
}

/**
 * Yields the text of a file in chunks.
 * @throws {Failure} usage if it cannot be read or is in another encoding
 */
export async function* decodeFile(file: string, name: string, encoding: string): AsyncGenerator<string> {
  const decoder = createDecoder(encoding);
  let lines = 1;
  let offset = 0;
  try {
    for await (const bytes of createReadStream(file)) {
      const text = decoder.decode(bytes);
      yield text;
      lines += text.split('\n').length - 1;
      offset += bytes.length;
    }
    yield decoder.end();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw await createEncodingFailure({ file, name, encoding, lines, offset }, error);
  }
}

interface Undecodable {
  readonly file: string;
  readonly name: string;
  readonly encoding: string;
  /** The number of the last line that was decoded. */
  readonly lines: number;
  /** The offset of the bytes that could not be decoded. */
  readonly offset: number;
}

async function createEncodingFailure(where: Undecodable, cause: TypeError): Promise<Failure> {
  const { file, name, encoding, lines, offset } = where;
  const sample: Uint8Array[] = [];
  for await (const bytes of createReadStream(file, { start: offset, end: offset + 262_143 }))
    sample.push(bytes);
  const guesses = await guessEncodings(Buffer.concat(sample));
  const readings = guesses.map(({ encoding, reading }) => `--encoding ${encoding} (reads as "${reading}")`);
  const label = encoding === 'utf-8' ? 'UTF-8' : encoding;
  return new Failure('usage', `${name} is not valid ${label} (near line ${lines}).`, {
    cause,
    hint:
      readings.length > 0
        ? `Pass its encoding: ${readings.join(', ')}.`
        : 'Pass its encoding, such as --encoding windows-1252, or save it as UTF-8 ("CSV UTF-8" in Excel).',
  });
}

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

/** Returns the likelihood of letters with diacritics, which occur in words between plain letters. */
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

/** Encodings in which spreadsheet programs save text files. The first has precedence among equally likely ones. */
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

/** Returns the likely encodings of bytes, the most likely first: at most three that read differently. */
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
