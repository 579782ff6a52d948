import { Failure } from '../../contract/errors.ts';
import { transcriptText } from '../../transcripts/transcript.ts';
import type { RawJson } from '../../values/raw-json.ts';
import { command } from '../command.ts';
import { transcriptFormats } from '../flags/formats.ts';
import { offset } from '../flags/offset.ts';
import { flag, repeated, text } from '../flags/options.ts';
import { partOf } from '../flags/recording-part.ts';

export const recordingsTranscript = command({
  name: 'transcript',
  summary: 'Print the transcript of a recording, as text or as subtitles',
  description:
    'Print the transcript of a recording: as text, a paragraph for each turn; as subtitles for a player, WebVTT ' +
    'or SubRip; or as the JSON that was sent. --from, --to and --speaker print a part of it, in whole words. ' +
    'The times in it stay those of the whole recording.',
  args: { id: 'The id of a recording, as `kith events list` shows it' },
  options: {
    from: offset('Only what is said from this time on: 12:30, 1:02:30 or seconds'),
    to: offset('Only what is said before this time'),
    speaker: repeated(text('Only what this person says, by the whole name', 'NAME')),
    timestamps: flag('With the time of each turn; for text'),
  },
  answers: 'text',
  formats: transcriptFormats,
  examples: [
    'recordings transcript RECORDING --timestamps',
    'recordings transcript RECORDING --format vtt > meeting.vtt',
    'recordings transcript RECORDING --from 0:20 --to 3:00 --speaker "SPEAKER"',
  ],
  async run(session, { id, from, to, speaker, timestamps }) {
    const { format, json, jq } = session.globals;
    const wanted = format ?? (json || jq !== undefined ? 'json' : 'text');
    if (timestamps && wanted !== 'text') {
      throw new Failure('usage', `--timestamps is for text: ${wanted} has times of its own.`);
    }
    if (from !== undefined && to !== undefined && from > to) {
      throw new Failure('usage', '--from is after --to.');
    }
    const { transcriptPart } = await import('../../transcripts/transcript-part.ts');
    const transcript = await partOf(session, id, 'transcript');
    const part = transcriptPart(transcript, { from, to, speakers: speaker });
    const isSubtitles = wanted === 'vtt' || wanted === 'srt';
    return {
      kind: 'text',
      text: isSubtitles ? await subtitles(part, wanted) : transcriptText(part.value, { timestamps }),
      json: part,
    };
  },
});

async function subtitles({ value }: RawJson, format: 'vtt' | 'srt'): Promise<string> {
  const { srtOf, vttOf } = await import('../../transcripts/subtitles.ts');
  return format === 'vtt' ? vttOf(value) : srtOf(value);
}
