import { createReadStream } from 'node:fs';
import { Failure, getErrorCode, getErrorMessage } from '../../contract/errors.ts';
import { escapeFormula, unescapeFormula } from '../../render/cells.ts';
import { loadTimeZone } from '../../values/dates.ts';
import { type OpenTable, saveToTemporaryFile, type TableOptions } from '../input-file.ts';
import { createTable } from '../table-file.ts';
import { splitLines, type TableRow } from '../text-rows.ts';
import { openArchive, WorkbookError } from './archive.ts';
import type { Calendar } from './number-format.ts';
import { readWorkbook, type Worksheet } from './workbook.ts';
import { worksheetRows } from './worksheet-rows.ts';

/** The maximum size of the rows as text, in bytes: a small archive may have any number of rows. */
const maxBytes = 1024 * 1024 * 1024;

/**
 * Opens a worksheet of an .xlsx file. Its rows are written to a temporary file once, because they are read several
 * times.
 * @throws {Failure} usage if the file is damaged or has no such worksheet
 */
export async function openWorkbook(
  file: string,
  name: string,
  { worksheet, zone }: Omit<TableOptions, 'encoding'>,
): Promise<OpenTable> {
  const { path, remove, chosen, others } = await readRows(file, name, worksheet, zone).catch(
    (error: unknown) => {
      throw toWorkbookFailure(error, name);
    },
  );
  const rows = async function* (): AsyncGenerator<TableRow> {
    for await (const line of splitLines(createReadStream(path, 'utf8')))
      if (line !== '') yield JSON.parse(line);
  };
  try {
    let header: readonly string[] = [];
    for await (const { cells } of rows()) {
      header = cells;
      break;
    }
    const names = others.map((other) => `"${other}"`).join(', ');
    const note = `Reading the sheet "${chosen}" of ${name}. Pass --sheet NAME to read another one: ${names}.`;
    const isChoice = worksheet === undefined && others.length > 0;
    return { ...createTable(name, header, rows), close: remove, ...(isChoice && { note }) };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function readRows(file: string, name: string, worksheet: string | undefined, zone: string | undefined) {
  const archive = await openArchive(file);
  try {
    const workbook = await readWorkbook(archive);
    const chosen = chooseWorksheet(workbook.worksheets, worksheet, name);
    const calendar: Calendar = { from1904: workbook.from1904, offsetAt: createOffsetReader(zone) };
    const spool = await saveToTemporaryFile(toLines(worksheetRows(archive, chosen, workbook, calendar)));
    const visible = workbook.worksheets.filter((one) => one !== chosen && !one.isHidden);
    return { ...spool, chosen: chosen.name, others: visible.map((one) => one.name) };
  } finally {
    archive.close();
  }
}

function chooseWorksheet(all: readonly Worksheet[], wanted: string | undefined, name: string): Worksheet {
  const chosen =
    wanted === undefined
      ? (all.find(({ isHidden }) => !isHidden) ?? all[0])
      : all.find((one) => one.name.toLowerCase() === wanted.toLowerCase());
  if (chosen) return chosen;
  if (wanted === undefined) throw new WorkbookError('it has no sheets');
  throw new Failure('usage', `--sheet: ${name} has no sheet "${wanted}".`, {
    hint: `Its sheets are ${all.map((one) => one.name).join(', ')}.`,
  });
}

/** Returns a function for the offset of a time zone at a local time, which is in the UTC fields of the date. */
function createOffsetReader(zone: string | undefined): Calendar['offsetAt'] {
  const offset = loadTimeZone(zone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone);
  return (wall) =>
    offset?.({
      year: wall.getUTCFullYear(),
      month: wall.getUTCMonth() + 1,
      day: wall.getUTCDate(),
      hour: wall.getUTCHours(),
      minute: wall.getUTCMinutes(),
      second: wall.getUTCSeconds(),
    }) ?? 0;
}

/** Characters per write. */
const chunkLength = 65_536;

async function* toLines(rows: AsyncIterable<TableRow>): AsyncGenerator<Uint8Array> {
  let held = '';
  let written = 0;
  for await (const { cells, ...row } of rows) {
    // A report that was opened as CSV and saved as .xlsx keeps the apostrophes of CSV.
    held += `${JSON.stringify({ ...row, cells: cells.map((cell) => escapeFormula(unescapeFormula(cell))) })}\n`;
    if (held.length < chunkLength) continue;
    const bytes = Buffer.from(held);
    written += bytes.length;
    if (written > maxBytes) throw new WorkbookError(`its rows take more than ${maxBytes / 1024 / 1024} MB`);
    yield bytes;
    held = '';
  }
  yield Buffer.from(held);
}

/** Returns disk errors unchanged, and any other as a failure about the file. */
function toWorkbookFailure(error: unknown, name: string): unknown {
  if (error instanceof Failure || /^E[A-Z]+$/.test(getErrorCode(error))) return error;
  const reason = getErrorMessage(error).replace(/\.+$/, '');
  return new Failure('usage', `Cannot read ${name} as an .xlsx file: ${reason}.`, {
    cause: error,
    hint: 'Save it again as .xlsx, or as "CSV UTF-8".',
  });
}
