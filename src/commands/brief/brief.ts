import { defineCommand } from '../../cli/command/command.ts';
import { createTextOption } from '../../cli/command/options.ts';
import { maxAgeOption, timeZoneOption } from '../../cli/flags/moment.ts';
import { ledgerOption } from '../actions/ledger-option.ts';

export const brief = defineCommand({
  name: 'brief',
  output: { records: ['brief'] },
  summary: 'Show what to know before a call: people, deals, promises and changes',
  description:
    'Show an organization or a contact on one screen, with quotes from the last meetings and their time in the ' +
    'recording. If WHO is omitted, the brief is about the organization or contact that you met last. In a pipe, the ' +
    'output is one JSON document; --format csv, tsv and ndjson print rows, and md prints Markdown. See kith help brief.',
  paging: 'sections',
  unusedExitCodes: [6],
  args: {
    who: {
      summary:
        'Organization, contact, deal or meeting: id, name, domain, email address, key, date, latest or next',
      completion: 'subjects',
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
