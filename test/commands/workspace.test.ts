import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDemoMachine, createLocalMachine, createTemporaryFolder } from '../support/kith.ts';

const calendar = [
  'BEGIN:VCALENDAR',
  'BEGIN:VEVENT',
  'UID:freezer@tide.example',
  'DTSTART;TZID=Asia/Seoul:20240501T100000',
  'DTEND;TZID=Asia/Seoul:20240501T103000',
  'SUMMARY:Freezer 7',
  'ORGANIZER:mailto:mina@tide.example',
  'ATTENDEE:mailto:jiwoo.kim@hanbit-cold.example',
  'URL:https://meet.google.com/abc-defg-hij',
  'END:VEVENT',
  'BEGIN:VEVENT',
  'UID:weekly@tide.example',
  'DTSTART:20240429T090000Z',
  'RRULE:FREQ=WEEKLY;COUNT=2',
  'SUMMARY:Weekly',
  'END:VEVENT',
  'BEGIN:VEVENT',
  'UID:holiday@tide.example',
  'DTSTART;VALUE=DATE:20240505',
  'END:VEVENT',
  'END:VCALENDAR',
  '',
].join('\r\n');

const webVtt = `WEBVTT

00:00:01.000 --> 00:00:02.000
<v Mina Seo>Good morning.

00:00:02.250 --> 00:00:04.500
<v 김지우>네, 안녕하세요.
`;

const notes = '## Summary\n\nFreezer 7 again.\n\n## Action items\n\n- [ ] Call\n';

const skippedMessage = 'kith: Skipped: 1 all-day event.\n';
const hint =
  'kith: Meetings appear in `kith meetings list` once they have a recording: kith workspace import-recording EVENT FILE\n';

/** A machine with an empty workspace of its own, and files in a folder. */
async function createImportMachine(files: Readonly<Record<string, string>> = {}) {
  const folder = createTemporaryFolder();
  for (const [name, text] of Object.entries({
    'my.ics': calendar,
    'call.vtt': webVtt,
    'notes.md': notes,
    ...files,
  }))
    writeFileSync(join(folder, name), text);
  const kith = createLocalMachine(folder);
  return {
    folder,
    /** Runs a command in which `@` is replaced by the folder. */
    kith: (line: string, stdin = '') => kith(line.replaceAll('@', `${folder}/`), { stdin }),
  };
}

test('an imported calendar event is listed once it has a transcript', async () => {
  const { kith } = await createImportMachine();
  const first = await kith('workspace import-events @my.ics');
  const [, row = ''] = first.out.split('\n');
  const [id = ''] = row.split('\t');
  expect(first).toEqual({
    code: 0,
    out: expect.stringMatching(
      /^id\tstart_at\ttitle\taction\n\w+\t2024-05-06T09:00:00\.000\+00:00\tWeekly\tnew\n\w+\t2024-05-01T10:00:00\.000\+09:00\tFreezer 7\tnew\n\w+\t2024-04-29T09:00:00\.000\+00:00\tWeekly\tnew\n$/,
    ),
    err: `${skippedMessage}${hint}`,
  });
  const secondResult = await kith('workspace import-events - --quiet', calendar);
  expect(secondResult).toEqual({ code: 0, out: first.out.replaceAll('\tnew', '\tunchanged'), err: '' });
  expect((await kith('events list --json')).out).toBe('[]\n');

  const freezer = secondResult.out.split('\n')[2]?.split('\t')[0] ?? '';
  expect(freezer).not.toBe(id);
  const importResult = await kith(
    `workspace import-recording ${freezer} @call.vtt --summary @notes.md --language ko --json`,
  );
  const recording = JSON.parse(importResult.out);
  expect({ ...importResult, out: recording }).toEqual({
    code: 0,
    out: {
      id: expect.any(String),
      calendar_event_id: freezer,
      status: 'done',
      audio_duration: 4.5,
      action: 'new',
    },
    err: '',
  });
  const events = JSON.parse((await kith('events list --json')).out);
  const [{ created_at, updated_at } = { created_at: '', updated_at: '' }] = events;
  expect(Date.parse(updated_at)).toBeGreaterThan(Date.parse(created_at));
  expect(events).toEqual([
    {
      id: freezer,
      title: 'Freezer 7',
      start_at: '2024-05-01T10:00:00.000+09:00',
      end_at: '2024-05-01T10:30:00.000+09:00',
      conference_link: 'https://meet.google.com/abc-defg-hij',
      conference_type: 'Google Meet',
      attendees: [{ email: 'mina@tide.example' }, { email: 'jiwoo.kim@hanbit-cold.example' }],
      recordings: [
        {
          id: recording.id,
          status: 'done',
          started_at: '2024-05-01T01:00:00.000Z',
          ended_at: '2024-05-01T01:00:04.500Z',
          audio_duration: 4.5,
        },
      ],
      created_at,
      updated_at,
    },
  ]);
  expect((await kith(`recordings transcript ${recording.id}`)).out).toBe(
    'Mina Seo: Good morning.\n\n김지우: 네, 안녕하세요.\n',
  );
  expect((await kith(`recordings summary ${recording.id}`)).out).toBe(notes);
});

