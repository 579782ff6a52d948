import type { Utterance, Word } from '../../contract/recordings.ts';
import type { TextFile } from '../../contract/workspace.ts';
import { unspacedCharacter } from '../../values/text.ts';
import { createFileFailure, normalizeText, truncate } from './text-file.ts';

/** Lines between empty lines. */
interface Block {
  readonly lines: readonly string[];
  /** The number of the first line, from 1. */
  readonly line: number;
}

/** The text of one speaker in a cue. */
interface Speech {
  readonly speaker: string;
  readonly text: string;
}

/** A subtitle; times in seconds. Most cues have one speaker. */
interface Cue {
  readonly start: number;
  readonly end: number;
  readonly speeches: readonly Speech[];
}

/**
 * Parses a WebVTT file (W3C, 6 and 7). Speakers come from voice tags or from `Name:` before a text.
 * @throws {Failure} `usage` with the line that cannot be read.
 */
export function parseWebVtt(file: TextFile, language: string): Utterance[] {
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

/** Parses a SubRip file. @throws {Failure} `usage` with the line that cannot be read. */
export function parseSubRip(file: TextFile, language: string): Utterance[] {
  return parseCues(file, splitBlocks(normalizeText(file).split('\n')), language);
}

function splitBlocks(lines: readonly string[]): Block[] {
  const blocks: { lines: string[]; line: number }[] = [];
  let isOpen = false;
  for (const [index, line] of lines.entries()) {
    const isEmpty = line.trim() === '';
    if (!isEmpty && isOpen) blocks.at(-1)?.lines.push(line);
    else if (!isEmpty) blocks.push({ lines: [line], line: index + 1 });
    isOpen = !isEmpty;
  }
  return blocks;
}

function parseCues(file: TextFile, blocks: readonly Block[], language: string): Utterance[] {
  // In a file with voice tags, untagged text has no speaker. Otherwise a speaker continues until the next name.
  const hasVoices = blocks.some(({ lines }) => lines.some((line) => voiceTag.test(line)));
  let speaker = '';
  const cues = blocks.map((block): Cue => {
    const { start, end, lines } = parseCue(file, block);
    const speeches = lines.flatMap(parseSpeeches).map(({ speaker: name, text }): Speech => {
      speaker = name ?? (hasVoices ? '' : speaker);
      return { speaker, text };
    });
    return { start, end, speeches };
  });
  const utterances = buildUtterances(cues, language);
  if (utterances.length === 0) throw createFileFailure(file, 'The transcript has no words.');
  return utterances;
}

const time = String.raw`(?:(\d+):)?([0-5]?\d):([0-5]\d)[.,](\d{1,3})`;
const timing = new RegExp(String.raw`^\s*${time}\s*-->\s*${time}(?:\s.*)?$`);

/** Returns the times of a cue in seconds, and its text lines. A line before the times is the identifier of the cue. */
function parseCue(file: TextFile, { lines, line: firstLine }: Block) {
  const index = lines[0]?.includes('-->') ? 0 : 1;
  const line = firstLine + index;
  const match = timing.exec(lines[index] ?? '');
  if (!match) {
    const text = truncate(lines[index] ?? lines[0] ?? '');
    const message = `Expected times such as 00:01:02.500 --> 00:01:04.000, not "${text}".`;
    throw createFileFailure(file, message, Math.min(line, firstLine + lines.length - 1));
  }
  const [start = 0, end = 0] = [match.slice(1, 5), match.slice(5, 9)].map(toSeconds);
  if (end < start) throw createFileFailure(file, 'The cue ends before it starts.', line);
  const text = lines.slice(index + 1);
  const nextCue = text.findIndex((line) => line.includes('-->'));
  if (nextCue >= 0)
    throw createFileFailure(file, 'An empty line is missing before this cue.', line + 1 + nextCue);
  // A voice tag applies to all lines of a cue.
  return { start, end, lines: text.some((line) => voiceTag.test(line)) ? [text.join(' ')] : text };
}

function toSeconds([hours, minutes, whole, fraction]: readonly (string | undefined)[]): number {
  const milliseconds = Number((fraction ?? '').padEnd(3, '0'));
  return Number(hours ?? 0) * 3600 + Number(minutes) * 60 + Number(whole) + milliseconds / 1000;
}

const voiceTag = /<v(?:\.[^\s>]*)?[ \t]+([^>]*)>/;

/** Splits a line by speakers; `speaker` is undefined for text without a voice tag or name. */
function parseSpeeches(line: string): { speaker: string | undefined; text: string }[] {
  const [before = '', ...tagged] = line.split(voiceTag);
  const speeches = [parseNamedSpeech(removeMarkup(before))];
  for (let index = 0; index < tagged.length; index += 2) {
    const [inside = '', ...outside] = (tagged[index + 1] ?? '').split('</v>');
    speeches.push({ speaker: removeMarkup(tagged[index] ?? ''), text: removeMarkup(inside) });
    speeches.push({ speaker: undefined, text: removeMarkup(outside.join(' ')) });
  }
  return speeches;
}

/** A word of a name: capitalized, in a script without capitals, a number, in brackets, or a particle such as `van`. */
const nameWord = String.raw`(?:[\p{Lu}\p{Lt}\p{Lo}\p{N}(][^\s:：,;!?]*|van|von|de|da|di|do|du|der|den|del|dos|la|le|bin|ibn|al|e|y)`;
const namePrefix = new RegExp(
  String.raw`^(?!\p{N})(${nameWord}(?: ${nameWord}){0,5})(?::(?: +|$)|：\s*)(.*)$`,
  'u',
);

/** Parses `Mina Seo: Good morning.` Any text before a colon that looks like a name is one. */
function parseNamedSpeech(text: string): { speaker: string | undefined; text: string } {
  const [, name, speech = ''] = namePrefix.exec(text) ?? [];
  return name === undefined || name.length > 60
    ? { speaker: undefined, text }
    : { speaker: name, text: speech };
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

/** Removes tags and decodes entities. */
function removeMarkup(text: string): string {
  return text
    .replace(/<\/?[a-z][^<>]*>|<\d[\d:.]*>|\{\\[^}]*\}/gi, '')
    .replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w+));/gi, (entity, decimal, hex, name) => {
      const code = decimal ? Number(decimal) : Number.parseInt(hex ?? '', 16);
      if (name !== undefined) return entities[String(name).toLowerCase()] ?? entity;
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : entity;
    })
    .replace(/\s+/g, ' ')
    .trim();
}

