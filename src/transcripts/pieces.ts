import { stripUnsafe } from '../render/sanitize.ts';
import { measureWidth } from '../render/width.ts';
import { endsClause, endsSentence } from './sentences.ts';
import { findGap, isUnspaced, missingTimeFailure, type TimedWord, type Utterance } from './transcript.ts';

/** The columns of a line of subtitles. */
export const lineWidth = 42;

/** A part of a turn that stays on one line. Times are seconds from the recording's start. */
export interface Piece {
  readonly text: string;
  readonly width: number;
  /** What stands between it and the piece before, where both are on one line. */
  readonly gap: '' | ' ';
  readonly start: number;
  readonly end: number;
  /** How well a line or a cue ends behind it; behind the name of a speaker no cue does. */
  readonly ending: 'sentence' | 'clause' | 'word' | 'name';
  /** It does not begin a line: it closes what stands before. */
  readonly closes: boolean;
  /** It does not end one: it opens what comes. */
  readonly opens: boolean;
}

const closing = /^[\p{Pe}\p{Pf}.,!?…:;%。、，．！？；：｡､・ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ]/u;
const opening = /[\p{Ps}\p{Pi}¿¡]$/u;

/**
 * The words of a turn as pieces that fit a line; no start lies before one that came earlier, nor an end. `spell`
 * makes a text safe for where it goes. Throws `failed` where a word has no time.
 */
export function piecesOf(
  { words }: Utterance,
  turn: number,
  spell: (text: string) => string,
): readonly Piece[] {
  const pieces: Piece[] = [];
  let before = '';
  let clock = { start: 0, end: 0 };
  for (const word of words) {
    const text = spell(stripUnsafe(word.text));
    if (text === '') continue;
    const times = timesOf(word, turn);
    const start = Math.max(clock.start, times.start);
    clock = { start, end: Math.max(start, clock.end, times.end) };
    for (const piece of piecesIn(text, findGap(before, text), clock)) pieces.push(piece);
    before = text;
  }
  return pieces;
}

/** The pieces of a turn with its speaker's name before them, cut to a line. */
export function namedPieces(name: string, pieces: readonly Piece[]): readonly Piece[] {
  const [first, ...rest] = pieces;
  if (!first) return pieces;
  const [cut = '', ...more] = slices(name, lineWidth - 2);
  const text = `${cut}${more.length > 0 ? '…' : ''}:`;
  const { start } = first;
  const piece: Piece = {
    text,
    width: measureWidth(text),
    gap: '',
    start,
    end: start,
    ending: 'name',
    closes: false,
    opens: false,
  };
  return [piece, { ...first, gap: ' ' }, ...rest];
}

function timesOf({ text, start, end }: TimedWord, turn: number): { start: number; end: number } {
  if (start !== undefined && end !== undefined && Math.max(Math.abs(start), Math.abs(end)) < 1e10) {
    return { start, end };
  }
  throw missingTimeFailure('Subtitles need', text, turn);
}

/** A text as pieces that share its time by their widths. */
function piecesIn(text: string, gap: '' | ' ', { start, end }: { start: number; end: number }): Piece[] {
  const parts = text.split(' ').flatMap((chunk, place) =>
    partsOf(chunk).map((part, index) => ({
      text: part,
      gap: place > 0 && index === 0 ? (' ' as const) : ('' as const),
    })),
  );
  const widths = parts.map((part) => measureWidth(part.text));
  const whole = widths.reduce((sum, width) => sum + width, 0) || 1;
  let passed = 0;
  return parts.map((part, index): Piece => {
    const from = start + ((end - start) * passed) / whole;
    passed += widths[index] ?? 0;
    return {
      text: part.text,
      width: widths[index] ?? 0,
      gap: index === 0 ? gap : part.gap,
      start: from,
      end: index === parts.length - 1 ? end : start + ((end - start) * passed) / whole,
      ending: endsSentence(part.text) ? 'sentence' : endsClause(part.text) ? 'clause' : 'word',
      closes: closing.test(part.text),
      opens: opening.test(part.text),
    };
  });
}

const words = new Intl.Segmenter('und', { granularity: 'word' });
const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** A text without spaces as parts that fit a line. */
function partsOf(text: string): string[] {
  // A segmenter takes far more than linear time.
  return text.length > longText ? (text.match(blocks) ?? []).flatMap(fitted) : fitted(text);
}

const longText = 300;

/** Up to a line of characters, or fewer up to a mark. What belongs to a character stays with it, within reason. */
const blocks = /(?:[^、。！？][\p{M}\u200d]{0,4}){1,42}[、。！？」』]{0,4}|./gsu;

/** Whole where it is short, else by its words, else between its characters. */
function fitted(text: string): string[] {
  const width = measureWidth(text);
  // Where no spaces are written a word may be half a sentence; a short one is kept as it was sent.
  if (width <= (isUnspaced(text) ? lineWidth / 2 : lineWidth)) return [text];
  return Array.from(words.segment(text)).flatMap(({ segment }) =>
    measureWidth(segment) <= lineWidth ? [segment] : slices(segment, lineWidth),
  );
}

/** A text in slices of so many columns at the most, cut between the characters that a person sees. */
function slices(text: string, width: number): string[] {
  const result: string[] = [];
  let slice = '';
  let taken = 0;
  for (const { segment } of graphemes.segment(text)) {
    // What is one character by its code, and still too wide, is a heap of letters.
    const characters = measureWidth(segment) > width ? Array.from(segment) : [segment];
    for (const character of characters) {
      const more = measureWidth(character);
      if (taken + more > width) {
        result.push(slice);
        slice = '';
        taken = 0;
      }
      slice += character;
      taken += more;
    }
  }
  return slice === '' ? result : [...result, slice];
}
