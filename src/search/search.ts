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

/** What is looked for in transcripts. */
export interface SearchQuery {
  /** With the flag `g`. */
  readonly pattern: RegExp;
  /** Only what these people say: names, without regard to case. */
  readonly speakers?: readonly string[] | undefined;
  /** Seconds before and after a hit of which all that is said is given with it. */
  readonly context: number;
}

/** What somebody says, and when: in seconds from the recording's start, and as a clock shows it. */
export interface TranscriptLine {
  /** null where no time was sent. */
  readonly at: number | null;
  readonly time: string;
  readonly speaker: string;
  readonly text: string;
}

/** A turn in which something was found: the sentences around it. */
export interface Hit extends TranscriptLine, Excerpt {
  readonly before: readonly TranscriptLine[];
  readonly after: readonly TranscriptLine[];
}

/** The turns in which a pattern is found, also from one word to the next, in their order. */
export function findHits(turns: readonly Utterance[], { pattern, speakers, context }: SearchQuery): Hit[] {
  const wanted = speakers && new Set(speakers.map(toSpeakerKey));
  return turns.flatMap((turn, index): Hit[] => {
    if (wanted && !wanted.has(toSpeakerKey(turn.speaker))) return [];
    const { text, places } = buildRunningText(turn);
    const matches = text === '' ? [] : findMatches(text, pattern);
    const [first] = matches;
    if (!first) return [];
    const ranges = findExcerptRanges(text, matches);
    const at = findStart(turn, findWord(places, first.from));
    return [
      {
        at,
        time: formatTime(at),
        speaker: turn.speaker,
        ...buildExcerpt(text, ranges, matches),
        ...findContext(turns, index, context, {
          from: findWord(places, ranges[0]?.from ?? 0),
          to: findWord(places, (ranges.at(-1)?.to ?? 1) - 1),
        }),
      },
    ];
  });
}

/** A turn as one text, with the place in it at which each word begins; a word that says nothing has none. */
function buildRunningText({ words }: Utterance): { text: string; places: WordPosition[] } {
  const places: WordPosition[] = [];
  let text = '';
  let last = '';
  for (const [word, { text: said }] of words.entries()) {
    const next = collapseWhitespace(said).normalize('NFC');
    if (next === '') continue;
    text += findGap(last, next);
    places.push({ word, from: text.length });
    text += next;
    last = next;
  }
  return { text, places };
}

interface WordPosition {
  readonly word: number;
  readonly from: number;
}

/** The number of the word at an index of the running text. */
function findWord(places: readonly WordPosition[], index: number): number {
  return places.findLast(({ from }) => from <= index)?.word ?? 0;
}

function findStart({ words }: Utterance, word: number): number | null {
  return words[word]?.start ?? null;
}

const formatTime = (at: number | null) => (at === null ? '' : formatClock(at));

/** What is found; of places at which nothing but emptiness is found, the first. */
function findMatches(text: string, pattern: RegExp): TextRange[] {
  const all = Array.from(text.matchAll(pattern), ({ 0: found, index }) => ({
    from: index,
    to: index + found.length,
  }));
  const seen = all.filter(({ from, to }) => to > from);
  return seen.length > 0 ? seen : all.slice(0, 1);
}

/** What anybody says before and after some words of a turn, as far as the times of words tell. */
function findContext(
  turns: readonly Utterance[],
  index: number,
  seconds: number,
  shown: TextRange,
): Pick<Hit, 'before' | 'after'> {
  const before: TranscriptLine[] = [];
  const after: TranscriptLine[] = [];
  const turn = turns[index];
  const first = turn && findStart(turn, shown.from);
  const last = turn && findStart(turn, shown.to);
  if (seconds === 0 || typeof first !== 'number' || typeof last !== 'number') return { before, after };
  for (const [place, { speaker, words }] of turns.entries()) {
    const said: Record<'before' | 'after', TimedWord[]> = { before: [], after: [] };
    for (const [number, word] of words.entries()) {
      const { text, start } = word;
      const isShown = place === index && number >= shown.from && number <= shown.to;
      if (isShown || start === undefined || collapseWhitespace(text) === '') continue;
      const isBefore = place === index ? number < shown.from : start < first;
      if (isBefore ? start >= first - seconds : start <= last + seconds)
        said[isBefore ? 'before' : 'after'].push(word);
    }
    if (said.before.length > 0) before.push(toLine(speaker, said.before));
    if (said.after.length > 0) after.push(toLine(speaker, said.after));
  }
  return { before, after };
}

function toLine(speaker: string, words: readonly TimedWord[]): TranscriptLine {
  const at = words[0]?.start ?? null;
  return { at, time: formatTime(at), speaker, text: joinWords(words.map(({ text }) => text)) };
}

/** What is known of a meeting beside its recordings. */
export interface Meeting {
  readonly event_id: string;
  readonly title: string;
  /** ISO 8601 with an offset. */
  readonly start_at: string;
}

/** A hit, and where it is from. */
export interface MeetingHit extends Meeting, Hit {
  readonly recording_id: string;
}

/** What could not be searched, by a name that a person can look for. */
export interface SkippedSource {
  readonly name: string;
  readonly reason: string;
}

/** What both ways to search take. */
export interface SearchOptions {
  readonly search: SearchQuery;
  /** Looks for it elsewhere; without it, here. */
  readonly elsewhere?: ((turns: readonly Utterance[], search: SearchQuery) => Promise<Hit[]>) | undefined;
  readonly onNotSearched: (what: SkippedSource) => void;
  readonly onProgress: (done: number, total: number | undefined) => void;
}

/** The hits in a recording. */
export async function searchRecording(
  { event_id, title, start_at }: Meeting,
  recording_id: string,
  turns: readonly Utterance[],
  { search, elsewhere }: SearchOptions,
): Promise<MeetingHit[]> {
  const hits = elsewhere ? await elsewhere(turns, search) : findHits(turns, search);
  return hits.map((hit) => ({ event_id, recording_id, title, start_at, ...hit }));
}

/**
 * A pattern as it was typed: a text, or a regular expression of JavaScript (flag `u`). Without a capital in it
 * it takes no notice of case, nor with `ignoreCase`. Throws `usage` where it is none.
 */
export function parsePattern(
  typed: string,
  { regex, ignoreCase }: { readonly regex: boolean; readonly ignoreCase: boolean },
): RegExp {
  const pattern = regex ? typed : collapseWhitespace(typed);
  if (pattern === '') throw new Failure('usage', 'The pattern must not be empty.');
  const source = (regex ? pattern : pattern.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).normalize('NFC');
  // `\S` and `\p{Lu}` are no capitals.
  const letters = regex ? pattern.replace(/\\p\{[^}]*\}|\\./giu, '') : pattern;
  try {
    return new RegExp(source, ignoreCase || !/\p{Lu}/u.test(letters) ? 'giu' : 'gu');
  } catch (error) {
    const reason = getErrorMessage(error);
    throw new Failure('usage', `${reason}.`, { cause: error });
  }
}
