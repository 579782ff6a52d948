import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { test } from '../service/engines.ts';
import { openTestWorkspace } from '../service/service.ts';
import { createMachine, createTemporaryFolder, type MachineOptions } from '../support/kith.ts';

const calendar = [
  'BEGIN:VCALENDAR',
  'BEGIN:VEVENT',
  'UID:freezer@tide.example',
  'DTSTART:20240501T010000Z',
  'DTEND:20240501T013000Z',
  'SUMMARY:Freezer 7',
  'END:VEVENT',
  'END:VCALENDAR',
  '',
].join('\r\n');

const createWebVtt = (text: string, end = '00:00:02.000') =>
  `WEBVTT\n\n00:00:01.000 --> ${end}\n<v Mina Seo>${text}\n`;
const notes = '## Summary\n\nFreezer 7 again.\n';

interface RecordingJson {
  readonly id: string;
  readonly updated_at: string;
  readonly recordings: readonly { readonly id: string }[];
}

/** Creates a workspace with one meeting, and files in a folder. */
async function createMeetingMachine() {
  const folder = createTemporaryFolder();
  const files = {
    'my.ics': calendar,
    'a.vtt': createWebVtt('Good mourning.'),
    'b.vtt': createWebVtt('Welcome back.'),
    'n.md': notes,
  };
  const writeTestFile = (name: string, text: string | Uint8Array) => writeFileSync(join(folder, name), text);
  for (const [name, text] of Object.entries(files)) writeTestFile(name, text);
  const run = createMachine(folder);
  /** Runs a command line. `@` is replaced by the folder. */
  const kith = (line: string, setting: MachineOptions = {}) =>
    run(line.replaceAll('@', `${folder}/`), setting);
  await run(['auth', 'login', '--local', '--database', (await openTestWorkspace()).location]);
  const readJson = async (line: string) => JSON.parse((await kith(`${line} --json`)).out);
  const [{ id }] = await readJson('workspace import-events @my.ics');
  return {
    id,
    kith,
    writeTestFile,
    readJson,
    /** Imports a transcript of the meeting. */
    importRecording: (line: string) => readJson(`workspace import-recording ${id} ${line}`),
    readEvent: (): Promise<RecordingJson> => readJson(`events get ${id}`),
    ids: async () => ((await readJson(`events get ${id}`)) as RecordingJson).recordings.map((one) => one.id),
  };
}

test('updates the recording of a meeting with a corrected transcript', async () => {
  const { importRecording, readEvent, writeTestFile, readJson, ids, kith } = await createMeetingMachine();
  const first = await importRecording('@a.vtt --summary @n.md');
  const [before, stored] = [await readEvent(), await readJson(`recordings get ${first.id}`)];
  writeTestFile('a.vtt', createWebVtt('Good morning.', '00:00:03.500'));
  const second = await importRecording('@a.vtt');
  expect(second).toEqual({ ...first, audio_duration: 3.5, action: 'updated' });
  const after = await readEvent();
  expect(after).toEqual({
    ...before,
    updated_at: after.updated_at,
    recordings: [{ ...before.recordings[0], audio_duration: 3.5, ended_at: '2024-05-01T01:00:03.500Z' }],
  });
  expect(after.updated_at > before.updated_at).toBe(true);
  expect((await kith(`recordings transcript ${first.id}`)).out).toBe('Mina Seo: Good morning.\n');
  expect(await readJson(`recordings get ${first.id}`)).toMatchObject({
    summary: stored.summary,
    created_at: stored.created_at,
  });
  expect(await importRecording('@a.vtt')).toEqual({ ...second, action: 'unchanged' });
  expect(await readEvent()).toEqual(after);
  expect(await ids()).toEqual([first.id]);
});

