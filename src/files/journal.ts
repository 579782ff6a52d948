import {
  appendFileSync,
  closeSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  truncateSync,
} from 'node:fs';
import { Failure } from '../contract/errors.ts';

const lineEnd = 10;

/** Bytes that are read at once: where all lines are read, and where one is. */
const chunk = 65_536;
const usual = 2048;

/** A line, without its end. */
interface Line {
  readonly text: string;
  /** The byte that it begins at, and that behind its end. */
  readonly start: number;
  readonly next: number;
}

/** A file of lines to which others are only added. They are read where they are: none is held in memory. */
export class Journal {
  readonly #path: string;
  readonly #reader: number;
  #writer: number | undefined;

  /** `path` is there. Throws what the disk says, as all that is done with it. */
  constructor(path: string) {
    this.#path = path;
    this.#reader = openSync(path, 'r');
  }

  /** In bytes. */
  get size(): number {
    return fstatSync(this.#reader).size;
  }

  /** All lines. What stands behind the last line end is none. */
  *lines(): Generator<Line> {
    let from = 0;
    for (let room = chunk; ; ) {
      const bytes = this.#read(from, room);
      let start = 0;
      for (let end = bytes.indexOf(lineEnd); end >= 0; end = bytes.indexOf(lineEnd, start)) {
        const next = end + 1;
        yield { text: bytes.toString('utf8', start, end), start: from + start, next: from + next };
        start = next;
      }
      from += start;
      if (start > 0) continue;
      if (bytes.length < room) return;
      room *= 2;
    }
  }

  /** The line that begins at a byte. Throws `failed` where none does any more. */
  lineAt(start: number): string {
    for (let room = usual; ; room *= 2) {
      const bytes = this.#read(start, room);
      const end = bytes.indexOf(lineEnd);
      if (end >= 0) return bytes.toString('utf8', 0, end);
      if (bytes.length < room) throw this.changed();
    }
  }

  /** How it begins, whether or not that is a line. */
  get head(): string {
    return this.#read(0, usual).toString();
  }

  /** The failure of what is not as it was read or written. */
  changed(): Failure {
    return new Failure('failed', `Another program has changed ${this.#path} meanwhile.`, {
      hint: 'Run it again.',
    });
  }

  /** Adds a line; gives the byte that it begins at. */
  append(text: string): number {
    this.#writer ??= openSync(this.#path, 'a');
    const start = this.size;
    try {
      appendFileSync(this.#writer, `${text}\n`);
    } catch (error) {
      // On a full disk part of the line may have been written; the next line must not continue it.
      ftruncateSync(this.#writer, start);
      throw error;
    }
    return start;
  }

  /** Takes away what is behind so many bytes. */
  truncate(size: number): void {
    truncateSync(this.#path, size);
  }

  close(): void {
    closeSync(this.#reader);
    if (this.#writer !== undefined) closeSync(this.#writer);
  }

  /** Bytes from a place on; fewer only where the file ends. */
  #read(from: number, room: number): Buffer {
    const bytes = Buffer.allocUnsafe(room);
    let length = 0;
    for (let read = -1; read !== 0 && length < room; length += read) {
      // Some disks give less than they are asked for.
      read = readSync(this.#reader, bytes, length, room - length, from + length);
    }
    return bytes.subarray(0, length);
  }
}

/** Lines as the bytes of a file, many at once. */
export function* encodeLines(lines: Iterable<string>): Generator<Buffer> {
  let piece: string[] = [];
  for (const line of lines) {
    piece.push(line, '\n');
    if (piece.length < 1000) continue;
    yield Buffer.from(piece.join(''));
    piece = [];
  }
  if (piece.length > 0) yield Buffer.from(piece.join(''));
}
