import type { Utterance, Word } from '../../contract/recordings.ts';
import type { TextFile } from '../../contract/workspace.ts';
import { fileFailure, normalizeText, truncate } from './text-file.ts';

/** A block of lines between empty ones. */
interface Block {
  readonly lines: readonly string[];
  /** The number of its first line, from 1. */
  readonly at: number;
}

/**
 * The turns of a WebVTT file (W3C, 6 and 7), with the speakers of its voice tags or of `Name:` before a text.
 * Throws `usage` with the line that cannot be read.
 */
export function parseWebVtt(file: TextFile, language: string): Utterance[] {
  const lines = normalizeText(file).split('\n');
  if (!/^WEBVTT([ \t]|$)/.test(lines[0] ?? ''))
    throw fileFailure(file, 'A WebVTT file begins with WEBVTT.', 1);
  const [header, ...blocks] = splitBlocks(lines);
  // What follows the signature up to the first time is about the file.
  const first = header?.lines.findIndex((line) => line.includes('-->')) ?? -1;
  if (header && first > 0) blocks.unshift({ lines: header.lines.slice(first), at: header.at + first });
  const cues = blocks.filter(({ lines }) => !/^(NOTE|STYLE|REGION)([ \t]|$)/.test(lines[0] ?? ''));
  return parseCues(file, cues, language);
}

/** The turns of a SubRip file. Throws `usage` with the line that cannot be read. */
export function parseSubRip(file: TextFile, language: string): Utterance[] {
  return parseCues(file, splitBlocks(normalizeText(file).split('\n')), language);
}

function splitBlocks(lines: readonly string[]): Block[] {
  const blocks: { lines: string[]; at: number }[] = [];
  let isOpen = false;
  for (const [index, line] of lines.entries()) {
    const isEmpty = line.trim() === '';
    if (!isEmpty && isOpen) blocks.at(-1)?.lines.push(line);
    else if (!isEmpty) blocks.push({ lines: [line], at: index + 1 });
    isOpen = !isEmpty;
  }
  return blocks;
}

function parseCues(file: TextFile, blocks: readonly Block[], language: string): Utterance[] {
  // Where voices are marked, a text without one has none; names before texts stay until the next one.
  const hasVoices = blocks.some(({ lines }) => lines.some((line) => voice.test(line)));
  let speaker = '';
  const cues = blocks.map((block): Cue => {
    const { start, end, lines } = parseCue(file, block);
    const speeches = lines.flatMap(parseSpeeches).map(({ speaker: named, text }): Speech => {
      speaker = named ?? (hasVoices ? '' : speaker);
      return { speaker, text };
    });
    return { start, end, speeches };
  });
  const turns = buildUtterances(cues, language);
  if (turns.length === 0) throw fileFailure(file, 'Nobody says anything in it.');
  return turns;
}

const time = String.raw`(?:(\d+):)?([0-5]?\d):([0-5]\d)[.,](\d{1,3})`;
const timing = new RegExp(String.raw`^\s*${time}\s*-->\s*${time}(?:\s.*)?$`);

/** The times of a cue, in seconds, and its lines. Before the times there may be a line with its name. */
function parseCue(file: TextFile, { lines, at }: Block) {
  const index = lines[0]?.includes('-->') ? 0 : 1;
  const line = at + index;
  const read = timing.exec(lines[index] ?? '');
  if (!read) {
    const text = truncate(lines[index] ?? lines[0] ?? '');
    throw fileFailure(
      file,
      `Expected times such as 00:01:02.500 --> 00:01:04.000, not "${text}".`,
      Math.min(line, at + lines.length - 1),
    );
  }
  const [start = 0, end = 0] = [read.slice(1, 5), read.slice(5, 9)].map(toSeconds);
  if (end < start) throw fileFailure(file, 'The cue ends before it starts.', line);
  const said = lines.slice(index + 1);
  const stray = said.findIndex((text) => text.includes('-->'));
  if (stray >= 0) throw fileFailure(file, 'An empty line is missing before this cue.', line + 1 + stray);
  return { start, end, lines: joinVoices(said) };
}

function toSeconds([hours, minutes, whole, fraction]: readonly (string | undefined)[]): number {
  const milliseconds = Number((fraction ?? '').padEnd(3, '0'));
  return Number(hours ?? 0) * 3600 + Number(minutes) * 60 + Number(whole) + milliseconds / 1000;
}

const voice = /<v(?:\.[^\s>]*)?[ \t]+([^>]*)>/;

/** What one voice says over several lines as one line. */
function joinVoices(lines: readonly string[]): string[] {
  return lines.some((line) => voice.test(line)) ? [lines.join(' ')] : [...lines];
}

/** What is said in a line, by whom where that is said. */
function parseSpeeches(line: string): { speaker: string | undefined; text: string }[] {
  const [before = '', ...voiced] = line.split(voice);
  const speeches = [parseNamedSpeech(removeMarkup(before))];
  for (let index = 0; index < voiced.length; index += 2) {
    const [inside = '', ...outside] = (voiced[index + 1] ?? '').split('</v>');
    speeches.push({ speaker: removeMarkup(voiced[index] ?? ''), text: removeMarkup(inside) });
    speeches.push({ speaker: undefined, text: removeMarkup(outside.join(' ')) });
  }
  return speeches;
}

/** A word of a name: with a capital, in a script without them, a number, in brackets, or one such as `van`. */
const named = String.raw`(?:[\p{Lu}\p{Lt}\p{Lo}\p{N}(][^\s:：,;!?]*|van|von|de|da|di|do|du|der|den|del|dos|la|le|bin|ibn|al|e|y)`;
const nameBefore = new RegExp(
  String.raw`^(?!\p{N})(${named}(?: ${named}){0,5})(?::(?: +|$)|：\s*)(.*)$`,
  'u',
);

/** `Mina Seo: Good morning.` What could be a name before a colon is taken for one. */
function parseNamedSpeech(text: string): { speaker: string | undefined; text: string } {
  const [, name, rest] = nameBefore.exec(text) ?? [];
  if (name === undefined || name.length > 60) return { speaker: undefined, text };
  return { speaker: name, text: rest ?? '' };
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  lrm: '',
  rlm: '',
};

/** A text without tags, with its entities as the characters that they stand for. */
function removeMarkup(text: string): string {
  return text
    .replace(/<\/?[a-z][^<>]*>|<\d[\d:.]*>|\{\\[^}]*\}/gi, '')
    .replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w+));/gi, (whole, decimal, hex, name) => {
      const code = decimal ? Number(decimal) : Number.parseInt(hex ?? '', 16);
      if (name !== undefined) return entities[String(name).toLowerCase()] ?? whole;
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    })
    .replace(/\s+/g, ' ')
    .trim();
}

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
export function buildUtterances(cues: readonly Cue[], language: string): Utterance[] {
  const turns: Utterance[] = [];
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

function append(turns: Utterance[], name: string, word: Word, language_code: string): void {
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
