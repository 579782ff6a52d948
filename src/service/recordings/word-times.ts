import type { Turn, Word } from '../../contract/recordings.ts';

/** What somebody says without a break. */
export interface Speech {
  readonly speaker: string;
  readonly text: string;
}

/** What is said between two times, in seconds; most cues have one speaker. */
export interface Cue {
  readonly start: number;
  readonly end: number;
  readonly speeches: readonly Speech[];
}

/**
 * Cues as turns with the time of each word. Cues of one speaker that follow each other are one turn; the words
 * of a cue share its time by their letters. No word starts before the one before it ends, also where cues overlap.
 */
export function buildUtterances(cues: readonly Cue[], language: string): Turn[] {
  const turns: Turn[] = [];
  const wordsIn = createWordSplitter(language);
  let clock = 0;
  for (const { start, end, speeches } of [...cues].sort((one, other) => one.start - other.start)) {
    const said = speeches.flatMap(({ speaker, text }) => wordsIn(text).map((word) => ({ speaker, word })));
    const weights = said.map(({ word }) => countLetters(word));
    const whole = weights.reduce((sum, weight) => sum + weight, 0);
    const from = Math.max(start, clock);
    const length = Math.max(end, from) - from;
    let passed = 0;
    for (const [index, { speaker, word }] of said.entries()) {
      const begin = toOffset(from + (length * passed) / whole);
      passed += weights[index] ?? 0;
      const stop = toOffset(from + (length * passed) / whole);
      clock = stop.relative;
      append(turns, speaker, { text: word, start_timestamp: begin, end_timestamp: stop }, language);
    }
  }
  return turns;
}

function append(turns: Turn[], name: string, word: Word, language_code: string): void {
  const last = turns.at(-1);
  if (last?.participant.name === name) last.words.push(word);
  else turns.push({ participant: { name }, words: [word], language_code });
}

/** How much of a cue's time a word takes; a dash or a number sign takes some as well. */
function countLetters(word: string): number {
  return Math.max(1, word.replace(/[^\p{L}\p{N}]/gu, '').length);
}

const toOffset = (seconds: number) => ({ relative: Math.round(seconds * 1000) / 1000 });

/** Scripts that are written without spaces between words, with their punctuation and wide forms. */
const unspaced = '[\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Thai}…\\uff01-\\uff60]';
const isUnspaced = new RegExp(unspaced, 'u');
const endsUnspaced = new RegExp(`${unspaced}$`, 'u');
const startsUnspaced = new RegExp(`^${unspaced}`, 'u');

/** The words of a text: between spaces, and in scripts without spaces as the language has them. */
function createWordSplitter(language: string): (text: string) => string[] {
  let segmenter: Intl.Segmenter | undefined;
  return (text) =>
    text
      .split(/\s+/)
      .filter(Boolean)
      .flatMap((chunk) => {
        if (!isUnspaced.test(chunk)) return [chunk];
        segmenter ??= new Intl.Segmenter(language, { granularity: 'word' });
        return [...segmenter.segment(chunk)].reduce<string[]>(appendSegment, []);
      });
}

/** Adds a part to words: as one of its own where no space is missed, and with punctuation at its word. */
function appendSegment(words: string[], { segment, isWordLike }: Intl.SegmentData): string[] {
  const last = words.at(-1);
  const opens = isWordLike ? !/\p{Ps}$/u.test(last ?? '') : /^\p{Ps}/u.test(segment);
  if (last === undefined || (opens && endsUnspaced.test(last) && startsUnspaced.test(segment)))
    words.push(segment);
  else words[words.length - 1] = last + segment;
  return words;
}
