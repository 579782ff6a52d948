import { stripUnsafe } from '../render/sanitize.ts';
import { measureWidth } from '../render/width.ts';
import { endsSentence } from './sentences.ts';
import {
  findGap,
  isUnspaced,
  missingTimeFailure,
  parseTranscript,
  type TimedWord,
  type Utterance,
  unknownSpeaker,
} from './transcript.ts';

/** One or two lines of one speaker. Times are whole milliseconds from the recording's start. */
export interface Cue {
  /** Empty if the service sent no name. */
  readonly speaker: string;
  readonly lines: readonly string[];
  readonly start: number;
  readonly end: number;
}

export interface CueOptions {
  /** Escapes or replaces what the format takes for markup. Must not add white space. */
  readonly escapeText: (text: string) => string;
  /** Whether the first cue of a speaker begins with the speaker's name. */
  readonly hasNames: boolean;
}

const lineWidth = 42;

/** Seconds. */
const longestCue = 7;
const longestSilence = 2;

/** Columns per second. A cue stays long enough to be read if the next one leaves the time, and at least a second. */
const readingSpeed = 20;

/** Minimum milliseconds between the starts of two cues, if the transcript's times are out of order. */
const shortestCue = 500;

/** A piece of text that fits on a line. Times are seconds from the recording's start. */
interface Piece {
  readonly text: string;
  readonly width: number;
  /** What separates it from the piece before it on the same line. */
  readonly gap: '' | ' ';
  readonly start: number;
  readonly end: number;
}

interface Line {
  text: string;
  width: number;
}

interface Draft {
  readonly speaker: string;
  readonly lines: Line[];
  readonly start: number;
  end: number;
}

/**
 * Splits a transcript (specification, 2.9) into cues of at most two lines of 42 columns and one speaker each. The cues
 * keep the order of the transcript and do not overlap, even if the times in it are out of order.
 * @throws {Failure} failed if a word has no time
 */
export function buildCues(transcript: unknown, { escapeText, hasNames }: CueOptions): Cue[] {
  const drafts: Draft[] = [];
  let lastSpeaker = '';
  for (const [index, utterance] of parseTranscript(transcript).entries()) {
    const pieces = splitUtterance(utterance, index, escapeText);
    if (pieces.length === 0) continue;
    const speaker = escapeText(stripUnsafe(utterance.speaker));
    const name = hasNames && speaker !== lastSpeaker ? speaker || unknownSpeaker : undefined;
    for (const draft of wrap(name === undefined ? pieces : addName(name, pieces), speaker))
      drafts.push(draft);
    lastSpeaker = speaker;
  }
  return setTimes(drafts);
}

/** Fills lines and cues greedily. A sentence ends its cue, unless it leaves more than half of the first line free. */
function wrap(pieces: readonly Piece[], speaker: string): Draft[] {
  const drafts: Draft[] = [];
  let isAfterSentence = false;
  for (const { text, width, gap, start, end } of pieces) {
    const draft = drafts.at(-1);
    const line = draft?.lines.at(-1);
    const isSecond = draft?.lines.length === 2;
    const isFull = line && line.width + gap.length + width > lineWidth;
    const isNewCue =
      !draft ||
      !line ||
      (isFull && isSecond) ||
      (isAfterSentence && (isSecond || line.width >= lineWidth / 2)) ||
      (end - draft.start > longestCue && start !== draft.start) ||
      start - draft.end > longestSilence;
    isAfterSentence = endsSentence(text);
    if (isNewCue) {
      drafts.push({ speaker, lines: [{ text, width }], start, end });
      continue;
    }
    if (isFull) draft.lines.push({ text, width });
    else {
      line.text += gap + text;
      line.width += gap.length + width;
    }
    draft.end = end;
  }
  return drafts;
}

function setTimes(drafts: readonly Draft[]): Cue[] {
  const starts: number[] = [];
  for (const { start } of drafts) {
    starts.push(Math.max(toMilliseconds(start), (starts.at(-1) ?? -shortestCue) + shortestCue));
  }
  return drafts.map(({ speaker, lines, end }, index) => {
    const start = starts[index] ?? 0;
    const columns = lines.reduce((sum, { width }) => sum + width, lines.length - 1);
    const isRead = start + toMilliseconds(Math.max(1, columns / readingSpeed));
    const wanted = Math.min(Math.max(toMilliseconds(end), isRead), start + toMilliseconds(longestCue));
    const next = starts[index + 1] ?? Number.POSITIVE_INFINITY;
    return { speaker, lines: lines.map(({ text }) => text), start, end: Math.min(wanted, next) };
  });
}

