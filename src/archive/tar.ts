import type { Failure } from '../contract/errors.ts';

/** Tar consists of blocks of this size: a header for each file, and its bytes padded with zeros. */
const blockSize = 512;

/** The largest size that the octal digits of a header hold. Larger ones are binary. */
const maxOctalSize = 8 ** 11 - 1;

const regularFiles = ['0', '\0'];

interface TarFile {
  readonly name: string;
  /** In bytes. */
  readonly size: number;
}

/** Returns the header of a file. `mtime`: seconds since 1970. */
export function createTarHeader({ name, size }: TarFile, mtime: number): Buffer {
  const header = Buffer.alloc(blockSize);
  const writeOctal = (value: number, start: number, digits: number) =>
    header.write(value.toString(8).padStart(digits, '0'), start, 'latin1');
  header.write(name, 0, 100, 'utf8');
  writeOctal(0o600, 100, 7);
  writeOctal(0, 108, 7);
  writeOctal(0, 116, 7);
  if (size <= maxOctalSize) writeOctal(size, 124, 11);
  else {
    header[124] = 0x80;
    header.writeBigUInt64BE(BigInt(size), 128);
  }
  writeOctal(mtime, 136, 11);
  header.write('0', 156, 'latin1');
  header.write('ustar\x0000', 257, 'latin1');
  writeOctal(sumHeader(header), 148, 6);
  header[155] = 0x20;
  return header;
}

/** Returns the zeros after a file, or at the end of a tar. */
export const createTarPadding = (size: number): Buffer =>
  Buffer.alloc((blockSize - (size % blockSize)) % blockSize);
export const tarEnd: Buffer = Buffer.alloc(2 * blockSize);

/** Returns the sum of the bytes of a header, in which its own sum counts as spaces. */
function sumHeader(header: Buffer): number {
  let sum = 0;
  for (const [index, byte] of header.entries()) sum += index >= 148 && index < 156 ? 0x20 : byte;
  return sum;
}

/** Returns the file of a header; undefined at the end of a tar. `fail` creates the failure for a problem. */
function parseTarHeader(header: Buffer, fail: (problem: string) => Failure): TarFile | undefined {
  if (header.length === 0 || header.every((byte) => byte === 0)) return undefined;
  const readText = (start: number, length: number) =>
    header.toString('utf8', start, start + length).replace(/\0.*$/s, '');
  const readOctal = (start: number, length: number) => {
    const digits = readText(start, length).trim();
    if (!/^[0-7]+$/.test(digits)) throw fail('a damaged header');
    return Number.parseInt(digits, 8);
  };
  if (header.length < blockSize || readOctal(148, 8) !== sumHeader(header)) throw fail('a damaged header');
  const prefix = readText(257, 5) === 'ustar' ? readText(345, 155) : '';
  const name = `${prefix && `${prefix}/`}${readText(0, 100)}`;
  if (!regularFiles.includes(header.toString('latin1', 156, 157)))
    throw fail(`${JSON.stringify(name)}, which is not a file`);
  const isBinary = header[124] === 0x80;
  const size = isBinary ? Number(header.readBigUInt64BE(128)) : readOctal(124, 12);
  return { name, size };
}

/**
 * Yields the files of a tar with their bytes. The bytes of a file must be read before the next file. `fail` creates the
 * failure for a problem, such as `a damaged header`.
 */
export async function* readTar(
  chunks: AsyncIterable<Buffer>,
  fail: (problem: string) => Failure,
): AsyncGenerator<TarFile & { readonly bytes: AsyncIterable<Buffer> }> {
  const iterator = chunks[Symbol.asyncIterator]();
  const source = new ByteSource(iterator);
  try {
    for (;;) {
      const file = parseTarHeader(await source.read(blockSize), fail);
      if (!file) return;
      yield { ...file, bytes: source.readChunks(file.size, () => fail('a truncated file')) };
      await source.read(createTarPadding(file.size).length);
    }
  } finally {
    await iterator.return?.();
  }
}

/** Bytes that arrive in chunks. */
class ByteSource {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterator<Buffer>) {
    this.#chunks = chunks;
  }

  /** Returns the next bytes, fewer only at the end. */
  async read(size: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const part of this.readChunks(size)) parts.push(part);
    return Buffer.concat(parts);
  }

  /** Yields the next bytes in parts. */
  async *readChunks(size: number, createFailure?: () => Failure): AsyncGenerator<Buffer> {
    for (let remaining = size; remaining > 0; ) {
      if (this.#rest.length === 0) {
        const { value, done } = await this.#chunks.next();
        if (done && createFailure) throw createFailure();
        if (done) return;
        this.#rest = value;
      }
      const part = this.#rest.subarray(0, remaining);
      this.#rest = this.#rest.subarray(part.length);
      remaining -= part.length;
      yield part;
    }
  }
}
