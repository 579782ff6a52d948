import { defineCommand } from '../../cli/command/command.ts';
import { createIntegerOption, createTextOption, type Option } from '../../cli/command/options.ts';
import { maxAgeOption, parseDays, timeZoneOption } from '../../cli/flags/moment.ts';
import { ledgerOption } from '../actions/ledger-option.ts';

const dateOption: Option<ReturnType<typeof parseDays> | undefined> = {
  summary: 'Show this day instead of today',
  placeholder: 'WHEN',
  parse: (text) => parseDays(text, 'coming'),
};

export const userOption = createTextOption(
  'User whose day is shown: email address, or its part before the @; me is the address set with `kith config set user`. ' +
    'If neither is set, everyone',
  'ADDRESS|me',
);

const staleOption = {
  ...createIntegerOption(
    'Also show open deals that have not been updated for this many days (default 30)',
    '[DAYS]',
    1,
    36_500,
  ),
  presetValue: '30',
};

export const today = defineCommand({
  name: 'today',
  output: { records: ['day'] },
  summary: 'Show the meetings, due deals and open action items of a day',
  description:
    "Show a day on one screen: its meetings with their attendees, the user's due deals and open action items, and for " +
    'today the first three lines of kith followup. A deal is due if a date field has a value on or before the day; ' +
    '--field selects one field. In a pipe, the output is one JSON document; --format csv, tsv and ndjson print rows. ' +
    'If a section cannot be read, the exit code is 6.',
  paging: 'sections',
  options: {
    date: dateOption,
    user: userOption,
    field: createTextOption('Only deals with a date in this field', 'FIELD'),
    stale: staleOption,
    tz: timeZoneOption,
    maxAge: maxAgeOption,
    ledger: ledgerOption,
  },
  examples: [
    'today',
    'today --date "next monday" --stale',
    'today --user rui@tidewater.example --field "Expected close" --format csv',
    "today --jq '.deals[].key'",
  ],
  run: async (session, flags) => (await import('./show-day.ts')).showDay(session, flags),
});