/**
 * Converts cues to utterances with the time of each word. Consecutive cues of one speaker are one utterance. The words
 * of a cue share its time by their letters. No word starts before the previous one ends, even if cues overlap.
 */
function buildUtterances(cues: readonly Cue[], language: string): Utterance[] {
  const utterances: Utterance[] = [];
  const splitWords = createWordSplitter(language);
  let clock = 0;
  for (const { start, end, speeches } of [...cues].sort((one, other) => one.start - other.start)) {
    const words = speeches.flatMap(({ speaker, text }) =>
      splitWords(text).map((word) => ({ speaker, word })),
    );
    const weights = words.map(({ word }) => countLetters(word));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    const from = Math.max(start, clock);
    const duration = Math.max(end, from) - from;
    let letters = 0;
    for (const [index, { speaker, word }] of words.entries()) {
      const begin = toOffset(from + (duration * letters) / total);
      letters += weights[index] ?? 0;
      const stop = toOffset(from + (duration * letters) / total);
      clock = stop.relative;
      appendWord(utterances, speaker, { text: word, start_timestamp: begin, end_timestamp: stop }, language);
    }
  }
  return utterances;
}

function appendWord(utterances: Utterance[], name: string, word: Word, language_code: string): void {
  const last = utterances.at(-1);
  if (last?.participant.name === name) last.words.push(word);
  else utterances.push({ participant: { name }, words: [word], language_code });
}

/** Returns at least 1, because a dash or a number sign takes time too. */
function countLetters(word: string): number {
  return Math.max(1, word.replace(/[^\p{L}\p{N}]/gu, '').length);
}

const toOffset = (seconds: number) => ({ relative: Math.round(seconds * 1000) / 1000 });

const isUnspaced = new RegExp(unspacedCharacter, 'u');
const endsUnspaced = new RegExp(`${unspacedCharacter}$`, 'u');
const startsUnspaced = new RegExp(`^${unspacedCharacter}`, 'u');

/** Returns a function that splits a text at spaces, and in scripts without spaces by the rules of the language. */
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

/** Adds a segment as a new word between unspaced scripts; otherwise, and for punctuation, to the last word. */
function appendSegment(words: string[], { segment, isWordLike }: Intl.SegmentData): string[] {
  const last = words.at(-1);
  const startsWord = isWordLike ? !/\p{Ps}$/u.test(last ?? '') : /^\p{Ps}/u.test(segment);
  if (last === undefined || (startsWord && endsUnspaced.test(last) && startsUnspaced.test(segment)))
    words.push(segment);
  else words[words.length - 1] = last + segment;
  return words;
}
