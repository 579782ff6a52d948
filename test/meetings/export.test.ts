import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { createClient } from '../../src/client/client.ts';
import { type Exported, exportMeetings } from '../../src/meetings/export.ts';
import { openDatabase } from '../../src/service/database.ts';
import { createService } from '../../src/service/dispatch.ts';
import { answer, clientOf, loopback } from '../client/loopback.ts';
import { sampleWorkspace, temporaryFolder } from '../kith.ts';

type Client = ReturnType<typeof createClient>;

/** The real service on a copy of the sample, and a client of it in this process. */
function workspace() {
  const db = openDatabase(sampleWorkspace());
  onTestFinished(() => db.destroy());
  const now = () => new Date('2026-11-20T10:00:00Z');
  const service = createService({ db, now, log: () => {} });
  const client = createClient({
    transport: { send: (request) => service(request), close: async () => {} },
    patience: { retries: 0, maxWait: 0 },
    signal: new AbortController().signal,
    now,
    random: () => 0,
    sleep: async () => {},
    trace: () => {},
  });
  return { db, client };
}

const exported = (client: Client, folder: string, concurrency = 4): Promise<Exported> =>
  exportMeetings({ client, folder, concurrency, onProgress: () => {} });

const textsIn = (folder: string) =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));

interface Meeting {
  readonly id: string;
  readonly title: string;
  readonly recordings: readonly { id: string; status: string }[];
}

const meeting = (id: string, title: string, status = 'done') => ({
  id,
  title,
  start_at: '2026-10-01T09:00:00.000+09:00',
  end_at: '2026-10-01T10:00:00.000+09:00',
  attendees: [{ email: 'a@x.org' }],
  recordings: status === '' ? [] : [{ id: `r-${id}`, status }],
  updated_at: '2026-10-01T02:00:00.000Z',
});

/** A service over HTTP with these meetings, whose recordings are answered as `recording` says. */
async function hosted(
  meetings: readonly Meeting[],
  recording: (id: string) => readonly [status: number, body: unknown] = (id) => [
    200,
    { data: { id, status: 'done', summary: { summary: `Of ${id}.` } } },
  ],
) {
  const { url, seen } = await loopback((request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://x');
    const [, id] = /^\/v1\/recordings\/(.+)$/.exec(pathname) ?? [];
    if (id !== undefined) return answer(response, ...recording(decodeURIComponent(id)));
    const after = Number(searchParams.get('after'));
    const data = meetings.slice(after, after + Number(searchParams.get('first')));
    const end_cursor = after + data.length;
    const has_next_page = end_cursor < meetings.length;
    answer(response, 200, { data, pagination: { end_cursor, has_next_page, total_count: meetings.length } });
  });
  return { client: clientOf(url, 0).client, seen };
}

const counts = { new: 0, updated: 0, unchanged: 0, pending: 0, failed: [] };

test('every meeting of a workspace becomes a file; a second run finds them unchanged', async () => {
  const { client } = workspace();
  const folder = join(temporaryFolder(), 'not', 'there');
  const first = await exported(client, folder);
  const texts = textsIn(folder);
  const { total, data } = await client.calendarEvents.list({ first: 500 });
  const pending = data.filter(({ recordings }) => recordings.some(({ status }) => status === 'processing'));
  expect(first).toEqual({ ...counts, new: total, pending: pending.length });
  expect(Object.keys(texts).length).toBe(total);
  expect(pending.length).toBeGreaterThan(0);

  const ids = Object.values(texts).map((text) => parse(text.split('\n---\n')[0]?.slice(4) ?? '').id);
  expect(ids.sort()).toEqual(data.map(({ id }) => id).sort());

  for (const name of Object.keys(texts)) utimesSync(join(folder, name), 1, 1);
  expect(await exported(client, folder)).toEqual({ ...counts, unchanged: total, pending: pending.length });
  expect(textsIn(folder)).toEqual(texts);
  expect(Object.keys(texts).filter((name) => statSync(join(folder, name)).mtimeMs !== 1000)).toEqual([]);
});

