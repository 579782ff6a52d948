import type { AnyCommand } from '../command.ts';
import { flag, integer, type Options, type OptionValues, text } from './options.ts';

/** The forms in which lists and records are printed. */
export const recordFormats = ['table', 'json', 'ndjson', 'csv', 'tsv'] as const;

/** The forms in which a text is printed. */
export const textFormats = ['text', 'json'] as const;

/** The forms in which a transcript is printed. */
export const transcriptFormats = ['text', 'vtt', 'srt', 'json'] as const;

/** All of them. */
export type Format =
  | (typeof recordFormats)[number]
  | (typeof textFormats)[number]
  | (typeof transcriptFormats)[number];

/** Global flags that one kind of command has a use for; in help they stand under the title. */
export interface GlobalGroup {
  readonly name: string;
  readonly title: string;
  readonly isFor: (command: AnyCommand) => boolean;
  readonly options: Options;
}

const everywhere = {
  profile: text('Use this profile', 'NAME', { completion: 'profiles' }),
  debug: flag('Show each request on stderr'),
};

/** Flags of commands that talk to a service. */
export const httpFlags = {
  baseUrl: text('Talk to the service at this address', 'URL'),
  timeout: integer('Seconds to wait for an answer (default 30)', 'SECONDS', { min: 1, max: 3600 }),
  retries: integer('Times that a request is sent again (default 4)', 'N', { min: 0, max: 20 }),
  maxWait: integer('Seconds to wait for one request to be sent again (default 60)', 'SECONDS', {
    min: 0,
    max: 86_400,
  }),
};

const output = {
  // Which formats a command takes is checked when it is known which command it is.
  format: { ...text('Print as', 'FORMAT'), choices: recordFormats },
  json: flag('The same as --format json'),
  jq: text('Filter the JSON with a jq expression', 'EXPR'),
  quiet: flag('No notes on stderr', { short: '-q' }),
  noColor: flag('No colours'),
};

const ofRecords = {
  fields: text('Only these fields: id,emails.0,custom_fields.Industry', 'A,B.C'),
  noHeader: flag('No header row'),
  bom: flag('A byte order mark before CSV, for Excel'),
};

/** Flags of commands that print a list. */
export const listFlags = {
  limit: integer('Records at the most (default 25)', 'N', { min: 1 }),
  all: flag('All records'),
};

/** Flags of commands that read a list page by page. */
export const pageFlags = {
  pageSize: integer('Records to a request (default 100)', 'N', { min: 1, max: 500 }),
};

const ofWrites = {
  dryRun: flag('Show what would be sent, and send nothing'),
};

const ofDeletions = {
  yes: flag('Do not ask', { short: '-y' }),
};

/** Every global flag, in the order of the help. */
export const globalGroups: readonly GlobalGroup[] = [
  { name: 'writing', title: 'Writing:', isFor: ({ isWrite }) => isWrite === true, options: ofWrites },
  {
    name: 'deletions',
    title: 'Writing:',
    isFor: ({ isWrite, isLocalDeletion }) => isWrite === true || isLocalDeletion === true,
    options: ofDeletions,
  },
  { name: 'paging', title: 'Lists:', isFor: ({ paging }) => paging === 'list', options: listFlags },
  { name: 'pages', title: 'Lists:', isFor: ({ paging }) => paging !== undefined, options: pageFlags },
  { name: 'output', title: 'Output:', isFor: () => true, options: output },
  {
    name: 'records',
    title: 'Output:',
    isFor: (command) => getFormats(command).includes('csv'),
    options: ofRecords,
  },
  { name: 'everywhere', title: 'Workspace:', isFor: () => true, options: everywhere },
  { name: 'http', title: 'Workspace:', isFor: ({ isLocal }) => isLocal !== true, options: httpFlags },
];

/** The values of the global flags. */
export type Globals = OptionValues<
  typeof everywhere &
    typeof httpFlags &
    typeof output &
    typeof ofRecords &
    typeof listFlags &
    typeof pageFlags &
    typeof ofWrites &
    typeof ofDeletions
>;

/** The forms in which a command can print its answer. */
export function getFormats({ formats, output }: AnyCommand): readonly Format[] {
  return formats ?? (output === 'text' ? textFormats : recordFormats);
}
