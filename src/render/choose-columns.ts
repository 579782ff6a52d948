import type { JsonObject } from '../values/json-object.ts';
import { type Column, findFieldColumn, type View } from './columns.ts';
import { type Display, formatColumn, formatTitle, listItems, plainDisplay } from './display.ts';
import { resolveField } from './field-selection.ts';
import { type ColumnSize, fitColumns } from './text/fit-columns.ts';
import { measureWidth, truncate } from './text/width.ts';

/** How the columns of a screen are chosen. */
export interface Screen {
  /** Returns the fields by which the records were selected and sorted: their columns are always shown. */
  readonly listUsedFields?: () => readonly string[];
  /** Whether to hide ids beside names, columns for --wide, and columns with the same value in each row. */
  readonly isBrief?: boolean;
}

/** The columns of a table. */
export interface ChosenColumns {
  readonly all: readonly Column[];
  readonly visible: readonly Column[];
  /** The columns that are hidden because their values do not differ, and a record with their value. */
  readonly same: Map<Column, JsonObject>;
}

interface TableContent extends Screen {
  readonly records: readonly JsonObject[];
  readonly display: Display;
  readonly width: number;
}

/** The expected width of names. */
const nameWidth = 18;

/** Chooses the columns of a table by its first records, before names are known. */
export function chooseColumns(
  view: View,
  { records, display, width, listUsedFields = () => [], isBrief = false }: TableContent,
): ChosenColumns {
  const usedFields = listUsedFields();
  const isUsed = (column: Column) => usedFields.some((name) => hasName(column, name));
  const all = sortColumns(addColumns(view, records, usedFields)).map((column) =>
    alignNumbers(column, records),
  );
  const same = new Map<Column, JsonObject>();
  if (width === Number.POSITIVE_INFINITY) return { all, visible: all, same };
  const hidesIds = isBrief && view.noun !== undefined && isNamed(all, records);
  const isHidden = ({ name, place }: Column) => (hidesIds && name === 'id') || (isBrief && place === 'wide');
  const shown = all.filter((column) => isUsed(column) || !isHidden(column));
  const [first, second] = records;
  if (isBrief && first && second)
    for (const column of shown)
      if (!isUsed(column) && !isIdentifier(column) && isSame(column, first, records)) same.set(column, first);
  const candidates = shown.filter((column) => !same.has(column));
  const displayWithoutNames = { ...display, getName: plainDisplay.getName };
  const sizes = candidates.map((column) => {
    const hasNames = column.reference && records.some((record) => listItems(column, record).length > 0);
    return {
      width: hasNames ? nameWidth : measureColumn(column, records, displayWithoutNames),
      ...getNarrowing(column),
      ...(isUsed(column) ? { presence: 'kept' as const } : describePresence(column, records)),
    };
  });
  const widths = fitColumns(sizes, width);
  return { all: shown, visible: candidates.filter((_, index) => widths[index] !== undefined), same };
}

/** Maximum width of a value that all rows have. */
const maxSameWidth = 40;

/** Formats the values that all rows have: `state open`. */
export function formatSame({ same }: ChosenColumns, display: Display): readonly string[] {
  return Array.from(same, ([column, record]) => {
    const text = formatColumn(column, record, display, maxSameWidth).normalize('NFC');
    return text === '' ? '' : `${formatTitle(column)} ${truncate(text, maxSameWidth)}`;
  }).filter(Boolean);
}

export const formatHeader = (column: Column) => formatTitle(column).toUpperCase();

/** Whether a column shows the field with a name. */
const hasName = (column: Column, name: string) =>
  [column.name, formatTitle(column), ...(column.fields ?? [])].includes(name);

/** Whether a column identifies a record. */
const isIdentifier = ({ name, place }: Column) =>
  place === 'lead' || ['id', 'key', 'name', 'title'].includes(name);

/** Whether a key, a name or a title identifies each record, so that a table needs no ids. */
function isNamed(columns: readonly Column[], records: readonly JsonObject[]): boolean {
  const column = columns.find(({ name }) => ['key', 'name', 'title'].includes(name));
  const names = column ? records.flatMap((record) => listItems(column, record)) : [];
  return column !== undefined && new Set(names).size === records.length;
}

/** Whether all records have the same value in a column as `record`. */
export function isSame(column: Column, record: JsonObject, records: readonly JsonObject[]): boolean {
  const toText = (other: JsonObject) => JSON.stringify(listItems(column, other));
  return records.every((other) => toText(other) === toText(record));
}

/** Returns the columns of a view, and those of other fields. */
function addColumns(
  view: View,
  records: readonly JsonObject[],
  fields: readonly string[],
): readonly Column[] {
  const columns = view(records);
  const missing = new Set(fields.filter((name) => !columns.some((column) => hasName(column, name))));
  const knownFields = { columns, records, fields: [], customFields: [] };
  const create = (name: string) =>
    (view.noun && findFieldColumn(view.noun, name)) ?? resolveField([name], knownFields)?.column;
  return [...columns, ...Array.from(missing, create).filter((column) => column !== undefined)];
}

/** Returns the columns of a table in order, the leading columns first. */
function sortColumns(columns: readonly Column[]): readonly Column[] {
  const ofTable = columns.filter(({ place }) => place !== 'data' && place !== 'details');
  const isLead = ({ place }: Column) => place === 'lead';
  return [...ofTable.filter(isLead), ...ofTable.filter((column) => !isLead(column))];
}

/** Returns a column right-aligned if all its values are numbers, such as a field that --fields selects by its path. */
function alignNumbers(column: Column, records: readonly JsonObject[]): Column {
  if (column.isRightAligned !== undefined) return column;
  const items = records.flatMap((record) => listItems(column, record));
  const isRightAligned = items.length > 0 && items.every((item) => typeof item === 'number');
  return isRightAligned ? { ...column, isRightAligned } : column;
}

/** Returns the width of the widest cell of a column, or of its header. */
export function measureColumn(column: Column, records: readonly JsonObject[], display: Display): number {
  const texts = [formatHeader(column), ...records.map((record) => formatColumn(column, record, display))];
  return Math.max(...texts.map(measureWidth));
}

/** Returns how a column is chosen if not all columns fit. The column with the highest rank is hidden first. */
function describePresence(
  column: Column,
  records: readonly JsonObject[],
): Pick<ColumnSize, 'presence' | 'rank'> {
  const isFilled = records.some((record) => listItems(column, record).length > 0);
  if (records.length > 0 && !isFilled) return { presence: 'extra', rank: 2 };
  if (column.place !== 'extra') return {};
  return { presence: 'extra', rank: column.isNumber ? 1 : 0 };
}

/** Minimum width of a text column. It is small because more columns are more useful than longer texts. */
const minTextWidth = 14;

export function getNarrowing({ shrink = 2 }: Column): Pick<ColumnSize, 'shrink' | 'minimum'> {
  return shrink === 1 || shrink === 2 ? { shrink, minimum: minTextWidth } : { shrink };
}
