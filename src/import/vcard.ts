import ICAL from 'ical.js';
import { escapeFormula, joinValues } from '../render/cells.ts';
import { splitFullName } from '../values/split-name.ts';
import { formatCount } from '../values/text.ts';
import { type Row, splitLines, type Table } from './table.ts';
import { decodeBytes } from './text-encoding.ts';

/** The columns of contacts, by their names in a model. */
const ownColumns = ['first_name', 'last_name', 'emails', 'phone_numbers', 'organization'] as const;

/** The columns of other properties. */
const columnNames: Readonly<Record<string, string>> = {
  title: 'Job title',
  role: 'Role',
  note: 'Note',
  bday: 'Birthday',
  anniversary: 'Anniversary',
  url: 'Website',
  adr: 'Address',
  nickname: 'Nickname',
  categories: 'Categories',
};

/** Properties about the card itself, and in other columns. */
const technical = new Set(
  'version prodid rev uid source kind profile sort-string mailer class x-ablabel x-abadr x-abuid x-abshowas'.split(
    ' ',
  ),
);

const binary = new Set(['photo', 'logo', 'sound', 'key']);

/** A property of a card, such as `TEL;TYPE=CELL:+1 415 555 2671`. */
interface Property {
  readonly name: string;
  readonly types: readonly string[];
  readonly values: readonly (string | readonly string[])[];
}

interface Card {
  readonly properties: readonly Property[];
  readonly error?: string;
}

/** Opens the cards of a file as a table: vCard 2.1, 3.0 and 4.0. The columns are those of all cards. */
export async function openCards(read: () => AsyncIterable<string>): Promise<Table> {
  const others = new Set<string>();
  let photoCount = 0;
  for await (const { properties } of readCards(read())) {
    for (const column of readCells(properties).keys()) others.add(column);
    photoCount += properties.filter(({ name }) => binary.has(name)).length;
  }
  const columns = [...ownColumns, ...[...others].filter((name) => !ownColumns.some((own) => own === name))];
  async function* rows(): AsyncGenerator<Row> {
    let row = 0;
    for await (const { properties, error } of readCards(read())) {
      row += 1;
      const cells = readCells(properties);
      const texts = columns.map((column) => escapeFormula(cells.get(column) ?? ''));
      yield { row, cells: texts, ...(error !== undefined && { error }) };
    }
  }
  const notes =
    photoCount > 0
      ? [`Left out ${formatCount(photoCount, 'photo or other file', 'photos or other files')}.`]
      : [];
  return { columns, isReport: false, notes, rows };
}

/** Yields the cards of a text. */
async function* readCards(text: AsyncIterable<string>): AsyncGenerator<Card> {
  let properties: Property[] | undefined;
  let error: string | undefined;
  for await (const line of unfoldLines(text)) {
    if (/^BEGIN:VCARD\s*$/i.test(line)) {
      if (properties) yield { properties, error: 'The card has no END:VCARD.' };
      properties = [];
      error = undefined;
    } else if (/^END:VCARD\s*$/i.test(line)) {
      if (properties) yield { properties, ...(error !== undefined && { error }) };
      properties = undefined;
    } else if (properties && line.trim() !== '') {
      const property = parseProperty(line);
      if (property) properties.push(property);
      // Some programs do not indent the lines of a photo.
      else if (!binary.has(properties.at(-1)?.name ?? ''))
        error ??= `Not a line of a vCard: ${line.slice(0, 80)}`;
    }
  }
  if (properties) yield { properties, error: 'The card has no END:VCARD.' };
}

const isQuotedPrintable = (line: string) => /^[^:]*;(ENCODING=)?QUOTED-PRINTABLE\b/i.test(line);

/** Yields the lines of a text, with their continuation lines. */
async function* unfoldLines(text: AsyncIterable<string>): AsyncGenerator<string> {
  let current: string | undefined;
  for await (const ended of splitLines(text)) {
    const line = ended.replace(/\r$/, '');
    if (current === undefined) current = line;
    else if (current.endsWith('=') && isQuotedPrintable(current))
      current = current.slice(0, -1) + line.trimStart();
    else if (/^[ \t]/.test(line)) {
      // The data of a photo may be large, and is not imported.
      if (!/^(\S+\.)?(PHOTO|LOGO|SOUND|KEY)\b/i.test(current)) current += line.slice(1);
    } else {
      yield current;
      current = line;
    }
  }
  if (current !== undefined) yield current;
}

