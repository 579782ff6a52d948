import { oneLine } from '../render/one-line.ts';
import type { Range } from '../transcripts/sentences.ts';
import {
  clock,
  gapBetween,
  joined,
  type SpokenTurn,
  type SpokenWord,
  speakerKey,
} from '../transcripts/transcript.ts';
import { type Excerpt, excerptOf, rangesAround } from './excerpt.ts';

/** What is looked for in transcripts. */
export interface Search {
  /** With the flag `g`. */
  readonly pattern: RegExp;
  /** Only what these people say: names, without regard to case. */
  readonly speakers?: readonly string[] | undefined;
  /** Seconds before and after a hit of which all that is said is given with it. */
  readonly context: number;
}

/** What somebody says, and when: in seconds from the recording's start, and as a clock shows it. */
export interface Line {
  /** null where no time was sent. */
  readonly at: number | null;
  readonly time: string;
  readonly speaker: string;
  readonly text: string;
}

/** A turn in which something was found: the sentences around it. */
export interface Hit extends Line, Excerpt {
  readonly before: readonly Line[];
  readonly after: readonly Line[];
}

/** The turns in which a pattern is found, also from one word to the next, in their order. */
export function hitsIn(turns: readonly SpokenTurn[], { pattern, speakers, context }: Search): Hit[] {
  const wanted = speakers && new Set(speakers.map(speakerKey));
  return turns.flatMap((turn, index): Hit[] => {
    if (wanted && !wanted.has(speakerKey(turn.speaker))) return [];
    const { text, places } = runningText(turn);
    const matches = text === '' ? [] : matchesIn(text, pattern);
    const [first] = matches;
    if (!first) return [];
    const ranges = rangesAround(text, matches);
    const at = startAt(turn, wordAt(places, first.from));
    return [
      {
        at,
        time: timeOf(at),
        speaker: turn.speaker,
        ...excerptOf(text, ranges, matches),
        ...around(turns, index, context, {
          from: wordAt(places, ranges[0]?.from ?? 0),
          to: wordAt(places, (ranges.at(-1)?.to ?? 1) - 1),
        }),
      },
    ];
  });
}

/** A turn as one text, with the place in it at which each word begins; a word that says nothing has none. */
function runningText({ words }: SpokenTurn): { text: string; places: Place[] } {
  const places: Place[] = [];
  let text = '';
  let last = '';
  for (const [word, { text: said }] of words.entries()) {
    const next = oneLine(said).normalize('NFC');
    if (next === '') continue;
    text += gapBetween(last, next);
    places.push({ word, from: text.length });
    text += next;
    last = next;
  }
  return { text, places };
}

interface Place {
  readonly word: number;
  readonly from: number;
}

/** The number of the word at an index of the running text. */
function wordAt(places: readonly Place[], index: number): number {
  return places.findLast(({ from }) => from <= index)?.word ?? 0;
}

function startAt({ words }: SpokenTurn, word: number): number | null {
  return words[word]?.start ?? null;
}

const timeOf = (at: number | null) => (at === null ? '' : clock(at));

/** What is found; of places at which nothing but emptiness is found, the first. */
function matchesIn(text: string, pattern: RegExp): Range[] {
  const all = Array.from(text.matchAll(pattern), ({ 0: found, index }) => ({
    from: index,
    to: index + found.length,
  }));
  const seen = all.filter(({ from, to }) => to > from);
  return seen.length > 0 ? seen : all.slice(0, 1);
}

/** What anybody says before and after some words of a turn, as far as the times of words tell. */
function around(
  turns: readonly SpokenTurn[],
  index: number,
  seconds: number,
  shown: Range,
): Pick<Hit, 'before' | 'after'> {
  const before: Line[] = [];
  const after: Line[] = [];
  const turn = turns[index];
  const first = turn && startAt(turn, shown.from);
  const last = turn && startAt(turn, shown.to);
  if (seconds === 0 || typeof first !== 'number' || typeof last !== 'number') return { before, after };
  for (const [place, { speaker, words }] of turns.entries()) {
    const said: Record<'before' | 'after', SpokenWord[]> = { before: [], after: [] };
    for (const [number, word] of words.entries()) {
      const { text, start } = word;
      const isShown = place === index && number >= shown.from && number <= shown.to;
      if (isShown || start === undefined || oneLine(text) === '') continue;
      const isBefore = place === index ? number < shown.from : start < first;
      if (isBefore ? start >= first - seconds : start <= last + seconds)
        said[isBefore ? 'before' : 'after'].push(word);
    }
    if (said.before.length > 0) before.push(lineOf(speaker, said.before));
    if (said.after.length > 0) after.push(lineOf(speaker, said.after));
  }
  return { before, after };
}

function lineOf(speaker: string, words: readonly SpokenWord[]): Line {
  const at = words[0]?.start ?? null;
  return { at, time: timeOf(at), speaker, text: joined(words.map(({ text }) => text)) };
}
