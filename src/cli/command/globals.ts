import type { ResultName } from '../../contract/documents/results.ts';
import { Failure } from '../../contract/errors.ts';
import { type CommandEffects, sendsRequests, supportsFlag } from './effects.ts';
import { guardFlags } from './guards.ts';
import {
  createFlag,
  createIntegerOption,
  createTextOption,
  type Options,
  type OptionValues,
} from './options.ts';

/** The formats that a terminal can show. */
export const plainFormats = ['table', 'json', 'ndjson', 'compact', 'csv', 'tsv'] as const;

/** The formats of records that --jq filters. */
export const jsonFormats: readonly (string | undefined)[] = ['json', 'ndjson', 'compact'];

/** The formats that people open as a file. */
export const documentFormats = ['md', 'html', 'xlsx'] as const;

const recordFormats = [...plainFormats, ...documentFormats] as const;

const textFormats = ['text', 'json'] as const;

export const transcriptFormats = ['text', 'vtt', 'srt', 'json'] as const;

export type Format =
  | (typeof recordFormats)[number]
  | (typeof textFormats)[number]
  | (typeof transcriptFormats)[number];

/** The properties of a command that determine its global flags. */
export interface CommandTraits extends CommandEffects {
  /**
   * The possible results of --json, by what the command prints without it: records, a text, or a protocol, which is text
   * for a shell or another program. KITH_FORMAT and KITH_JSON do not change a protocol.
   */
  readonly output: Readonly<Partial<Record<'records' | 'text' | 'protocol', readonly ResultName[]>>>;
  /** The values of `--format`, if not those of records or texts. */
  readonly formats?: readonly Format[];
  /** Set if the command reads lists page by page: to print a list, to search lists, or to print a part of each list. */
  readonly paging?: 'list' | 'search' | 'sections';
}

export const globalOptions = {
  dryRun: createFlag('Preview the requests without sending them', { short: '-n' }),
  yes: createFlag('Skip the confirmation prompt', { short: '-y' }),
  limit: createIntegerOption('Maximum number of records (default 25)', 'N', 1),
  all: createFlag('Print all records'),
  after: createTextOption(
    'Continue a list: pagination.next of the same command with --json-envelope',
    'CURSOR',
  ),
  pageSize: createIntegerOption('Records per request (default 100)', 'N', 1, 500),
  // The formats that a command supports are checked later, when the command is known.
  format: { ...createTextOption('Output format:', 'FORMAT'), choices: recordFormats },
  json: createFlag('Short for --format json'),
  jsonEnvelope: createFlag('Print JSON as {data, pagination, warnings}'),
  jq: createTextOption('Filter the JSON output with a jq expression', 'EXPR'),
  output: createTextOption(
    'Write the output to a file, whose extension sets the format: people.csv, people.xlsx',
    'FILE',
    {
      completion: 'files',
      short: '-o',
    },
  ),
  quiet: createFlag('Suppress informational messages', { short: '-q' }),
  noColor: createFlag('Disable colors'),
  noInput: createFlag('Never prompt'),
  fields: createTextOption(
    'Print only these fields, comma-separated: headers or paths such as emails.0',
    'A,B.C',
    { completion: 'columns', isCommaSeparated: true },
  ),
  idsOnly: createFlag('Print only the ids, one per line'),
  wide: createFlag('Show all columns of a table at full width; the pager scrolls sideways'),
  noHeader: createFlag('Omit the header row'),
  bom: createFlag('Start CSV with a byte order mark, for Excel'),
  profile: createTextOption('Use this profile', 'NAME', { completion: 'profiles' }),
  ...guardFlags,
  debug: createFlag('Print requests, headers, sizes, times and retries on stderr', { short: '-v' }),
  baseUrl: createTextOption('Base URL of the service', 'URL'),
  timeout: createIntegerOption('Timeout of a request, in seconds (default 30)', 'SECONDS', 1, 3600),
  retries: createIntegerOption('Retries per request (default 4)', 'N', 0, 20),
  maxWait: createIntegerOption(
    'Maximum time to wait for retries, in seconds (default 60)',
    'SECONDS',
    0,
    86_400,
  ),
  offline: createFlag(
    'Read the offline copy of `kith workspace pull` instead of the service; writes are refused',
  ),
};

export type Globals = OptionValues<typeof globalOptions>;

/** Returns global flags that one kind of command supports, with their heading in help. */
function createGroup(
  name: string,
  title: string,
  isFor: (command: CommandTraits) => boolean,
  flags: readonly (keyof Globals)[],
) {
  const options: Options = Object.fromEntries(flags.map((name) => [name, globalOptions[name]]));
  return { name, title, isFor, options };
}

