import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Archive } from '../../src/archive/archive.ts';
import { createArchiveReader } from '../../src/archive/archive-reader.ts';
import { Failure } from '../../src/contract/errors.ts';
import { sendJson } from '../client/loopback.ts';
import {
  createMeeting,
  createRecording,
  createRecords,
  readArchive,
  readIds,
  readRecords,
  startArchiveMachine,
} from './archive-service.ts';

const now = () => new Date().toISOString();

/** The requests of a run that finds no changed meeting: before and after those for recordings. */
const meetingRequests = [
  expect.stringMatching(/^\/v1\/calendar_events\?updated_after=\d+&first=50&after=0$/),
  '/v1/calendar_events?first=1',
];
const listRequests = [
  '/v1/lists?first=500&after=0',
  '/v1/lists/l1/entries?first=500&after=0',
  '/v1/lists/l2/entries?first=500&after=0',
  '/v1/notes?first=500&after=0',
  '/v1/contacts?first=500&after=0',
  '/v1/organizations?first=500&after=0',
  '/v1/custom_fields?first=500&after=0',
];
const unchangedRequests = [...meetingRequests, ...listRequests];

/** Returns the paths of the recordings among requests. */
const filterRecordings = (requests: readonly string[]) =>
  requests.filter((url) => url.startsWith('/v1/recordings/'));

test('writes all records as received, and prints one line', async () => {
  const { kith, archive } = await startArchiveMachine();
  expect(await kith(`workspace backup ${archive}`)).toEqual({
    code: 0,
    out: `Wrote ${archive}: 1 custom field, 1 organization, 2 contacts, 2 lists, 2 entries, 1 note, 3 meetings, 3 recordings (3 recordings requested).\n`,
    err: '',
  });
  expect(readRecords(archive, 'organizations')).toEqual([
    '{"id":"o1","name":"한빛물류","domains":[],"created_at":"2026-01-02T03:04:05.000Z","updated_at":"2026-01-02T03:04:05.000Z"}',
  ]);
  expect(readIds(archive, 'entries')).toEqual(['e1', 'e2']);
  expect(readIds(archive, 'recordings')).toEqual(['r0', 'r1', 'r2']);
  expect((await kith(`workspace backup ${archive} --quiet`)).out).toBe('');
});

test('keeps unknown fields, digits and ids of another form, and writes each record on one line', async () => {
  const records = createRecords(0);
  records.entries = new Map([
    ['l1', []],
    ['l2', []],
  ]);
  records.contacts = [
    '{"id": 12345678901234567890, "score": 1.10,\n  "note": "a\\nb",\r\n "nested": {"x": [1, 2]}}',
    '{"id":"a/../b","first_name":"\\ud55c"}',
    '{"first_name":"late id","id":"한글"}',
  ];
  const { kith, archive } = await startArchiveMachine(records);
  expect((await kith(`workspace backup ${archive}`)).code).toBe(0);
  expect(readRecords(archive, 'contacts')).toEqual([
    '{"id":12345678901234567890,"score":1.10,"note":"a\\nb","nested":{"x":[1,2]}}',
    '{"id":"a/../b","first_name":"\\ud55c"}',
    '{"first_name":"late id","id":"한글"}',
  ]);
  const opened = Archive.open(archive);
  expect(opened.find('contacts', '12345678901234567890')?.value.id).toBe('12345678901234567890');
  expect(opened.find('contacts', '한글')?.value.first_name).toBe('late id');
  opened.close();
  expect((await kith(`workspace verify ${archive}`)).code).toBe(0);
});

test('requests only lists if nothing changed, and keeps the files', async () => {
  const { kith, archive, takeRequests } = await startArchiveMachine();
  await kith(`workspace backup ${archive}`);
  const before = readArchive(archive);
  const inode = statSync(join(archive, 'recordings.ndjson')).ino;
  takeRequests();
  const { out } = await kith(`workspace backup ${archive} --json`);
  expect(takeRequests()).toEqual(unchangedRequests);
  expect(readArchive(archive)).toEqual(before);
  expect(statSync(join(archive, 'recordings.ndjson')).ino).toBe(inode);
  expect(JSON.parse(out).files).toMatchObject({
    contacts: { records: 2, requested: 2, reused: 0, is_changed: false },
    recordings: { records: 3, requested: 0, reused: 3, is_changed: false },
  });
});

