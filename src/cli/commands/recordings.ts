import { Failure } from '../../contract/errors.ts';
import { recordings as routes } from '../../contract/recordings.ts';
import { summaryMarkdown } from '../../output/summary.ts';
import { transcriptText } from '../../output/transcript.ts';
import { views } from '../../output/views.ts';
import { command } from '../command.ts';
import type { Session } from '../context.ts';
import { textFormats } from '../formats.ts';
import { flag } from '../options.ts';

const id = 'The id of a recording, as `kith events list` shows it';

export const recordings = [
  command({
    name: 'get',
    summary: routes.get.summary,
    args: { id },
    examples: ['recordings get RECORDING --json'],
    async run({ client }, { id }) {
      const record = await (await client()).recordings.get({ id });
      return { kind: 'record', record, view: views.recordings };
    },
  }),
  command({
    name: 'summary',
    summary: 'Print the summary of a recording as Markdown',
    args: { id },
    formats: textFormats,
    examples: ['recordings summary RECORDING', 'recordings summary RECORDING --json | jq .action_items'],
    async run(session, { id }) {
      const { summary } = await completed(session, id);
      return { kind: 'text', text: summaryMarkdown(summary), json: summary };
    },
  }),
  command({
    name: 'transcript',
    summary: 'Print the transcript of a recording, a paragraph for each turn',
    args: { id },
    options: { timestamps: flag('With the time of each turn') },
    formats: textFormats,
    examples: ['recordings transcript RECORDING --timestamps', 'recordings transcript RECORDING | head -3'],
    async run(session, { id, timestamps }) {
      const { transcript } = await completed(session, id);
      return { kind: 'text', text: transcriptText(transcript, { timestamps }), json: transcript };
    },
  }),
];

/** A recording that is done: before, it has neither summary nor transcript (specification, 3.2). */
async function completed({ client }: Session, id: string) {
  const recording = await (await client()).recordings.get({ id });
  const status: string = recording.status;
  if (status === 'done') return recording;
  throw new Failure('busy', `The recording ${id} is not done; its status is "${status}".`, {
    hint: status === 'failed' ? undefined : 'Try again later.',
  });
}
