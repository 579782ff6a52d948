import { Failure } from '../contract/errors.ts';
import { unknownSpeaker } from '../contract/speakers.ts';
import { collapseWhitespace, stripUnsafe } from '../render/text/sanitize.ts';
import { endsUnspaced, hasUnspaced, startsUnspaced } from '../values/unspaced-scripts.ts';

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

/** Parses a transcript (specification, 2.9). Missing or malformed parts become empty. */
export function parseTranscript(transcript: unknown): Utterance[] {
  return Array.isArray(transcript) ? transcript.map(parseUtterance) : [];
}

export function parseUtterance(item: unknown): Utterance {
  const words = getMember(item, 'words');
  return {
    speaker: collapseWhitespace(String(getMember(getMember(item, 'participant'), 'name') ?? '')),
    words: Array.isArray(words) ? words.map(parseWord) : [],
  };
}

function parseWord(word: unknown): TimedWord {
  return {
    text: String(getMember(word, 'text') ?? ''),
    start: readOffset(getMember(word, 'start_timestamp')),
    end: readOffset(getMember(word, 'end_timestamp')),
  };
}

function readOffset(timestamp: unknown): number | undefined {
  const relative = getMember(timestamp, 'relative');
  return typeof relative === 'number' && Number.isFinite(relative) ? relative : undefined;
}

/** Reads a member of a JSON object without copying the object: an hour has nine thousand words. */
function getMember(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** Returns the key that identifies a speaker, ignoring case. */
export function toSpeakerKey(name: string): string {
  return (collapseWhitespace(name) || unknownSpeaker).normalize('NFC').toLowerCase();
}

/** Returns the failure for a word without a time. `feature` is the subject of the message; `index` counts from 0. */
export function createMissingTimeFailure(feature: string, text: string, index: number): Failure {
  const word = Array.from(stripUnsafe(text)).slice(0, 40).join('');
  return new Failure(
    'failed',
    `${feature} a time for every word, but "${word}" in utterance ${index + 1} has none.`,
  );
}

/** Formats a transcript as plain text, with a paragraph for each utterance that is not empty. */
export function formatTranscript(transcript: unknown, { timestamps = false } = {}): string {
  return parseTranscript(transcript)
    .flatMap(({ speaker, words }) => {
      const text = joinWords(words.map(({ text }) => text));
      const start = words[0]?.start;
      const time = timestamps && start !== undefined ? `[${formatClock(start)}] ` : '';
      return text === '' ? [] : [`${time}${speaker || unknownSpeaker}: ${text}\n`];
    })
    .join('\n');
}

/** Formats seconds as `mm:ss`, or as `h:mm:ss` from an hour on. */
export function formatClock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const padNumber = (part: number) => String(part).padStart(2, '0');
  const hours = Math.floor(whole / 3600);
  const minutesAndSeconds = `${padNumber(Math.floor(whole / 60) % 60)}:${padNumber(whole % 60)}`;
  return hours > 0 ? `${hours}:${minutesAndSeconds}` : minutesAndSeconds;
}

/** Joins words with spaces, except in scripts without spaces. */
export function joinWords(words: readonly string[]): string {
  return locateWords(words).text;
}

/** Joins words, and returns the index in the text at which each word begins: Infinity for a word without text. */
export function locateWords(words: readonly string[]): { text: string; starts: number[] } {
  const isUnspaced = hasUnspaced(words.join(''));
  let text = '';
  // Reading the end of a growing text would flatten it for every word.
  let last = '';
  const starts = words.map((word) => {
    const next = collapseWhitespace(word);
    if (next === '') return Number.POSITIVE_INFINITY;
    text += isUnspaced || last === '' ? findGap(last, next) : ' ';
    const start = text.length;
    text += next;
    last = next;
    return start;
  });
  return { text, starts };
}

/** Returns what separates two words: a space, or nothing in scripts without spaces. */
export function findGap(word: string, next: string): '' | ' ' {
  return word === '' || (endsUnspaced(word.slice(-2)) && startsUnspaced(next)) ? '' : ' ';
}