/** Parses a line; undefined if it has no value. vCard 2.1 has types without names, and quoted-printable values. */
function parseProperty(line: string): Property | undefined {
  const [, head = '', value] = /^((?:"[^"]*"|[^":])*):(.*)$/s.exec(line) ?? [];
  if (value === undefined) return undefined;
  const [fullName = '', ...parameters] = head.split(';').map((part) => part.trim());
  const name = fullName.slice(fullName.lastIndexOf('.') + 1).toLowerCase();
  const find = (key: string) =>
    parameters.find((parameter) => parameter.toUpperCase().startsWith(`${key}=`))?.slice(key.length + 1);
  const types = parameters
    .filter((parameter) => /^TYPE=/i.test(parameter) || !parameter.includes('='))
    .flatMap((parameter) =>
      parameter
        .replace(/^TYPE=/i, '')
        .replaceAll('"', '')
        .toLowerCase()
        .split(','),
    );
  if (!/^[\w-]+$/.test(name)) return undefined;
  if (binary.has(name)) return { name, types, values: [] };
  const decoded = isQuotedPrintable(line) ? decodeQuotedPrintable(value, find('CHARSET')) : value;
  const escaped = decoded.replace(/\r\n?|\n/g, '\\n');
  const property = ICAL.Property.fromString(`${name.toUpperCase()}:${escaped}`, ICAL.design.vcard3);
  // The objects of the library for dates need a year.
  const [, , , ...values]: unknown[] = property.toJSON();
  return { name, types, values: values.map(toPlainValue) };
}

/** Returns a text, or the parts of a structured value. */
const toPlainValue = (value: unknown) =>
  Array.isArray(value) ? value.map((part) => [part].flat().join(' ')) : String(value);

function decodeQuotedPrintable(text: string, charset = 'utf-8'): string {
  const parts = text.split(/((?:=[0-9a-f]{2})+)/i);
  const bytes = parts.map((part) =>
    part.startsWith('=') ? Buffer.from(part.replaceAll('=', ''), 'hex') : Buffer.from(part),
  );
  return decodeBytes(Buffer.concat(bytes), charset);
}

/** Returns the cells of a card by column. */
function readCells(properties: readonly Property[]): ReadonlyMap<string, string> {
  const cells = new Map<string, string>();
  const add = (column: string, text: string, separator = '; ') => {
    if (text.trim() !== '') cells.set(column, [cells.get(column) ?? [], text].flat().join(separator));
  };
  for (const { name, types, values } of properties) {
    const [value = ''] = values;
    const parts = [value].flat();
    if (technical.has(name) || binary.has(name) || name === 'fn') continue;
    if (name === 'n') {
      const [family = '', given = '', ...rest] = parts;
      add('last_name', family);
      add('first_name', given);
      for (const [at, column] of ['Middle name', 'Name prefix', 'Name suffix'].entries())
        add(column, rest[at] ?? '');
    } else if (name === 'email') add('emails', joinValues([parts.join()]), ';');
    else if (name === 'tel') {
      const isPhone = !types.some((type) => type === 'fax' || type === 'pager');
      if (isPhone) add('phone_numbers', joinValues([parts.join()]), ';');
      else add('Fax', parts.join());
    } else if (name === 'org') {
      add('organization', parts[0] ?? '');
      add('Department', parts.slice(1).filter(Boolean).join(', '));
    } else {
      const texts = name === 'adr' ? [parts.filter(Boolean).join(', ')] : values.flat();
      for (const text of texts) add(columnNames[name] ?? name.toUpperCase(), text);
    }
  }
  addFullName(cells, String(properties.find(({ name }) => name === 'fn')?.values[0] ?? ''));
  return cells;
}

/** Uses the full name of a card without the parts of a name. The card of a company has its name. */
function addFullName(cells: Map<string, string>, fullName: string): void {
  if (fullName.trim() === '' || cells.has('first_name') || cells.has('last_name')) return;
  const { first_name, last_name } =
    fullName === cells.get('organization') ? { first_name: fullName } : splitFullName(fullName);
  cells.set('first_name', first_name);
  if (last_name !== undefined) cells.set('last_name', last_name);
}
