import type { Session } from '../../cli/command/context.ts';
import { findLatestMeeting, isLatest } from '../../cli/references/meetings-by-day.ts';
import { readMeeting, readPossibleId, tryCall } from '../../cli/references/resolve-reference.ts';
import { Failure } from '../../contract/errors.ts';
import type { Received } from '../../contract/received.ts';
import { type EventRecording, type Recording, recordings } from '../../contract/recordings.ts';
import type { RawJson } from '../../values/raw-json.ts';

/** A recording that was read by its id, or the recordings of a meeting, at least one. */
export type RecordingMatch =
  | { readonly kind: 'recording'; readonly recording: RawJson<Received<Recording>> }
  | {
      readonly kind: 'meeting';
      readonly title: string;
      readonly recordings: readonly Received<EventRecording>[];
    };

/**
 * Finds a recording by its id, with one request, or the recordings of a meeting by the meeting's id, title or date.
 * `latest` is the latest meeting with a finished recording.
 * @throws {Failure} not_found, or usage if several meetings match
 */
export async function findRecordings(session: Session, text: string): Promise<RecordingMatch> {
  const id = readPossibleId('event', text);
  const client = await session.client();
  const recordingResult =
    id === undefined ? undefined : await tryCall(() => client.record(recordings.get, { id }));
  if (recordingResult && 'value' in recordingResult)
    return { kind: 'recording', recording: recordingResult.value };
  const meeting = isLatest(text)
    ? await findLatestMeeting(session, { isDone: true })
    : await readMeeting(session, text).catch((error: unknown) => {
        throw recordingResult ? mentionRecording(id, error) : error;
      });
  const { name: title, recordings: meetingRecordings = [] } = meeting;
  if (meetingRecordings.length > 0) return { kind: 'meeting', title, recordings: meetingRecordings };
  throw new Failure('not_found', `The meeting "${title}" (${meeting.id}) has no recordings.`);
}

/** Extends the not_found failure of a meeting lookup: no recording has the id either. */
function mentionRecording(id: string | undefined, error: unknown): unknown {
  if (!(error instanceof Failure) || error.code !== 'not_found') return error;
  return new Failure('not_found', `No recording has the id "${id}". ${error.message}`, error.detail);
}
