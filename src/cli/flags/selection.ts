import type { CommandInput } from '../command/command.ts';
import { moment, timeZoneOption } from './moment.ts';
import { createFlag, createTextOption, type Options } from './options.ts';
import { createReferenceOption } from './references.ts';

/** Flags that stand for a comparison. Each noun has some of these flags. */
const shortcuts = {
  organization: createReferenceOption('organization', 'Only records of this organization'),
  contact: createReferenceOption('contact', 'Only records of this contact'),
  list: createTextOption('Only records in this list or process', 'ID|NAME', { completion: 'lists' }),
  status: createTextOption('Only entries with this status', 'NAME', { completion: 'statuses' }),
  assignee: createTextOption(
    'Only entries with this assignee; me is the address set with `kith config set user`',
    'ADDRESS|me',
  ),
  updatedAfter: moment('Only records updated after this time'),
  today: createFlag('Only records created today'),
};

export type Shortcut = keyof typeof shortcuts;

/** The flags that every list has. */
export const selectionOptions = {
  where: createTextOption(
    'Only records that match an expression, such as "created_at > 7d"; see kith help scripting',
    'EXPR',
    { completion: 'sort' },
  ),
  sort: createTextOption(
    'Sort by a field; -FIELD sorts in descending order. Reads the whole list first',
    'FIELD[:desc]',
    {
      completion: 'sort',
    },
  ),
  tz: timeZoneOption,
};

/** Returns the flags that select and sort the records of a list. */
export function createSelectionOptions(names: readonly Shortcut[] = []): Options {
  return { ...Object.fromEntries(names.map((name) => [name, shortcuts[name]])), ...selectionOptions };
}

/** Returns the flags among some options that select or sort records; undefined if no such flag is set. */
export function readSelection(options: Options, input: CommandInput): CommandInput | undefined {
  const entries = Object.keys(options).map((name) => [name, input[name]] as const);
  const isSet = entries.some(([name, value]) => name !== 'tz' && value !== undefined && value !== false);
  return isSet ? Object.fromEntries(entries) : undefined;
}
