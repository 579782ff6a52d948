import { type MeetingRecording, storeMeeting } from '../../src/service/calendar/store-meetings.ts';
import { openDatabase } from '../../src/service/db/database.ts';

const vocabulary =
  'we should look at the numbers again before the next call because customer asked about pricing and delivery on monday'.split(
    ' ',
  );

/** Numbers that are the same on each machine. */
function drawn(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

/** What is said in ten minutes: 150 words a minute, in turns of 25. */
function transcriptOf(seed: number): MeetingRecording['transcript'] {
  const draw = drawn(seed);
  return Array.from({ length: 60 }, (_, turn) => ({
    participant: { name: turn % 2 === 0 ? 'Ada Lovelace' : 'Grace Hopper' },
    language_code: 'en',
    words: Array.from({ length: 25 }, (_, index) => {
      const start = (turn * 25 + index) * 0.4;
      return {
        text: vocabulary[draw(vocabulary.length)] ?? '',
        start_timestamp: { relative: Number(start.toFixed(3)) },
        end_timestamp: { relative: Number((start + 0.35).toFixed(3)) },
      };
    }),
  }));
}

/** A recording of ten minutes. */
export function recordingOf(seed: number): MeetingRecording {
  const started_at = new Date(Date.UTC(2026, 0, 1) + seed * 3_600_000);
  const draw = drawn(seed);
  const sentence = () =>
    `${Array.from({ length: 20 }, () => vocabulary[draw(vocabulary.length)]).join(' ')}.`;
  return {
    status: 'done',
    started_at,
    ended_at: new Date(started_at.getTime() + 600_000),
    audio_duration: 600,
    summary: {
      summary: [sentence(), sentence(), sentence()].join(' '),
      topics: [1, 2, 3, 4].map((n) => ({ title: `Topic ${n}`, content: `${sentence()} ${sentence()}` })),
      action_items: [sentence(), sentence()],
      detected_language: 'en',
    },
    transcript: transcriptOf(seed),
  };
}

/** Makes a workspace file with so many meetings, a recording of ten minutes each. */
export async function workspaceWithMeetings(file: string, meetings: number): Promise<void> {
  const db = openDatabase(file);
  try {
    const at = new Date(Date.UTC(2026, 4, 4));
    await db.transaction(async (db) => {
      for (let seed = 0; seed < meetings; seed += 1) {
        const recording = recordingOf(seed);
        const event = {
          source: null,
          title: `Meeting ${seed} about ${vocabulary[seed % vocabulary.length]}`,
          start_at: recording.started_at.toISOString().replace('Z', '+00:00'),
          end_at: recording.started_at.toISOString().replace('Z', '+00:00'),
          conference_link: null,
          conference_type: null,
          attendees: ['ada@example.com', 'grace@example.com'],
        };
        await storeMeeting(db, event, [recording], { created: at, updated: at });
      }
    });
  } finally {
    db.close();
  }
}