test('requests the recordings of new and changed meetings only, and orders meetings by their start', async () => {
  const { kith, archive, records, takeRequests } = await startArchiveMachine();
  await kith(`workspace backup ${archive}`);
  takeRequests();
  records.meetings.unshift(createMeeting(-1, 'done', now()));
  records.recordings.set('r-1', createRecording(-1));
  records.meetings[2] = { ...createMeeting(1, 'done', now()), title: 'Renamed' };
  await kith(`workspace backup ${archive}`);
  expect(takeRequests()).toEqual([
    ...meetingRequests,
    '/v1/recordings/r-1',
    '/v1/recordings/r1',
    ...listRequests,
  ]);
  expect(readIds(archive, 'events')).toEqual(['m-1', 'm0', 'm1', 'm2']);
  expect(readIds(archive, 'recordings')).toEqual(['r-1', 'r0', 'r1', 'r2']);
});

test('lists all meetings again if a meeting was deleted, without requesting unchanged recordings', async () => {
  const { kith, archive, records, takeRequests } = await startArchiveMachine();
  await kith(`workspace backup ${archive}`);
  takeRequests();
  records.meetings.splice(1, 1);
  await kith(`workspace backup ${archive}`);
  expect(takeRequests()).toEqual([
    ...meetingRequests,
    '/v1/calendar_events?first=50&after=0',
    ...listRequests,
  ]);
  expect(readIds(archive, 'events')).toEqual(['m0', 'm2']);
  expect(readIds(archive, 'recordings')).toEqual(['r0', 'r2']);
});

test('requests a recording again until it is done', async () => {
  const { kith, archive, records, takeRequests } = await startArchiveMachine();
  records.recordings.set('r1', createRecording(1, 'processing'));
  records.recordings.set('r2', createRecording(2, 'failed'));
  await kith(`workspace backup ${archive}`);
  takeRequests();
  await kith(`workspace backup ${archive}`);
  expect(filterRecordings(takeRequests())).toEqual(['/v1/recordings/r1']);
  records.recordings.set('r1', createRecording(1));
  await kith(`workspace backup ${archive}`);
  takeRequests();
  await kith(`workspace backup ${archive}`);
  expect(takeRequests()).toEqual(unchangedRequests);
  expect(readRecords(archive, 'recordings')[1]).toContain('"status":"done"');
});

test.each([403, 404, 500])(
  'names records that cannot be read (%i), and keeps their earlier state',
  async (status) => {
    const { kith, archive, records, responses, takeRequests } = await startArchiveMachine();
    await kith(`workspace backup ${archive}`);
    records.meetings[0] = createMeeting(0, 'done', now());
    records.entries.get('l1')?.push({ id: 'e3', list_id: 'l1' });
    records.meetings.push(createMeeting(9));
    responses.set('/v1/recordings/r0', status);
    responses.set('/v1/recordings/r9', status);
    responses.set('/v1/lists/l2/', status);
    const { code, out, err } = await kith(`workspace backup ${archive} --json`);
    expect(code).toBe(6);
    expect(JSON.parse(err).error.message).toBe(
      'The service did not return the entries of 1 list (l2); 2 recordings (r0, r9).',
    );
    expect(JSON.parse(out).unread).toEqual({ nouns: [], lists: ['l2'], recordings: ['r0', 'r9'] });
    expect(readIds(archive, 'entries')).toEqual(['e1', 'e3', 'e2']);
    expect(readIds(archive, 'recordings')).toEqual(['r0', 'r1', 'r2']);
    responses.clear();
    records.recordings.set('r9', createRecording(9));
    takeRequests();
    expect((await kith(`workspace backup ${archive}`)).code).toBe(0);
    expect(filterRecordings(takeRequests())).toEqual(['/v1/recordings/r0', '/v1/recordings/r9']);
    expect(readIds(archive, 'recordings')).toEqual(['r0', 'r1', 'r2', 'r9']);
  },
);