/** Whether a command prints records, not a text. */
export const printsRecords = (command: CommandTraits) => getFormats(command).includes('csv');

/** The global flags, in the order of the help. */
export const globalGroups = [
  createGroup('writing', 'Writing:', (command) => supportsFlag(command, 'dryRun'), ['dryRun']),
  createGroup('deletions', 'Writing:', (command) => supportsFlag(command, 'yes'), ['yes']),
  createGroup('limit', 'Lists:', ({ paging }) => paging === 'list' || paging === 'sections', ['limit']),
  createGroup('paging', 'Lists:', ({ paging }) => paging === 'list', ['all', 'after']),
  createGroup('pages', 'Lists:', ({ paging }) => paging !== undefined, ['pageSize']),
  createGroup('output', 'Output:', () => true, [
    'format',
    'json',
    'jsonEnvelope',
    'jq',
    'output',
    'quiet',
    'noColor',
    'noInput',
  ]),
  createGroup('records', 'Output:', printsRecords, ['fields', 'idsOnly', 'wide', 'noHeader', 'bom']),
  createGroup('everywhere', 'Workspace:', () => true, ['profile', 'debug']),
  createGroup('guards', 'Guards:', () => true, ['readonly', 'allow', 'maxWrites', 'maxRequests']),
  createGroup('http', 'Workspace:', sendsRequests, ['baseUrl', 'timeout', 'retries', 'maxWait', 'offline']),
];

const { yes, pageSize, timeout, retries, maxWait, wide, noHeader, bom } = globalOptions;

/**
 * The flags that every command accepts, even if they change nothing for it. All others say which records the
 * command reads, prints or writes, so it must not ignore them.
 */
export const toleratedOptions: Options = { yes, pageSize, timeout, retries, maxWait, wide, noHeader, bom };

export function getFormats({ formats, output }: CommandTraits): readonly Format[] {
  return formats ?? (output.records ? recordFormats : textFormats);
}

/**
 * Lets the value of --output choose the format if no flag does: `people.csv` by its ending. A format itself, as in
 * `-o json`, means --format.
 */
export function applyOutputFormat(command: CommandTraits, globals: Globals): Globals {
  const { output, format, json, jsonEnvelope, jq, idsOnly } = globals;
  if (output === undefined || format !== undefined || json || jsonEnvelope || idsOnly) return globals;
  const formats: readonly string[] = [...recordFormats, ...getFormats(command)];
  if (formats.includes(output)) return { ...globals, output: undefined, format: output };
  const [, ending = ''] = /\.(\w+)$/.exec(output.toLowerCase()) ?? [];
  // Other commands write their text to a file with any name, but text cannot be a workbook.
  const isSupported = ending === 'xlsx' || getFormats(command).some((name) => name === ending);
  return isSupported && jq === undefined ? { ...globals, format: ending } : globals;
}

/** @throws {Failure} usage if the output flags contradict each other or the command */
export function checkFormat(command: CommandTraits, globals: Globals): void {
  const { format, json, jsonEnvelope, jq, all, limit } = globals;
  const formats = getFormats(command);
  if (format !== undefined && !formats.some((name) => name === format)) {
    throw new Failure('usage', `--format: "${format}" is not one of ${formats.join(', ')}.`);
  }
  if (format === 'xlsx' && globals.output === undefined)
    throw new Failure('usage', '--format xlsx writes a file.', { hint: 'Pass --output FILE.xlsx.' });
  if (json && format !== undefined && format !== 'json') {
    throw new Failure('usage', `--json and --format ${format} cannot be used together.`);
  }
  if (jsonEnvelope && format !== undefined && format !== 'json')
    throw new Failure('usage', `--json-envelope and --format ${format} cannot be used together.`);
  if (jq !== undefined && format !== undefined && !jsonFormats.includes(format)) {
    throw new Failure('usage', `--jq prints JSON; it cannot be used with --format ${format}.`);
  }
  if (globals.idsOnly) checkIdsOnly(globals);
  if (all && limit !== undefined) throw new Failure('usage', '--all and --limit cannot be used together.');
}

/** @throws {Failure} usage if another flag chooses the output, too */
function checkIdsOnly({ format, json, jsonEnvelope, jq, fields }: Globals): void {
  const flags = {
    '--format': format !== undefined,
    '--json': json,
    '--json-envelope': jsonEnvelope,
    '--jq': jq !== undefined,
    '--fields': fields !== undefined,
  };
  const [flag] = Object.entries(flags).find(([, isSet]) => isSet) ?? [];
  if (flag) throw new Failure('usage', `--ids-only and ${flag} cannot be used together.`);
}