const toMilliseconds = (seconds: number) => Math.round(seconds * 1000);

/** Punctuation and small kana that must not begin a line, and brackets that must not end one. */
const closing = /^[\p{Pe}\p{Pf}.,!?…:;%。、，．！？；：｡､・ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ]/u;
const opening = /[\p{Ps}\p{Pi}¿¡]$/u;

/** Splits the words of an utterance into pieces whose times never decrease. */
function splitUtterance({ words }: Utterance, index: number, escapeText: CueOptions['escapeText']): Piece[] {
  const pieces: Piece[] = [];
  let textBefore = '';
  let times = { start: 0, end: 0 };
  for (const word of words) {
    const text = escapeText(stripUnsafe(word.text));
    if (text === '') continue;
    const sent = readTimes(word, index);
    const start = Math.max(times.start, sent.start);
    times = { start, end: Math.max(start, times.end, sent.end) };
    for (const piece of splitWord(text, findGap(textBefore, text), times)) {
      const last = pieces.at(-1);
      const isJoined = last && piece.gap === '' && (closing.test(piece.text) || opening.test(last.text));
      if (isJoined && last.width + piece.width <= lineWidth) {
        const width = last.width + piece.width;
        pieces[pieces.length - 1] = { ...last, text: last.text + piece.text, width, end: piece.end };
      } else pieces.push(piece);
    }
    textBefore = text;
  }
  return pieces;
}

function readTimes({ text, start, end }: TimedWord, index: number): { start: number; end: number } {
  if (start !== undefined && end !== undefined && Math.max(Math.abs(start), Math.abs(end)) < 1e10) {
    return { start, end };
  }
  throw missingTimeFailure('Subtitles need', text, index);
}

/** Puts the speaker's name, truncated to a line, in front of the pieces. */
function addName(name: string, [first, ...rest]: readonly Piece[]): Piece[] {
  if (!first) return [];
  const [start = '', ...more] = slice(name, lineWidth - 2);
  const text = `${start}${more.length > 0 ? '…' : ''}:`;
  const piece = { text, width: measureWidth(text), gap: '' as const, start: first.start, end: first.start };
  return [piece, { ...first, gap: ' ' }, ...rest];
}

/** Splits a word that may be a whole sentence. The pieces share its time in proportion to their widths. */
function splitWord(text: string, gap: Piece['gap'], { start, end }: { start: number; end: number }): Piece[] {
  const parts = text.split(' ').flatMap((chunk, index) =>
    splitChunk(chunk).map((part, place) => ({
      text: part,
      width: measureWidth(part),
      gap: place > 0 ? ('' as const) : index > 0 ? (' ' as const) : gap,
    })),
  );
  const total = parts.reduce((sum, { width }) => sum + width, 0) || 1;
  let widthBefore = 0;
  return parts.map((part) => {
    const from = start + ((end - start) * widthBefore) / total;
    widthBefore += part.width;
    return { ...part, start: from, end: start + ((end - start) * widthBefore) / total };
  });
}

const wordSegmenter = new Intl.Segmenter('und', { granularity: 'word' });
const graphemeSegmenter = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** Blocks for the segmenter, which takes more than linear time: up to 42 characters, ending after punctuation. */
const blocks = /(?:[^、。！？][\p{M}\u200d]{0,4}){1,42}[、。！？」』]{0,4}|./gsu;

/** Splits a text without spaces into parts that fit on a line: between words, or between characters. */
function splitChunk(text: string): string[] {
  const split = (block: string): string[] => {
    // In scripts without spaces, a chunk may be half a sentence. A short one stays whole.
    if (measureWidth(block) <= (isUnspaced(block) ? lineWidth / 2 : lineWidth)) return [block];
    return Array.from(wordSegmenter.segment(block)).flatMap(({ segment }) => slice(segment, lineWidth));
  };
  return text.length > 300 ? (text.match(blocks) ?? []).flatMap(split) : split(text);
}

/** Cuts a text into slices of at most `width` columns, between graphemes. */
function slice(text: string, width: number): string[] {
  if (measureWidth(text) <= width) return [text];
  const slices: string[] = [];
  let line: Line = { text: '', width: 0 };
  for (const { segment } of graphemeSegmenter.segment(text)) {
    // A grapheme wider than a line is a heap of letters, such as Hangul jamo.
    const characters = measureWidth(segment) > width ? Array.from(segment) : [segment];
    for (const character of characters) {
      const more = measureWidth(character);
      if (line.width + more > width) {
        slices.push(line.text);
        line = { text: '', width: 0 };
      }
      line = { text: line.text + character, width: line.width + more };
    }
  }
  return line.text === '' ? slices : [...slices, line.text];
}
