import { isUtf8 } from 'node:buffer';
import {
  appendFileSync,
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  truncateSync,
} from 'node:fs';
import { Failure } from '../contract/errors.ts';
import { accessFile } from './disk-errors.ts';

const lineEnd = 10;

/** Bytes to read at once, for all lines and for one line. */
const chunkSize = 65_536;
const lineSize = 2048;

/** A line without its line end, its offset in bytes, and the offset of the next line. */
interface JournalLine {
  readonly text: string;
  readonly start: number;
  readonly next: number;
}

/**
 * An append-only file of lines. Lines are read from the file, so memory does not grow with it. The methods throw a
 * `failed` failure with the path if the file cannot be read or written.
 */
export class Journal {
  readonly #path: string;
  readonly #reader: number;
  #writer: number | undefined;

  /** Opens an existing file. */
  constructor(path: string) {
    this.#path = path;
    this.#reader = accessFile('read', path, () => openSync(path, 'r'));
  }

  /** Size in bytes. */
  get size(): number {
    return fstatSync(this.#reader).size;
  }

  /** Returns the first line; undefined if it has no line end. */
  readFirstLine(): string | undefined {
    const [first] = this.readLines(lineSize);
    return first?.text;
  }

  /** Yields all lines. Text after the last line end is not a line. `bufferSize`: bytes to read at once. */
  *readLines(bufferSize = chunkSize): Generator<JournalLine> {
    let from = 0;
    for (let size = bufferSize; ; ) {
      const bytes = this.#read(from, size);
      let start = 0;
      for (let end = bytes.indexOf(lineEnd); end >= 0; end = bytes.indexOf(lineEnd, start)) {
        const next = end + 1;
        yield { text: bytes.toString('utf8', start, end), start: from + start, next: from + next };
        start = next;
      }
      from += start;
      if (start > 0) continue;
      if (bytes.length < size) return;
      size *= 2;
    }
  }

  /** Whether the bytes between two offsets are UTF-8. */
  isUtf8(start: number, end: number): boolean {
    return isUtf8(this.#read(start, end - start));
  }

  /** Yields the bytes of the file. */
  *readChunks(): Generator<Buffer> {
    for (let from = 0; ; ) {
      const bytes = this.#read(from, chunkSize);
      if (bytes.length === 0) return;
      yield bytes;
      from += bytes.length;
    }
  }

  /** Returns the line at an offset. @throws {Failure} failed if it is no longer there */
  readLine(start: number): string {
    for (let size = lineSize; ; size *= 2) {
      const bytes = this.#read(start, size);
      const end = bytes.indexOf(lineEnd);
      if (end >= 0) return bytes.toString('utf8', 0, end);
      if (bytes.length < size) throw this.createChangeFailure();
    }
  }

  /** The first characters of the file. */
  get head(): string {
    return this.#read(0, lineSize).toString();
  }

  /** Creates the failure for content that differs from what kith read or wrote. */
  createChangeFailure(): Failure {
    return new Failure('failed', `Another program changed ${this.#path} while kith was using it.`, {
      hint: 'Run the command again.',
    });
  }

  /** Appends a line and returns its offset. `isFlushed`: whether the line must survive a power failure. */
  append(text: string, isFlushed = false): number {
    return accessFile('write', this.#path, () => {
      this.#writer ??= openSync(this.#path, 'a');
      const start = this.size;
      try {
        appendFileSync(this.#writer, `${text}\n`);
        if (isFlushed) fsyncSync(this.#writer);
      } catch (error) {
        // On a full disk, a part of the line may have been written. The next line must not continue it.
        ftruncateSync(this.#writer, start);
        throw error;
      }
      return start;
    });
  }

  /** Truncates the file to a size in bytes. */
  truncate(size: number): void {
    accessFile('write', this.#path, () => truncateSync(this.#path, size));
  }

  close(): void {
    closeSync(this.#reader);
    if (this.#writer !== undefined) closeSync(this.#writer);
  }

  /** Reads bytes from an offset; fewer than `size` only at the end of the file. */
  #read(from: number, size: number): Buffer {
    return accessFile('read', this.#path, () => {
      const bytes = Buffer.allocUnsafe(size);
      let length = 0;
      for (let read = -1; read !== 0 && length < size; length += read) {
        // A read may return fewer bytes than requested.
        read = readSync(this.#reader, bytes, length, size - length, from + length);
      }
      return bytes.subarray(0, length);
    });
  }
}

/** Yields all lines of a file like `Journal.lines`, and closes it. @throws {Failure} failed if it cannot be read */
export function* readLines(path: string): Generator<JournalLine> {
  const file = new Journal(path);
  try {
    yield* file.readLines();
  } finally {
    file.close();
  }
}
