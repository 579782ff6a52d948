import type { AnyCommand } from '../command.ts';
import { type Format, recordFormats, textFormats } from './formats.ts';
import { flag, type Options, text, type ValuesOf, whole } from './options.ts';

/** Global flags that one kind of command has a use for; in help they stand under the title. */
export interface GlobalGroup {
  readonly name: string;
  readonly title: string;
  readonly isFor: (command: AnyCommand) => boolean;
  readonly options: Options;
}

const everywhere = {
  profile: text('Use this profile', 'NAME', { completes: 'profiles' }),
  debug: flag('Show each request on stderr'),
};

/** Flags of commands that talk to a service. */
export const overHttp = {
  baseUrl: text('Talk to the service at this address', 'URL'),
  timeout: whole('Seconds to wait for an answer (default 30)', 'SECONDS', { min: 1, max: 3600 }),
  retries: whole('Times that a request is sent again (default 4)', 'N', { min: 0, max: 20 }),
  maxWait: whole('Seconds to wait for one request to be sent again (default 60)', 'SECONDS', {
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
export const ofLists = {
  limit: whole('Records at the most (default 25)', 'N', { min: 1 }),
  all: flag('All records'),
};

/** Flags of commands that read a list page by page. */
export const ofPages = {
  pageSize: whole('Records to a request (default 100)', 'N', { min: 1, max: 500 }),
};

const ofWrites = {
  dryRun: flag('Show what would be sent, and send nothing'),
};

const ofDeletions = {
  yes: flag('Do not ask', { short: '-y' }),
};

/** Every global flag, in the order of the help. */
export const globalGroups: readonly GlobalGroup[] = [
  { name: 'writing', title: 'Writing:', isFor: ({ writes }) => writes === true, options: ofWrites },
  {
    name: 'deletions',
    title: 'Writing:',
    isFor: ({ writes, discards }) => writes === true || discards === true,
    options: ofDeletions,
  },
  { name: 'paging', title: 'Lists:', isFor: ({ paged }) => paged === true, options: ofLists },
  { name: 'pages', title: 'Lists:', isFor: ({ paged }) => paged !== undefined, options: ofPages },
  { name: 'output', title: 'Output:', isFor: () => true, options: output },
  {
    name: 'records',
    title: 'Output:',
    isFor: (command) => formatsOf(command).includes('csv'),
    options: ofRecords,
  },
  { name: 'everywhere', title: 'Workspace:', isFor: () => true, options: everywhere },
  { name: 'http', title: 'Workspace:', isFor: ({ local }) => local !== true, options: overHttp },
];

/** The values of the global flags. */
export type Globals = ValuesOf<
  typeof everywhere &
    typeof overHttp &
    typeof output &
    typeof ofRecords &
    typeof ofLists &
    typeof ofPages &
    typeof ofWrites &
    typeof ofDeletions
>;

/** The forms in which a command can print its answer. */
export function formatsOf({ formats, answers }: AnyCommand): readonly Format[] {
  return formats ?? (answers === 'text' ? textFormats : recordFormats);
}
