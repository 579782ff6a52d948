import { posix } from 'node:path';
import { type Archive, parseXml, WorkbookError } from './archive.ts';
import { type NumberFormat, numberFormat } from './number-format.ts';

const megabyte = 1024 * 1024;

/** Bytes at most of a part that is held in memory, and of the texts that cells share. */
const mostOfPart = 16 * megabyte;
const mostOfTexts = 256 * megabyte;

/** A table of a workbook. */
export interface Worksheet {
  readonly name: string;
  /** The part of the archive that has its rows. */
  readonly part: string;
  readonly isHidden: boolean;
}

/** What a workbook says beside its rows. */
export interface Workbook {
  readonly worksheets: readonly Worksheet[];
  readonly from1904: boolean;
  /** The format of each cell style. */
  readonly formats: readonly NumberFormat[];
  /** Texts that cells refer to by their index. */
  readonly texts: readonly string[];
}

/** Reads everything of a workbook but its rows. */
export async function readWorkbook(archive: Archive): Promise<Workbook> {
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

/** What a part refers to; of the archive as a whole if the part is ''. */
async function readRelations(archive: Archive, part: string): Promise<Relation[]> {
  const { dir, base } = posix.parse(part);
  const bytes = await archive.read(posix.join(dir, '_rels', `${base}.rels`), mostOfPart);
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
  const bytes = await archive.read(part, mostOfPart);
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
  const bytes = part === undefined ? undefined : await archive.read(part, mostOfPart);
  if (!bytes) return formats;
  let isOfCells = false;
  await parseXml(bytes, {
    open(name, attributes) {
      if (name === 'numFmt') codes.set(Number(attributes().numFmtId), attributes().formatCode ?? '');
      if (name === 'cellXfs') isOfCells = true;
      if (name !== 'xf' || !isOfCells) return;
      const id = Number(attributes().numFmtId ?? 0);
      formats.push(numberFormat(id, codes.get(id)));
    },
    close(name) {
      if (name === 'cellXfs') isOfCells = false;
    },
  });
  return formats;
}

async function readTexts(archive: Archive, part: string | undefined): Promise<string[]> {
  const texts: string[] = [];
  const bytes = part === undefined ? undefined : await archive.read(part, mostOfTexts);
  if (!bytes) return texts;
  const reader = textReader();
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

/** Collects the text of an item: of all its runs, but not how it is pronounced. */
export function textReader() {
  let text = '';
  let isText = false;
  let isPhonetic = false;
  return {
    open(name: string) {
      if (name === 't') isText = !isPhonetic;
      if (name === 'rPh') isPhonetic = true;
    },
    close(name: string) {
      if (name === 't') isText = false;
      if (name === 'rPh') isPhonetic = false;
    },
    text(value: string) {
      if (isText) text += value;
    },
    /** Returns the collected text and starts again. */
    take(): string {
      const taken = unescapeText(text);
      text = '';
      return taken;
    },
  };
}

/** Takes back the escapes of characters that XML cannot hold: `_x000D_` is a carriage return. */
export function unescapeText(text: string): string {
  return text.replace(/_x([\dA-Fa-f]{4})_/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}
