import { maxSpeakerLength, nameColon, unknownSpeaker } from '../contract/speakers.ts';
import { stripUnsafe } from '../render/text/sanitize.ts';
import { measureWidth } from '../render/text/width.ts';
import { escapeMarkup } from '../values/markup.ts';
import { hasUnspaced } from '../values/unspaced-scripts.ts';
import { endsSentence } from './sentences.ts';
import { createMissingTimeFailure, findGap, parseTranscript, type Utterance } from './transcript.ts';

/**
 * Formats a transcript (specification, 2.9) as WebVTT, with the speakers as voice tags.
 * @throws {Failure} failed if a word has no time
 */
export function formatVtt(transcript: unknown): string {
  const blocks = buildCues(transcript, (text) => text, false).map((cue) => {
    // Escaping `>` also takes care of `-->`.
    const voice = cue.speaker === '' ? '' : `<v ${escapeMarkup(cue.speaker)}>`;
    return `${formatTiming(cue, '.')}\n${voice}${cue.lines.map(escapeMarkup).join('\n')}\n`;
  });
  return ['WEBVTT\n', ...blocks].join('\n');
}

/**
 * Formats a transcript (specification, 2.9) as SubRip. If any speaker has a name, each cue begins with one, because
 * nobody can tell who speaks in a cue without a name.
 * @throws {Failure} failed if a word has no time
 */
export function formatSrt(transcript: unknown): string {
  return buildCues(transcript, replaceMarkup, true)
    .map((cue, index) => `${index + 1}\n${formatTiming(cue, ',')}\n${cue.lines.join('\n')}\n`)
    .join('\n');
}

