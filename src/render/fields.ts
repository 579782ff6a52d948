import { formatCell } from './cells.ts';

/** The fields of a record from the service. Any of them may be missing. */
export type Fields = Readonly<Record<string, unknown>>;

/** Returns the fields of a record; none if it is not an object. */
export function fieldsOf(record: unknown): Fields {
  return typeof record === 'object' && record !== null ? { ...record } : {};
}

/** Returns the items of a list as records; none if it is not a list. */
export function itemsOf(list: unknown): Fields[] {
  return Array.isArray(list) ? list.map(fieldsOf) : [];
}

/** Formats any value as text. */
export function plain(value: unknown): string {
  return formatCell(value, ' ');
}
