import { Failure } from '../contract/errors.ts';
import { unknownSpeaker } from '../contract/speakers.ts';
import {
  findRawMember,
  joinElements,
  joinMembers,
  listRawElements,
  listRawMembers,
  type RawJson,
} from '../values/raw-json.ts';
import { createMissingTimeFailure, parseTranscript, parseUtterance, toSpeakerKey } from './transcript.ts';

/** Selects words of a transcript. */
export interface TranscriptSelection {
  /** Words that start at or after this time, in seconds from the recording's start. */
  readonly from?: number | undefined;
  /** Words that start before this time. */
  readonly to?: number | undefined;
  /** Whole utterances from the one that is spoken at this time. */
  readonly at?: number | undefined;
  /** Full names, ignoring case. */
  readonly speakers?: readonly string[] | undefined;
}

/**
 * Returns a part of a transcript (specification, 2.9): the selected words as the service sent them, in their
 * utterances. Empty utterances are dropped.
 * @throws {Failure} not_found if nobody has the name of a speaker
 * @throws {Failure} failed if words are selected by time and a word has none
 */
export function selectTranscript(
  transcript: RawJson,
  { from, to, at, speakers }: TranscriptSelection,
): RawJson {
  const speakerKeys = speakers && resolveSpeakers(transcript.value, speakers);
  const isByTime = from !== undefined || to !== undefined;
  if (!speakerKeys && !isByTime && at === undefined) return transcript;
  const first = at === undefined ? 0 : findUtterance(transcript.value, at);
  const utterances = listRawElements(transcript).flatMap((utterance, index): RawJson[] => {
    if (index < first) return [];
    const { speaker, words } = parseUtterance(utterance.value);
    if (speakerKeys && !speakerKeys.has(toSpeakerKey(speaker))) return [];
    if (!isByTime) return [utterance];
    return selectWords(utterance, (place) => {
      const { text = '', start } = words[place] ?? {};
      // A word without text needs no time.
      if (start === undefined && text.trim() !== '') {
        throw createMissingTimeFailure('--from and --to need', text, index);
      }
      return start !== undefined && start >= (from ?? start) && start < (to ?? Number.POSITIVE_INFINITY);
    });
  });
  return joinElements(utterances);
}

/**
 * Returns the index of the last utterance that begins before the end of a second, or of an earlier one that is still spoken
 * in this second; or 0. Clock times have whole seconds.
 */
function findUtterance(transcript: unknown, second: number): number {
  const utterances = parseTranscript(transcript);
  const from = Math.floor(second);
  const last = utterances.findLastIndex(({ words }) => (words[0]?.start ?? Number.NaN) < from + 1);
  const first = utterances.findIndex(({ words }) => words.some(({ start }) => (start ?? Number.NaN) >= from));
  return Math.max(0, first === -1 ? last : Math.min(first, last));
}

function resolveSpeakers(transcript: unknown, names: readonly string[]): ReadonlySet<string> {
  const speakersByKey = new Map(
    parseTranscript(transcript).map(({ speaker }) => [toSpeakerKey(speaker), speaker || unknownSpeaker]),
  );
  const missing = names.find((name) => !speakersByKey.has(toSpeakerKey(name)));
  if (missing === undefined) return new Set(names.map(toSpeakerKey));
  const hint =
    speakersByKey.size === 0 ? 'It has no speakers.' : `Speakers: ${[...speakersByKey.values()].join(', ')}`;
  throw new Failure('not_found', `No speaker named "${missing}" in this recording.`, { hint });
}

/** Returns an utterance with some of its words, or nothing if no word is selected. */
function selectWords(utterance: RawJson, isSelected: (index: number) => boolean): RawJson[] {
  const all = listRawElements(findRawMember(utterance, 'words') ?? { text: '[]', value: [] });
  const selectedUtterances = all.filter((_, index) => isSelected(index));
  if (selectedUtterances.length === 0) return [];
  if (selectedUtterances.length === all.length) return [utterance];
  const words = joinElements(selectedUtterances);
  return [
    joinMembers(listRawMembers(utterance).map(([name, member]) => [name, name === 'words' ? words : member])),
  ];
}
