import { type MeetingRecording, storeMeeting } from '../calendar/meetings.ts';
import type { Database } from '../db/database.ts';
import type { SampleMeeting } from './files.ts';
import { durationOf, transcriptOf } from './talk.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

/** Writes a meeting of the sample with its recordings. */
export async function writeMeeting(db: Database, meeting: SampleMeeting): Promise<void> {
  const { title, start, minutes, conference, attendees } = meeting;
  const starts = Date.parse(start);
  const ends = starts + minutes * minute;
  const recordings = [firstRecording(meeting, new Date(starts + 40_000))];
  if (meeting.second_recording) recordings.push(inProcess(new Date(ends - 2 * minute)));
  await storeMeeting(
    db,
    {
      source: null,
      title,
      start_at: start,
      end_at: sameOffset(ends, start),
      conference_link: conference.link,
      conference_type: conference.type,
      attendees,
    },
    recordings,
    { created: new Date(starts - 6 * day), updated: new Date(ends + 12 * minute) },
  );
}

function firstRecording(meeting: SampleMeeting, started_at: Date): MeetingRecording {
  const { status, talk, language, summary, topics, action_items } = meeting;
  if (status === 'processing') return inProcess(started_at);
  const transcript = transcriptOf(talk, language);
  const audio_duration = durationOf(transcript);
  return {
    status: 'done',
    started_at,
    ended_at: new Date(started_at.getTime() + audio_duration * 1000),
    audio_duration,
    summary: { summary, topics: [...topics], action_items: [...action_items], detected_language: language },
    transcript,
  };
}

function inProcess(started_at: Date): MeetingRecording {
  return {
    status: 'processing',
    started_at,
    ended_at: null,
    audio_duration: null,
    summary: null,
    transcript: null,
  };
}

/** A moment in the offset that an ISO 8601 text has: `2026-05-12T10:30:00.000+09:00`. */
function sameOffset(moment: number, text: string): string {
  const [offset, sign, hours, minutes] = /([+-])(\d\d):(\d\d)$/.exec(text) ?? ['+00:00', '+', '0', '0'];
  const shift = (Number(hours) * 60 + Number(minutes)) * minute * (sign === '-' ? -1 : 1);
  return new Date(moment + shift).toISOString().replace('Z', offset);
}
