import { posix } from 'node:path';
import { type Archive, parseXml, WorkbookError } from './archive.ts';
import { type NumberFormat, parseNumberFormat } from './number-format.ts';

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

/** Returns the parts that a part refers to; an empty name stands for the whole archive. */
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

/** Collects the text of an item from all its runs, without phonetic readings. */
export function createTextReader() {
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

/** Decodes characters that XML cannot contain: `_x000D_` is a carriage return. */
export function unescapeText(text: string): string {
  return text.replace(/_x([\dA-Fa-f]{4})_/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}
