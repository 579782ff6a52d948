import { Failure } from '../../contract/errors.ts';
import { isEmail } from '../../values/domain.ts';
import { defineCommand } from '../command/command.ts';
import { ledgerOption } from '../flags/ledger.ts';
import { maxAgeOption, parseDays, timeZoneOption } from '../flags/moment.ts';
import { createIntegerOption, createTextOption, type Option } from '../flags/options.ts';

type DayResolver = ReturnType<typeof parseDays>;

const dateOption: Option<DayResolver | undefined> = {
  summary: 'Show this day instead of today',
  placeholder: 'WHEN',
  parse: parseDays,
};

const userOption: Option<string> = {
  summary: 'Show the deals of this user; me is the address set with `kith config set user`',
  placeholder: 'ADDRESS|me',
  defaultValue: 'me',
  parse(text) {
    if (text.toLowerCase() === 'me') return 'me';
    if (isEmail(text)) return text;
    throw new Failure('usage', `"${text}" is not an email address.`, {
      hint: 'Use an email address, or me.',
    });
  },
};

const staleOption = {
  ...createIntegerOption(
    'Also show open deals that have not been updated for this many days (default 30)',
    '[DAYS]',
    1,
    36_500,
  ),
  presetValue: '30',
};

/** `today` */
export const today = defineCommand({
  name: 'today',
  summary: 'Show the meetings, due deals and open action items of a day',
  description:
    'Show on one screen what a day asks for: the meetings of the day with their attendees, the open deals of the user ' +
    'with a date on or before the day, and open action items, those of the user first. A deal is due by any field of ' +
    'type date or datetime of its process; --field selects one. The deals of a user are the entries of processes that ' +
    'are assigned to the user. The service lists a meeting once it has a finished recording. In a pipe, the output is ' +
    'one JSON document; --format csv, tsv and ndjson print a row for each record, with its kind: meeting, deal, action ' +
    'or stale. A section has at most 25 records, and at most 5 action items; --limit N replaces both. If a section ' +
    'cannot be read, the others are shown and the exit code is 6.',
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
    'today --user mina@tidewater.example',
    'today --user mina@tidewater.example --date "next monday" --stale',
    'today --user mina@tidewater.example --field "Expected close" --format csv',
    "today --user mina@tidewater.example --jq '.deals[].key'",
  ],
  run: async (session, flags) => (await import('./show-day.ts')).showDay(session, flags),
});
