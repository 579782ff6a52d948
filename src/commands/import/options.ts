import type { InteractionDescriber } from '../../cli/command/command.ts';
import {
  createFlag,
  createIntegerOption,
  createTextOption,
  makeRepeatable,
  type Option,
} from '../../cli/command/options.ts';
import { conflicts, requires } from '../../cli/command/rules.ts';
import { timeZoneOption } from '../../cli/flags/moment.ts';
import { describeDeletePrompt } from '../../cli/writes/writing.ts';
import { Failure } from '../../contract/errors.ts';
import { removeEscapes, splitUnescaped } from '../../render/cells.ts';

const parseColumnMapping = (summary: string): Option<readonly [string, string] | undefined> => ({
  summary,
  placeholder: 'COLUMN=FIELD',
  parse(text) {
    const [column = '', ...targetParts] = splitUnescaped(text, '=');
    const field = targetParts.join('=');
    if (column === '' || field === '') throw new Failure('usage', `"${text}" is not COLUMN=FIELD.`);
    return [removeEscapes(column), removeEscapes(field)];
  },
});

export const fileArgument = {
  summary: 'Spreadsheet or CSV file: CSV, TSV, NDJSON or .xlsx; - for stdin',
  completion: 'files',
} as const;

export const importOptions = {
  map: makeRepeatable(parseColumnMapping('Map a column to a field')),
  ignore: makeRepeatable(createTextOption('Ignore this column', 'COLUMN')),
  headerRow: createIntegerOption(
    'Row of the column headers (default: found within the first 20 rows)',
    'N',
    1,
    1000,
  ),
  sheet: createTextOption('Sheet of an .xlsx file (default: the first)', 'NAME'),
  encoding: createTextOption(
    'Encoding of a text file that is not Unicode, such as windows-1252 or euc-kr',
    'NAME',
  ),
  tz: {
    ...timeZoneOption,
    summary: "Time zone of dates with a time in an .xlsx file (default: this machine's)",
  },
  strict: createFlag('Import nothing if any row is invalid'),
  strictColumns: createFlag('Import nothing if any column has no field'),
  report: createTextOption('Write the per-row report to FILE', 'FILE', { completion: 'files' }),
  undo: createFlag('Undo the import whose report is FILE'),
  concurrency: createIntegerOption(
    'Maximum number of rows imported at once (default 4; 1 for a workspace file); 1 creates records in row order',
    'N',
    1,
    32,
  ),
} as const;

/** The flags of imports of contacts and organizations. */
export const recordOptions = {
  createFields: createFlag(
    'Create custom fields for unmatched columns, with the type in the header (Level:select:Gold,Silver) or the type of the values',
  ),
  list: createTextOption('Also add each record to this list or process', 'LIST', { completion: 'lists' }),
  status: createTextOption('Status of new entries in a process', 'NAME', { completion: 'statuses' }),
  listField: makeRepeatable({
    ...parseColumnMapping('Map a column to a field of the list'),
    completion: 'list-fields',
  }),
} as const;

/** Returns what an undo requires a person for. */
export const confirmsUndo: InteractionDescriber = (input, globals) =>
  input.undo ? describeDeletePrompt(input, globals) : undefined;

export const importRules = [
  conflicts(
    'undo',
    'map',
    'ignore',
    'headerRow',
    'sheet',
    'encoding',
    'tz',
    'strict',
    'strictColumns',
    'report',
  ),
];

export const recordRules = [
  ...importRules,
  requires('status', 'list'),
  requires('listField', 'list'),
  conflicts('undo', 'list', 'createFields'),
  conflicts('strictColumns', 'createFields'),
];
