import { defineCommand, type TextRenderer, toBatch } from '../cli/command/command.ts';
import { transcriptFormats } from '../cli/command/globals.ts';
import { createFlag, createTextOption, makeRepeatable, type Option } from '../cli/command/options.ts';
import { conflicts } from '../cli/command/rules.ts';
import { recordingArgument } from '../cli/flags/references.ts';
import { Failure } from '../contract/errors.ts';
import type { Received } from '../contract/received.ts';
import { type Recording, recordings as routes } from '../contract/recordings.ts';
import type { Column, View } from '../render/columns.ts';
import { sanitizeLine } from '../render/text/sanitize.ts';
import { views } from '../render/views.ts';
import { renderSummary } from '../transcripts/summary.ts';
import { formatTranscript } from '../transcripts/transcript.ts';
import type { RawJson } from '../values/raw-json.ts';
import { formatCount } from '../values/text.ts';
import {
  type RecordingPart,
  readRecordingParts,
  readRecordings,
  requireOnePart,
  toPartsJson,
} from './show/recording-parts.ts';

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
      `${formatCount(transcript?.length ?? 0, 'utterance')}; kith meetings transcript ${id}`,
  },
];

const view: View = Object.assign(() => [...views.recordings([]), ...textColumns], {
  recordType: views.recordings.recordType,
});

const meetingDescription =
  'Several recordings of a meeting are printed with headings; JSON is then an array with id, started_at and';

export const transcript = defineCommand({
  name: 'transcript',
  exitCodes: [6],
  summary: 'Print the transcript of a recording, as text or as subtitles',
  description:
    'Print the transcript of a recording as text, with a paragraph for each utterance. --at begins with the utterance ' +
    `that is spoken at a time; --from, --to and --speaker select whole words. ${meetingDescription} transcript.`,
  args: { id: { ...recordingArgument, record: 'finishedRecordings' } },
  options: {
    from: offsetOption('Only words that start at or after this time: 12:30, 1:02:30 or seconds'),
    to: offsetOption('Only words that start before this time'),
    at: offsetOption('Begin with the utterance that is spoken at this time'),
    speaker: makeRepeatable(createTextOption('Only this speaker, by full name', 'NAME')),
    timestamps: createFlag('Show the start time of each utterance (text only)'),
  },
  output: { text: ['utterance[]', 'recording-transcript[]'] },
  formats: transcriptFormats,
  rules: [conflicts('at', 'from')],
  examples: [
    'meetings transcript RECORDING --timestamps',
    'meetings transcript latest',
    'meetings transcript "The nose and the cat" --from 0:20',
    'meetings transcript RECORDING --at 0:20 --timestamps',
    'meetings transcript RECORDING --format vtt > meeting.vtt',
    'meetings transcript RECORDING --from 0:20 --to 3:00 --speaker "SPEAKER"',
  ],
  async run(session, { id, from, to, at, speaker, timestamps }) {
    const { format, json, jq } = session.globals;
    const outputFormat = format ?? (json || jq !== undefined ? 'json' : 'text');
    if (timestamps && outputFormat !== 'text') {
      throw new Failure('usage', `--timestamps applies only to text; ${outputFormat} always has times.`);
    }
    if (from !== undefined && to !== undefined && from > to) {
      throw new Failure('usage', '--from must not be later than --to.');
    }
    const { selectTranscript } = await import('../transcripts/transcript-part.ts');
    const select = (whole: RawJson) => selectTranscript(whole, { from, to, at, speakers: speaker });
    const { parts, failure } = await readRecordingParts(session, id, 'transcript', select);
    if (outputFormat === 'vtt' || outputFormat === 'srt') {
      const { part } = requireOnePart(session, id, parts);
      const { formatSrt, formatVtt } = await import('../transcripts/subtitles.ts');
      const text = outputFormat === 'vtt' ? formatVtt(part.value) : formatSrt(part.value);
      return { kind: 'text', text, json: part, failure };
    }
    const terminalText: TextRenderer = async (style) => {
      const { renderTranscript } = await import('../transcripts/transcript-screen.ts');
      const toHeading = (heading: string) => `${style.paint.bold(sanitizeLine(heading))}\n`;
      return joinParts(parts, toHeading, ({ value }) => renderTranscript(value, { timestamps }, style));
    };
    return {
      kind: 'text',
      text: joinParts(
        parts,
        (heading) => `${heading}\n`,
        ({ value }) => formatTranscript(value, { timestamps }),
      ),
      terminalText,
      json: toPartsJson(parts, 'transcript'),
      failure,
    };
  },
});

export const summary = defineCommand({
  name: 'summary',
  exitCodes: [6],
  summary: 'Print the summary of a recording or a meeting',
  description: `Print the summary of a recording as Markdown. ${meetingDescription} summary.`,
  args: { id: { ...recordingArgument, record: 'finishedRecordings' } },
  output: { text: ['summary', 'recording-summary[]'] },
  examples: [
    'meetings summary latest',
    'meetings summary RECORDING',
    'meetings summary "The nose and the cat"',
    'meetings summary RECORDING --jq ".action_items[]"',
  ],
  async run(session, { id }) {
    const { parts, failure } = await readRecordingParts(session, id, 'summary');
    const text = joinParts(
      parts,
      (heading) => `# ${heading}\n`,
      ({ value }) => renderSummary(value),
    );
    const terminalText: TextRenderer = async (style) => {
      const { renderMarkdown } = await import('../render/terminal-markdown.ts');
      return renderMarkdown(text, style)
        .map((line) => `${line}\n`)
        .join('');
    };
    return { kind: 'text', text, terminalText, json: toPartsJson(parts, 'summary'), failure };
  },
});

const get = defineCommand({
  name: 'get',
  output: { records: ['recordings', 'recordings[]'] },
  summary: routes.get.summary,
  description:
    `${routes.get.summary}. Accepts a recording's id, or a meeting's id, date or part of its title, or latest. If the ` +
    'meeting has several recordings, kith prints all of them, and JSON is an array.',
  args: { id: recordingArgument },
  examples: [
    'recordings get RECORDING',
    'recordings get RECORDING --json',
    'recordings get latest --jq .status',
  ],
  async run(session, { id }) {
    const [first, ...others] = await readRecordings(session, id);
    if (first && others.length === 0) return { kind: 'record', record: first, view };
    const records = first ? [first, ...others] : [];
    return { kind: 'records', batches: toBatch(records), view, isDetailed: true };
  },
});

export const recordings = [get, summary, transcript];

/** Joins the texts of recordings. If there are several, each has a heading. */
function joinParts(
  parts: readonly RecordingPart[],
  formatHeading: (heading: string) => string,
  formatPart: (part: RawJson) => string,
): string {
  return parts
    .map(({ heading, part }) => [...(heading ? [formatHeading(heading)] : []), formatPart(part)].join('\n'))
    .join('\n');
}

/** An option for a time in a recording, in seconds. Accepts `12:30`, `1:02:30` and `750`. */
function offsetOption(summary: string): Option<number | undefined> {
  return {
    summary,
    placeholder: 'TIME',
    parse(typed) {
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
    },
  };
}
