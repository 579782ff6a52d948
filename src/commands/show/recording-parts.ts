import type { Session } from '../../cli/command/context.ts';
import { findLatestMeeting, isFinished, isLatest } from '../../cli/references/meetings-by-day.ts';
import { replaceReference } from '../../cli/references/replace-reference.ts';
import { readMeeting, readPossibleId, tryCall } from '../../cli/references/resolve-reference.ts';
import { Failure, isRecordFailure } from '../../contract/errors.ts';
import type { Received } from '../../contract/received.ts';
import { type EventRecording, type Recording, recordings } from '../../contract/recordings.ts';
import { createTimeFormatter } from '../../render/display.ts';
import { mapConcurrently } from '../../values/concurrency.ts';
import { findRawMember, joinElements, joinMembers, type RawJson, toRawJson } from '../../values/raw-json.ts';
import { formatCount } from '../../values/text.ts';

type PartName = 'summary' | 'transcript';

/** A part of a finished recording. */
export interface RecordingPart {
  readonly id: string;
  readonly startedAt: string;
  /** The line above the part; undefined for the only recording of a meeting, or a recording by its id. */
  readonly heading: string | undefined;
  readonly part: RawJson;
}

/** The parts of one or more recordings. */
interface RecordingParts {
  readonly parts: readonly RecordingPart[];
  /** The partial failure that lists the recordings without a part. */
  readonly failure?: Failure | undefined;
}

/** Maximum number of recordings that are read at once. */
const maxRequests = 4;

/**
 * Reads a part of the recordings that a reference names (specification, 3.2). `select` may shorten each part. If it throws
 * `not_found` for some of several recordings, the partial failure lists them.
 * @throws {Failure} busy if no recording is done; not_found, or usage if several meetings match
 */
export async function readRecordingParts(
  session: Session,
  text: string,
  name: PartName,
  select: (part: RawJson) => RawJson = (part) => part,
): Promise<RecordingParts> {
  const match = await findRecordings(session, text);
  if ('recording' in match) return { parts: [toPart(match.recording, name, undefined, select)] };
  const { recordings: all } = match;
  const finished = all.filter(isFinished);
  if (finished.length === 0) throw createBusyFailure(all);
  const formatTime = createTimeFormatter(session.runtime.now(), undefined, true);
  const client = await session.client();
  const results = await mapConcurrently(finished, maxRequests, async ({ id, started_at }) => {
    const number = all.findIndex((recording) => recording.id === id) + 1;
    const heading = `Recording ${number} of ${all.length}: ${formatTime(started_at)} (${id})`;
    try {
      const recording = await client.record(recordings.get, { id });
      return toPart(recording, name, all.length === 1 ? undefined : heading, select);
    } catch (error) {
      if (all.length === 1 || !isRecordFailure(error)) throw error;
      return { id, failure: error };
    }
  });
  const parts = results.flatMap((result) => ('part' in result ? [result] : []));
  const failures = results.flatMap((result) => ('failure' in result ? [result] : []));
  const [first] = failures;
  if (first && parts.length === 0) throw first.failure;
  const missing = [
    ...all
      .filter((recording) => !isFinished(recording))
      .map(({ id, status }) => `${id} (status "${status}")`),
    ...failures.map(({ id, failure }) => `${id} (${failure.message})`),
  ];
  if (missing.length === 0) return { parts };
  return { parts, failure: new Failure('partial', `Not printed: ${missing.join('; ')}`) };
}

/** Reads the recordings that a reference names, in order. */
export async function readRecordings(session: Session, text: string) {
  const match = await findRecordings(session, text);
  if ('recording' in match) return [match.recording];
  const client = await session.client();
  return mapConcurrently(match.recordings, maxRequests, ({ id }) => client.record(recordings.get, { id }));
}

/** @throws {Failure} busy if the recording is not done */
function toPart(
  recording: RawJson<Received<Recording>>,
  name: PartName,
  heading: string | undefined,
  select: (part: RawJson) => RawJson,
): RecordingPart {
  const { id, started_at: startedAt } = recording.value;
  if (!isFinished(recording.value)) throw createBusyFailure([recording.value]);
  return { id, startedAt, heading, part: select(findRawMember(recording, name) ?? toRawJson(null)) };
}

function createBusyFailure(all: readonly Pick<Received<EventRecording>, 'id' | 'status'>[]): Failure {
  const problems = all.map(({ id, status }) => `The recording ${id} is not done; its status is "${status}".`);
  const mayFinish = all.some(({ status }) => status !== 'failed');
  return new Failure('busy', problems.join(' '), { hint: mayFinish ? 'Try again later.' : undefined });
}

/**
 * Returns the parts as JSON: the only part as the service sent it, or one object for each of several recordings.
 */
export function toPartsJson(parts: readonly RecordingPart[], name: PartName): RawJson {
  const [only, ...others] = parts;
  if (only && only.heading === undefined && others.length === 0) return only.part;
  return joinElements(
    parts.map(({ id, startedAt, part }) =>
      joinMembers([
        ['id', toRawJson(id)],
        ['started_at', toRawJson(startedAt)],
        [name, part],
      ]),
    ),
  );
}

/** @throws {Failure} usage if there are several recordings: subtitles belong to one recording */
export function requireOnePart(
  session: Session,
  text: string,
  parts: readonly RecordingPart[],
): RecordingPart {
  const [only, ...others] = parts;
  if (only && others.length === 0) return only;
  const { commandLine } = session.call;
  const ids = parts.map(({ id }) => id);
  const commands = ids.flatMap((id) => (commandLine && replaceReference(commandLine, text, [id])) ?? []);
  const problem = `"${text}" has ${formatCount(ids.length, 'recording')}, and subtitles belong to one recording`;
  throw new Failure('usage', `${problem}: ${ids.join(', ')}.`, {
    hint: 'Pass the id of a recording.',
    commands,
  });
}

/** A recording that was read by its id, or the recordings of a meeting, at least one. */
type RecordingMatch =
  | { readonly recording: RawJson<Received<Recording>> }
  | { readonly recordings: readonly Received<EventRecording>[] };

/**
 * Finds a recording by its id, with one request, or the recordings of a meeting by the meeting's id, title or date.
 * `latest` is the latest meeting with a finished recording.
 * @throws {Failure} not_found, or usage if several meetings match
 */
async function findRecordings(session: Session, text: string): Promise<RecordingMatch> {
  const id = readPossibleId('event', text);
  const client = await session.client();
  const recordingResult =
    id === undefined ? undefined : await tryCall(() => client.record(recordings.get, { id }));
  if (recordingResult && 'value' in recordingResult) return { recording: recordingResult.value };
  const meeting = isLatest(text)
    ? await findLatestMeeting(session, { isDone: true })
    : await readMeeting(session, text).catch((error: unknown) => {
        throw recordingResult ? mentionRecording(id, error) : error;
      });
  const { name: title, recordings: meetingRecordings = [] } = meeting;
  if (meetingRecordings.length > 0) return { recordings: meetingRecordings };
  throw new Failure('not_found', `The meeting "${title}" (${meeting.id}) has no recordings.`);
}

/** Extends the not_found failure of a meeting lookup: no recording has the id either. */
function mentionRecording(id: string | undefined, error: unknown): unknown {
  if (!(error instanceof Failure) || error.code !== 'not_found') return error;
  return new Failure('not_found', `No recording has the id "${id}". ${error.message}`, error.detail);
}