test('adds a recording once with --add, and updates one of several with --recording', async () => {
  const { id, importRecording, writeTestFile, ids, kith } = await createMeetingMachine();
  const first = await importRecording('@a.vtt');
  const second = await importRecording('@b.vtt --add');
  expect([first.action, second.action]).toEqual(['new', 'new']);
  expect((await importRecording('@b.vtt --add')).action).toBe('unchanged');
  expect(await ids()).toEqual([first.id, second.id]);

  writeTestFile('c.vtt', createWebVtt('Good morning.'));
  expect(await kith(`workspace import-recording ${id} @c.vtt`)).toEqual({
    code: 2,
    out: '',
    err:
      `kith: The meeting ${id} has 2 recordings: ${first.id}, ${second.id}.\n` +
      'hint: Pass --recording ID to update one of them, or --add to add another one.\n',
  });
  // The words identify the stored recording.
  expect(await importRecording('@b.vtt --summary @n.md')).toEqual({ ...second, action: 'updated' });
  expect(await importRecording(`@c.vtt --recording ${first.id}`)).toEqual({ ...first, action: 'updated' });
  expect((await kith(`recordings transcript ${first.id}`)).out).toBe('Mina Seo: Good morning.\n');
  expect((await kith(`recordings transcript ${second.id}`)).out).toBe('Mina Seo: Welcome back.\n');
  expect(await kith(`workspace import-recording ${id} @c.vtt --recording nope`)).toMatchObject({
    code: 3,
    err: expect.stringContaining(`The meeting ${id} has no recording with the id "nope".`),
  });
  expect(await kith(`workspace import-recording ${id} @c.vtt --recording ${first.id} --add`)).toMatchObject({
    code: 2,
    err: 'kith: --recording and --add cannot be used together.\n',
  });
});

test('asks before it removes recordings, and lists a meeting until it has none', async () => {
  const { id, importRecording, readEvent, ids, readJson, kith } = await createMeetingMachine();
  const first = await importRecording('@a.vtt');
  const second = await importRecording('@b.vtt --add');
  const before = await readEvent();
  const line = `workspace remove-recording ${first.id}`;
  const options = { terminal: 200, env: { NO_COLOR: '1' } };
  expect(await kith(line)).toEqual({
    code: 2,
    out: '',
    err: expect.stringContaining('--yes'),
  });
  expect(await kith(line, { ...options, answers: [false] })).toEqual({
    code: 1,
    out: '',
    err: `Delete recording "Freezer 7" (${first.id})? This cannot be undone.\nkith: Cancelled.\n`,
  });
  expect(await kith(`${line} --dry-run`)).toEqual({
    code: 0,
    out: `delete recording ${first.id} (Freezer 7, 2024-05-01T01:00:00.000+00:00)\n`,
    err: '',
  });
  expect(await readEvent()).toEqual(before);

  expect(await readJson(`${line} --yes`)).toEqual({ id: first.id, deleted: true });
  const after = await readEvent();
  expect(after).toEqual({ ...before, updated_at: after.updated_at, recordings: before.recordings.slice(1) });
  expect(after.updated_at > before.updated_at).toBe(true);
  expect((await kith(`recordings get ${first.id}`)).code).toBe(3);

  const last = `workspace remove-recording ${second.id}`;
  expect(await kith(last, { ...options, answers: [true] })).toMatchObject({
    code: 0,
    err:
      `Delete recording "Freezer 7" (${second.id})? This cannot be undone. The meeting will no longer be listed.\n` +
      `kith: Deleted recording Freezer 7 (${second.id}).\n`,
  });
  expect(await readJson('events list')).toEqual([]);
  expect((await kith(`events get ${id}`)).code).toBe(3);

  const result = await importRecording('@a.vtt');
  expect([result.action, await ids()]).toEqual(['new', [result.id]]);
  expect(result.id).not.toBe(first.id);
});

test('removes each of several recordings independently', async () => {
  const { importRecording, ids, kith } = await createMeetingMachine();
  const first = await importRecording('@a.vtt');
  const second = await importRecording('@b.vtt --add');
  expect(await kith(`workspace remove-recording nope ${first.id} --yes --jq map(.id)`)).toEqual({
    code: 6,
    out: `["${first.id}"]\n`,
    err: 'kith: Not deleted: nope (No recording has the id "nope").\n',
  });
  expect(await ids()).toEqual([second.id]);
  expect(await kith('workspace remove-recording nope --yes')).toMatchObject({
    code: 3,
    err: expect.stringContaining('No recording has the id "nope".\nhint: `kith meetings list`'),
  });
});

