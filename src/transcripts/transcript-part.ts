import { Failure } from '../contract/errors.ts';
import { fieldsOf } from '../render/fields.ts';
import { type RawJson, rawElements, rawMember, rawMembers } from '../values/raw-json.ts';
import {
  missingTimeFailure,
  parseTranscript,
  parseUtterance,
  type TimedWord,
  toSpeakerKey,
  unknownSpeaker,
} from './transcript.ts';

/** Which words of a transcript are wanted. */
export interface TranscriptSelection {
  /** Seconds from the recording's start at or after which a word starts. */
  readonly from?: number | undefined;
  /** Seconds before which it starts. */
  readonly to?: number | undefined;
  /** Names, without regard to case. */
  readonly speakers?: readonly string[] | undefined;
}

/**
 * A part of a transcript (specification, 2.9): its words as they were sent, in their turns, without the turns of
 * which none is left. Throws `not_found` for a speaker that it does not have, `failed` where a part by time is
 * wanted and a word has none.
 */
export function selectTranscript(transcript: RawJson, { from, to, speakers }: TranscriptSelection): RawJson {
  const wanted = speakers && resolveSpeakers(transcript.value, speakers);
  const isByTime = from !== undefined || to !== undefined;
  if (!wanted && !isByTime) return transcript;
  const turns = rawElements(transcript).flatMap((turn, index): RawJson[] => {
    const { speaker, words } = parseUtterance(turn.value);
    if (wanted && !wanted.has(toSpeakerKey(speaker))) return [];
    if (!isByTime) return [turn];
    return selectWords(turn, (place) => {
      const start = readStart(words[place], index);
      return start !== undefined && start >= (from ?? start) && start < (to ?? Number.POSITIVE_INFINITY);
    });
  });
  return { text: formatArray(turns), value: turns.map(({ value }) => value) };
}

function resolveSpeakers(transcript: unknown, names: readonly string[]): ReadonlySet<string> {
  const known = new Map(
    parseTranscript(transcript).map(({ speaker }) => [toSpeakerKey(speaker), speaker || unknownSpeaker]),
  );
  const missing = names.find((name) => !known.has(toSpeakerKey(name)));
  if (missing === undefined) return new Set(names.map(toSpeakerKey));
  throw new Failure('not_found', `Nobody in this recording is called "${missing}".`, {
    hint: known.size === 0 ? 'Nobody speaks in it.' : `The speakers are ${[...known.values()].join(', ')}.`,
  });
}

/** When a word starts; one that says nothing needs no time. */
function readStart(word: TimedWord | undefined, turn: number): number | undefined {
  if (word && word.start === undefined && word.text.trim() !== '') {
    throw missingTimeFailure('A part by time needs', word.text, turn);
  }
  return word?.start;
}

/** A turn with some of its words, by their places; nothing where it has none of them. */
function selectWords(turn: RawJson, isWanted: (place: number) => boolean): RawJson[] {
  const words = rawMember(turn, 'words');
  const all = words ? rawElements(words) : [];
  const kept = all.filter((_, place) => isWanted(place));
  if (kept.length === 0) return [];
  if (kept.length === all.length) return [turn];
  const members = rawMembers(turn).map(
    ([name, { text }]) => `${JSON.stringify(name)}:${name === 'words' ? formatArray(kept) : text}`,
  );
  return [
    {
      text: `{${members.join(',')}}`,
      value: { ...fieldsOf(turn.value), words: kept.map(({ value }) => value) },
    },
  ];
}

function formatArray(elements: readonly RawJson[]): string {
  return `[${elements.map(({ text }) => text).join(',')}]`;
}
