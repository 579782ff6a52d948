import { normalizeTexts } from '../values/field-values.ts';
import type { Fields } from './fields.ts';

/** One column of a table, CSV or TSV. */
export interface Column {
  /** The name of the field, and the header in CSV and TSV. */
  readonly name: string;
  /** The header in a table, where the name would say too little. */
  readonly title?: string;
  readonly cell: (record: Fields) => unknown;
  /** What a table shows instead, for a person. */
  readonly display?: (record: Fields) => unknown;
  readonly isRightAligned?: boolean;
  /** How soon it is narrowed when the terminal is too small: 3 first, 1 last, 0 never; 2 if nothing is said. */
  readonly shrink?: 0 | 1 | 2 | 3;
}

/** The columns of a table, in order; some depend on the records. */
export type View = (records: readonly unknown[]) => readonly Column[];

/** A column that shows a field as it is. */
export function fieldColumn(name: string, options: Partial<Column> = {}): Column {
  return { name, cell: (record) => normalizeTexts(name, record[name]), ...options };
}