/** SubRip has no escapes, so similar characters replace its markup. */
function replaceMarkup(text: string): string {
  return text
    .replaceAll('-->', '→')
    .replace(/<(?=[/a-z\d])/gi, '‹')
    .replace(/\{(?=\\)/g, '(');
}

/** Formats the times of a cue as `00:01:02.345 --> 00:01:04.567`, with more digits from 100 hours on. */
function formatTiming({ start, end }: Cue, point: ',' | '.'): string {
  const format = (milliseconds: number) => {
    const hours = String(Math.floor(milliseconds / 3_600_000)).padStart(2, '0');
    return hours + new Date(milliseconds).toISOString().slice(13, 23).replace('.', point);
  };
  return `${format(start)} --> ${format(end)}`;
}

/** One or two lines. Times are milliseconds from the recording's start, and whole in a finished cue. */
interface Draft {
  readonly lines: string[];
  /** The width of the last line. */
  width: number;
  readonly start: number;
  end: number;
}

interface Cue extends Draft {
  /** Empty if the service sent no name. */
  readonly speaker: string;
}

const lineWidth = 42;

/** Milliseconds. Two cues start at least `shortestCue` apart, even if the transcript's times are out of order. */
const shortestCue = 500;
const longestCue = 7000;
const longestSilence = 2000;

/** Columns per second. A cue stays long enough to be read if the next one leaves the time, and at least a second. */
const readingSpeed = 20;

/** A piece of text that fits on a line. Times are milliseconds from the recording's start. */
interface Piece {
  readonly text: string;
  readonly width: number;
  /** The separator from the previous piece on the same line. */
  readonly gap: '' | ' ';
  readonly start: number;
  readonly end: number;
}

/**
 * Splits a transcript into cues of at most two lines of 42 columns and one speaker each. The cues keep the order of the
 * transcript and do not overlap, even if the times in it are out of order. `escapeText` escapes or replaces the markup
 * of the format, and must not add white space. With `hasNames`, each cue begins with the speaker's name.
 */
function buildCues(transcript: unknown, escapeText: (text: string) => string, hasNames: boolean): Cue[] {
  const cues: Cue[] = [];
  const utterances = parseTranscript(transcript);
  const isNamed = hasNames && utterances.some(({ speaker }) => stripUnsafe(speaker) !== '');
  for (const [index, utterance] of utterances.entries()) {
    const pieces = splitUtterance(utterance, index, escapeText);
    if (pieces.length === 0) continue;
    const speaker = escapeText(stripUnsafe(utterance.speaker));
    for (const draft of wrap(pieces, isNamed ? formatName(speaker) : '')) {
      const before = cues.at(-1);
      const start = Math.max(Math.round(draft.start), before ? before.start + shortestCue : 0);
      if (before) before.end = Math.min(before.end, start);
      const columns = measureWidth(draft.lines.join(' '));
      const readingTime = Math.max(1000, (columns * 1000) / readingSpeed);
      const end = Math.max(Math.round(draft.end), start + readingTime);
      cues.push({ ...draft, speaker, start, end: Math.min(end, start + longestCue) });
    }
  }
  return cues;
}

/**
 * Fills lines and cues greedily. A sentence ends its cue, unless it leaves more than half of the first line free. Each
 * cue begins with `name`, which is on its own line if the line would be too long.
 */
function wrap(pieces: readonly Piece[], name: string): Draft[] {
  const drafts: Draft[] = [];
  let isAfterSentence = false;
  for (const { text, width, gap, start, end } of pieces) {
    const draft = drafts.at(-1);
    const isSecond = draft?.lines.length === 2;
    const isFull = draft && draft.width + gap.length + width > lineWidth;
    if (
      !draft ||
      (isFull && isSecond) ||
      (isAfterSentence && (isSecond || draft.width >= lineWidth / 2)) ||
      (end - draft.start > longestCue && start !== draft.start) ||
      start - draft.end > longestSilence
    ) {
      const line = name === '' ? text : `${name} ${text}`;
      const lines = measureWidth(line) > lineWidth && name !== '' ? [name, text] : [line];
      drafts.push({ lines, width: measureWidth(lines.at(-1) ?? ''), start, end });
    } else {
      if (isFull) draft.lines.push(text);
      else draft.lines.push(`${draft.lines.pop()}${gap}${text}`);
      draft.width = isFull ? width : draft.width + gap.length + width;
      draft.end = end;
    }
    isAfterSentence = endsSentence(text);
  }
  return drafts;
}

/** Punctuation and small kana that must not begin a line, and brackets that must not end one. */
const closing = /^[\p{Pe}\p{Pf}.,!?…:;%。、，．！？；：｡､・ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ]/u;
const opening = /[\p{Ps}\p{Pi}¿¡]$/u;

/** Splits the words of an utterance into pieces whose times never decrease. */
function splitUtterance({ words }: Utterance, index: number, escapeText: (text: string) => string): Piece[] {
  const pieces: Piece[] = [];
  let textBefore = '';
  let start = 0;
  let end = 0;
  for (const word of words) {
    const text = escapeText(stripUnsafe(word.text));
    if (text === '') continue;
    const { start: from = Number.NaN, end: to = Number.NaN } = word;
    const isTimed = Math.max(Math.abs(from), Math.abs(to)) < 1e10;
    if (!isTimed) throw createMissingTimeFailure('Subtitles need', word.text, index);
    start = Math.max(start, from * 1000);
    end = Math.max(start, end, to * 1000);
    for (const piece of splitWord(text, findGap(textBefore, text), start, end)) {
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

/** Formats a name for the start of a cue, which may be longer than a line: another name would be another speaker. */
function formatName(speaker: string): string {
  const name = speaker.replace(/:(?=\s|$)|：/g, nameColon) || unknownSpeaker;
  return `${Array.from(name).slice(0, maxSpeakerLength).join('')}:`;
}

/** Splits a word that may be a whole sentence. The pieces share its time in proportion to their widths. */
function splitWord(text: string, gap: Piece['gap'], start: number, end: number): Piece[] {
  const parts = text.split(' ').flatMap((chunk, index) =>
    splitChunk(chunk).map((text, place) => {
      const chunkGap: Piece['gap'] = index > 0 ? ' ' : gap;
      return { text, width: measureWidth(text), gap: place > 0 ? '' : chunkGap };
    }),
  );
  const total = parts.reduce((sum, { width }) => sum + width, 0) || 1;
  let widthBefore = 0;
  return parts.map((part): Piece => {
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
    if (measureWidth(block) <= (hasUnspaced(block) ? lineWidth / 2 : lineWidth)) return [block];
    return Array.from(wordSegmenter.segment(block)).flatMap(({ segment }) => slice(segment, lineWidth));
  };
  return text.length > 300 ? (text.match(blocks) ?? []).flatMap(split) : split(text);
}

/** Cuts a text into slices of at most `width` columns, between graphemes. */
function slice(text: string, width: number): string[] {
  if (measureWidth(text) <= width) return [text];
  const slices: string[] = [];
  let lineWidth = width;
  for (const { segment } of graphemeSegmenter.segment(text)) {
    // A grapheme wider than a line is a heap of letters, such as Hangul jamo.
    for (const character of measureWidth(segment) > width ? Array.from(segment) : [segment]) {
      const more = measureWidth(character);
      lineWidth += more;
      if (slices.length > 0 && lineWidth <= width) slices.push(`${slices.pop()}${character}`);
      else {
        slices.push(character);
        lineWidth = more;
      }
    }
  }
  return slices;
}
