import { defineCommand } from '../../cli/command/command.ts';
import { createTextOption } from '../../cli/command/options.ts';
import { maxAgeOption, timeZoneOption } from '../../cli/flags/moment.ts';
import { ledgerOption } from '../actions/ledger-option.ts';

export const brief = defineCommand({
  name: 'brief',
  output: { records: ['brief'] },
  summary: 'Show what to know before a call: people, deals, promises and changes',
  description:
    'Show on one screen who an organization or a contact is, the open deals, the promises, dates and amounts of the ' +
    'last meetings with their second in the recording, the open action items, and the changes since the last ' +
    'meeting.\n\nIf WHO is omitted, the brief is about the last person who attended a meeting with you. Rules ' +
    'choose the quotes, not a model. A section has at most 3 or 4 lines; --limit N replaces the limits.\n\nIn a pipe, the ' +
    'output is one JSON document; --format md prints Markdown, and --format csv, tsv and ndjson print rows.',
  paging: 'sections',
  unusedExitCodes: [6],
  args: {
    who: {
      summary:
        'Organization, contact, deal or meeting: id, name, domain, email address, key, date, latest or next',
      completion: 'organizations',
      isOptional: true,
    },
  },
  options: {
    html: createTextOption('Write the brief as an HTML page to FILE, or - for stdout', 'FILE', {
      completion: 'files',
    }),
    tz: timeZoneOption,
    maxAge: maxAgeOption,
    ledger: ledgerOption,
  },
  examples: [
    'brief 한빛물류',
    'brief',
    'brief DEAL-29',
    'brief latest --format md',
    "brief jiwoo.kim@hanbit-cold.example --jq '.passages[].quote'",
  ],
  run: async (session, { who, ...flags }) => (await import('./show-brief.ts')).showBrief(session, who, flags),
});