test('re-importing writes only what has changed', async () => {
  const { kith, folder } = await createImportMachine();
  const rows: { id: string; title: string }[] = JSON.parse(
    (await kith('workspace import-events @my.ics --json')).out,
  );
  const id = rows.find(({ title }) => title === 'Freezer 7')?.id;
  const add = async (more = '') => {
    const { out, err } = await kith(`workspace import-recording ${id} @call.vtt --jq . ${more}`);
    return { action: JSON.parse(out).action, err };
  };
  const readEvent = async () => JSON.parse((await kith(`events get ${id} --json`)).out);
  const readActions = async () => {
    const { out } = await kith('workspace import-events @my.ics --json');
    return JSON.parse(out).map(({ action }: { action: string }) => action);
  };
  const unchangedCounts = {
    action: 'unchanged',
    err: 'kith: The recording already exists; nothing was changed.\n',
  };

  expect(await add()).toEqual({ action: 'new', err: '' });
  const before = await readEvent();
  expect([await add(), await readActions(), await readEvent()]).toEqual([
    unchangedCounts,
    ['unchanged', 'unchanged', 'unchanged'],
    before,
  ]);
  // The same words with a summary, or in a language, stay one recording.
  expect([await add('--summary @notes.md'), await add('--summary @notes.md'), await add()]).toEqual([
    { action: 'updated', err: '' },
    unchangedCounts,
    unchangedCounts,
  ]);
  expect(await add('--language ko')).toEqual({ action: 'updated', err: '' });
  const after = await readEvent();
  expect(after).toEqual({ ...before, updated_at: after.updated_at });
  expect(after.updated_at > before.updated_at).toBe(true);
  const [{ id: recording }] = after.recordings;
  expect((await kith(`recordings summary ${recording}`)).out).toBe(notes);

  writeFileSync(join(folder, 'my.ics'), calendar.replace('jiwoo.kim', 'boss').replace('T103000', 'T110000'));
  expect(await readActions()).toEqual(['unchanged', 'updated', 'unchanged']);
  expect(await readEvent()).toMatchObject({
    end_at: '2024-05-01T11:00:00.000+09:00',
    attendees: [{ email: 'mina@tide.example' }, { email: 'boss@hanbit-cold.example' }],
    recordings: after.recordings,
  });
});

test('import-recording reads the JSON that kith prints', async () => {
  const { kith, folder } = await createImportMachine();
  const demo = createDemoMachine();
  const [event] = JSON.parse((await demo('events list --limit 1 --json')).out);
  const { out } = await demo(`recordings get ${event.recordings[0].id} --json`);
  writeFileSync(join(folder, 'recording.json'), out);
  const { transcript, summary } = JSON.parse(out);
  const [row] = JSON.parse((await kith('workspace import-events @my.ics --json')).out);
  const importResult = await kith(`workspace import-recording ${row.id} @recording.json --json`);
  const stored = JSON.parse((await kith(`recordings get ${JSON.parse(importResult.out).id} --json`)).out);
  expect(stored).toMatchObject({ transcript, summary });
});

test('--demo imports into the sample workspace', async () => {
  const { kith } = await createImportMachine();
  const [row] = JSON.parse((await kith('workspace import-events @my.ics --demo --json')).out);
  await kith(`workspace import-recording ${row.id} @call.vtt --demo`);
  await kith('auth login --local --demo');
  expect(JSON.parse((await kith('events list --all --json')).out)).toHaveLength(37);
});

test.each([
  ['import-events @none.ics', 2, /^kith: Cannot read \S+none\.ics: it does not exist/],
  ['import-events @call.vtt', 2, /^kith: Unsupported file type: \S+call\.vtt. Use \.ics\.\n$/],
  [
    'import-events @latin.ics',
    2,
    /^kith: \S+latin\.ics is not valid UTF-8 \(line 15\)\.\nhint: .* --encoding windows-1252/,
  ],
  ['import-events -', 2, /^kith: stdin: Not an iCalendar file: it must begin with BEGIN:VCALENDAR\.\n$/],
  ['import-events @my.ics --database @none.sqlite', 1, /^kith: Workspace file not found: \S+none\.sqlite\n/],
  [
    'import-recording nope @call.vtt',
    3,
    /^kith: No calendar event has the id "nope"\.\nhint: .*: kith workspace import-events FILE\n$/,
  ],
  ['import-recording nope @none.vtt', 2, /^kith: Cannot read \S+none\.vtt: it does not exist/],
  [
    'import-recording nope @my.ics',
    2,
    /^kith: Unsupported file type: \S+my\.ics. Use \.vtt or \.srt or \.json\.\n$/,
  ],
  ['import-recording nope @notes.srt', 2, /^kith: \S+notes\.srt, line 1: Expected times such as/],
  [
    'import-recording nope @call.vtt --summary @my.ics',
    2,
    /^kith: Unsupported file type: \S+my\.ics. Use \.json or \.md/,
  ],
  [
    'import-recording nope @call.vtt --language x!',
    2,
    /^kith: "x!" is not a language code\.\nhint: Use a code such as en/,
  ],
  [
    'import-recording nope @a.json --language ko',
    2,
    /^kith: --language works only with \.vtt and \.srt files; a \.json file has its own language\.\n$/,
  ],
])('workspace %s ends with %i and writes nothing', async (line, code, err) => {
  const { kith, folder } = await createImportMachine({
    'notes.srt': notes,
    'a.json': '[]',
  });
  writeFileSync(join(folder, 'latin.ics'), calendar.replace('Weekly', 'Café'), 'latin1');
  expect(await kith(`workspace ${line}`)).toEqual({ code, out: '', err: expect.stringMatching(err) });
  const { out } = await kith('workspace import-events @my.ics --json');
  expect(JSON.parse(out).map(({ action }: { action: string }) => action)).toEqual(['new', 'new', 'new']);
});
