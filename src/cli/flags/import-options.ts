import { Failure } from '../../contract/errors.ts';
import { removeEscapes, splitUnescaped } from '../../render/cells.ts';
import type { InteractionDescriber } from '../command.ts';
import { describeDeletePrompt } from '../writing.ts';
import { timeZoneOption } from './moment.ts';
import { flag, integer, type Option, repeated, text } from './options.ts';
import { conflicts, requires } from './rules.ts';

/** A column of the sheet and a field, as one word. */
const columnToField = (summary: string): Option<readonly [string, string] | undefined> => ({
  summary,
  placeholder: 'COLUMN=FIELD',
  parse(given) {
    const [column = '', ...rest] = splitUnescaped(given, '=');
    const field = rest.join('=');
    if (column === '' || field === '') throw new Failure('usage', `"${given}" is not COLUMN=FIELD.`);
    return [removeEscapes(column), removeEscapes(field)];
  },
});

/** The file that an import reads. */
export const sheetArgument = {
  summary: 'The spreadsheet: CSV, TSV, NDJSON or .xlsx; - for stdin',
  completion: 'files',
} as const;

/** The flags of every import. */
export const importOptions = {
  map: repeated(columnToField('What a column is for, where its name does not say it')),
  ignore: repeated(text('A column that is left out', 'COLUMN')),
  sheet: text('Sheet of an .xlsx file (default: the first)', 'NAME'),
  encoding: text('Encoding of a text file that is not Unicode, such as windows-1252 or euc-kr', 'NAME'),
  tz: {
    ...timeZoneOption,
    summary: "Time zone of dates with a time in an .xlsx file (default: this machine's)",
  },
  strict: flag('Send nothing where any row is refused'),
  report: text('Write the per-row report to FILE', 'FILE', { completion: 'files' }),
  undo: flag('Undo the import recorded in the report FILE and the hidden journal beside it'),
  concurrency: integer(
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
  list: text('Put each one into this list or process too', 'LIST', { completion: 'lists' }),
  status: text('The status that a new entry of a process begins with', 'NAME'),
  listField: repeated(columnToField('A column that is for a field of the list')),
} as const;

/** What needs a person where an import is taken back. */
export const asksToUndo: InteractionDescriber = (input, globals) =>
  input.undo ? describeDeletePrompt(input, globals) : undefined;

/** Flags that say nothing to an import that is taken back. */
const forward = ['map', 'ignore', 'sheet', 'encoding', 'tz', 'strict', 'report'] as const;

/** The rules among the flags of every import. */
export const importRules = forward.map((name) => conflicts('undo', name));

/** The rules among those of an import of records. */
export const recordRules = [
  ...importRules,
  requires('status', 'list'),
  requires('listField', 'list'),
  conflicts('undo', 'list'),
  conflicts('undo', 'createFields'),
];
