import { isAscii, isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import iconv from 'iconv-lite';
import { Failure } from '../contract/errors.ts';

/** Names that browsers and spreadsheets use for another encoding, and names that are not encodings of a text file. */
const exceptions = new Map([
  ...['ascii', 'latin1', 'iso-8859-1'].map((name) => [name, 'windows-1252'] as const),
  ...['base64', 'binary', 'hex'].map((name) => [name, undefined] as const),
  ['utf8', 'utf-8'],
  ['utf-16', 'utf-16le'],
]);

/**
 * Returns the encoding with a name such as `windows-1252`, as `decodeFile` takes it.
 * @throws {Failure} usage if there is none
 */
export function resolveEncoding(name: string): string {
  const folded = name.toLowerCase();
  const encoding = exceptions.has(folded) ? exceptions.get(folded) : folded;
  if (encoding !== undefined && iconv.encodingExists(encoding)) return encoding;
  const hint = 'Use one such as utf-8, utf-16le, windows-1252, euc-kr, shift_jis, gb18030 or big5.';
  throw new Failure('usage', `--encoding: "${name}" is not a known encoding.`, { hint });
}

/** Returns the Unicode encoding of a file by its first bytes, with or without a byte order mark. */
export function detectUnicode(bytes: Buffer): string | undefined {
  const start = bytes.toString('hex', 0, 3);
  // No table begins with NUL: a first or second byte of 0 is half of an ASCII character in UTF-16.
  if (/^(fffe|(?!00)..00)/.test(start)) return 'utf-16le';
  if (/^(feff|00(?!00)..)/.test(start)) return 'utf-16be';
  return start === 'efbbbf' ? 'utf-8' : undefined;
}

/** Returns a function that decodes chunks of bytes, and throws a TypeError at bytes that are not in the encoding. */
function createDecoder(encoding: string): (bytes?: Uint8Array) => string {
  // TextDecoder has incomplete tables of legacy encodings, which depend on the Node version.
  if (/^utf-(8|16le|16be)$/.test(encoding)) {
    const decoder = new TextDecoder(encoding, { fatal: true });
    return (bytes) => decoder.decode(bytes, { stream: bytes !== undefined });
  }
  const decoder = iconv.getDecoder(encoding);
  return (bytes) => {
    const text = (bytes ? decoder.write(Buffer.from(bytes)) : decoder.end()) ?? '';
    if (text.includes('\ufffd')) throw new TypeError(`not ${encoding}`);
    return text;
  };
}

/** Decodes bytes in a named encoding, or as UTF-8 if it is unknown. */
export const decodeBytes = (bytes: Buffer, encoding: string) =>
  iconv.decode(bytes, iconv.encodingExists(encoding) ? encoding : 'utf-8');

/** Decodes the first bytes of a file, without the byte order mark. Invalid bytes are reported when the file is read. */
export function decodeHead(bytes: Buffer, encoding: string): string {
  return iconv.decode(bytes, encoding).replace(/^\ufeff/, '');
}

/**
 * Decodes a whole text. Its byte order mark has precedence over `encoding`. `name` is the file's name in messages.
 * @throws {Failure} usage if it is in another encoding
 */
export function decodeText(bytes: Buffer, name: string, encoding = 'utf-8'): string {
  const actual = detectUnicode(bytes) ?? encoding;
  try {
    const decode = createDecoder(actual);
    return splitDosEnd(decode(bytes) + decode())[0].replace(/^\ufeff/, '');
  } catch (error) {
    throw toEncodingFailure(error, name, actual, bytes, 1);
  }
}

/**
 * Yields the text of a file in chunks, without the byte order mark.
 * @throws {Failure} usage if it cannot be read or is in another encoding
 */
export async function* decodeFile(file: string, name: string, encoding: string): AsyncGenerator<string> {
  const decode = createDecoder(encoding);
  /** The line that begins at `start`, and the position of the next chunk. */
  let [line, start, offset] = [1, 0, 0];
  let lastEnd = '';
  try {
    for await (const bytes of createReadStream(file)) {
      const [text, end] = splitDosEnd(lastEnd + decode(bytes));
      yield text;
      lastEnd = end;
      line += text.split('\n').length - 1;
      if (bytes.includes('\n')) start = offset + bytes.lastIndexOf('\n') + 1;
      offset += bytes.length;
    }
    yield decode();
  } catch (error) {
    throw toEncodingFailure(error, name, encoding, await readBytes(file, start, 262_144), line);
  }
}

/** Splits a text before the Ctrl-Z with which DOS programs mark the end of a file. */
function splitDosEnd(text: string): readonly [text: string, end: string] {
  let length = text.length;
  while (text[length - 1] === '\u001a') length -= 1;
  return [text.slice(0, length), text.slice(length)];
}

/** Converts the error of a decoder. `bytes` begin with line number `line`. */
function toEncodingFailure(error: unknown, name: string, encoding: string, bytes: Buffer, line: number) {
  if (!(error instanceof TypeError)) return error;
  const isUtf8Text = encoding === 'utf-8';
  const lines = Array.from(bytes.toString('latin1').split(/\r\n?|\n/), (text) => Buffer.from(text, 'latin1'));
  const invalidLine = lines.findIndex((bytes) => !isValid(bytes, encoding));
  // In UTF-16, lines cannot be found by their bytes.
  const isFound = invalidLine >= 0 && !encoding.startsWith('utf-16');
  // Lines in UTF-8 would mislead the guess.
  const otherLines = lines.flatMap((bytes) => (isUtf8(bytes) ? [] : [bytes, Buffer.from('\n')]));
  const readings = guessEncodings(isUtf8Text ? Buffer.concat(otherLines) : bytes).map(
    ({ encoding, reading }) => `--encoding ${encoding} (reads as "${reading}")`,
  );
  const isMixed = isUtf8Text && lines.some((bytes) => isUtf8(bytes) && !isAscii(bytes));
  const advice = isMixed ? 'Other lines are UTF-8. Correct this line, or pass' : 'Pass';
  const place = isFound ? `line ${line + invalidLine}` : `near line ${line}`;
  return new Failure('usage', `${name} is not valid ${isUtf8Text ? 'UTF-8' : encoding} (${place}).`, {
    cause: error,
    hint:
      readings.length > 0
        ? `${advice} its encoding: ${readings.join(', ')}.`
        : `${advice} its encoding, such as --encoding windows-1252, or save it as UTF-8 ("CSV UTF-8" in Excel).`,
  });
}

function isValid(bytes: Buffer, encoding: string): boolean {
  if (encoding === 'utf-8') return isUtf8(bytes);
  try {
    const decode = createDecoder(encoding);
    decode(bytes);
    decode();
    return true;
  } catch {
    return false;
  }
}

/** Reads at most `length` bytes of a file. */
export async function readBytes(file: string, start: number, length: number): Promise<Buffer> {
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, start);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** The probability of a character in a text of an encoding, from 0 to 1. `before` and `after` are its neighbors. */
type Likelihood = (character: string, before: string, after: string) => number;

/** Rates characters of a double-byte encoding by their first byte: common characters are in ranges. */
function createLeadByteLikelihood(
  encoding: string,
  ...ranges: readonly (readonly [from: number, to: number, likelihood: number])[]
): Likelihood {
  return (character, before) => {
    // One such character within a Latin word is usually a Latin one and the letter after it.
    if (/[a-z]/i.test(before)) return 0.3;
    const [lead = 0] = iconv.encode(character, encoding);
    return ranges.find(([from, to]) => lead >= from && lead <= to)?.[2] ?? 0.2;
  };
}

/**
 * Rates letters by their neighbors: a letter occurs next to certain letters, and a capital not after a small letter.
 */
function createScriptLikelihood(script: RegExp, neighbors: RegExp, likelihood: number): Likelihood {
  return (character, before, after) => {
    if (/[‘’“”–—…€£°«»]/.test(character) && /[\w ]/.test(before + after)) return 0.9;
    if (!script.test(character)) return 0.1;
    if (/\p{Ll}/u.test(before) && /\p{Lu}/u.test(character)) return 0.2;
    return neighbors.test(before + after) ? likelihood : 0.3;
  };
}

const latin = createScriptLikelihood(/\p{Script=Latin}/u, /[a-z]/i, 1);

/** Encodings in which spreadsheet programs save text files. The first has precedence among equally likely ones. */
const candidates: Readonly<Record<string, Likelihood>> = {
  'windows-1252': latin,
  'windows-1250': latin,
  'windows-1251': createScriptLikelihood(/\p{Script=Cyrillic}/u, /\p{Script=Cyrillic}/u, 0.9),
  'euc-kr': createLeadByteLikelihood('euc-kr', [0xb0, 0xc8, 1]),
  shift_jis: createLeadByteLikelihood('shift_jis', [0x82, 0x83, 1], [0x88, 0x97, 0.9]),
  gb18030: createLeadByteLikelihood('gb18030', [0xb0, 0xd7, 0.8]),
  big5: createLeadByteLikelihood('big5', [0xa4, 0xc6, 0.8]),
  'euc-jp': createLeadByteLikelihood('euc-jp', [0xa4, 0xa5, 1], [0xb0, 0xcf, 0.75]),
};

/**
 * Returns at most three likely encodings with different readings, the most likely first. `reading` is the first foreign
 * word of the text.
 */
export function guessEncodings(bytes: Buffer): { readonly encoding: string; readonly reading: string }[] {
  const guesses = Object.entries(candidates).flatMap(([encoding, likelihood]) => {
    // The bytes may begin and end within a character.
    const text = iconv.decode(bytes, encoding).replace(/^\ufffd|\ufffd$/g, '');
    const [reading] = /[\p{L}\p{M}]*[^\0-\x7f][^\0-\x2f]*/u.exec(text) ?? [];
    if (text.includes('\ufffd') || reading === undefined) return [];
    return [{ encoding, reading: reading.slice(0, 20), score: computeMeanLikelihood(text, likelihood) }];
  });
  const best = Math.max(...guesses.map(({ score }) => score));
  return guesses
    .filter(({ score }) => score > Math.max(best / 2, 0.3))
    .toSorted((left, right) => right.score - left.score)
    .filter(({ reading }, at, all) => all.findIndex((guess) => guess.reading === reading) === at)
    .slice(0, 3);
}

function computeMeanLikelihood(text: string, likelihood: Likelihood): number {
  const characters = Array.from(text.slice(0, 20_000));
  const likelihoods = characters.flatMap((character, at) =>
    character > '\x7f' ? [likelihood(character, characters[at - 1] ?? '', characters[at + 1] ?? '')] : [],
  );
  return likelihoods.reduce((sum, likelihood) => sum + likelihood, 0) / Math.max(1, likelihoods.length);
}