test('a meeting that has changed is written again, and no other', async () => {
  const { client, db } = workspace();
  const folder = temporaryFolder();
  const { new: total } = await exported(client, folder);
  const before = textsIn(folder);
  const summary = JSON.stringify({ summary: 'Another view of it.' });
  await db.updateTable('recording').set({ summary }).where('id', '=', 1).execute();
  expect(await exported(client, folder)).toMatchObject({
    new: 0,
    updated: 1,
    unchanged: total - 1,
    failed: [],
  });
  const changed = Object.entries(textsIn(folder)).filter(([name, text]) => before[name] !== text);
  expect(changed.map(([, text]) => text.split('\n## ')[1])).toEqual(['Summary\n\nAnother view of it.\n']);
});

test('a recording that is not done is pending, one that failed is not', async () => {
  const { client, seen } = await hosted([
    meeting('a', 'Done'),
    meeting('b', 'Processing', 'processing'),
    meeting('c', 'Failed', 'failed'),
    meeting('d', 'None', ''),
  ]);
  const folder = temporaryFolder();
  expect(await exported(client, folder)).toEqual({ ...counts, new: 4, pending: 1 });
  expect(seen.map(({ url }) => url)).toEqual(['/v1/calendar_events?first=50&after=0', '/v1/recordings/r-a']);
  const endings = Object.entries(textsIn(folder)).map(([name, text]) => [name, text.split('\n# ')[1]]);
  expect(endings).toEqual([
    ['2026-10-01-done-a.md', 'Done\n\n## Summary\n\nOf r-a.\n'],
    ['2026-10-01-failed-c.md', 'Failed\n\n_The recording r-c failed: it has no summary._\n'],
    ['2026-10-01-none-d.md', 'None\n'],
    [
      '2026-10-01-processing-b.md',
      'Processing\n\n_The recording r-b is not done yet; its status is processing._\n',
    ],
  ]);
});

test.each([
  [404, 'Gone.'],
  [410, 'Gone.'],
  [422, 'Gone.'],
])('a recording answered with %i fails its meeting and stops no other', async (status, reason) => {
  const { client } = await hosted([meeting('a', 'One'), meeting('b', 'Two'), meeting('c', 'Three')], (id) =>
    id === 'r-b' ? [status, { error: reason }] : [200, { id, status: 'done', summary: { summary: 'Yes.' } }],
  );
  const folder = temporaryFolder();
  const failed = [{ id: 'b', title: 'Two', reason }];
  expect(await exported(client, folder)).toEqual({ ...counts, new: 2, failed });
  expect(readdirSync(folder)).toEqual(['2026-10-01-one-a.md', '2026-10-01-three-c.md']);
});

test.each([
  [503, 'unavailable'],
  [401, 'unauthorized'],
  [429, 'rate_limited'],
])(
  'a recording answered with %i is a failure of all, and nothing is written after it',
  async (status, code) => {
    const meetings = Array.from({ length: 40 }, (_, index) => meeting(`m${index}`, 'Weekly'));
    const { client, seen } = await hosted(meetings, (id) =>
      id === 'r-m3' ? [status, {}] : [200, { id, status: 'done', summary: {} }],
    );
    const folder = temporaryFolder();
    await expect(exported(client, folder, 2)).rejects.toMatchObject({ code });
    const then = { files: readdirSync(folder), requests: seen.length };
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect({ files: readdirSync(folder), requests: seen.length }).toEqual(then);
    expect(then.files.filter((name) => !/^2026-10-01-weekly-m\d+\.md$/.test(name))).toEqual([]);
    expect(then.requests).toBeLessThan(10);
  },
);

