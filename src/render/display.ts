import { isObject, type JsonObject } from '../values/json-object.ts';
import { capitalize } from '../values/text.ts';
import { formatCell } from './cells.ts';
import type { GetName, NameKind } from './collect-references.ts';
import type { Column } from './columns.ts';
import { sanitizeLine } from './text/sanitize.ts';
import { measureWidth, truncate } from './text/width.ts';

/** How a table or the details of a record show values. */
export interface Display {
  readonly getName: GetName;
  /** Formats a point in time; returns any other text unchanged. */
  readonly formatTime: (text: string) => string;
  /** Whether all values of a cell are shown, with the address of a person. */
  readonly isFull: boolean;
}

/** The display without names and local times. */
export const plainDisplay: Display = { getName: (_, id) => id, formatTime: (text) => text, isFull: false };

/** Formats the cell of a column. If its values are wider than `width`, shows fewer of them. */
export function formatColumn(
  column: Column,
  record: JsonObject,
  display: Display,
  width = Number.POSITIVE_INFINITY,
): string {
  const { maxItems, isText = false } = column;
  const items = listItems(column, record);
  const limit = display.isFull ? items.length : isText ? 1 : (maxItems ?? items.length);
  const texts = items.slice(0, limit).map(createItemFormatter(column, record, display));
  const separator = isText ? ' ' : ', ';
  const format = (count: number) => {
    const remainder = isText ? '' : formatRest(items.length - count);
    return texts.slice(0, count).join(separator) + remainder;
  };
  let count = texts.length;
  if (limit === maxItems) while (count > 1 && measureWidth(format(count)) > width) count -= 1;
  const text = format(count);
  if (measureWidth(text) <= width || count !== 1) return text;
  const rest = formatRest(items.length - 1);
  return isText ? text : truncate(String(texts[0]), width - rest.length) + rest;
}

const formatRest = (count: number) => (count > 0 ? ` +${count}` : '');

/** Returns the values of a cell. */
export function listItems({ display, cell, isText }: Column, record: JsonObject): readonly unknown[] {
  const value = (display ?? cell)(record);
  if (Array.isArray(value)) return value;
  if (isText && typeof value === 'string') return value.trim().split(/\s*\n\s*/);
  return value === null || value === undefined || value === '' ? [] : [value];
}

/** Returns a function that formats one value of a cell. */
export function createItemFormatter(
  column: Pick<Column, 'reference' | 'isTime' | 'isUser'>,
  record: JsonObject,
  { getName, formatTime, isFull }: Display,
): (item: unknown) => string {
  const kind = column.reference?.(record);
  return (item) => {
    const text = formatItem(item);
    if (kind !== undefined) return sanitizeLine(formatName(kind, text, getName, isFull));
    if (column.isUser) return sanitizeLine(isFull ? text : shortenAddress(text));
    return sanitizeLine(column.isTime ? formatTime(text) : text);
  };
}

/** Returns the title by which an object is shown; undefined if it has none. */
export const findTitle = ({ email, name, title, id }: JsonObject) =>
  [email, name, title, id].find((part) => typeof part === 'string');

/** Formats an object by its title, with its type or status in parentheses. Without a title, lists its members. */
function formatItem(item: unknown): string {
  if (Array.isArray(item)) return item.map(formatItem).join(', ');
  if (!isObject(item)) return formatCell(item, ', ');
  const title = findTitle(item);
  if (title === undefined)
    return Object.entries(item)
      .map(([name, value]) => `${name}: ${formatItem(value)}`)
      .join(', ');
  const { type, data_type, status } = item;
  const kind = [type, data_type, status].find((part) => typeof part === 'string');
  return kind === undefined ? String(title) : `${title} (${kind})`;
}

/** Returns the part of an address before the `@`. */
export const shortenAddress = (address: string) => address.replace(/(.)@.*/, '$1');

/** Formats a person without a name by the part of the address before the `@`. */
function formatName(kind: NameKind, id: string, getName: GetName, isFull: boolean): string {
  const name = getName(kind, id);
  if (kind !== 'email') return name;
  if (isFull) return name === id ? id : `${name} <${id}>`;
  return name === id ? shortenAddress(id) : name;
}

interface LabeledColumn {
  readonly name: string;
  readonly title?: string | undefined;
}

/** Returns the label of a field in details: `Phone numbers`, as the header of its column in a table. */
export function formatLabel(column: LabeledColumn): string {
  const title = formatTitle(column);
  return title === 'id' ? 'ID' : capitalize(title);
}

/** Returns the header of a column in a table, before it is capitalized. */
export function formatTitle({ name, title = name }: LabeledColumn): string {
  return sanitizeLine(title)
    .replace(/_(id|at)$/, '')
    .replaceAll('_', ' ');
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Formats a month such as `2026-05`: `May 2026`. */
export function formatMonth(text: string): string {
  const [year, month] = text.split('-');
  return `${months[Number(month) - 1]} ${year}`;
}

/**
 * Creates a formatter of times in a time zone, by default that of this machine: `5 min ago`, `in 2 days`,
 * `Nov 21 14:30`, `Nov 21 2025`. `isFull`: the date and the time, `2025-11-21 14:30`.
 */
export function createTimeFormatter(
  now: Date,
  zone: string | undefined,
  isFull: boolean,
): Display['formatTime'] {
  let readParts: ReturnType<typeof createPartReader> | undefined;
  return (text) => {
    const time = new Date(/^\d{4}-\d\d-\d\dT/.test(text) ? text : Number.NaN);
    if (Number.isNaN(time.getTime())) return text;
    const relative = formatRelative((time.getTime() - now.getTime()) / 60_000);
    if (relative !== undefined && !isFull) return relative;
    readParts ??= createPartReader(zone);
    const { year, month, day, hour, minute } = readParts(time);
    const clock = `${hour}:${minute}`;
    if (isFull) return `${year}-${month}-${day} ${clock}${relative === undefined ? '' : ` (${relative})`}`;
    const date = `${months[Number(month) - 1]} ${Number(day)}`;
    return year === readParts(now).year ? `${date} ${clock}` : `${date} ${year}`;
  };
}

/** Creates a function that splits a time into year, month, day, hour and minute. */
function createPartReader(zone: string | undefined) {
  const digits = '2-digit';
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ year: 'numeric', month: digits, day: digits, hour: digits, minute: digits },
    hourCycle: 'h23',
    timeZone: zone,
  });
  return (time: Date): Readonly<Partial<Record<Intl.DateTimeFormatPartTypes, string>>> =>
    Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, value]));
}

/** Formats the minutes from now to a time; undefined if that is long ago or far ahead. */
function formatRelative(minutes: number): string | undefined {
  const size = Math.abs(minutes);
  if (size < 1) return 'now';
  const isPast = minutes < 0;
  const [count, unit] =
    size < 60 ? [size, 'min'] : size < 1440 ? [size / 60, 'h'] : [size / 1440, size < 2880 ? 'day' : 'days'];
  if (size >= (isPast ? 1440 : 7 * 1440)) return undefined;
  return isPast ? `${Math.floor(count)} ${unit} ago` : `in ${Math.floor(count)} ${unit}`;
}
