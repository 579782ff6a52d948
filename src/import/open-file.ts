import { Failure } from '../contract/errors.ts';
import { createReadFailure } from '../files/disk-errors.ts';
import { headOf, type Sheet, sheetIn } from './table-file.ts';
import { resolveEncoding } from './text-encoding.ts';

/** A sheet that may hold a temporary file until it is closed. */
export interface OpenSheet extends Sheet {
  /** What the user should know about how the file was read. */
  readonly note?: string;
  close(): Promise<void>;
}

/** How a file is to be read. */
export interface SheetOptions {
  /** The encoding of a text file (default UTF-8). */
  readonly encoding: string | undefined;
  /** The name of a worksheet (default the first one). */
  readonly worksheet: string | undefined;
  /** The time zone of dates with a time in an .xlsx file (default that of this machine). */
  readonly zone: string | undefined;
}

/**
 * Opens the sheet in a file, whatever its name: an .xlsx workbook, CSV, TSV or NDJSON.
 * @throws {Failure} usage if the file is none of them
 */
export async function openSheet(file: string, name: string, options: SheetOptions): Promise<OpenSheet> {
  const head = Buffer.from(
    await headOf(file).catch((error: unknown) => {
      throw createReadFailure(name, error);
    }),
  );
  const { encoding, worksheet, zone } = options;
  switch (head.length < 4 ? undefined : head.readUInt32BE(0)) {
    case 0x504b0304: {
      if (encoding !== undefined) {
        throw new Failure('usage', `--encoding applies only to text files; ${name} is an .xlsx file.`);
      }
      const { openWorkbook } = await import('./xlsx/spreadsheet.ts');
      return openWorkbook(file, name, { worksheet, zone });
    }
    case 0xd0cf11e0:
      throw new Failure('usage', `${name} is an .xls file or is password-protected.`, {
        hint: 'Save it without a password as .xlsx, or as "CSV UTF-8".',
      });
    default:
      return textSheet(file, name, options);
  }
}

async function textSheet(
  file: string,
  name: string,
  { encoding, worksheet }: SheetOptions,
): Promise<OpenSheet> {
  if (worksheet !== undefined) {
    throw new Failure('usage', `--sheet applies only to .xlsx files; ${name} is not one.`);
  }
  const sheet = await sheetIn(file, name, encoding && (await resolveEncoding(encoding)));
  return { ...sheet, close: async () => {} };
}
