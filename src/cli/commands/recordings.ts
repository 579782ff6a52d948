import { Failure } from '../../contract/errors.ts';
import { memberOf, type Sent, sentAs } from '../../contract/json-text.ts';
import { recordings as routes } from '../../contract/recordings.ts';
import { fieldsOf } from '../../output/columns.ts';
import { summaryMarkdown } from '../../output/summary.ts';
import { transcriptText } from '../../output/transcript.ts';
import { views } from '../../output/views.ts';
import { command } from '../command.ts';
import type { Session } from '../context.ts';
import { shown } from '../listing.ts';
import { flag } from '../options.ts';

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
  command({
    name: 'transcript',
    summary: 'Print the transcript of a recording, a paragraph for each turn',
    args: { id },
    options: { timestamps: flag('With the time of each turn') },
    answers: 'text',
    examples: ['recordings transcript RECORDING --timestamps', 'recordings transcript RECORDING | head -3'],
    async run(session, { id, timestamps }) {
      const transcript = await partOf(session, id, 'transcript');
      return { kind: 'text', text: transcriptText(transcript.value, { timestamps }), json: transcript };
    },
  }),
];

/** A part of a recording that is done: before, it has none of them (specification, 3.2). */
async function partOf({ client }: Session, id: string, part: 'summary' | 'transcript'): Promise<Sent> {
  const recording = await (await client()).record(routes.get, { id });
  const { status } = fieldsOf(recording.value);
  if (status === 'done') return memberOf(recording, part) ?? sentAs(null);
  throw new Failure('busy', `The recording ${id} is not done; its status is "${status}".`, {
    hint: status === 'failed' ? undefined : 'Try again later.',
  });
}
