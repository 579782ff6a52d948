import { type Buffer, isUtf8 } from 'node:buffer';
import { getErrorCode } from '../values/error-code.ts';
import { InvalidResponseError } from './delivery.ts';

/** Bytes of a body at the most: the text, its JSON and what is printed of it have to fit into memory together. */
export const maxBodySize = 256 * 1024 * 1024;

/** Unpacks a body; undefined: it was too large. Throws `Unreadable` for one that is damaged or too large. */
export async function decompressBody(
  packed: Buffer | undefined,
  encoding: string | undefined,
): Promise<Buffer> {
  if (!packed) throw tooLarge();
  return packed.length === 0 ? packed : unpacked(packed, encoding);
}

/** Decodes a body. Throws `Unreadable` if it is not UTF-8, unless `lenient`, which replaces invalid bytes by U+FFFD. */
export function decodeBody(bytes: Buffer, lenient: boolean): string {
  if (!lenient && !isUtf8(bytes)) throw new InvalidResponseError('The answer is not UTF-8.');
  const isMarked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return bytes.toString('utf8', isMarked ? 3 : 0);
}

/** No packing is asked for, but there are proxies that pack all the same. */
async function unpacked(bytes: Buffer, encoding = 'identity'): Promise<Buffer> {
  const name = encoding.trim().toLowerCase();
  if (name === 'identity' || name === '') return bytes;
  const { brotliDecompressSync, unzipSync } = await import('node:zlib');
  const unpack = { gzip: unzipSync, 'x-gzip': unzipSync, deflate: unzipSync, br: brotliDecompressSync }[name];
  if (!unpack)
    throw new InvalidResponseError(`The answer is packed as "${encoding}", which was not asked for.`);
  try {
    return unpack(bytes, { maxOutputLength: maxBodySize });
  } catch (error) {
    throw getErrorCode(error) === 'ERR_BUFFER_TOO_LARGE'
      ? tooLarge()
      : new InvalidResponseError(`The answer is packed as "${encoding}", and damaged.`);
  }
}

const tooLarge = () => new InvalidResponseError(`The answer is larger than ${maxBodySize / 1024 / 1024} MB.`);
