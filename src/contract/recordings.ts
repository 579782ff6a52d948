import * as v from 'valibot';
import { createRoutes, describe, Id, Timestamp } from './grammar.ts';

/** The specification defines only `done` (3.2). */
const recordingStatuses = ['processing', 'done', 'failed'] as const;
export type RecordingStatus = (typeof recordingStatuses)[number];

/** The fields of a recording, also inside a calendar event. */
const commonFields = {
  status: v.picklist(recordingStatuses),
  started_at: Timestamp,
  ended_at: describe(Timestamp, 'While the recording is processing: its start plus the duration so far'),
  audio_duration: v.nullable(v.number()),
};

/** A recording inside a calendar event: without summary and transcript (specification, 2.8). */
export const EventRecording = v.object({ id: Id, ...commonFields });
export type EventRecording = v.InferOutput<typeof EventRecording>;

/** Seconds from the start of the recording. */
const Offset = v.object({ relative: v.number() });
const Word = v.object({ text: v.string(), start_timestamp: Offset, end_timestamp: Offset });

/** One turn of a participant. */
export const Utterance = v.object({
  participant: v.object({ name: v.string() }),
  words: v.array(Word),
  language_code: v.string(),
});
export type Utterance = v.InferOutput<typeof Utterance>;

/** The summary of a workspace with default settings. Another workspace may have other keys (specification, 2.9). */
export const Summary = v.looseObject({
  summary: v.string(),
  topics: v.array(v.object({ title: v.string(), content: v.string() })),
  action_items: v.array(v.string()),
  detected_language: v.string(),
});
export type Summary = v.InferOutput<typeof Summary>;

/** Specification, 2.9. */
export const Recording = v.object({
  id: Id,
  calendar_event_id: Id,
  ...commonFields,
  summary: v.nullable(Summary),
  transcript: v.nullable(v.array(Utterance)),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Recording = v.InferOutput<typeof Recording>;

const routes = createRoutes('/v1/recordings', 'id', v.object({ data: Recording }));

/** Specification, 4.8. */
export const recordings = { get: routes.get('Get one recording with its summary and transcript') };
