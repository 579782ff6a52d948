/** A record as it came from the service: its fields are looked at one by one, never trusted to be there. */
export type Fields = Readonly<Record<string, unknown>>;

/** The fields of a record; none where it is no object. */
export function fieldsOf(record: unknown): Fields {
  return typeof record === 'object' && record !== null ? { ...record } : {};
}

/** The items of a list as records; none where it is no list. */
export function itemsOf(list: unknown): Fields[] {
  return Array.isArray(list) ? list.map(fieldsOf) : [];
}

/** A value as the text of a cell; several values are parted by `separator`. */
export function formatCell(value: unknown, separator: string): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map((item) => formatCell(item, separator)).join(separator);
  if (typeof value === 'object') return JSON.stringify(value);
  return String(value);
}

/** A value as text, whatever it is. */
export function plain(value: unknown): string {
  return formatCell(value, ' ');
}
