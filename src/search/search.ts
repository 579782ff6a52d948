import { Failure, getErrorMessage } from '../contract/errors.ts';
import { collapseWhitespace } from '../render/sanitize.ts';
import type { TextRange } from '../transcripts/sentences.ts';
import {
  findGap,
  formatClock,
  joinWords,
  type TimedWord,
  toSpeakerKey,
  type Utterance,
} from '../transcripts/transcript.ts';
import { buildExcerpt, type Excerpt, findExcerptRanges } from './excerpt.ts';

/** A search for a pattern in transcripts. */
export interface SearchQuery {
  /** Must have the flag `g`. */
  readonly pattern: RegExp;
  /** Only these speakers, by full name, ignoring case. */
  readonly speakers?: readonly string[] | undefined;
  /** Seconds of context before and after each hit. */
  readonly context: number;
}

/** What a speaker says, with its start in seconds from the recording's start and as a clock time. */
export interface TranscriptLine {
  /** null if the service sent no time. */
  readonly at: number | null;
  readonly time: string;
  readonly speaker: string;
  readonly text: string;
}

/** An utterance with matches, reduced to the sentences around them. */
export interface Hit extends TranscriptLine, Excerpt {
  readonly before: readonly TranscriptLine[];
  readonly after: readonly TranscriptLine[];
}

/** Finds the utterances that match a pattern. A match may span several words. */
export function findHits(
  utterances: readonly Utterance[],
  { pattern, speakers, context }: SearchQuery,
): Hit[] {
  const speakerKeys = speakers && new Set(speakers.map(toSpeakerKey));
  return utterances.flatMap((utterance, index): Hit[] => {
    if (speakerKeys && !speakerKeys.has(toSpeakerKey(utterance.speaker))) return [];
    const { text, positions } = buildRunningText(utterance);
    const matches = text === '' ? [] : findMatches(text, pattern);
    const [first] = matches;
    if (!first) return [];
    const ranges = findExcerptRanges(text, matches);
    const at = findStart(utterance, findWord(positions, first.from));
    return [
      {
        at,
        time: formatTime(at),
        speaker: utterance.speaker,
        ...buildExcerpt(text, ranges, matches),
        ...findContext(utterances, index, context, {
          from: findWord(positions, ranges[0]?.from ?? 0),
          to: findWord(positions, (ranges.at(-1)?.to ?? 1) - 1),
        }),
      },
    ];
  });
}

/** Joins the words of an utterance, and records where each word begins. Empty words are left out. */
function buildRunningText({ words }: Utterance): { text: string; positions: WordPosition[] } {
  const positions: WordPosition[] = [];
  let text = '';
  let last = '';
  for (const [word, item] of words.entries()) {
    const next = collapseWhitespace(item.text).normalize('NFC');
    if (next === '') continue;
    text += findGap(last, next);
    positions.push({ word, from: text.length });
    text += next;
    last = next;
  }
  return { text, positions };
}

interface WordPosition {
  readonly word: number;
  readonly from: number;
}

/** Returns the number of the word at an index of the running text. */
function findWord(positions: readonly WordPosition[], index: number): number {
  return positions.findLast(({ from }) => from <= index)?.word ?? 0;
}

function findStart({ words }: Utterance, word: number): number | null {
  return words[word]?.start ?? null;
}

const formatTime = (at: number | null) => (at === null ? '' : formatClock(at));

/** Finds all matches that are not empty, or else the first empty one. */
function findMatches(text: string, pattern: RegExp): TextRange[] {
  const all = Array.from(text.matchAll(pattern), ({ 0: match, index }) => ({
    from: index,
    to: index + match.length,
  }));
  const filled = all.filter(({ from, to }) => to > from);
  return filled.length > 0 ? filled : all.slice(0, 1);
}

/** Finds what is context shortly before and after some words of an utterance. Words without a time are left out. */
function findContext(
  utterances: readonly Utterance[],
  index: number,
  seconds: number,
  shown: TextRange,
): Pick<Hit, 'before' | 'after'> {
  const before: TranscriptLine[] = [];
  const after: TranscriptLine[] = [];
  const utterance = utterances[index];
  const first = utterance && findStart(utterance, shown.from);
  const last = utterance && findStart(utterance, shown.to);
  if (seconds === 0 || typeof first !== 'number' || typeof last !== 'number') return { before, after };
  for (const [place, { speaker, words }] of utterances.entries()) {
    const context: Record<'before' | 'after', TimedWord[]> = { before: [], after: [] };
    for (const [number, word] of words.entries()) {
      const { text, start } = word;
      const isShown = place === index && number >= shown.from && number <= shown.to;
      if (isShown || start === undefined || collapseWhitespace(text) === '') continue;
      const isBefore = place === index ? number < shown.from : start < first;
      if (isBefore ? start >= first - seconds : start <= last + seconds)
        context[isBefore ? 'before' : 'after'].push(word);
    }
    if (context.before.length > 0) before.push(toLine(speaker, context.before));
    if (context.after.length > 0) after.push(toLine(speaker, context.after));
  }
  return { before, after };
}

function toLine(speaker: string, words: readonly TimedWord[]): TranscriptLine {
  const at = words[0]?.start ?? null;
  return { at, time: formatTime(at), speaker, text: joinWords(words.map(({ text }) => text)) };
}

/** A meeting without its recordings. */
export interface Meeting {
  readonly event_id: string;
  readonly title: string;
  /** ISO 8601 with an offset. */
  readonly start_at: string;
}

/** A hit with its meeting and recording. */
export interface MeetingHit extends Meeting, Hit {
  readonly recording_id: string;
}

/** A file or recording that could not be searched. */
export interface SkippedSource {
  readonly name: string;
  readonly reason: string;
}

/** Options of both kinds of search. */
export interface SearchOptions {
  readonly search: SearchQuery;
  /** Finds the hits in another thread; if omitted, in this one. */
  readonly findHits?: ((utterances: readonly Utterance[], search: SearchQuery) => Promise<Hit[]>) | undefined;
  readonly onSkipped: (source: SkippedSource) => void;
  readonly onProgress: (done: number, total: number | undefined) => void;
}

/** Searches a recording. */
export async function searchRecording(
  { event_id, title, start_at }: Meeting,
  recording_id: string,
  utterances: readonly Utterance[],
  { search, findHits: findHitsInThread }: SearchOptions,
): Promise<MeetingHit[]> {
  const hits = findHitsInThread ? await findHitsInThread(utterances, search) : findHits(utterances, search);
  return hits.map((hit) => ({ event_id, recording_id, title, start_at, ...hit }));
}

/**
 * Parses a pattern: plain text, or a JavaScript regular expression with the flag `u`. It is case-insensitive unless it
 * contains a capital and `ignoreCase` is false.
 * @throws {Failure} usage if the pattern is empty or invalid
 */
export function parsePattern(
  typed: string,
  { regex, ignoreCase }: { readonly regex: boolean; readonly ignoreCase: boolean },
): RegExp {
  const pattern = regex ? typed : collapseWhitespace(typed);
  if (pattern === '') throw new Failure('usage', 'The pattern must not be empty.');
  const source = (regex ? pattern : pattern.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).normalize('NFC');
  // The letters of `\S` and `\p{Lu}` do not count as capitals.
  const letters = regex ? pattern.replace(/\\p\{[^}]*\}|\\./giu, '') : pattern;
  try {
    return new RegExp(source, ignoreCase || !/\p{Lu}/u.test(letters) ? 'giu' : 'gu');
  } catch (error) {
    const reason = getErrorMessage(error);
    throw new Failure('usage', `${reason}.`, { cause: error });
  }
}
