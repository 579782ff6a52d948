import { Failure } from '../../contract/errors.ts';
import { readRecordId } from '../../values/domain.ts';
import type { CommandInput } from '../command/command.ts';
import {
  createFlag,
  createIntegerOption,
  createTextOption,
  type Option,
  type Options,
} from '../command/options.ts';
import { conflicts } from '../command/rules.ts';
import { moment, timeZoneOption } from './moment.ts';
import { createReferenceOption } from './references.ts';

const dealOption = createTextOption('Only notes of this deal, such as DEAL-1', 'ID|KEY', {
  completion: 'keys',
});

/** Flags that stand for a comparison. Each noun has some of these flags. */
const shortcuts = {
  organization: createReferenceOption('organization', 'Only records of this organization'),
  contact: createReferenceOption('contact', 'Only records of this contact'),
  list: createTextOption('Only records in this list or process', 'ID|NAME', { completion: 'lists' }),
  deal: { ...dealOption, parse: (text: string) => readRecordId(String(dealOption.parse(text))) },
  status: {
    ...createTextOption('Only entries with one of these statuses, comma-separated', 'A,B', {
      completion: 'status-list',
      isCommaSeparated: true,
    }),
    parse: checkStatuses,
  },
  open: createFlag('Only entries with a status of type active'),
  closed: createFlag('Only entries with a status of type won or lost'),
  won: createFlag('Only entries with a status of type won'),
  lost: createFlag('Only entries with a status of type lost'),
  closedAfter: moment('Only entries that were closed at or after this time', 'latest'),
  closedBefore: moment('Only entries that were closed before this time', 'latest'),
  overdue: createFlag(
    'Only open entries with a date before today, or a time before now, in a field of the process',
  ),
  dueBefore: moment(
    'Only open entries with a date or time before this time in a field of the process',
    'coming',
  ),
  assignee: createTextOption(
    'Only entries with this assignee: mina for mina@x.example; me is the address set with `kith config set user`',
    'ADDRESS|me',
  ),
  mine: createFlag('Short for --assignee me'),
  stale: createIntegerOption('Only entries that have not been updated for this many days', 'DAYS', 1, 36_500),
  createdAfter: moment('Only records created after this time', 'latest'),
  updatedAfter: moment('Only records updated after this time', 'latest'),
  today: createFlag('Only records created today'),
};

/** The selection flags of `entries list` and `lists report`. */
export const entryShortcuts = [
  'organization',
  'contact',
  'status',
  'open',
  'closed',
  'won',
  'lost',
  'closedAfter',
  'closedBefore',
  'overdue',
  'dueBefore',
  'assignee',
  'mine',
  'stale',
  'createdAfter',
  'updatedAfter',
] as const;

export const entryRules = [
  ...['closed', 'won', 'lost', 'closedAfter', 'closedBefore'].map((name) =>
    conflicts(name, 'open', 'overdue', 'dueBefore'),
  ),
  conflicts('won', 'lost'),
  conflicts('mine', 'assignee'),
];

/** @throws {Failure} usage if a name is empty. The names are checked when the list is known. */
function checkStatuses(text: string): string {
  if (!/(?:^|(?<!\\),)\s*(?:,|$)/.test(text)) return text;
  throw new Failure('usage', text === '' ? 'A,B must not be empty.' : `"${text}" contains an empty status.`);
}

export type Shortcut = keyof typeof shortcuts;

const where = createTextOption(
  'Only records that match an expression, such as "created_at > 7d"; see kith help scripting',
  'EXPR',
  { completion: 'sort' },
);

const sort = createTextOption(
  'Sort by a field; -FIELD sorts in descending order. Reads the whole list first',
  'FIELD[:desc]',
  { completion: 'sort' },
);

/** The flags that every list has. The last two print a figure about the records instead of the records. */
export const selectionOptions = {
  where,
  sort,
  tz: timeZoneOption,
  count: createFlag('Print the number of records'),
  sum: createTextOption('Print the sum of a field of type number or money', 'FIELD', { completion: 'sort' }),
};

/** Returns some shortcuts as flags. `summaries` replace their own summaries. */
function pickShortcuts(
  names: readonly Shortcut[],
  summaries: Partial<Record<Shortcut, string>> = {},
): Options {
  const entries = names.map((name): [string, Option<unknown>] => {
    const { [name]: summary = shortcuts[name].summary } = summaries;
    return [name, { ...shortcuts[name], summary }];
  });
  return Object.fromEntries(entries);
}

/** Returns the flags that select and sort the records of a list, or print figures about them. */
export function createSelectionOptions(
  names: readonly Shortcut[] = [],
  summaries?: Partial<Record<Shortcut, string>>,
): Options {
  return { ...pickShortcuts(names, summaries), ...selectionOptions };
}

/** The selection flags of `lists report`, which does not sort. */
export const reportOptions: Options = { ...pickShortcuts(entryShortcuts), where, tz: timeZoneOption };

/** Returns the flags among some options that select or sort records; undefined if no such flag is set. */
export function readSelection(options: Options, input: CommandInput): CommandInput | undefined {
  const entries = Object.keys(options).map((name) => [name, input[name]] as const);
  const isSet = entries.some(([name, value]) => name !== 'tz' && value !== undefined && value !== false);
  return isSet ? Object.fromEntries(entries) : undefined;
}

/** Whether the flags ask for figures about the records instead of the records. */
export const wantsFigures = ({ count, sum }: CommandInput): boolean => count === true || sum !== undefined;