test.each([403, 404])(
  'names a noun that the service does not list (%i), and keeps its records',
  async (status) => {
    const { kith, archive, records, responses } = await startArchiveMachine();
    await kith(`workspace backup ${archive}`);
    records.contacts.push({ id: 'c3' });
    responses.set('/v1/notes', status);
    responses.set('/v1/calendar_events', status);
    const { code, err } = await kith(`workspace backup ${archive}`);
    expect({ code, err }).toEqual({
      code: 6,
      err: expect.stringContaining('The service did not return events, notes.'),
    });
    expect(
      ['contacts', 'notes', 'events', 'recordings'].map((name) => readIds(archive, name).length),
    ).toEqual([3, 1, 3, 3]);
  },
);

test('exits with 4 while the service refuses every list, and keeps the records of an earlier backup', async () => {
  const { kith, archive, responses } = await startArchiveMachine();
  responses.set('/v1/', 403);
  for (let run = 1; run <= 2; run += 1) expect((await kith(`workspace backup ${archive}`)).code).toBe(4);
  expect((await kith(`workspace verify ${archive}`)).code).toBe(3);
  responses.clear();
  expect((await kith(`workspace backup ${archive}`)).code).toBe(0);
  expect(readIds(archive, 'recordings')).toEqual(['r0', 'r1', 'r2']);
  const before = readArchive(archive);
  responses.set('/v1/', 403);
  expect((await kith(`workspace backup ${archive}`)).code).toBe(4);
  expect(readArchive(archive)).toEqual(before);
});

test('a continued backup lists a noun again that the interrupted backup could not read', async () => {
  const { kith, archive, responses, takeRequests } = await startArchiveMachine();
  responses.set('/v1/notes', 403);
  responses.set('/v1/organizations', 503);
  expect((await kith(`workspace backup ${archive}`)).code).toBe(75);
  responses.clear();
  takeRequests();
  expect((await kith(`workspace backup ${archive}`)).code).toBe(0);
  expect(takeRequests()).toEqual(listRequests.slice(3));
  expect(readIds(archive, 'notes')).toEqual(['n1']);
});

test('warns if a list has fewer records than announced', async () => {
  const { kith, archive, responses, takeRequests } = await startArchiveMachine();
  responses.set('/v1/contacts', (to) =>
    sendJson(to, 200, {
      data: [{ id: 'c1' }, { id: 'c2' }],
      pagination: { has_next_page: false, total_count: 9 },
    }),
  );
  const { code, err } = await kith(`workspace backup ${archive} --quiet`);
  expect([code, err]).toEqual([0, 'kith: The service sent fewer contacts than it announced.\n']);
  expect(takeRequests().filter((url) => url.startsWith('/v1/contacts'))).toHaveLength(1);
  expect(readIds(archive, 'contacts')).toEqual(['c1', 'c2']);
});

test('reads pages that are shorter than requested, and continues after a page that breaks off', async () => {
  const records = createRecords(0);
  records.contacts = Array.from({ length: 7 }, (_, index) => ({ id: `p${index}` }));
  const { kith, archive, responses } = await startArchiveMachine(records);
  responses.set('/v1/contacts?first=500&after=4', (to) => {
    to.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 });
    to.write('{"data":[{"id":"p4"},{"id":"p');
    to.destroy();
  });
  responses.set('/v1/contacts', (to) => {
    const after = Number(/after=(\d+)/.exec(to.req.url ?? '')?.[1]);
    const data = records.contacts.slice(after, after + 2);
    const pagination = { end_cursor: after + 2, has_next_page: after + 2 < 7, total_count: 7 };
    sendJson(to, 200, { data, pagination });
  });
  expect((await kith(`workspace backup ${archive}`)).code).toBe(75);
  responses.delete('/v1/contacts?first=500&after=4');
  expect((await kith(`workspace backup ${archive}`)).code).toBe(0);
  expect(readIds(archive, 'contacts')).toEqual(records.contacts.map((contact) => Object(contact).id));
});

