import { expect, test } from 'vitest';
import { createDemoMachine, createMachine } from '../support/kith.ts';
import { createMeeting, smallWorkspace, startRelationshipService } from './show/relationship-service.ts';

const now = new Date('2026-11-20T10:00:00Z');

test.each(['20dz7n', '七つ目', '2026-11-18', 'latest'])(
  'recordings print the same for the meeting "%s" as for the id of its recording',
  async (meeting) => {
    const kith = createDemoMachine();
    for (const line of [
      'summary ID',
      'summary ID --json',
      'transcript ID --format vtt',
      'get ID --json',
      'get ID',
    ]) {
      const run = (id: string) =>
        kith(['recordings', ...line.split(' ').map((word) => (word === 'ID' ? id : word))], { now });
      const byMeeting = await run(meeting);
      expect(byMeeting).toEqual(await run('nk63yk'));
      expect({ code: byMeeting.code, isEmpty: byMeeting.out === '' }).toEqual({ code: 0, isEmpty: false });
    }
  },
);

const createRecording = (id: string, status = 'done', speaker = 'Ada') => ({
  id,
  calendar_event_id: 'm1',
  status,
  started_at: `2026-11-18T1${id.slice(1)}:00:00.000Z`,
  ended_at: `2026-11-18T1${id.slice(1)}:30:00.000Z`,
  audio_duration: null,
  summary: status === 'done' ? { summary: `Part ${id}.`, action_items: [`Do ${id}`] } : null,
  transcript:
    status === 'done'
      ? [
          {
            participant: { name: speaker },
            words: [{ text: id, start_timestamp: { relative: 1 }, end_timestamp: { relative: 2 } }],
          },
        ]
      : null,
});

/** Starts a service with a meeting that has some recordings, and a newer one without a finished recording. */
async function startMeetingService(
  recordings: readonly { readonly id: string; readonly status: string }[],
  override?: Parameters<typeof startRelationshipService>[1],
) {
  const toListed = ({ id, status }: { id: string; status: string }) => ({
    id,
    status,
    started_at: `2026-11-18T1${id.slice(1)}:00:00.000Z`,
  });
  const pending = createRecording('r9', 'processing');
  const { env, requests } = await startRelationshipService(
    {
      ...smallWorkspace,
      '/v1/calendar_events': [
        { ...createMeeting(2, '2026-11-19T10:00:00Z'), title: 'Pending', recordings: [toListed(pending)] },
        {
          ...createMeeting(1, '2026-11-18T10:00:00Z'),
          title: 'Kick-off',
          recordings: recordings.map(toListed),
        },
      ],
      '/v1/recordings': [...recordings, pending],
    },
    override,
  );
  const kith = createMachine();
  return { requests, kith: (line: string) => kith(line, { env, now }) };
}

const several = [createRecording('r1'), createRecording('r2', 'done', 'Grace')];

test('prints the summaries of a meeting with several recordings under headings', async () => {
  const { kith } = await startMeetingService(several);
  expect(await kith('recordings summary kick')).toEqual({
    code: 0,
    err: '',
    out: [
      '# Recording 1 of 2: 2026-11-18 11:00 (r1)\n\n## Summary\n\nPart r1.\n\n## Action items\n\n- [ ] Do r1\n',
      '# Recording 2 of 2: 2026-11-18 12:00 (r2)\n\n## Summary\n\nPart r2.\n\n## Action items\n\n- [ ] Do r2\n',
    ].join('\n'),
  });
  expect(JSON.parse((await kith('recordings summary kick --json')).out)).toEqual(
    several.map(({ id, started_at, summary }) => ({ id, started_at, summary })),
  );
});

