import type { Utterance } from '../../contract/recordings.ts';
import { type MeetingRecording, storeMeeting } from '../calendar/store-meetings.ts';
import type { Database } from '../db/database.ts';
import type { Dialogue, SampleMeeting } from './sample.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

const unknown = { ended_at: null, audio_duration: null, summary: null, transcript: null };
const pending = { status: 'processing', ...unknown } as const;

/** Writes a meeting of the sample with its recordings. */
export async function writeMeeting(db: Database, meeting: SampleMeeting): Promise<void> {
  const { title, start_at, end_at, conference_link, conference_type, attendees } = meeting;
  const startsAt = Date.parse(start_at);
  const endsAt = Date.parse(end_at);
  const recordings = [createFirstRecording(meeting, startsAt + 40_000)];
  if (meeting.second_recording) recordings.push({ ...pending, started_at: endsAt - 2 * minute });
  const event = { source: null, title, start_at, end_at, conference_link, conference_type, attendees };
  const stamps = { created_at: startsAt - 6 * day, updated_at: endsAt + 12 * minute };
  await storeMeeting(db, event, recordings, stamps);
}

function createFirstRecording(meeting: SampleMeeting, started_at: number): MeetingRecording {
  const { status, language, summary, topics, action_items } = meeting;
  if (status === 'processing') return { ...pending, started_at };
  const transcript = buildTranscript(meeting.transcript, language);
  const audio_duration = measureDuration(transcript);
  return {
    status: 'done',
    started_at,
    ended_at: started_at + audio_duration * 1000,
    audio_duration,
    summary: { summary, topics, action_items, detected_language: language },
    transcript,
  };
}

/** Seconds of silence after a word. */
const pauses = { word: 0.05, comma: 0.22, sentence: 0.5, utterance: 0.7 } as const;

/** Japanese has no spaces: a phrase is a run of kanji or katakana with the hiragana after it, or a run of one script. */
const japaneseWord =
  /[\p{Script=Han}々〇\d０-９]+\p{Script=Hiragana}*|[\p{Script=Katakana}ー]+\p{Script=Hiragana}*|\p{Script=Hiragana}+|[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}、。！？「」（）]+/u;
const japanesePhrase = new RegExp(`[「（]*(?:${japaneseWord.source})[、。！？」）…]*|\\S`, 'gu');

/** Builds a transcript with the time of each word, at a natural pace. */
export function buildTranscript(dialogue: Dialogue, language: string): Utterance[] {
  let clock = 1.2;
  return dialogue.map((utterance) => {
    const [[name, text] = ['', '']] = Object.entries(utterance);
    const words = splitWords(text, language).map((word) => {
      const start = clock;
      clock += estimateDuration(word, language);
      const end = clock;
      clock += choosePause(word);
      return { text: word, start_timestamp: toOffset(start), end_timestamp: toOffset(end) };
    });
    clock += pauses.utterance;
    return { participant: { name }, words, language_code: language };
  });
}

/** Returns the end of the last word, rounded up to whole seconds. */
export function measureDuration(transcript: readonly Utterance[]): number {
  return Math.ceil(transcript.at(-1)?.words.at(-1)?.end_timestamp.relative ?? 0);
}

function splitWords(text: string, language: string): string[] {
  return language === 'ja' ? (text.match(japanesePhrase) ?? []) : text.split(/[ \n]+/).filter(Boolean);
}

function estimateDuration(word: string, language: string): number {
  const letters = word.replace(/[^\p{L}\p{N}]/gu, '').length;
  const perLetter = language === 'ja' || language === 'ko' ? 0.15 : 0.062;
  return 0.08 + letters * perLetter;
}

function choosePause(word: string): number {
  if (/[.?!…。？！؟]["”»)]?$/u.test(word)) return pauses.sentence;
  return /[,;:、،–—]$/u.test(word) ? pauses.comma : pauses.word;
}

const toOffset = (seconds: number) => ({ relative: Math.round(seconds * 1000) / 1000 });