test('continues after a failure without reading a noun again, and waits after a 429', async () => {
  const { kith, run, env, archive, responses, takeRequests } = await startArchiveMachine();
  responses.set('/v1/notes', 503);
  expect((await kith(`workspace backup ${archive}`)).code).toBe(75);
  expect((await kith(`workspace verify ${archive}`)).code).toBe(3);
  takeRequests();
  let refusals = 1;
  responses.clear();
  responses.set('/v1/contacts', (to, respond) => {
    refusals -= 1;
    if (refusals < 0) respond();
    else to.writeHead(429, { 'retry-after': '0' }).end();
  });
  expect((await run(`workspace backup ${archive}`, { env, sleep: async () => {} })).code).toBe(0);
  const [notes, contacts, ...others] = listRequests.slice(3);
  expect(takeRequests()).toEqual([notes, contacts, contacts, ...others]);
});

test('does not request the recordings that an interrupted backup has written', async () => {
  const { kith, archive, responses, takeRequests } = await startArchiveMachine(createRecords(30));
  responses.set('/v1/recordings/r20', 503);
  expect((await kith(`workspace backup ${archive}`)).code).toBe(75);
  const written = readIds(join(archive, '.next'), 'recordings');
  expect(written.length).toBeGreaterThan(10);
  responses.clear();
  takeRequests();
  expect((await kith(`workspace backup ${archive}`)).code).toBe(0);
  expect(filterRecordings(takeRequests())).toHaveLength(30 - written.length);
  expect(readIds(archive, 'recordings')).toEqual(Array.from({ length: 30 }, (_, index) => `r${index}`));
});

test('a record that is created during the backup is in the archive with the records that it refers to', async () => {
  const { kith, archive, records, responses } = await startArchiveMachine();
  responses.set('/v1/lists?', (_, respond) => {
    records.organizations.push({ id: 'o2' });
    records.contacts.push({ id: 'c3', organization_id: 'o2' });
    records.entries
      .get('l1')
      ?.push({ id: 'e3', list_id: 'l1', entryable_id: 'c3', entryable_type: 'Contact' });
    respond();
  });
  await kith(`workspace backup ${archive}`);
  expect((await kith(`workspace verify ${archive}`)).code).toBe(0);
  expect(readIds(archive, 'entries')).toContain('e3');
});

test('starts again if the interrupted backup is older than 12 hours, or of another workspace', async () => {
  const { run, env, archive, responses, takeRequests } = await startArchiveMachine();
  const backUp = (hours: number, key = env.KITH_API_KEY) =>
    run(`workspace backup ${archive} --retries 0`, {
      env: { ...env, KITH_API_KEY: key },
      now: new Date(Date.UTC(2026, 5, 1, hours)),
    });
  responses.set('/v1/notes', 503);
  for (const [hours, key, isContinued] of [
    [0, 'a', false],
    [11, 'a', true],
    [11, 'b', false],
    [24, 'b', false],
  ] as const) {
    takeRequests();
    await backUp(hours, key);
    expect(takeRequests().some((url) => url.startsWith('/v1/lists?'))).toBe(!isContinued);
  }
});

