import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure } from '../contract/errors.ts';
import { createReadFailure } from '../files/disk-errors.ts';
import { openTextTable, readHead, type Table } from './table-file.ts';
import { resolveEncoding } from './text-encoding.ts';

/** A table that may have a temporary file until it is closed. */
export interface OpenTable extends Table {
  /** A note for the user about how the file was read. */
  readonly note?: string;
  close(): Promise<void>;
}

export interface TableOptions {
  /** The encoding of a text file (default UTF-8). */
  readonly encoding: string | undefined;
  /** The name of a worksheet (default the first one). */
  readonly worksheet: string | undefined;
  /** The time zone of dates with a time in an .xlsx file (default that of this machine). */
  readonly zone: string | undefined;
}

/**
 * Opens the table in a file by its contents: an .xlsx workbook, CSV, TSV or NDJSON.
 * @throws {Failure} usage if the file is none of them
 */
export async function openTable(file: string, name: string, options: TableOptions): Promise<OpenTable> {
  const bytes = await readHead(file).catch((error: unknown) => {
    throw createReadFailure(name, error);
  });
  const signature = Buffer.from(bytes.subarray(0, 4)).toString('hex');
  const { encoding, worksheet, zone } = options;
  if (signature === '504b0304') {
    if (encoding !== undefined) {
      throw new Failure('usage', `--encoding applies only to text files; ${name} is an .xlsx file.`);
    }
    const { openWorkbook } = await import('./xlsx/open-workbook.ts');
    return openWorkbook(file, name, { worksheet, zone });
  }
  if (signature === 'd0cf11e0') {
    throw new Failure('usage', `${name} is an .xls file or is password-protected.`, {
      hint: 'Save it without a password as .xlsx, or as "CSV UTF-8".',
    });
  }
  if (worksheet !== undefined) {
    throw new Failure('usage', `--sheet applies only to .xlsx files; ${name} is not one.`);
  }
  const table = await openTextTable(file, name, encoding && resolveEncoding(encoding));
  return { ...table, close: async () => {} };
}

/** A copy of a stream. */
export interface TemporaryFile {
  readonly path: string;
  remove(): Promise<void>;
}

/** Saves a stream to a temporary file, because an import reads its input several times. */
export async function saveToTemporaryFile(bytes: AsyncIterable<Uint8Array>): Promise<TemporaryFile> {
  const folder = await mkdtemp(join(tmpdir(), 'kith-import-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const path = join(folder, 'stdin.kith-tmp');
    const file = await open(path, 'w', 0o600);
    try {
      for await (const chunk of bytes) await file.appendFile(chunk);
    } finally {
      await file.close();
    }
    return { path, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Returns a hash of a file and of the settings with which it is imported. */
export async function hashInput(file: string, settings: unknown): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(settings));
  for await (const bytes of createReadStream(file)) hash.update(bytes);
  return hash.digest('base64url');
}
