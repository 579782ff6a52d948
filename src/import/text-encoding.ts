import { createReadStream } from 'node:fs';
import { Failure } from '../contract/errors.ts';

/** Encodings that TextDecoder decodes well. Its tables of legacy ones depend on the Node and lack characters. */
type Unicode = 'utf-8' | 'utf-16le' | 'utf-16be';

/** Names that are no encoding of a text file, or that browsers and spreadsheets take for another one. */
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
 * Returns the encoding with a name such as `windows-1252`, as `decodedText` takes it.
 * @throws {Failure} usage if there is none
 */
export async function resolveEncoding(name: string): Promise<string> {
  const folded = name.toLowerCase();
  const encoding = Object.hasOwn(exceptions, folded) ? exceptions[folded] : folded;
  const { default: iconv } = await import('iconv-lite');
  if (encoding !== undefined && iconv.encodingExists(encoding)) return encoding;
  throw new Failure('usage', `--encoding: "${name}" is not a known encoding.`, {
    hint: 'Use one such as utf-8, utf-16le, windows-1252, euc-kr, shift_jis, gb18030 or big5.',
  });
}

/** The encoding that the first bytes of a file tell, with or without a byte order mark; undefined if they do not. */
export function encodingOfHead([one, two, three]: Uint8Array): Unicode | undefined {
  if (one === 0xef && two === 0xbb && three === 0xbf) return 'utf-8';
  if (one === 0xff && two === 0xfe) return 'utf-16le';
  if (one === 0xfe && two === 0xff) return 'utf-16be';
  // No table begins with the character NUL: this is half of an ASCII character in UTF-16.
  if (one === 0 && two !== undefined && two !== 0) return 'utf-16be';
  return two === 0 && one !== undefined && one !== 0 ? 'utf-16le' : undefined;
}

/** Decodes bytes as they come. A byte order mark is left out. */
interface Decoder {
  /** @throws {TypeError} if the bytes are not in the encoding */
  decode(bytes: Uint8Array): string;
  end(): string;
}

export async function decoderFor(encoding: string): Promise<Decoder> {
  if (/^utf-(8|16le|16be)$/.test(encoding)) {
    const decoder = new TextDecoder(encoding, { fatal: true });
    return { decode: (bytes) => decoder.decode(bytes, { stream: true }), end: () => decoder.decode() };
  }
  const { default: iconv } = await import('iconv-lite');
  const decoder = iconv.getDecoder(encoding);
  const valid = (text = '') => {
    if (text.includes('\ufffd')) throw new TypeError(`not ${encoding}`);
    return text;
  };
  return { decode: (bytes) => valid(decoder.write(Buffer.from(bytes))), end: () => valid(decoder.end()) };
}

/**
 * The text of a file, in chunks.
 * @throws {Failure} usage if it cannot be read or is in another encoding
 */
export async function* decodedText(file: string, name: string, encoding: string): AsyncGenerator<string> {
  const decoder = await decoderFor(encoding);
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
    throw await wrongEncoding({ file, name, encoding, lines, offset }, error);
  }
}

interface Undecodable {
  readonly file: string;
  readonly name: string;
  readonly encoding: string;
  /** The number of the last line that was decoded. */
  readonly lines: number;
  /** Where the bytes begin that could not be decoded. */
  readonly offset: number;
}

async function wrongEncoding(where: Undecodable, cause: TypeError): Promise<Failure> {
  const { file, name, encoding, lines, offset } = where;
  const { guessEncodings } = await import('./encoding-guess.ts');
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
