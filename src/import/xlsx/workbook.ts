import { createReadStream } from 'node:fs';
import { posix } from 'node:path';
import { Failure, getErrorCode, getErrorMessage } from '../../contract/errors.ts';
import { loadTimeZone } from '../../values/dates.ts';
import {
  createTable,
  type HeaderOptions,
  saveToTemporaryFile,
  splitLines,
  type Table,
  type TableRow,
} from '../table.ts';
import { type Archive, type Element, openArchive, WorkbookError } from './archive.ts';
import { type NumberFormat, parseNumberFormat } from './number-format.ts';
import { type CellContext, readText, readWorksheetRows } from './worksheet-rows.ts';

/** The maximum size in bytes of a part in memory, and of the shared texts. */
const maxPartSize = 16 * 1024 * 1024;
const maxTextsSize = 256 * 1024 * 1024;

interface Worksheet {
  readonly name: string;
  /** The part of the archive with its rows. */
  readonly part: string;
  readonly isHidden: boolean;
}

async function readWorkbook(archive: Archive, zone: string | undefined) {
  const root = await readRelations(archive, '');
  const main = root.find(({ type }) => type === 'officeDocument')?.part;
  if (main === undefined) throw new WorkbookError('it is not a workbook');
  if (/\.bin$/i.test(main)) throw new WorkbookError('it is a binary workbook (.xlsb)');
  if (!archive.has(main)) throw new WorkbookError(`its part ${main} is missing`);
  const relations = await readRelations(archive, main);
  const findPart = (type: string) => relations.find((relation) => relation.type === type)?.part ?? '';
  const elements = await readAll(archive, main, 'workbook/workbookPr', 'sheets/sheet');
  const worksheets = elements.flatMap(({ name: tag, attributes }): Worksheet[] => {
    const { name = '', state = 'visible', ...others } = attributes;
    const [, id] = Object.entries(others).find(([key]) => /:id$/.test(key)) ?? [];
    const relation = relations.find((candidate) => candidate.id === id && candidate.type === 'worksheet');
    return tag === 'sheet' && relation ? [{ name, part: relation.part, isHidden: state !== 'visible' }] : [];
  });
  const calendar = {
    from1904: elements.some(({ attributes }) => /^(1|true|on)$/.test(attributes.date1904 ?? '')),
    offsetAt: loadTimeZone(zone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone) ?? (() => 0),
  };
  const formats = await readFormats(archive, findPart('styles'));
  const texts = await readTexts(archive, findPart('sharedStrings'));
  return { worksheets, cells: { calendar, formats, texts } satisfies CellContext };
}

/** Reads the parts that a part refers to; an empty name means the whole archive. */
async function readRelations(archive: Archive, part: string) {
  const { dir, base } = posix.parse(part);
  const path = posix.join(dir, '_rels', `${base}.rels`);
  const elements = await readAll(archive, path, 'Relationships/Relationship');
  return elements.map(({ attributes: { Id: id, Type = '', Target = '' } }) => ({
    id,
    type: posix.basename(Type),
    part: posix.join('/', Target.startsWith('/') ? '' : dir, Target).slice(1),
  }));
}

async function readFormats(archive: Archive, part: string): Promise<NumberFormat[]> {
  const elements = await readAll(archive, part, 'numFmts/numFmt', 'cellXfs/xf');
  const codes = new Map<number, string>();
  const formats: NumberFormat[] = [];
  for (const { name, attributes } of elements) {
    const id = Number(attributes.numFmtId ?? 0);
    if (name === 'numFmt') codes.set(id, attributes.formatCode ?? '');
    else formats.push(parseNumberFormat(id, codes.get(id)));
  }
  return formats;
}

async function readTexts(archive: Archive, part: string): Promise<string[]> {
  const texts: string[] = [];
  for await (const elements of archive.readElements(part, maxTextsSize, 'sst/si')) {
    for (const element of elements) texts.push(readText(element));
  }
  return texts;
}

