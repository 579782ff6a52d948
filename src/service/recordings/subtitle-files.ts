import { Failure } from '../../contract/errors.ts';
import type { Utterance } from '../../contract/recordings.ts';
import type { TextFile } from '../../contract/workspace.ts';
import { joinNames, quote } from '../../values/text.ts';
import { endsUnspaced, hasUnspaced, startsUnspaced } from '../../values/unspaced-scripts.ts';
import { findSpeakers, type Speech } from './speakers.ts';
import { createFileFailure, normalizeText, truncate } from './text-file.ts';

/** The transcript of a subtitle file. */
export interface Subtitles {
  readonly transcript: Utterance[];
  /** Why cues could not be read, with their lines. */
  readonly problems: readonly string[];
  /** Sentences about uncertain speakers. */
  readonly notes: readonly string[];
}

/** Lines between empty lines. */
interface Block {
  readonly lines: string[];
  /** The number of the first line, from 1. */
  readonly line: number;
}

/**
 * Parses a WebVTT file (W3C, 6 and 7). Speakers come from voice tags or from `Name:` before a text.
 * @throws {Failure} `usage` if no cue can be read.
 */
export function parseWebVtt(file: TextFile, language: string): Subtitles {
  const lines = normalizeText(file).split('\n');
  if (!/^WEBVTT([ \t]|$)/.test(lines[0] ?? ''))
    throw createFileFailure(file, 'A WebVTT file must begin with WEBVTT.', 1);
  const [header, ...blocks] = splitBlocks(lines);
  // The first cue may follow the header without an empty line.
  const first = header?.lines.findIndex((line) => line.includes('-->')) ?? -1;
  if (header && first > 0) blocks.unshift({ lines: header.lines.slice(first), line: header.line + first });
  const cues = blocks.filter(({ lines }) => !/^(NOTE|STYLE|REGION)([ \t]|$)/.test(lines[0] ?? ''));
  return parseCues(file, cues, language);
}

/** Parses a SubRip file. @throws {Failure} `usage` if no cue can be read. */
export function parseSubRip(file: TextFile, language: string): Subtitles {
  return parseCues(file, splitBlocks(normalizeText(file).split('\n')), language);
}

/** Whether a line has the times of a cue, even if they cannot be read. */
const isTiming = (line = '') =>
  line.includes('-->') || /^\s*\d+:\d\d\S*\s*[^\s\d]{1,3}\s*\d+:\d\d\S*\s*$/.test(line);

function splitBlocks(lines: readonly string[]): Block[] {
  const blocks: Block[] = [];
  let isOpen = false;
  for (const [index, line] of lines.entries()) {
    const last = isOpen ? blocks.at(-1) : undefined;
    if (isTiming(line) && last?.lines.some(isTiming)) {
      // The empty line before this cue is missing.
      const number = /^\s*\d+\s*$/.test(last.lines.at(-1) ?? '') ? last.lines.splice(-1) : [];
      blocks.push({ lines: [...number, line], line: index + 1 - number.length });
    } else if (line.trim() !== '') {
      if (last) last.lines.push(line);
      else blocks.push({ lines: [line], line: index + 1 });
    }
    isOpen = line.trim() !== '';
  }
  return blocks;
}

function parseCues(file: TextFile, blocks: readonly Block[], language: string): Subtitles {
  const failures: Failure[] = [];
  const timedCues = blocks.flatMap((block) => {
    const cue = parseCue(file, block);
    if (cue instanceof Failure) failures.push(cue);
    return cue instanceof Failure ? [] : [cue];
  });
  const { speeches, ignored } = parseSpeeches(timedCues.map(({ lines }) => lines));
  const segmenter = new Intl.Segmenter(language, { granularity: 'word' });
  const cues = timedCues.map(({ start, end }, index) => {
    const words = (speeches[index] ?? []).flatMap(({ speaker, text }) =>
      splitWords(text, segmenter).map((text) => ({ speaker, text })),
    );
    return { start, end, words };
  });
  const transcript = buildUtterances(cues, language);
  if (transcript.length === 0) throw failures[0] ?? createFileFailure(file, 'The transcript has no words.');
  const notes =
    ignored.length > 0
      ? [`Not read as speakers, because few cues begin with a name: ${joinNames(ignored, quote)}.`]
      : [];
  const unknown = cues.filter(({ words }) => words.some(({ speaker }) => speaker === ''));
  if (transcript.some(({ participant }) => participant.name !== '') && unknown.length > 0)
    notes.push(`The speaker is unknown in ${unknown.length} of ${cues.length} cues.`);
  return { transcript, problems: failures.map(({ message }) => message), notes };
}

const time = String.raw`(?:(\d+):)?([0-5]?\d):([0-5]\d)(?:[.,](\d{1,3}))?`;
const timing = new RegExp(String.raw`^\s*${time}\s*-->\s*${time}(?:\s.*)?$`);

