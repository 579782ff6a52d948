import { defineCommand } from '../../cli/command/command.ts';
import { createFlag, type Option } from '../../cli/command/options.ts';
import { conflicts, exactlyOne } from '../../cli/command/rules.ts';
import { type Moment, maxAgeOption, parseMoment, timeZoneOption } from '../../cli/flags/moment.ts';
import { createReferenceOption } from '../../cli/flags/references.ts';
import { ledgerOption } from '../actions/ledger-option.ts';
import { userOption } from './today.ts';

const snoozeOption: Option<Moment | undefined> = {
  summary: 'Hide the contact or organization for this time, such as 7d, or until a day',
  placeholder: 'TIME',
  parse: (text) => parseMoment(/^\d+[hdw]$/.test(text) ? `+${text}` : text, 'coming'),
};

export const followUpOptions = {
  organization: createReferenceOption('organization', 'Only this organization'),
  contact: createReferenceOption('contact', 'Only this contact, or the organization of the contact'),
  explain: createFlag('Show the parts of each score'),
  mine: createFlag('Only your promises, deals and meetings; short for --user me'),
  user: { ...userOption, summary: 'Only the promises, deals and meetings of this user' },
  snooze: snoozeOption,
  tz: timeZoneOption,
  maxAge: maxAgeOption,
  ledger: ledgerOption,
};

const isOne = exactlyOne('organization', 'contact');

export const followup = defineCommand({
  name: 'followup',
  output: { records: ['follow-up[]'], text: ['snoozed'] },
  summary: 'Show whom to contact next, with the reasons',
  description:
    'Show whom to contact, the most pressing first, with the reasons: open promises, deals that should close soon, long ' +
    'silence, dates in notes, and value. In a terminal, Enter on a line offers to add a note, mark an item as done, ' +
    'move a date, or snooze. See kith help brief.',
  paging: 'list',
  effects: 'marks',
  unusedExitCodes: [7], // no response can be lost
  recording: 'own',
  writingFlags: ['dryRun'],
  readsOnly: ({ snooze }) => snooze === undefined,
  options: followUpOptions,
  rules: [
    conflicts('mine', 'user'),
    conflicts('organization', 'contact'),
    (flags, describe) => flags.has('snooze') && isOne(flags, describe),
  ],
  examples: [
    'followup',
    'followup --mine --explain',
    'followup --user rui@tidewater.example --limit 3 --format csv',
    'followup --organization 한빛물류 --snooze 7d',
  ],
  run: async (session, flags) => (await import('./show-follow-ups.ts')).showFollowUps(session, flags),
});
