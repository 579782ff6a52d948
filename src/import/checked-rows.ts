import type { Sheet } from './table-file.ts';
import type { Fault, ReadRow } from './wishes.ts';

/** A fault, and the row that has it. */
export interface RowFault extends Fault {
  readonly row: number;
}

/** What a look at all rows has shown, before anything is sent. */
export interface CheckedRows {
  readonly rows: number;
  /** Rows with faults. */
  readonly faulty: number;
  /** The first faults. */
  readonly faults: readonly RowFault[];
}

/** Faults that are told one by one. */
const told = 20;

/** Reads all rows, and keeps nothing of them but their faults. */
export async function checkedRows(
  sheet: Sheet,
  read: (row: ReadRow['row']) => ReadRow,
): Promise<CheckedRows> {
  const faults: RowFault[] = [];
  let rows = 0;
  let faulty = 0;
  for await (const row of sheet.rows()) {
    rows += 1;
    const found = read(row).faults;
    if (found.length > 0) faulty += 1;
    for (const fault of found) if (faults.length < told) faults.push({ ...fault, row: row.row });
  }
  return { rows, faulty, faults };
}

/** What is wrong with a row, in a sentence. */
export function faultSentence(faults: readonly Fault[]): string {
  return faults
    .map(({ column, message }) => (column === undefined ? message : `${column}: ${message}`))
    .join(' ');
}
