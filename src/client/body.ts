import { Buffer, isUtf8 } from 'node:buffer';
import { errorCode } from '../contract/error-code.ts';
import { Unreadable } from './delivery.ts';

/** How a body is read. */
interface BodyReading {
  /** Its `Content-Encoding`, where it has one. */
  readonly encoding: string | undefined;
  /** Milliseconds that one silence in it may last. */
  readonly timeout: number;
  /** Whether bytes that are no UTF-8 may be told as U+FFFD: in a text that is only told to a person. */
  readonly lenient: boolean;
}

/** Bytes of a body at the most: the text, its JSON and what is printed of it have to fit into memory together. */
const most = 256 * 1024 * 1024;

/** Bytes a second that a body has to bring where it takes longer than ten times the time limit. */
const slowest = 1024;

/** A body that never falls silent, and never ends. */
export class TooSlow extends Error {
  override readonly name = 'TooSlow';
  readonly code = 'TOO_SLOW';
}

/** The text of a body. Throws `Unreadable` for one that is none or too large, `TooSlow` for one that drips. */
export async function textOf(body: AsyncIterable<Uint8Array>, reading: BodyReading): Promise<string> {
  const packed = await bytesOf(body, reading.timeout);
  const bytes = packed.length === 0 ? packed : await unpacked(packed, reading.encoding);
  if (!reading.lenient && !isUtf8(bytes)) throw new Unreadable('The answer is not UTF-8.');
  const isMarked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return bytes.toString('utf8', isMarked ? 3 : 0);
}

async function bytesOf(body: AsyncIterable<Uint8Array>, timeout: number): Promise<Buffer> {
  const start = performance.now();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > most) throw tooLarge();
    const passed = performance.now() - start;
    if (passed > 10 * timeout && length < (passed / 1000) * slowest) throw new TooSlow();
  }
  const [first = Buffer.alloc(0)] = chunks;
  return chunks.length > 1
    ? Buffer.concat(chunks, length)
    : Buffer.from(first.buffer, first.byteOffset, length);
}

/** No packing is asked for, but there are proxies that pack all the same. */
async function unpacked(bytes: Buffer, encoding = 'identity'): Promise<Buffer> {
  const name = encoding.trim().toLowerCase();
  if (name === 'identity' || name === '') return bytes;
  const { brotliDecompressSync, unzipSync } = await import('node:zlib');
  const unpack = { gzip: unzipSync, 'x-gzip': unzipSync, deflate: unzipSync, br: brotliDecompressSync }[name];
  if (!unpack) throw new Unreadable(`The answer is packed as "${encoding}", which was not asked for.`);
  try {
    return unpack(bytes, { maxOutputLength: most });
  } catch (error) {
    throw errorCode(error) === 'ERR_BUFFER_TOO_LARGE'
      ? tooLarge()
      : new Unreadable(`The answer is packed as "${encoding}", and damaged.`);
  }
}

const tooLarge = () => new Unreadable(`The answer is larger than ${most / 1024 / 1024} MB.`);
