import { createReadStream } from 'node:fs';
import { posix } from 'node:path';
import { Failure, getErrorCode, getErrorMessage } from '../../contract/errors.ts';
import { escapeFormula, unescapeFormula } from '../../render/cells.ts';
import { loadTimeZone } from '../../values/dates.ts';
import { createTable, type OpenTable, saveToTemporaryFile, type TableOptions } from '../table-file.ts';
import { splitLines, type TableRow } from '../text-rows.ts';
import { type Archive, createTextReader, openArchive, parseXml, WorkbookError } from './archive.ts';
import { type Calendar, type NumberFormat, parseNumberFormat } from './number-format.ts';
import { worksheetRows } from './worksheet-rows.ts';

const megabyte = 1024 * 1024;

/** The maximum size in bytes of a part in memory, and of the shared texts. */
const maxPartSize = 16 * megabyte;
const maxTextsSize = 256 * megabyte;

/** A table of a workbook. */
export interface Worksheet {
  readonly name: string;
  /** The part of the archive with its rows. */
  readonly part: string;
  readonly isHidden: boolean;
}

/** A workbook without its rows. */
export interface Workbook {
  readonly worksheets: readonly Worksheet[];
  readonly from1904: boolean;
  /** The format of each cell style. */
  readonly formats: readonly NumberFormat[];
  /** Texts that cells refer to by their index. */
  readonly texts: readonly string[];
}

/** Reads a workbook without its rows. */
async function readWorkbook(archive: Archive): Promise<Workbook> {
  const root = await readRelations(archive, '');
  const main = root.find(({ type }) => type === 'officeDocument')?.target;
  if (main === undefined) throw new WorkbookError('it is not a workbook');
  if (/\.bin$/i.test(main)) throw new WorkbookError('it is a binary workbook (.xlsb)');
  const relations = await readRelations(archive, main);
  const partOf = (type: string) => relations.find((one) => one.type === type)?.target;
  const { sheets, from1904 } = await readSheets(archive, main);
  const worksheets = sheets.flatMap(({ id, name, isHidden }) => {
    const relation = relations.find((one) => one.id === id && one.type === 'worksheet');
    return relation ? [{ name, isHidden, part: relation.target }] : [];
  });
  const formats = await readFormats(archive, partOf('styles'));
  return { worksheets, from1904, formats, texts: await readTexts(archive, partOf('sharedStrings')) };
}

interface Relation {
  readonly id: string;
  readonly type: string;
  /** A part of the archive. */
  readonly target: string;
}

/** Returns the parts that a part refers to; an empty name means the whole archive. */
async function readRelations(archive: Archive, part: string): Promise<Relation[]> {
  const { dir, base } = posix.parse(part);
  const bytes = await archive.read(posix.join(dir, '_rels', `${base}.rels`), maxPartSize);
  const relations: Relation[] = [];
  if (!bytes) return relations;
  await parseXml(bytes, {
    open(name, attributes) {
      if (name !== 'Relationship') return;
      const { Id = '', Type = '', Target = '' } = attributes();
      const target = posix.join('/', Target.startsWith('/') ? '' : dir, Target).slice(1);
      relations.push({ id: Id, type: posix.basename(Type), target });
    },
  });
  return relations;
}

async function readSheets(archive: Archive, part: string) {
  const sheets: { id: string; name: string; isHidden: boolean }[] = [];
  let from1904 = false;
  const bytes = await archive.read(part, maxPartSize);
  if (!bytes) throw new WorkbookError(`its part ${part} is missing`);
  await parseXml(bytes, {
    open(tag, attributes) {
      if (tag === 'workbookPr') from1904 = /^(1|true|on)$/.test(attributes().date1904 ?? '');
      if (tag !== 'sheet') return;
      const { name = '', state = 'visible', ...others } = attributes();
      const [, id = ''] = Object.entries(others).find(([key]) => /:id$/.test(key)) ?? [];
      sheets.push({ id, name, isHidden: state !== 'visible' });
    },
  });
  return { sheets, from1904 };
}

async function readFormats(archive: Archive, part: string | undefined): Promise<NumberFormat[]> {
  const codes = new Map<number, string>();
  const formats: NumberFormat[] = [];
  const bytes = part === undefined ? undefined : await archive.read(part, maxPartSize);
  if (!bytes) return formats;
  let isOfCells = false;
  await parseXml(bytes, {
    open(name, attributes) {
      if (name === 'numFmt') codes.set(Number(attributes().numFmtId), attributes().formatCode ?? '');
      if (name === 'cellXfs') isOfCells = true;
      if (name !== 'xf' || !isOfCells) return;
      const id = Number(attributes().numFmtId ?? 0);
      formats.push(parseNumberFormat(id, codes.get(id)));
    },
    close(name) {
      if (name === 'cellXfs') isOfCells = false;
    },
  });
  return formats;
}

async function readTexts(archive: Archive, part: string | undefined): Promise<string[]> {
  const texts: string[] = [];
  const bytes = part === undefined ? undefined : await archive.read(part, maxTextsSize);
  if (!bytes) return texts;
  const reader = createTextReader();
  await parseXml(bytes, {
    open: (name) => reader.open(name),
    text: (text) => reader.text(text),
    close(name) {
      reader.close(name);
      if (name === 'si') texts.push(reader.take());
    },
  });
  return texts;
}

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
