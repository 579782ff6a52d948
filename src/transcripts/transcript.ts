import { Failure } from '../contract/errors.ts';
import { collapseWhitespace, stripUnsafe } from '../render/sanitize.ts';
import { readObject } from '../values/json-object.ts';

/** A word of a transcript. Times are seconds from the recording's start; undefined if the service sent none. */
export interface TimedWord {
  readonly text: string;
  readonly start: number | undefined;
  readonly end: number | undefined;
}

/** One speaker's turn, word by word. The speaker is empty if the service sent no name. */
export interface Utterance {
  readonly speaker: string;
  readonly words: readonly TimedWord[];
}

/** An utterance as running text. `start` is in seconds from the recording's start. */
export interface UtteranceText {
  readonly speaker: string;
  readonly text: string;
  readonly start: number | undefined;
}

/** The name shown for a speaker without one. */
export const unknownSpeaker = 'Unknown speaker';

/** Parses a transcript (specification, 2.9). Missing or malformed parts become empty. */
export function parseTranscript(transcript: unknown): Utterance[] {
  return Array.isArray(transcript) ? transcript.map(parseUtterance) : [];
}

/** Parses one utterance of a transcript. */
export function parseUtterance(item: unknown): Utterance {
  const { speaker, words } = readUtterance(item);
  return { speaker, words: words.map(parseWord) };
}

function readUtterance(item: unknown): { readonly speaker: string; readonly words: readonly unknown[] } {
  const { participant, words } = readObject(item);
  return {
    speaker: collapseWhitespace(String(readObject(participant).name ?? '')),
    words: Array.isArray(words) ? words : [],
  };
}

function parseWord(word: unknown): TimedWord {
  const { start_timestamp, end_timestamp } = readObject(word);
  return { text: readWordText(word), start: readOffset(start_timestamp), end: readOffset(end_timestamp) };
}

/** Reads the text of a word without copying the word: an hour has nine thousand of them. */
function readWordText(word: unknown): string {
  const text = typeof word === 'object' && word !== null && 'text' in word ? word.text : undefined;
  return String(text ?? '');
}

function readOffset(timestamp: unknown): number | undefined {
  const { relative } = readObject(timestamp);
  return typeof relative === 'number' && Number.isFinite(relative) ? relative : undefined;
}

/** Converts a transcript into utterances of running text, and drops empty ones. */
export function toUtteranceTexts(transcript: unknown): UtteranceText[] {
  const utterances = Array.isArray(transcript) ? transcript.map(readUtterance) : [];
  return utterances
    .map(({ speaker, words }) => ({
      speaker,
      text: joinWords(words.map(readWordText)),
      start: parseWord(words[0]).start,
    }))
    .filter(({ text }) => text !== '');
}

/** Returns the key that identifies a speaker, ignoring case. */
export function toSpeakerKey(name: string): string {
  return (collapseWhitespace(name) || unknownSpeaker).normalize('NFC').toLowerCase();
}

/** Returns the failure for a word without a time. `feature` is the subject of the message; `index` counts from 0. */
export function missingTimeFailure(feature: string, text: string, index: number): Failure {
  const word = Array.from(stripUnsafe(text)).slice(0, 40).join('');
  return new Failure(
    'failed',
    `${feature} a time for every word, but "${word}" in utterance ${index + 1} has none.`,
  );
}

/** Formats a transcript as plain text, with a paragraph for each utterance. */
export function formatTranscript(transcript: unknown, { timestamps = false } = {}): string {
  return toUtteranceTexts(transcript)
    .map(({ speaker, text, start }) => {
      const time = timestamps && start !== undefined ? `[${formatClock(start)}] ` : '';
      return `${time}${speaker || unknownSpeaker}: ${text}\n`;
    })
    .join('\n');
}

/** Formats seconds as `mm:ss`, or as `h:mm:ss` from an hour on. */
export function formatClock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const two = (part: number) => String(part).padStart(2, '0');
  const hours = Math.floor(whole / 3600);
  const rest = `${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
  return hours > 0 ? `${hours}:${rest}` : rest;
}

/** Characters of scripts without spaces between words, including their punctuation and full-width forms. */
const unspaced = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}…\uff01-\uff60]/u;

/** Joins words with spaces, except in scripts without spaces. */
export function joinWords(words: readonly string[]): string {
  const spaced = collapseWhitespace(words.join(' '));
  if (!isUnspaced(spaced)) return spaced;
  let text = '';
  // Reading the end of a growing text would flatten it for every word.
  let last = '';
  for (const word of words) {
    const next = collapseWhitespace(word);
    if (next === '') continue;
    text += findGap(last, next) + next;
    last = next;
  }
  return text;
}

/** Returns what separates two words: a space, or nothing in scripts without spaces. */
export function findGap(word: string, next: string): '' | ' ' {
  const before = Array.from(word.slice(-2)).at(-1) ?? '';
  const after = Array.from(next.slice(0, 2))[0] ?? '';
  return word === '' || (isUnspaced(before) && isUnspaced(after)) ? '' : ' ';
}

/** Returns whether a text contains characters of a script without spaces. */
export function isUnspaced(text: string): boolean {
  return unspaced.test(text);
}