test('meetings of one title, and ids that differ only in case, have a file each', async () => {
  const ids = ['ab', 'aB', 'Ab', 'AB', 'a/b', '..', '../../etc/x', 'a b', '김'.repeat(100), '👋'.repeat(40)];
  const { client } = await hosted(ids.map((id) => meeting(id, '../../Weekly', '')));
  const folder = join(temporaryFolder(), 'out');
  expect(await exported(client, folder)).toEqual({ ...counts, new: ids.length });
  const names = readdirSync(folder);
  expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(ids.length);
  expect(readdirSync(join(folder, '..'))).toEqual(['out']);
});

test('a title that is cut in the middle of a letter is no change', async () => {
  const { client } = await hosted([meeting('a', 'Hello \ud83d', '')]);
  const folder = temporaryFolder();
  expect([await exported(client, folder), await exported(client, folder)]).toEqual([
    { ...counts, new: 1 },
    { ...counts, unchanged: 1 },
  ]);
});

test('many pages are read, and the progress is told up to the total', async () => {
  const meetings = Array.from({ length: 120 }, (_, index) => meeting(`m${index}`, 'Weekly', ''));
  const { client } = await hosted(meetings);
  const folder = temporaryFolder();
  const told: string[] = [];
  const onProgress = (done: number, total: number | undefined) => told.push(`${done}/${total}`);
  expect(await exportMeetings({ client, folder, concurrency: 8, onProgress })).toEqual({
    ...counts,
    new: 120,
  });
  expect(told).toEqual(Array.from({ length: 120 }, (_, index) => `${index + 1}/120`));
  expect(readdirSync(folder).length).toBe(120);
});

test('other files in the folder are left alone', async () => {
  const { client } = await hosted([meeting('a', 'One', '')]);
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'notes.md'), 'mine');
  await exported(client, folder);
  expect(textsIn(folder)).toMatchObject({ 'notes.md': 'mine' });
  expect(readdirSync(folder)).toEqual(['2026-10-01-one-a.md', 'notes.md']);
});

test('a folder that is a file is named', async () => {
  const { client, seen } = await hosted([meeting('a', 'One', '')]);
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, 'mine');
  await expect(exported(client, file)).rejects.toMatchObject({
    code: 'failed',
    message: `Cannot write ${file}: it is a file, not a folder.`,
  });
  await expect(exported(client, join(file, 'below'))).rejects.toMatchObject({
    code: 'failed',
    message: `Cannot write ${join(file, 'below')}: a part of the path is a file.`,
  });
  expect([seen, readFileSync(file, 'utf8')]).toEqual([[], 'mine']);
});

test('a file that cannot be written is named, and nothing temporary is left', async () => {
  const { client } = await hosted([meeting('a', 'One', '')]);
  const folder = temporaryFolder();
  const path = join(folder, '2026-10-01-one-a.md');
  mkdirSync(path);
  await expect(exported(client, folder)).rejects.toMatchObject({
    code: 'failed',
    message: `Cannot write ${path}: it is a folder, not a file.`,
  });
  expect(readdirSync(folder)).toEqual(['2026-10-01-one-a.md']);
});

/** A folder that takes no new file, from root neither. */
function lockedFolder(): string {
  const folder = temporaryFolder();
  if (process.getuid?.() === 0) return '/proc/self';
  chmodSync(folder, 0o500);
  return folder;
}

test.runIf(existsSync('/proc/self'))(
  'a folder that cannot be made is named, also where Node would try for ever',
  async () => {
    const { client } = await hosted([meeting('a', 'One', '')]);
    await expect(exported(client, '/proc/kith/out')).rejects.toMatchObject({
      code: 'failed',
      message: expect.stringContaining('Cannot write /proc/kith/out: '),
    });
  },
);

test('a folder that takes no file is named', async () => {
  const { client } = await hosted([meeting('a', 'One', '')]);
  const folder = lockedFolder();
  const path = join(folder, '2026-10-01-one-a.md');
  await expect(exported(client, folder)).rejects.toMatchObject({
    code: 'failed',
    message: expect.stringContaining(`Cannot write ${path}: `),
  });
  expect(existsSync(path)).toBe(false);
});