test('prints the transcripts of a meeting with several recordings under headings', async () => {
  const { kith } = await startMeetingService(several);
  const [first, second] = [
    'Recording 1 of 2: 2026-11-18 11:00 (r1)\n\nAda: r1\n',
    'Recording 2 of 2: 2026-11-18 12:00 (r2)\n\nGrace: r2\n',
  ];
  const out = `${first}\n${second}`;
  expect(await kith('recordings transcript m1')).toEqual({ code: 0, err: '', out });
  expect(JSON.parse((await kith('recordings transcript m1 --json')).out)).toEqual(
    several.map(({ id, started_at, transcript }) => ({ id, started_at, transcript })),
  );
  expect(await kith('recordings transcript m1 --speaker grace')).toEqual({
    code: 6,
    out: second,
    err: 'kith: Not printed: r1 (No speaker named "grace" in this recording.)\n',
  });
});

test('recordings get prints several recordings one after the other', async () => {
  const { kith } = await startMeetingService(several);
  expect(JSON.parse((await kith('recordings get m1 --json')).out)).toMatchObject(several);
  const { out } = await kith('recordings get m1 --format table');
  expect(out.split('\n\n').map((record) => /^ID +(r\d)\n/.exec(record)?.[1])).toEqual(['r1', 'r2']);
});

test('refuses subtitles of several recordings, and prints a command for each', async () => {
  const { kith } = await startMeetingService(several);
  expect(await kith('recordings transcript kick --format vtt')).toEqual({
    code: 2,
    out: '',
    err: `kith: "kick" has 2 recordings, and subtitles belong to one recording: r1, r2.
hint: kith recordings transcript r1 --format vtt
      kith recordings transcript r2 --format vtt
`,
  });
});

test('prints the finished recordings of a meeting, and lists the unfinished ones', async () => {
  const { kith } = await startMeetingService([createRecording('r1'), createRecording('r2', 'failed')]);
  const { code, out, err } = await kith('recordings summary m1');
  expect({ code, err }).toEqual({ code: 6, err: 'kith: Not printed: r2 (status "failed")\n' });
  expect(out).toMatch(/^# Recording 1 of 2: .*\n\n## Summary\n\nPart r1\.\n/);
});

test('a meeting whose recording is not done exits with 75 without reading the recording', async () => {
  const { kith, requests } = await startMeetingService(several);
  expect(await kith('recordings transcript m2')).toEqual({
    code: 75,
    out: '',
    err: 'kith: The recording r9 is not done; its status is "processing".\nhint: Try again later.\n',
  });
  expect(requests.map(({ url }) => url)).toEqual(['/v1/recordings/m2', '/v1/calendar_events/m2']);
  expect((await kith('recordings summary r9')).err).toContain('The recording r9 is not done; its status is');
});

test('a meeting without recordings is not found', async () => {
  const { kith } = await startMeetingService([]);
  const err = 'kith: The meeting "Kick-off" (m1) has no recordings.\n';
  expect(await kith('recordings summary m1')).toEqual({ code: 3, out: '', err });
});

test('latest is the meeting with the latest finished recording, and takes two requests', async () => {
  const { kith, requests } = await startMeetingService([createRecording('r1')]);
  expect((await kith('recordings summary latest --jq .summary')).out).toBe('Part r1.\n');
  expect(requests.map(({ url }) => url.replace(/\?.*/, ''))).toEqual([
    '/v1/calendar_events',
    '/v1/recordings/r1',
  ]);
});

test.each(['summary', 'transcript', 'get'])(
  'recordings %s with a recording id sends one request',
  async (verb) => {
    const { kith, requests } = await startMeetingService([createRecording('r1')]);
    expect((await kith(`recordings ${verb} r1`)).code).toBe(0);
    expect(requests.map(({ url }) => url)).toEqual(['/v1/recordings/r1']);
  },
);

test('a service failure of one of several recordings fails the command', async () => {
  const { kith } = await startMeetingService(several, (path) =>
    path === '/v1/recordings/r2' ? { status: 500, body: { message: 'Out of disk.' } } : undefined,
  );
  expect(await kith('recordings summary m1 --retries 0')).toMatchObject({ code: 75, out: '' });
});
