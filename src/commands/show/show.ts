import { defineCommand } from '../../cli/command/command.ts';
import { moment, timeZoneOption } from '../../cli/flags/moment.ts';
import {
  entryArgument,
  entryListArgument as list,
  meetingArgument,
  referenceArgument,
} from '../../cli/flags/references.ts';

/** The common properties of the commands for records with related lists. */
const common = {
  name: 'show',
  paging: 'sections',
  options: { since: moment('Only notes and meetings since this time', 'latest'), tz: timeZoneOption },
} as const;

const load = () => import('./show-record.ts');

const describe = (record: string, related: string, entries: string) =>
  `Show ${record} on one screen with its ${related}, ${entries} with status and value, latest notes, and latest ` +
  'meetings with their summaries and action items. --limit N sets the maximum of each section (default 5 notes, ' +
  '5 meetings, 25 others). If a section cannot be read, the exit code is 6.';

export const contactsShow = defineCommand({
  ...common,
  output: { text: ['contact-overview', 'contact-overview[]'] },
  summary: 'Show a contact with its organization, entries, notes and meetings',
  description: describe('a contact', 'organization', 'open entries'),
  args: { id: referenceArgument('contact') },
  examples: ['contacts show 김지우', 'contacts show jiwoo.kim@hanbit-cold.example --since 90d --limit 10'],
  run: async (session, { id, ...flags }) => (await load()).showSubject(session, 'contact', id, flags),
});

export const organizationsShow = defineCommand({
  ...common,
  output: { text: ['organization-overview', 'organization-overview[]'] },
  summary: 'Show an organization with its people, entries, notes and meetings',
  description: describe('an organization', 'people', 'open entries'),
  args: { id: referenceArgument('organization') },
  examples: ['organizations show 한빛물류', 'orgs show rl16pk --jq ".meetings[].action_items[]"'],
  run: async (session, { id, ...flags }) => (await load()).showSubject(session, 'organization', id, flags),
});

export const entriesShow = defineCommand({
  ...common,
  output: { text: ['entry-overview', 'entry-overview[]'] },
  summary: 'Show an entry with its organization, people, notes and meetings',
  description: describe('an entry', 'contact or organization, people', 'other open entries'),
  args: { list, id: entryArgument },
  examples: ['entries show DEAL-1', 'entries show "Sales pipeline" m7lwpy'],
  run: async (session, { list, id, ...flags }) => (await load()).showEntry(session, list, id, flags),
});

export const eventsShow = defineCommand({
  name: 'show',
  output: { text: ['event-overview', 'event-overview[]'] },
  exitCodes: [6],
  summary: 'Show a meeting with its attendees, summary and action items',
  description:
    'Show a meeting on one screen: its time, attendees with their organizations, summary, action items and ' +
    "recordings. Accepts the meeting's id, date or part of its title, the id of a recording, or latest: the meeting " +
    'that started most recently. If a section cannot be read, kith shows the others and exits with 6.',
  args: { id: meetingArgument },
  options: { tz: timeZoneOption },
  examples: [
    'meetings show latest',
    'meetings show "The nose and the cat"',
    'meetings show 2026-11-18 --tz Asia/Seoul',
  ],
  run: async (session, { id, ...flags }) =>
    (await import('./show-meeting.ts')).showMeeting(session, id, flags),
});
