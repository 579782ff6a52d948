import type { Result } from '../../contract/documents/results.ts';
import { Failure, getErrorMessage } from '../../contract/errors.ts';
import { collapseWhitespace } from '../../render/text/sanitize.ts';
import { findSentences, type TextRange } from '../sentences.ts';
import {
  formatClock,
  joinWords,
  locateWords,
  type TimedWord,
  toSpeakerKey,
  type Utterance,
} from '../transcript.ts';

/** A search for a pattern in transcripts. */
export interface SearchQuery {
  /** Must have the flag `g`. */
  readonly pattern: RegExp;
  /** Only these speakers, by full name, ignoring case. */
  readonly speakers?: readonly string[] | undefined;
  /** Seconds of context before and after each hit. */
  readonly context: number;
}

/** A part of an utterance, with its start in seconds from the recording's start and as a clock time. */
export type TranscriptLine = Result<'transcript-match'>['before'][number];

/** An utterance with matches, reduced to the sentences around them. */
export type Hit = Omit<Result<'transcript-match'>, 'recording_id' | keyof Meeting>;

/** Finds the utterances that match a pattern. A match may span several words. */
export function findHits(utterances: readonly Utterance[], { pattern, speakers, context }: SearchQuery) {
  const speakerKeys = speakers && new Set(speakers.map(toSpeakerKey));
  return utterances.flatMap(({ speaker, words }, index): Hit[] => {
    if (speakerKeys && !speakerKeys.has(toSpeakerKey(speaker))) return [];
    const { text, starts } = locateWords(words.map(({ text }) => text.normalize('NFC')));
    const matches = text === '' ? [] : findMatches(text, pattern);
    const [first] = matches;
    if (!first) return [];
    const findWord = (index: number) => starts.findLastIndex((start) => start <= index);
    const { excerpt, from, to } = buildExcerpt(text, matches);
    const excerptWords = { from: findWord(from), to: findWord(to - 1) };
    const lines = findContext(utterances, index, context, excerptWords);
    return [{ ...formatTime(words[findWord(first.from)]), speaker, ...excerpt, ...lines }];
  });
}

function formatTime(word: TimedWord | undefined): Pick<TranscriptLine, 'at' | 'time'> {
  const at = word?.start ?? null;
  return { at, time: at === null ? '' : formatClock(at) };
}

/** Finds all matches that are not empty, or else the first empty one. */
function findMatches(text: string, pattern: RegExp): TextRange[] {
  const all = Array.from(text.matchAll(pattern), ({ 0: { length }, index: from }) => ({
    from,
    to: from + length,
  }));
  const filledRanges = all.filter(({ from, to }) => to > from);
  return filledRanges.length > 0 ? filledRanges : all.slice(0, 1);
}

/** Finds the words shortly before and after the excerpt of an utterance. Words without a time are omitted. */
function findContext(
  utterances: readonly Utterance[],
  index: number,
  seconds: number,
  excerptRange: TextRange,
) {
  const first = utterances[index]?.words[excerptRange.from]?.start;
  const last = utterances[index]?.words[excerptRange.to]?.start;
  if (seconds === 0 || first === undefined || last === undefined) return { before: [], after: [] };
  const findLines = (isContext: (start: number, place: number, word: number) => boolean) =>
    utterances.flatMap(({ speaker, words }, place): TranscriptLine[] => {
      const context = words.filter(
        ({ text, start }, word) =>
          start !== undefined && isContext(start, place, word) && collapseWhitespace(text) !== '',
      );
      const text = joinWords(context.map(({ text }) => text));
      return text === '' ? [] : [{ ...formatTime(context[0]), speaker, text }];
    });
  return {
    before: findLines(
      (start, place, word) =>
        start >= first - seconds && (place === index ? word < excerptRange.from : start < first),
    ),
    after: findLines(
      (start, place, word) =>
        start <= last + seconds && (place === index ? word > excerptRange.to : start >= first),
    ),
  };
}

/** Maximum characters before and after a match. A longer sentence is truncated. */
const maxContext = 200;

/** Reduces a text to the sentences that contain matches. `from` and `to` are the range of these in the text. */
function buildExcerpt(text: string, matches: readonly TextRange[]) {
  const sentences = findSentences(text);
  const ranges: { readonly from: number; to: number; readonly matches: TextRange[] }[] = [];
  let first = 0;
  for (const match of matches) {
    while (first < sentences.length - 1 && (sentences[first]?.to ?? 0) <= match.from) first += 1;
    let last = first;
    while ((sentences[last]?.to ?? match.to) < match.to) last += 1;
    const start = findWordBoundary(text, match.from - maxContext, 'next');
    const end = findWordBoundary(text, match.to + maxContext, 'previous');
    const from = Math.max(sentences[first]?.from ?? 0, start);
    const to = Math.min(sentences[last]?.to ?? text.length, end);
    const range = ranges.at(-1);
    if (range && from <= range.to + 1) {
      range.to = Math.max(range.to, to);
      range.matches.push(match);
    } else ranges.push({ from, to, matches: [match] });
  }
  const from = ranges[0]?.from ?? 0;
  const to = ranges.at(-1)?.to ?? 0;
  let excerpt = sentences.some((sentence) => sentence.from === from) ? '' : '… ';
  const shiftedWords: { text: string; start: number; end: number }[] = [];
  for (const [index, range] of ranges.entries()) {
    if (index > 0) excerpt += ' … ';
    const offset = excerpt.length - range.from;
    for (const { from, to } of range.matches) {
      if (from === to || from < range.from || to > range.to) continue;
      shiftedWords.push({ text: text.slice(from, to), start: from + offset, end: to + offset });
    }
    excerpt += text.slice(range.from, range.to);
  }
  if (!sentences.some((sentence) => sentence.to === to)) excerpt += ' …';
  return { excerpt: { text: excerpt, matches: shiftedWords }, from, to };
}

/** Maximum distance of a word boundary from the place to truncate at. */
const maxWordLength = 20;

/** Returns the next or previous place where a word begins or ends, or else one that does not split a character. */
function findWordBoundary(text: string, index: number, direction: 'next' | 'previous'): number {
  const space = direction === 'next' ? text.indexOf(' ', index) : text.lastIndexOf(' ', index);
  if (space >= 0 && Math.abs(space - index) < maxWordLength) return direction === 'next' ? space + 1 : space;
  return /[\udc00-\udfff]/.test(text.charAt(index)) ? index + 1 : index;
}

/** A meeting without its recordings. */
export type Meeting = Pick<Result<'transcript-match'>, 'event_id' | 'title' | 'start_at'>;

/** A hit with its meeting and recording. */
export type MeetingHit = Result<'transcript-match'>;

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
  typedPattern: string,
  { regex, ignoreCase }: Record<'regex' | 'ignoreCase', boolean>,
) {
  const pattern = regex ? typedPattern : collapseWhitespace(typedPattern);
  if (pattern === '') throw new Failure('usage', 'The pattern must not be empty.');
  const source = (regex ? pattern : pattern.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).normalize('NFC');
  // The letters of `\S` and `\p{Lu}` do not count as capitals.
  const letters = regex ? pattern.replace(/\\p\{[^}]*\}|\\./giu, '') : pattern;
  try {
    return new RegExp(source, ignoreCase || !/\p{Lu}/u.test(letters) ? 'giu' : 'gu');
  } catch (error) {
    throw new Failure('usage', `${getErrorMessage(error)}.`, { cause: error });
  }
}
