import { appendFileSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import sql from 'sql-template-tag';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { Client } from '../../src/client/client.ts';
import { calendarEvents } from '../../src/contract/calendar-events.ts';
import { openDatabase } from '../../src/service/db/sqlite/open-workspace.ts';
import { createService } from '../../src/service/dispatch.ts';
import { sendJson } from '../client/loopback.ts';
import { createSampleWorkspace, createTemporaryFolder } from '../support/kith.ts';
import {
  createMeeting,
  createRecording,
  emptyResult,
  exportWithDefaults,
  listRequest,
  readLedgerLines,
  readTexts,
  startHost,
} from './export-host.ts';

/** Opens the service on a copy of the sample, and a client in this process. */
function openSample() {
  const db = openDatabase(createSampleWorkspace());
  onTestFinished(() => db.close());
  const now = () => new Date('2026-11-20T10:00:00Z');
  const service = createService({ db, now, log: () => {} });
  const client = new Client({
    transport: { send: (request) => service(request), close: async () => {} },
    retryPolicy: { retries: 0, maxWait: 0 },
    signal: new AbortController().signal,
    getEndSignal: () => new AbortController().signal,
    now,
    random: () => 0,
    sleep: async () => {},
    trace: () => {},
  });
  return { db, client };
}

test('writes a file for every meeting of a workspace, then only the changed one', async () => {
  const { client, db } = openSample();
  const folder = join(createTemporaryFolder(), 'not', 'there');
  const { total = 0, data } = await client.page(calendarEvents.list, { first: 500 });
  const recordings = data.flatMap(({ value }) => value.recordings ?? []);
  const pending = recordings.filter(({ status }) => status === 'processing').length;
  expect(await exportWithDefaults(client, folder)).toEqual({ ...emptyResult, new: total, pending });
  expect(pending).toBeGreaterThan(0);
  const texts = readTexts(folder);
  const ids = Object.values(texts).map((text) => parse(text.split('\n---\n')[0]?.slice(4) ?? '').id);
  expect(ids.sort()).toEqual(data.map(({ value }) => value.id).sort());

  for (const name of Object.keys(texts)) utimesSync(join(folder, name), 1, 1);
  expect(await exportWithDefaults(client, folder)).toEqual({ ...emptyResult, unchanged: total, pending });
  expect(readTexts(folder)).toEqual(texts);
  expect(Object.keys(texts).filter((name) => statSync(join(folder, name)).mtimeMs !== 1000)).toEqual([]);

  const summary = JSON.stringify({ summary: 'Another view of it.' });
  await db.run(sql`update recording set summary = ${summary} where id = 1`);
  await db.run(sql`update calendar_event set updated_at = ${Date.parse('2026-11-20T10:00:00Z')}
    where id = (select calendar_event_id from recording where id = 1)`);
  const changed = { updated: 1, unchanged: total - 1 };
  expect(await exportWithDefaults(client, folder)).toEqual({ ...emptyResult, ...changed, pending });
  const changedTexts = Object.entries(readTexts(folder)).filter(([name, text]) => texts[name] !== text);
  expect(changedTexts.map(([, text]) => text.split('\n## ')[1])).toEqual([
    'Summary\n\nAnother view of it.\n',
  ]);
});

test('lists pages of 100 meetings, and requests only finished recordings', async () => {
  const { folder, run, takeRequests } = await startHost([
    createMeeting('a', 'Done'),
    createMeeting('b', 'Processing', 'processing'),
    createMeeting('c', 'Failed', 'failed'),
    createMeeting('d', 'None', ''),
  ]);
  expect(await run()).toEqual({ ...emptyResult, new: 4, pending: 1 });
  expect(takeRequests()).toEqual(['/v1/calendar_events?first=100&after=0', '/v1/recordings/r-a']);
  const bodies = Object.entries(readTexts(folder)).map(([name, text]) => [name, text.split('\n# ')[1]]);
  expect(bodies).toEqual([
    ['2026-10-01-done-a.md', 'Done\n\n## Summary\n\nOf r-a.\n'],
    ['2026-10-01-failed-c.md', 'Failed\n\n_The recording r-c failed and has no summary._\n'],
    ['2026-10-01-none-d.md', 'None\n'],
    [
      '2026-10-01-processing-b.md',
      'Processing\n\n_The recording r-b is not done yet. Its status is processing._\n',
    ],
  ]);
});

test('reads many pages, and reports progress up to the total', async () => {
  const meetings = Array.from({ length: 22 }, (_, index) => createMeeting(`m${index}`, 'Weekly', ''));
  const { run, folder, service } = await startHost(meetings);
  service.maxPageSize = 10;
  const progress: string[] = [];
  const onProgress = (done: number, total: number | undefined) => progress.push(`${done}/${total}`);
  expect(await run({ concurrency: 8, onProgress })).toEqual({ ...emptyResult, new: 22 });
  expect(progress).toEqual(meetings.map((_, index) => `${index + 1}/22`));
  expect(Object.keys(readTexts(folder)).length).toBe(22);
});

test.each([1, 3])('with --concurrency %i, exports that many meetings in parallel', async (concurrency) => {
  const { run, service } = await startHost(
    Array.from({ length: 12 }, (_, index) => createMeeting(`m${index}`, 'Weekly')),
  );
  let openCount = 0;
  let highest = 0;
  for (const { recordings } of service.meetings) {
    const id = recordings[0]?.id ?? '';
    service.responses.set(`/v1/recordings/${id}`, (to) => {
      openCount += 1;
      highest = Math.max(highest, openCount);
      setTimeout(() => {
        openCount -= 1;
        to.writeHead(200).end(JSON.stringify(createRecording(id)));
      }, 5);
    });
  }
  expect(await run({ concurrency })).toMatchObject({ failed: [] });
  expect(highest).toBe(concurrency);
});

test('writes records as the service sent them, and one transcript for each recording', async () => {
  const recordings = ['r-1', 'r-2'].map((id) => ({ id, status: 'done' }));
  const meeting = createMeeting('a', 'One', 'done', { recordings });
  const { folder, run, service } = await startHost([meeting]);
  const spaced = '{"id": "r-1", "status": "done",\r\n\t"odd": 1.10, "summary": null, "odd": "\\u00e9\\/"}';
  service.responses.set('/v1/recordings/r-1', (to) => {
    to.writeHead(200).end(`{"data": ${spaced}}`);
  });
  await run({ contents: { transcript: true, with: ['json', 'txt'] } });
  const {
    '2026-10-01-one-a.md': markdown = '',
    '2026-10-01-one-a.json': json = '',
    ...rest
  } = readTexts(folder);
  expect(markdown.split('\n# ')[1]).toBe(`One

## Recording 1

_This recording has no summary._

## Recording 2

### Summary

Of r-2.

### Transcript

[00:01] Ada: Hello
`);
  const second = JSON.stringify(createRecording('r-2'));
  expect(json).toBe(`{"calendar_event":${JSON.stringify(meeting)},"recordings":[${spaced},${second}]}\n`);
  expect(rest).toEqual({ '2026-10-01-one-a.txt': '', '2026-10-01-one-a.2.txt': 'Ada: Hello\n' });
});

test('writes subtitles next to the Markdown, and reports a transcript without times', async () => {
  const { service, run, folder, takeRequests } = await startHost([
    createMeeting('a', 'Talk'),
    createMeeting('b', 'Walk'),
  ]);
  const word = { text: 'Hello.', start_timestamp: { relative: 1 }, end_timestamp: { relative: 2 } };
  const transcript = [{ participant: { name: 'Ada' }, words: [word] }];
  service.responses.set('/v1/recordings/r-a', [200, { data: createRecording('r-a', { transcript }) }]);
  const contents = { transcript: false, with: ['vtt', 'srt'] } as const;
  const reason = 'Subtitles need a time for every word, but "Hello" in utterance 1 has none.';
  const skipped = [{ name: '2026-10-01-walk-b.md', reason }];
  expect(await run({ contents })).toEqual({ ...emptyResult, new: 2, skipped });
  expect(readTexts(folder)).toEqual({
    '2026-10-01-talk-a.md': expect.stringContaining('# Talk'),
    '2026-10-01-talk-a.srt': '1\n00:00:01,000 --> 00:00:02,000\nAda: Hello.\n',
    '2026-10-01-talk-a.vtt': 'WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n<v Ada>Hello.\n',
    '2026-10-01-walk-b.md': expect.stringContaining('# Walk'),
  });
  takeRequests();
  expect(await run({ contents })).toEqual({ ...emptyResult, unchanged: 2 });
  expect(takeRequests().filter((path) => path.includes('recordings'))).toEqual([]);
});

test('never gives the second transcript of a meeting the name of another meeting', async () => {
  const recordings = ['x', 'y'].map((id) => ({ id, status: 'done' }));
  const { folder, run } = await startHost([
    createMeeting('a', 'X', 'done', { recordings }),
    createMeeting('2', 'X a'),
  ]);
  const contents = { transcript: false, with: ['txt'] } as const;
  expect(await run({ contents })).toEqual({ ...emptyResult, new: 2 });
  expect(Object.keys(readTexts(folder)).length).toBe(5);
  expect(await run({ contents, full: true })).toEqual({ ...emptyResult, unchanged: 2 });
});

test('rewrites older files when the options change, and again when they change back', async () => {
  const { folder, run, takeRequests } = await startHost([
    createMeeting('a', 'One'),
    createMeeting('b', 'Two'),
  ]);
  await run();
  takeRequests();
  const contents = { transcript: true, with: ['txt', 'json'] } as const;
  expect(await run({ contents })).toEqual({ ...emptyResult, updated: 2 });
  expect(takeRequests()).toEqual([listRequest(), '/v1/recordings/r-a', '/v1/recordings/r-b']);
  expect(await run({ contents })).toEqual({ ...emptyResult, unchanged: 2 });
  expect(await run()).toEqual({ ...emptyResult, updated: 2 });
  const texts = Object.values(readTexts(folder));
  expect([texts.length, texts.filter((text) => text.includes('## Transcript'))]).toEqual([6, []]);
});

const createMeetingOn = (id: string, start_at: string, email = 'nobody@x.org') =>
  createMeeting(id, 'Weekly', '', {
    start_at,
    attendees: [{ email }, { email: 'b@y.org' }, { email: 'c@y.org' }],
  });

test.each([
  ['flat', 'by-month', ['2026-09-30-weekly-a.md', '2026-10-01-weekly-b.md', 'undated-weekly-c.md']],
  [
    'by-month',
    'flat',
    ['2026-09/2026-09-30-weekly-a.md', '2026-10/2026-10-01-weekly-b.md', 'undated/undated-weekly-c.md'],
  ],
  [
    'by-organization',
    'flat',
    [
      'acme-o1/2026-09-30-weekly-a.md',
      'acme-o1/2026-10-01-weekly-b.md',
      'no-organization/undated-weekly-c.md',
    ],
  ],
] as const)('the layout %s, and then %s, which leaves no empty folder', async (layout, other, names) => {
  const { run, folder, service, takeRequests } = await startHost([
    createMeetingOn('a', '2026-09-30T23:00:00-09:00'),
    createMeetingOn('b', '2026-10-01T01:00:00+09:00', 'a@z.org'),
    { ...createMeetingOn('c', '../../x'), attendees: [{ email: 'nobody@x.org' }] },
  ]);
  service.responses.set('/v1/contacts', (to) => {
    const email = new URL(to.req.url ?? '', 'http://x').searchParams.get('email') ?? '';
    const id = email.endsWith('@y.org') ? 'o1' : email.endsWith('@z.org') ? 'o2' : null;
    const data = email.startsWith('nobody') ? [] : [{ id: 'c', emails: [email], organization_id: id }];
    sendJson(to, 200, { data });
  });
  const data = [
    { id: 'o1', name: 'Acme' },
    { id: 'o2', name: null },
  ];
  service.responses.set('/v1/organizations', [200, { data }]);
  expect(await run({ layout })).toEqual({ ...emptyResult, new: 3 });
  expect(Object.keys(readTexts(folder))).toEqual(names);
  const lookUps = takeRequests().filter((url) => /contacts|organizations/.test(url));
  expect(new Set(lookUps).size).toBe(lookUps.length);
  expect(await run({ layout: other })).toEqual({ ...emptyResult, updated: 3 });
  const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const expected = other === 'flat' ? [] : ['2026-09', '2026-10', 'undated'];
  expect(folders.map(({ name }) => name).sort()).toEqual(expected);
});

test.each([
  ['../..', 'o', 'organization-o'],
  ['CON', ' ', 'con-%20.~0'],
  ['CON', '', 'no-organization'],
  ['', 'nul', 'organization-nul'],
  [null, '../..', 'organization-%2e.%2e.%2f.%2e.%2e.~0'],
  ['\u001b[2J\u001b]0;owned\u0007', 'o', '2j-0-owned-o'],
])('by-organization turns the name %j with the id %j into the folder %s', async (name, id, folderName) => {
  const malformed = [null, {}, { email: 5 }, 'x'] as unknown as { email: string }[];
  const { folder, run, service } = await startHost([
    createMeeting('a', 'One', '', { attendees: [...malformed, { email: 'a@x.org' }] }),
    createMeeting('b', 'Two', '', { attendees: null as unknown as [] }),
  ]);
  service.responses.set('/v1/organizations', [200, { data: [{ id, name }] }]);
  service.responses.set('/v1/contacts', (to) => {
    const contact = { id: 'c', emails: ['a@x.org'], organization_id: id };
    sendJson(to, 200, { data: to.req.url?.includes('email=a') ? [contact] : [] });
  });
  expect(await run({ layout: 'by-organization' })).toEqual({ ...emptyResult, new: 2 });
  const names = Object.keys(readTexts(dirname(folder))).map((name) => dirname(name));
  expect(new Set(names)).toEqual(new Set(['out', `out/${folderName}`, 'out/no-organization']));
});

const contents = { transcript: true, with: ['json', 'txt'] } as const;
const month = '2026-10/2026-10-01-one-a';

/** Exports meetings of every kind with the flat layout. */
async function exportFlat() {
  const host = await startHost([
    createMeeting('a', 'One'),
    createMeeting('b', 'Two', 'processing'),
    createMeeting('c', 'Three', 'done', { start_at: '2026-11-01T09:00:00.000+09:00' }),
    createMeeting('d', 'Four'),
  ]);
  host.service.responses.set('/v1/recordings/r-d', [404, {}]);
  await host.run({ contents });
  host.takeRequests();
  return { ...host, toPath: (name: string) => join(host.folder, name) };
}

test('moves the files to another layout without fetching anything', async () => {
  const { folder, run, takeRequests, service } = await exportFlat();
  service.meetings.pop();
  const before = readTexts(folder);
  /** Returns the ledger by meeting, without the names of layouts and folders. */
  const readMeetings = () =>
    readLedgerLines(folder).flatMap(({ meeting }) =>
      meeting ? [JSON.parse(JSON.stringify(meeting).replaceAll(/\d{4}-\d\d\/|flat|by-month/g, ''))] : [],
    );
  const meetings = readMeetings();
  const byMonth = { contents, layout: 'by-month' } as const;
  expect(await run(byMonth)).toEqual({ ...emptyResult, updated: 3, pending: 1, deleted_upstream: 1 });
  expect(takeRequests()).toEqual([listRequest(), '/v1/calendar_events/d']);
  const moved = Object.entries(before).map(([name, text]) =>
    name.includes('four') ? [name, text] : [`${name.slice(0, 7)}/${name}`, text],
  );
  expect(readTexts(folder)).toEqual(Object.fromEntries(moved));
  expect(readMeetings().slice(0, 3)).toEqual(meetings.slice(0, 3));
  expect(await run(byMonth)).toMatchObject({ new: 0, updated: 0, unchanged: 3 });
  expect(takeRequests().length).toBe(2);
});

interface Move {
  readonly options?: object;
  readonly change?: (toPath: (name: string) => string) => void;
  /** The meetings whose recordings are fetched. That of `d` is unavailable, so a run with another layout tries again. */
  readonly fetched: string;
  readonly result?: object;
  /** The files afterwards. `text`: that of the Markdown before. */
  readonly files?: (text: string) => Record<string, unknown>;
}

test.each<[string, Move]>([
  ['nothing else changed', { fetched: 'd' }],
  ['--since is used', { options: { since: 0 }, fetched: 'd' }],
  [
    'a file was edited',
    { change: (toPath) => appendFileSync(toPath('2026-10-01-one-a.md'), 'mine'), fetched: 'd' },
  ],
  ['a file is missing', { change: (toPath) => rmSync(toPath('2026-10-01-one-a.json')), fetched: 'ad' }],
  [
    'the contents change too',
    {
      options: { contents: { transcript: false, with: [] } },
      fetched: 'acd',
      files: () => ({ [`${month}.md`]: expect.not.stringContaining('## Transcript') }),
    },
  ],
  [
    'another file has the name',
    {
      change: (toPath) => {
        mkdirSync(toPath('2026-10'));
        writeFileSync(toPath(`${month}.md`), 'not of the export');
      },
      fetched: 'ad',
      result: { edited: [`${month}.md`] },
      files: (text) => ({
        [`${month}.md`]: 'not of the export',
        [`${month}.new.md`]: text,
        '2026-10-01-one-a.md': text,
      }),
    },
  ],
  [
    'a folder has the name of a file',
    {
      change: (toPath) => {
        rmSync(toPath('2026-10-01-one-a.json'));
        mkdirSync(toPath('2026-10-01-one-a.json'));
      },
      fetched: 'ad',
      result: {
        updated: 3,
        failed: [
          {
            id: 'a',
            title: 'One',
            reason: expect.stringMatching(/^Cannot read .*json: it is a folder, not a file\.$/),
          },
        ],
      },
      files: (text) => ({ [`${month}.md`]: text }),
    },
  ],
])('with another layout, if %s, fetches only what it must', async (_, move) => {
  const { options, change, fetched, result, files } = move;
  const { folder, run, takeRequests, toPath } = await exportFlat();
  change?.(toPath);
  const text = readTexts(folder)['2026-10-01-one-a.md'] ?? '';
  const unavailable = [{ id: 'r-d', name: '2026-10/2026-10-01-four-d.md', is_new: false }];
  expect(await run({ contents, layout: 'by-month', ...options })).toEqual({
    ...{ ...emptyResult, updated: 4, pending: 1, unavailable },
    ...result,
  });
  const requests = takeRequests().filter((url) => url.includes('recordings'));
  expect(requests.sort()).toEqual(Array.from(fetched, (id) => `/v1/recordings/r-${id}`));
  const moved = {
    [`${month}.json`]: expect.anything(),
    [`${month}.md`]: text,
    [`${month}.txt`]: 'Ada: Hello\n',
  };
  expect(readTexts(folder)).toMatchObject(files?.(text) ?? moved);
});
