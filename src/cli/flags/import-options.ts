import { Failure } from '../../contract/errors.ts';
import { removeEscapes, splitUnescaped } from '../../render/escapes.ts';
import type { Attended } from '../command.ts';
import { asksToDelete } from '../writing.ts';
import { zoneOption } from './moment.ts';
import { flag, type Option, repeated, text, whole } from './options.ts';
import { needs, notBoth } from './rules.ts';

/** A column of the sheet and a field, as one word. */
const columnToField = (summary: string): Option<readonly [string, string] | undefined> => ({
  summary,
  value: 'COLUMN=FIELD',
  read(given) {
    const [column = '', ...rest] = splitUnescaped(given, '=');
    const field = rest.join('=');
    if (column === '' || field === '') throw new Failure('usage', `"${given}" is not COLUMN=FIELD.`);
    return [removeEscapes(column), removeEscapes(field)];
  },
});

/** The file that an import reads. */
export const sheetArgument = {
  summary: 'The spreadsheet: CSV, TSV, NDJSON or .xlsx; - for stdin',
  completes: 'files',
} as const;

/** The flags of every import. */
export const importOptions = {
  map: repeated(columnToField('What a column is for, where its name does not say it')),
  ignore: repeated(text('A column that is left out', 'COLUMN')),
  sheet: text('Sheet of an .xlsx file (default: the first)', 'NAME'),
  encoding: text('Encoding of a text file that is not Unicode, such as windows-1252 or euc-kr', 'NAME'),
  tz: {
    ...zoneOption,
    summary: "Time zone of dates with a time in an .xlsx file (default: this machine's)",
  },
  strict: flag('Send nothing where any row is refused'),
  report: text('Write the per-row report to FILE', 'FILE', { completes: 'files' }),
  undo: flag('Undo the import recorded in the report FILE and the hidden journal beside it'),
  concurrency: whole(
    'Rows worked on at once (default 4; 1 in a file of this machine); with 1 records are made in the order of the rows',
    'N',
    { min: 1, max: 32 },
  ),
} as const;

/** Those of imports of records that have custom fields, and can be put into a list. */
export const recordOptions = {
  createFields: flag(
    'Create a custom field for each unmatched column, with the type in its header (Level:select:Gold,Silver) or else the type of its values',
  ),
  list: text('Put each one into this list or process too', 'LIST', { completes: 'lists' }),
  status: text('The status that a new entry of a process begins with', 'NAME'),
  listField: repeated(columnToField('A column that is for a field of the list')),
} as const;

/** What needs a person where an import is taken back. */
export const asksToUndo: Attended = (input, globals) =>
  input.undo ? asksToDelete(input, globals) : undefined;

/** Flags that say nothing to an import that is taken back. */
const forward = ['map', 'ignore', 'sheet', 'encoding', 'tz', 'strict', 'report'] as const;

/** The rules among the flags of every import. */
export const importRules = forward.map((name) => notBoth('undo', name));

/** The rules among those of an import of records. */
export const recordRules = [
  ...importRules,
  needs('status', 'list'),
  needs('listField', 'list'),
  notBoth('undo', 'list'),
  notBoth('undo', 'createFields'),
];