/** Returns the times of a cue in seconds and its text lines, or a failure. A line before the times is its identifier. */
function parseCue(file: TextFile, { lines, line: firstLine }: Block) {
  const index = isTiming(lines[0]) ? 0 : 1;
  const line = firstLine + index;
  const match = timing.exec(lines[index] ?? '');
  if (!match) {
    const text = truncate(lines[index] ?? lines[0] ?? '');
    const message = `Expected times such as 00:01:02.500 --> 00:01:04.000, not "${text}".`;
    return createFileFailure(file, message, Math.min(line, firstLine + lines.length - 1));
  }
  const [start, end] = [toSeconds(match.slice(1, 5)), toSeconds(match.slice(5, 9))];
  if (end < start) return createFileFailure(file, 'The cue ends before it starts.', line);
  return { start, end, lines: lines.slice(index + 1) };
}

function toSeconds([hours = '0', minutes, seconds, fraction = '']: readonly (string | undefined)[]): number {
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) + Number(`0.${fraction}`);
}

const voiceTag = /<v(?:\.[^\s>]*)?[ \t]+([^>]*)>/;

/** Finds the speakers of cues: by voice tags if the file has any, which apply to all lines of a cue, or by names. */
function parseSpeeches(cues: readonly (readonly string[])[]): ReturnType<typeof findSpeakers> {
  if (cues.some((lines) => voiceTag.test(lines.join(' '))))
    return { speeches: cues.map((lines) => splitVoices(lines.join(' '))), ignored: [] };
  return findSpeakers(cues.map((lines) => lines.map(removeMarkup).filter(Boolean)));
}

/** Splits a text at its voice tags. Text without one has no speaker. */
function splitVoices(cue: string): Speech[] {
  const [before = '', ...tagged] = cue.split(voiceTag);
  const speeches = [{ speaker: '', text: removeMarkup(before) }];
  for (let index = 0; index < tagged.length; index += 2) {
    const [inside = '', ...outside] = (tagged[index + 1] ?? '').split('</v>');
    speeches.push({ speaker: removeMarkup(tagged[index] ?? ''), text: removeMarkup(inside) });
    speeches.push({ speaker: '', text: removeMarkup(outside.join(' ')) });
  }
  return speeches;
}

const entities = new Map(
  Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', lrm: '', rlm: '' }),
);

function removeMarkup(text: string): string {
  return text
    .replace(/<\/?[a-z][^<>]*>|<\d[\d:.]*>|\{\\[^}]*\}/gi, '')
    .replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w+));/gi, (entity, decimal, hex, name) => {
      const code = decimal ? Number(decimal) : Number.parseInt(hex ?? '', 16);
      if (name !== undefined) return entities.get(String(name).toLowerCase()) ?? entity;
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : entity;
    })
    .replace(/\s+/g, ' ')
    .trim();
}

/** A subtitle, with times in seconds. Most cues have one speaker. */
interface Cue {
  readonly start: number;
  readonly end: number;
  readonly words: readonly { readonly speaker: string; readonly text: string }[];
}

/**
 * Converts cues to utterances with the time of each word. Consecutive cues of one speaker are one utterance. The words
 * of a cue share its time by their letters. No word starts before the previous one ends, even if cues overlap.
 */
function buildUtterances(cues: readonly Cue[], language_code: string): Utterance[] {
  const utterances: Utterance[] = [];
  let clock = 0;
  for (const { start, end, words } of cues.toSorted((left, right) => left.start - right.start)) {
    const total = words.reduce((sum, { text }) => sum + countLetters(text), 0);
    const from = Math.max(start, clock);
    const duration = Math.max(end, from) - from;
    let letters = 0;
    for (const { speaker: name, text } of words) {
      const start_timestamp = toOffset(from + (duration * letters) / total);
      letters += countLetters(text);
      const end_timestamp = toOffset(from + (duration * letters) / total);
      clock = end_timestamp.relative;
      const word = { text, start_timestamp, end_timestamp };
      const last = utterances.at(-1);
      if (last?.participant.name === name) last.words.push(word);
      else utterances.push({ participant: { name }, words: [word], language_code });
    }
  }
  return utterances;
}

/** Returns at least 1, because a dash or a number sign takes time too. */
function countLetters(word: string): number {
  return Math.max(1, word.replace(/[^\p{L}\p{N}]/gu, '').length);
}

const toOffset = (seconds: number) => ({ relative: Math.round(seconds * 1000) / 1000 });

/** Splits a text at spaces, and in scripts without spaces by the rules of the language. */
function splitWords(text: string, segmenter: Intl.Segmenter): string[] {
  const chunks = text.split(/\s+/).filter(Boolean);
  return chunks.flatMap((chunk) =>
    hasUnspaced(chunk) ? [...segmenter.segment(chunk)].reduce<string[]>(appendSegment, []) : [chunk],
  );
}

/** Adds a segment as a new word between unspaced scripts; otherwise, and for punctuation, to the last word. */
function appendSegment(words: string[], { segment, isWordLike }: Intl.SegmentData): string[] {
  const last = words.at(-1);
  const startsWord = isWordLike ? !/\p{Ps}$/u.test(last ?? '') : /^\p{Ps}/u.test(segment);
  if (last === undefined || (startsWord && endsUnspaced(last) && startsUnspaced(segment)))
    words.push(segment);
  else words[words.length - 1] = last + segment;
  return words;
}