/** Reads elements of a part; empty if the part does not exist. */
async function readAll(archive: Archive, part: string, ...paths: string[]): Promise<Element[]> {
  const all: Element[] = [];
  for await (const elements of archive.readElements(part, maxPartSize, ...paths)) all.push(...elements);
  return all;
}

/** The maximum size of the rows as text, in bytes: a small archive may have any number of rows. */
const maxBytes = 1024 * 1024 * 1024;

/** Characters that are written to the temporary file at once. */
const chunkLength = 64 * 1024;

/**
 * Opens a worksheet of an .xlsx file. Its rows are written to a temporary file once, because they are read several
 * times.
 * @throws {Failure} usage if the file is damaged or has no such worksheet
 */
export async function openWorkbook(
  file: string,
  name: string,
  worksheet: string | undefined,
  zone: string | undefined,
  options: HeaderOptions,
): Promise<Table> {
  const savedRows = await saveRows(file, name, worksheet, zone).catch((error: unknown) => {
    throw toWorkbookFailure(error, name);
  });
  const { path, remove, chosenWorksheet, others } = savedRows;
  const rows = async function* (): AsyncGenerator<TableRow> {
    for await (const line of splitLines(createReadStream(path, 'utf8')))
      if (line !== '') yield JSON.parse(line);
  };
  const names = others.map((sheet) => `"${sheet.name}"`).join(', ');
  const note = `Reading the sheet "${chosenWorksheet.name}" of ${name}. Pass --sheet NAME to read another one: ${names}.`;
  const isChoice = worksheet === undefined && others.length > 0;
  try {
    const table = await createTable(name, rows, options);
    return { ...table, close: remove, notes: [...(isChoice ? [note] : []), ...table.notes] };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function saveRows(file: string, name: string, worksheet: string | undefined, zone: string | undefined) {
  const archive = await openArchive(file);
  try {
    const { worksheets, cells } = await readWorkbook(archive, zone);
    const chosenWorksheet = chooseWorksheet(worksheets, worksheet, name);
    const saved = await saveToTemporaryFile(toLines(readWorksheetRows(archive, chosenWorksheet.part, cells)));
    return {
      ...saved,
      chosenWorksheet,
      others: worksheets.filter((sheet) => sheet !== chosenWorksheet && !sheet.isHidden),
    };
  } finally {
    archive.close();
  }
}

function chooseWorksheet(
  all: readonly Worksheet[],
  worksheetName: string | undefined,
  name: string,
): Worksheet {
  const match =
    worksheetName === undefined
      ? (all.find(({ isHidden }) => !isHidden) ?? all[0])
      : all.find((sheet) => sheet.name.toLowerCase() === worksheetName.toLowerCase());
  if (match) return match;
  if (worksheetName === undefined) throw new WorkbookError('it has no sheets');
  const hint = `Its sheets are ${all.map((sheet) => sheet.name).join(', ')}.`;
  throw new Failure('usage', `--sheet: ${name} has no sheet "${worksheetName}".`, { hint });
}

async function* toLines(rows: AsyncIterable<TableRow>): AsyncGenerator<Buffer> {
  let size = 0;
  let lines = '';
  for await (const row of rows) {
    lines += `${JSON.stringify(row)}\n`;
    if (lines.length < chunkLength) continue;
    const bytes = Buffer.from(lines);
    lines = '';
    size += bytes.length;
    if (size > maxBytes) throw new WorkbookError(`its rows take more than ${maxBytes / 1024 / 1024} MB`);
    yield bytes;
  }
  yield Buffer.from(lines);
}

/** Converts an error to a failure about the file. Returns disk errors unchanged. */
function toWorkbookFailure(error: unknown, name: string): unknown {
  if (error instanceof Failure || /^E[A-Z]+$/.test(getErrorCode(error))) return error;
  const reason = getErrorMessage(error).replace(/\.+$/, '');
  return new Failure('usage', `Cannot read ${name} as an .xlsx file: ${reason}.`, {
    cause: error,
    hint: 'Save it again as .xlsx, or as "CSV UTF-8".',
  });
}
