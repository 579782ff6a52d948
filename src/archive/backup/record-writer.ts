import { createHash } from 'node:crypto';
import { closeSync, existsSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import type { Noun } from '../../contract/singular-nouns.ts';
import { syncFile } from '../../files/atomic-write.ts';
import { accessFile, createFileFailure } from '../../files/disk-errors.ts';
import { readLines } from '../../files/journal.ts';
import { setMode } from '../../files/permissions.ts';
import { compactJson, UnparsedJson } from '../../values/raw-json.ts';
import { readRecordId } from '../../values/record-id.ts';
import { createParser } from '../archive.ts';
import type { RecordFile } from '../manifest.ts';

const mode = 0o600;

/** Writes a file of records, and counts and hashes them. */
export class RecordWriter {
  readonly #path: string;
  readonly #file: number;
  readonly #hash = createHash('sha256');
  records = 0;
  #bytes = 0;

  constructor(path: string, flags: 'w' | 'a' = 'w') {
    this.#path = path;
    this.#file = accessFile('write', path, () => openSync(path, flags, mode));
    setMode(this.#file, mode);
  }

  /**
   * Continues the file of a killed backup after its last complete record. Returns the writer, and the ids of the
   * records in the file.
   */
  static continue(path: string, noun: Noun): { writer: RecordWriter; ids: Set<string> } {
    const ids = new Set<string>();
    if (!existsSync(path)) return { writer: new RecordWriter(path), ids };
    const writer = new RecordWriter(path, 'a');
    const parse = createParser(noun);
    for (const { text } of readLines(path)) {
      const id = tryReadId(text, parse);
      if (id === undefined) break;
      ids.add(id);
      writer.#count([text]);
    }
    accessFile('write', path, () => ftruncateSync(writer.#file, writer.#bytes));
    return { writer, ids };
  }

  /** Writes records, each on one line. */
  write(texts: readonly string[]): void {
    if (texts.length === 0) return;
    const bytes = this.#count(texts);
    accessFile('write', this.#path, () => {
      // A write may accept fewer bytes, for example before a full disk.
      for (let start = 0; start < bytes.length; )
        start += writeSync(this.#file, bytes, start, bytes.length - start);
    });
  }

  /** Counts and hashes the lines of records, and returns their bytes. */
  #count(texts: readonly string[]): Buffer {
    const joined = `${texts.join('\n')}\n`;
    // Almost no service breaks the lines of a record, and checking all at once is faster.
    const isPlain = !joined.includes('\r') && countLines(joined) === texts.length;
    const bytes = Buffer.from(isPlain ? joined : `${texts.map(compactJson).join('\n')}\n`);
    this.#hash.update(bytes);
    this.records += texts.length;
    this.#bytes += bytes.length;
    return bytes;
  }

  /** Flushes the file to the disk, closes it, and returns its description. */
  async finish(): Promise<RecordFile> {
    try {
      await syncFile(this.#file);
    } catch (error) {
      throw createFileFailure('write', this.#path, error);
    } finally {
      this.close();
    }
    return { records: this.records, bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }

  close(): void {
    closeSync(this.#file);
  }
}

function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** Returns the id of a line; undefined if the line is damaged, for example by a power failure. */
function tryReadId(text: string, parse: (text: string) => { readonly id: string }): string | undefined {
  try {
    return text.endsWith('}') ? String(readRecordId(new UnparsedJson(text, parse))) : undefined;
  } catch {
    return undefined;
  }
}
