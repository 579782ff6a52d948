import type { Tables } from '../db/tables.ts';

/** The tables that are copied. Triggers maintain the others. */
type CopiedTable = Exclude<keyof Tables, 'attendance' | 'tally' | 'tally_group'>;

const id = ['id'];
const valueKey = ['record_id', 'field_id'];

/** The columns that identify and order the rows. Each table comes after the tables that it references. */
const keys: Readonly<Record<CopiedTable, readonly string[]>> = {
  workspace: id,
  api_key: id,
  organization: id,
  organization_domain: ['organization_id', 'position'],
  contact: id,
  contact_email: ['contact_id', 'position'],
  contact_phone: ['contact_id', 'position'],
  note: id,
  custom_field: id,
  contact_value: valueKey,
  organization_value: valueKey,
  list: id,
  key_counter: ['list_id'],
  list_field: id,
  entry: id,
  entry_value: valueKey,
  calendar_event: id,
  calendar_event_attendee: ['calendar_event_id', 'position'],
  recording: id,
  foreign_id: ['resource', 'row_id'],
};

/** The number of rows in memory at a time. A note may have up to 1 MiB, a transcript several. */
const batches: Partial<Record<CopiedTable, number>> = { note: 100, recording: 10 };
const defaultBatch = 500;

export interface TableToCopy {
  readonly name: CopiedTable;
  readonly key: readonly string[];
  readonly batch: number;
}

/** Lists the tables to copy, in the order of their references. */
export const listTablesToCopy = (): TableToCopy[] =>
  Object.entries(keys).map(([table, key]) => {
    const name = table as CopiedTable; // the keys of `keys`
    return { name, key, batch: batches[name] ?? defaultBatch };
  });

/** Lists the tables whose ids the database generates. */
export const listNumberedTables = (): CopiedTable[] =>
  listTablesToCopy()
    .filter(({ name, key }) => key === id && name !== 'workspace')
    .map(({ name }) => name);

/** The columns with JSON, whose format may differ between the engines. */
const jsonColumns = ['options', 'statuses', 'summary', 'transcript', 'value'];

/** A column that triggers maintain, and that only PostgreSQL has. */
const postgresColumn = 'sole_list_id';

/** Lists the columns of a row to write. Triggers maintain the other columns. */
export const listWrittenColumns = (row: object): string[] =>
  Object.keys(row).filter((column) => column !== 'shown' && column !== postgresColumn);

/** Formats a row in a form that is the same for all engines. */
export function formatRow(row: object): string {
  const cells = Object.entries(row).filter(([column]) => column !== postgresColumn);
  const values = cells.map(([column, value]) => {
    const isJson = jsonColumns.includes(column) && typeof value === 'string';
    return [column, isJson ? JSON.parse(value) : value];
  });
  return JSON.stringify(sortKeys(Object.fromEntries(values)));
}

/** Returns a JSON value with the keys of its objects sorted. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, item]) => [name, sortKeys(item)]));
}
