import { appendFileSync, closeSync, fstatSync, ftruncateSync, readSync } from 'node:fs';

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
  readonly #file: number;

  /** `file` is open for reading, and for appending where it is to be added to. */
  constructor(file: number) {
    this.#file = file;
  }

  /** In bytes. */
  get size(): number {
    return fstatSync(this.#file).size;
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

  /** The line that begins at a byte. */
  lineAt(start: number): string {
    for (let room = usual; ; room *= 2) {
      const bytes = this.#read(start, room);
      const end = bytes.indexOf(lineEnd);
      if (end >= 0) return bytes.toString('utf8', 0, end);
      if (bytes.length < room) throw new Error(`No line begins at byte ${start}.`);
    }
  }

  /** How it begins, whether or not that is a line. */
  get head(): string {
    return this.#read(0, usual).toString();
  }

  /** Adds a line; gives the byte that it begins at. */
  append(text: string): number {
    const start = this.size;
    appendFileSync(this.#file, `${text}\n`);
    return start;
  }

  /** Takes away what is behind so many bytes. */
  truncate(size: number): void {
    ftruncateSync(this.#file, size);
  }

  close(): void {
    closeSync(this.#file);
  }

  #read(from: number, room: number): Buffer {
    const bytes = Buffer.allocUnsafe(room);
    return bytes.subarray(0, readSync(this.#file, bytes, 0, room, from));
  }
}

/** Lines as the bytes of a file, many at once. */
export function* piecesOf(lines: Iterable<string>): Generator<Buffer> {
  let piece: string[] = [];
  for (const line of lines) {
    piece.push(line, '\n');
    if (piece.length < 1000) continue;
    yield Buffer.from(piece.join(''));
    piece = [];
  }
  yield Buffer.from(piece.join(''));
}
