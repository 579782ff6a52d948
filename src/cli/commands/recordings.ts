import { recordings as routes } from '../../contract/recordings.ts';
import { views } from '../../render/views.ts';
import { summaryMarkdown } from '../../transcripts/summary.ts';
import { command } from '../command.ts';
import { partOf } from '../flags/recording-part.ts';
import { shown } from '../listing.ts';
import { recordingsTranscript } from './recordings-transcript.ts';

const id = 'The id of a recording, as `kith events list` shows it';

export const recordings = [
  command({
    name: 'get',
    summary: routes.get.summary,
    args: { id },
    examples: ['recordings get RECORDING --json'],
    run: (session, { id }) => shown(session, routes.get, { id }, views.recordings),
  }),
  command({
    name: 'summary',
    summary: 'Print the summary of a recording as Markdown',
    args: { id },
    answers: 'text',
    examples: ['recordings summary RECORDING', 'recordings summary RECORDING --jq ".action_items[]"'],
    async run(session, { id }) {
      const summary = await partOf(session, id, 'summary');
      return { kind: 'text', text: summaryMarkdown(summary.value), json: summary };
    },
  }),
  recordingsTranscript,
];