test('exports the corrected transcript on the next run, even if it is equally long', async () => {
  const { importRecording, writeTestFile, kith } = await createMeetingMachine();
  await importRecording('@a.vtt');
  const exportMeetings = async () => {
    const { out } = await kith('events export --out @meetings --transcript --json');
    const text = (await kith('events grep Good --out @meetings --json --jq .[0].text')).out;
    return [JSON.parse(out).updated, text];
  };
  expect(await exportMeetings()).toEqual([0, 'Good mourning.\n']);
  writeTestFile('a.vtt', createWebVtt('Good morning.'));
  await importRecording('@a.vtt');
  expect(await exportMeetings()).toEqual([1, 'Good morning.\n']);
});

test('imports all cues but the bad ones, reads UTF-16, and needs --encoding for other encodings', async () => {
  const { id, importRecording, writeTestFile, kith } = await createMeetingMachine();
  writeTestFile('bad.vtt', `${createWebVtt('Good morning.')}\n00:00:09.000 --> 00:00:08.000\nNo.\n`);
  const { code, out, err } = await kith(`workspace import-recording ${id} @bad.vtt --json`);
  expect([code, JSON.parse(out).action]).toEqual([6, 'new']);
  expect(JSON.parse(err).error).toMatchObject({
    code: 'partial',
    message: expect.stringMatching(/^Not imported: .*bad\.vtt, line 6: The cue ends before it starts\.$/),
  });

  const text = createWebVtt('Grüße').replace('Mina Seo', 'Änne');
  writeTestFile('utf16.vtt', Buffer.from(`\ufeff${text}`, 'utf16le'));
  const recording = await importRecording('@utf16.vtt');
  const readTranscript = async () => (await kith(`recordings transcript ${recording.id}`)).out;
  expect(await readTranscript()).toBe('Änne: Grüße\n');
  writeTestFile('latin.vtt', Buffer.from(text.replace('Grüße', 'Grün'), 'latin1'));
  expect(await kith(`workspace import-recording ${id} @latin.vtt`)).toMatchObject({
    code: 2,
    err: expect.stringMatching(
      /latin\.vtt is not valid UTF-8 \(line 4\)\.\nhint: .* --encoding windows-1252 /,
    ),
  });
  // The summary is UTF-8, whatever the encoding of the transcript.
  writeTestFile('utf8.md', 'Grüße.\n');
  await importRecording('@latin.vtt --encoding windows-1252 --summary @utf8.md');
  expect(await readTranscript()).toBe('Änne: Grün\n');
  expect((await kith(`recordings summary ${recording.id}`)).out).toContain('Grüße.');
});

test('says once how many cues have no speaker', async () => {
  const { id, writeTestFile, kith } = await createMeetingMachine();
  writeTestFile('a.srt', '00:00:01 --> 00:00:02\nAda: hi\n\n00:00:03 --> 00:00:04\nhm\n');
  expect(await kith(`workspace import-recording ${id} @a.srt --quiet`)).toMatchObject({ code: 0 });
  expect((await kith(`workspace import-recording ${id} @a.srt`)).err).toContain(
    'kith: The speaker is unknown in 1 of 2 cues.\n',
  );
});

test('imports the events of a calendar but the bad ones, also from stdin in UTF-16', async () => {
  const { kith } = await createMeetingMachine();
  const other = calendar.replace('freezer@', 'other@').replace('Freezer 7', 'Größe');
  const bad = other
    .replace('other@', 'bad@')
    .replace('DTSTART:20240501T010000Z', 'DTSTART;TZID=Mars/Base:20240501T010000')
    .replace('Größe', 'Bad');
  const bytes = Buffer.from(`\ufeff${other}${bad}`, 'utf16le');
  async function* stdinChunks() {
    yield bytes;
  }
  const { code, out, err } = await kith('workspace import-events -', { stdinChunks: stdinChunks() });
  expect([code, out]).toEqual([6, expect.stringContaining('Größe\tnew\n')]);
  expect(err).toContain('kith: Not imported: the event "Bad" (stdin: Unknown time zone "Mars/Base"');
});