test('keeps older states as hard links, each a complete archive', async () => {
  const { run, env, kith, archive, records } = await startArchiveMachine();
  const counts: unknown[] = [];
  for (let day = 1; day <= 4; day += 1) {
    records.contacts.push({ id: `new${day}` });
    const now = new Date(Date.UTC(2026, 5, day, 3));
    const { out } = await run(`workspace backup ${archive} --keep 2 --json`, { env, now });
    counts.push(JSON.parse(out).older);
  }
  const [second, third] = ['20260602T030000Z', '20260603T030000Z'];
  expect(counts).toEqual([[], ['20260601T030000Z'], ['20260601T030000Z', second], [second, third]]);
  expect(readdirSync(join(archive, 'older')).sort()).toEqual([second, third]);
  expect(readIds(join(archive, 'older', `${second}`), 'contacts')).toEqual(['c1', 'c2', 'new1', 'new2']);
  expect(readIds(archive, 'contacts')).toHaveLength(6);
  expect(statSync(join(archive, 'notes.ndjson')).nlink).toBe(3);
  for (const name of [second, third])
    expect((await kith(`workspace verify ${join(archive, 'older', `${name}`)}`)).code).toBe(0);
  await kith(`workspace backup ${archive}`);
  expect(readdirSync(join(archive, 'older'))).toHaveLength(2);
  await kith(`workspace backup ${archive} --keep 0`);
  expect(readdirSync(join(archive, 'older'))).toEqual([]);
});

test('reads a state whose files were not all moved when the backup was killed, and the next run moves them', async () => {
  const { kith, archive, records } = await startArchiveMachine();
  await kith(`workspace backup ${archive}`);
  const [before] = [readArchive(archive)];
  records.contacts.push({ id: 'c3' });
  records.notes.push({ id: 'n2', organization_id: 'o1', body: '' });
  await kith(`workspace backup ${archive} --keep 1`);
  const after = readArchive(archive);
  // The state in which the backup was killed: committed, with one of two new files moved.
  const next = join(archive, '.next');
  mkdirSync(next);
  for (const name of ['notes.ndjson', 'manifest.json']) {
    renameSync(join(archive, name), join(next, name));
    writeFileSync(join(archive, name), before[name] ?? '');
  }
  const opened = Archive.open(archive);
  expect([...opened.records('notes')].map(({ value }) => value.id)).toEqual(['n1', 'n2']);
  expect([...opened.records('contacts')]).toHaveLength(3);
  opened.close();
  expect((await kith(`workspace verify ${archive}`)).code).toBe(0);
  await kith(`workspace backup ${archive}`);
  expect(readArchive(archive)).toEqual(after);
  expect(readdirSync(archive)).not.toContain('.next');
});

test.each([
  ['has another byte', 'recordings.ndjson', (text: string) => text.replace('Of 1', 'Of 7')],
  ['is truncated', 'contacts.ndjson', (text: string) => text.slice(0, -9)],
  ['is missing', 'events.ndjson', undefined],
])('requests all records again if a file of the archive %s', async (_, name, damage) => {
  const { kith, archive, takeRequests } = await startArchiveMachine();
  await kith(`workspace backup ${archive}`);
  const before = readArchive(archive);
  if (damage) writeFileSync(join(archive, name), damage(before[name] ?? ''));
  else rmSync(join(archive, name));
  takeRequests();
  expect(await kith(`workspace backup ${archive} --quiet --keep 3`)).toEqual({
    code: 0,
    out: '',
    err: `kith: ${archive} was damaged, so kith requested all records again.\n`,
  });
  expect(takeRequests()).toContain('/v1/recordings/r1');
  expect(readArchive(archive)).toEqual(before);
  expect(readdirSync(archive)).not.toContain('older');
});

test('never replaces the archive of a newer version, even with --force', async () => {
  const { kith, archive } = await startArchiveMachine();
  await kith(`workspace backup ${archive}`);
  const manifest = join(archive, 'manifest.json');
  writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('"kith_archive": 1', '"kith_archive": 2'));
  const before = readArchive(archive);
  expect(await kith(`workspace backup ${archive} --force`)).toMatchObject({
    code: 1,
    err: expect.stringContaining(`${manifest} was written by a newer version of kith.\nhint: Update kith.\n`),
  });
  expect(readArchive(archive)).toEqual(before);
});

