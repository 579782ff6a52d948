/** A record as it came from the service: its fields are looked at one by one, never trusted to be there. */
export type Fields = Readonly<Record<string, unknown>>;

/** One column of a table, CSV or TSV. */
export interface Column {
  /** The name of the field, and the header in CSV and TSV. */
  readonly name: string;
  /** The header in a table, where the name would say too little. */
  readonly title?: string;
  readonly cell: (record: Fields) => unknown;
  /** What a table shows instead, for a person. */
  readonly shown?: (record: Fields) => unknown;
  readonly right?: boolean;
  /** How soon it is narrowed when the terminal is too small: 3 first, 1 last, 0 never; 2 if nothing is said. */
  readonly give?: 0 | 1 | 2 | 3;
}

/** The columns of a table, in order; some depend on the records. */
export type View = (records: readonly unknown[]) => readonly Column[];

/** A value as the text of a cell; several values are parted by `separator`. */
export function cellText(value: unknown, separator: string): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map((item) => cellText(item, separator)).join(separator);
  if (typeof value === 'object') return JSON.stringify(value);
  return String(value);
}

/** A value as text, whatever it is. */
export function plain(value: unknown): string {
  return cellText(value, ' ');
}

/** The fields of a record; none where it is no object. */
export function fieldsOf(record: unknown): Fields {
  return typeof record === 'object' && record !== null ? { ...record } : {};
}

/** A column that shows a field as it is. */
export function field(name: string, options: Partial<Column> = {}): Column {
  return { name, cell: (record) => record[name], ...options };
}

/** Whole cents as a decimal: `125000` -> `1250.00`; digits that a double cannot hold may come as text. Anything else as it is. */
export function money(cents: unknown): unknown {
  const isExact = Number.isSafeInteger(cents) || (typeof cents === 'string' && /^-?\d{16,}$/.test(cents));
  const [, sign = '', digits] = /^(-?)(\d+)$/.exec(String(cents)) ?? [];
  if (!isExact || digits === undefined) return cents;
  const padded = digits.padStart(3, '0');
  return `${sign}${padded.slice(0, -2)}.${padded.slice(-2)}`;
}
