import { Failure } from '../../contract/errors.ts';
import type { Received } from '../../contract/received.ts';
import { type Recording, recordings as routes } from '../../contract/recordings.ts';
import { type Column, type View, views } from '../../render/views.ts';
import { renderSummary } from '../../transcripts/summary.ts';
import { formatTranscript } from '../../transcripts/transcript.ts';
import { findRawMember, type RawJson, toRawJson } from '../../values/raw-json.ts';
import { formatCount } from '../../values/text.ts';
import type { TextRenderer } from '../command/command.ts';
import { defineCommand } from '../command/command.ts';
import type { Session } from '../command/context.ts';
import { showRecord } from '../command/records.ts';
import { transcriptFormats } from '../flags/globals.ts';
import { createFlag, createTextOption, makeRepeatable, type Option } from '../flags/options.ts';

/** In a table, CSV or TSV the summary and the transcript of a recording are texts, if --fields selects them. */
const textColumns: readonly Column<Received<Recording>>[] = [
  {
    name: 'summary',
    place: 'details',
    isMarkdown: true,
    cell: ({ summary }) => summary && renderSummary(summary),
  },
  {
    name: 'transcript',
    place: 'details',
    cell: ({ transcript }) => transcript && formatTranscript(transcript),
    display: ({ id, transcript }) =>
      `${formatCount(transcript?.length ?? 0, 'utterance')}; kith recordings transcript ${id}`,
  },
];

const view: View = Object.assign(() => [...views.recordings([]), ...textColumns], {
  recordType: views.recordings.recordType,
});

const id = {
  summary: 'Recording: id, as shown by `kith events list`',
  record: 'recordings',
  names: 'id',
} as const;

const transcript = defineCommand({
  name: 'transcript',
  summary: 'Print the transcript of a recording, as text or as subtitles',
  description:
    'Print the transcript of a recording as text, with a paragraph for each utterance. --format prints WebVTT or ' +
    'SubRip subtitles, or the JSON that the service sent. --from, --to and --speaker select whole words. The times ' +
    'remain those of the whole recording.',
  args: { id },
  options: {
    from: offsetOption('Only words that start at or after this time: 12:30, 1:02:30 or seconds'),
    to: offsetOption('Only words that start before this time'),
    speaker: makeRepeatable(createTextOption('Only this speaker, by full name', 'NAME')),
    timestamps: createFlag('Show the start time of each utterance (text only)'),
  },
  output: 'text',
  formats: transcriptFormats,
  examples: [
    'recordings transcript RECORDING --timestamps',
    'recordings transcript RECORDING --format vtt > meeting.vtt',
    'recordings transcript RECORDING --from 0:20 --to 3:00 --speaker "SPEAKER"',
  ],
  async run(session, { id, from, to, speaker, timestamps }) {
    const { format, json, jq } = session.globals;
    const outputFormat = format ?? (json || jq !== undefined ? 'json' : 'text');
    if (timestamps && outputFormat !== 'text') {
      throw new Failure('usage', `--timestamps applies only to text; ${outputFormat} always has times.`);
    }
    if (from !== undefined && to !== undefined && from > to) {
      throw new Failure('usage', '--from must not be later than --to.');
    }
    const { selectTranscript } = await import('../../transcripts/transcript-part.ts');
    const whole = await readRecordingPart(session, id, 'transcript');
    const part = selectTranscript(whole, { from, to, speakers: speaker });
    const isSubtitles = outputFormat === 'vtt' || outputFormat === 'srt';
    if (isSubtitles) return { kind: 'text', text: await formatSubtitles(part, outputFormat), json: part };
    const terminalText: TextRenderer = async (style) => {
      const { renderTranscript } = await import('../../transcripts/transcript-screen.ts');
      return renderTranscript(part.value, { timestamps }, style);
    };
    return { kind: 'text', text: formatTranscript(part.value, { timestamps }), terminalText, json: part };
  },
});

export const recordings = [
  defineCommand({
    name: 'get',
    summary: routes.get.summary,
    args: { id },
    examples: ['recordings get RECORDING', 'recordings get RECORDING --json'],
    run: (session, { id }) => showRecord(session, routes.get, { id }, view),
  }),
  defineCommand({
    name: 'summary',
    summary: 'Print the summary of a recording',
    description:
      'Print the summary of a recording as Markdown. In a terminal it is formatted. --json prints the object that ' +
      'the service sent.',
    args: { id },
    output: 'text',
    examples: ['recordings summary RECORDING', 'recordings summary RECORDING --jq ".action_items[]"'],
    async run(session, { id }) {
      const summary = await readRecordingPart(session, id, 'summary');
      const text = renderSummary(summary.value);
      const terminalText: TextRenderer = async (style) => {
        const { renderMarkdown } = await import('../../render/terminal-markdown.ts');
        return renderMarkdown(text, style)
          .map((line) => `${line}\n`)
          .join('');
      };
      return { kind: 'text', text, terminalText, json: summary };
    },
  }),
  transcript,
];

async function formatSubtitles({ value }: RawJson, format: 'vtt' | 'srt'): Promise<string> {
  const { formatSrt, formatVtt } = await import('../../transcripts/subtitles.ts');
  return format === 'vtt' ? formatVtt(value) : formatSrt(value);
}

/** An option for a time in a recording, in seconds. Accepts `12:30`, `1:02:30` and `750`. */
function offsetOption(summary: string): Option<number | undefined> {
  return { summary, placeholder: 'TIME', parse: parseOffset };
}

function parseOffset(typed: string): number {
  const [, hours = '0', minutes = '0', seconds] =
    /^(?:(?:(\d{1,4}):(?=\d\d:))?(\d{1,4}):(?=\d\d(?:\.|$)))?(\d{1,7}(?:\.\d{1,3})?)$/.exec(typed) ?? [];
  const isClock = typed.includes(':');
  const isHours = typed.split(':').length > 2;
  if (seconds === undefined || (isClock && Number(seconds) >= 60) || (isHours && Number(minutes) >= 60)) {
    throw new Failure(
      'usage',
      `"${typed}" is not a time in a recording. Examples: 12:30, 1:02:30 or 750 (seconds).`,
    );
  }
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
}

/** Reads one part of a finished recording (specification, 3.2). @throws {Failure} busy if the recording is not done */
async function readRecordingPart(
  { client }: Session,
  id: string,
  part: 'summary' | 'transcript',
): Promise<RawJson> {
  const recording = await (await client()).record(routes.get, { id });
  const { status } = recording.value;
  if (status === 'done') return findRawMember(recording, part) ?? toRawJson(null);
  throw new Failure('busy', `The recording ${id} is not done; its status is "${status}".`, {
    hint: status === 'failed' ? undefined : 'Try again later.',
  });
}