test('never completes the killed backup of a newer version, even with --force', async () => {
  const { kith, archive } = await startArchiveMachine();
  await kith(`workspace backup ${archive}`);
  const next = join(archive, '.next');
  mkdirSync(next);
  writeFileSync(join(next, 'manifest.json'), '{"kith_archive":2}');
  writeFileSync(join(next, 'deals.ndjson'), 'a file that this version does not know');
  expect(await kith(`workspace backup ${archive} --force`)).toMatchObject({
    code: 1,
    err: expect.stringContaining(`${next}/manifest.json was written by a newer version of kith.`),
  });
  expect(readdirSync(next).toSorted()).toEqual(['deals.ndjson', 'manifest.json']);
});

test('an open archive stays as it is while a backup replaces it', async () => {
  const { kith, archive, records } = await startArchiveMachine();
  await kith(`workspace backup ${archive}`);
  const opened = Archive.open(archive);
  records.contacts.length = 0;
  await kith(`workspace backup ${archive}`);
  expect([...opened.records('contacts')]).toHaveLength(2);
  opened.close();
});

test('contains no key, and only its owner can read it', async () => {
  const { kith, archive } = await startArchiveMachine();
  await kith(`workspace backup ${archive} --keep 1`);
  await kith(`workspace backup ${archive} --keep 1`);
  const paths = readdirSync(archive, { recursive: true, encoding: 'utf8' }).map((name) =>
    join(archive, name),
  );
  for (const path of [archive, ...paths]) {
    const stats = statSync(path);
    expect(stats.mode & 0o777).toBe(stats.isDirectory() ? 0o700 : 0o600);
    if (stats.isFile()) expect(readFileSync(path, 'utf8')).not.toContain('key-for-tests');
  }
  expect(paths.length).toBeGreaterThan(18);
});

test('an interrupted backup exits with 130, leaves the archive as it was, and is continued', async () => {
  const { kith, run, env, archive, records, responses, takeRequests } = await startArchiveMachine();
  await kith(`workspace backup ${archive}`);
  const before = readArchive(archive);
  records.contacts.push({ id: 'c3' });
  const interrupt = new AbortController();
  responses.set('/v1/contacts', (_, respond) => {
    interrupt.abort(new Failure('interrupted', 'Interrupted.'));
    respond();
  });
  const { code } = await run(`workspace backup ${archive}`, { env, signal: interrupt.signal });
  expect(code).toBe(130);
  expect(readArchive(archive)).toEqual(before);
  responses.clear();
  takeRequests();
  await kith(`workspace backup ${archive}`);
  expect(takeRequests()).toEqual(listRequests.slice(4));
  expect(readIds(archive, 'contacts')).toEqual(['c1', 'c2', 'c3']);
});

test('a second backup to the same folder exits with 75', async () => {
  const { kith, archive, responses } = await startArchiveMachine();
  let second: Promise<{ code: number; err: string }> | undefined;
  responses.set('/v1/notes', (_, respond) => {
    second ??= kith(`workspace backup ${archive}`);
    void second.then(respond);
  });
  expect((await kith(`workspace backup ${archive}`)).code).toBe(0);
  expect(await second).toMatchObject({ code: 75, err: expect.stringContaining('Another run is backing up') });
});

test('an archive can be read like its service', async () => {
  const { kith, archive } = await startArchiveMachine(createRecords(60));
  await kith(`workspace backup ${archive}`);
  const opened = Archive.open(archive);
  const reader = createArchiveReader(opened);
  const sizes: number[] = [];
  for await (const { records } of reader.meetings()) sizes.push(records.length);
  const entries: unknown[] = [];
  for await (const { list, records } of reader.entries(() => {}))
    entries.push([list.name, records.map(({ value }) => value.id)]);
  expect({ sizes, entries }).toEqual({
    sizes: [50, 10],
    entries: [
      ['Sales', ['e1']],
      ['Board', ['e2']],
    ],
  });
  expect((await reader.recording('r7')).value.summary).toEqual({ summary: 'Of 7.' });
  await expect(reader.recording('r99')).rejects.toMatchObject({ code: 'not_found' });
  opened.close();
});
