import { readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sql from 'sql-template-tag';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { Client } from '../../src/client/client.ts';
import { calendarEvents } from '../../src/contract/calendar-events.ts';
import { openDatabase } from '../../src/service/db/sqlite/open-workspace.ts';
import { createService } from '../../src/service/dispatch.ts';
import { createSampleWorkspace, createTemporaryFolder } from '../support/kith.ts';
import {
  createMeeting,
  createRecording,
  emptyResult,
  exportWithDefaults,
  listFiles,
  readTexts,
  startHost,
} from './export-host.ts';

/** Opens the service on a copy of the sample, and a client in this process. */
function createHostedAccess() {
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

test('writes a file for every meeting, and changes none on a second run', async () => {
  const { client } = createHostedAccess();
  const folder = join(createTemporaryFolder(), 'not', 'there');
  const first = await exportWithDefaults(client, folder);
  const texts = readTexts(folder);
  const { total = 0, data } = await client.page(calendarEvents.list, { first: 500 });
  const pending = data
    .flatMap(({ value }) => value.recordings ?? [])
    .filter(({ status }) => status === 'processing').length;
  expect(first).toEqual({ ...emptyResult, new: total, pending });
  expect(Object.keys(texts).length).toBe(total);
  expect(pending).toBeGreaterThan(0);

  const ids = Object.values(texts).map((text) => parse(text.split('\n---\n')[0]?.slice(4) ?? '').id);
  expect(ids.sort()).toEqual(data.map(({ value }) => value.id).sort());

  for (const name of Object.keys(texts)) utimesSync(join(folder, name), 1, 1);
  expect(await exportWithDefaults(client, folder)).toEqual({ ...emptyResult, unchanged: total, pending });
  expect(readTexts(folder)).toEqual(texts);
  expect(Object.keys(texts).filter((name) => statSync(join(folder, name)).mtimeMs !== 1000)).toEqual([]);
});

test('rewrites only the meetings that changed', async () => {
  const { client, db } = createHostedAccess();
  const folder = createTemporaryFolder();
  const { new: total, pending } = await exportWithDefaults(client, folder);
  const before = readTexts(folder);
  const summary = JSON.stringify({ summary: 'Another view of it.' });
  await db.run(sql`update recording set summary = ${summary} where id = 1`);
  const updatedAt = Date.parse('2026-11-20T10:00:00Z');
  await db.run(sql`update calendar_event set updated_at = ${updatedAt}
    where id = (select calendar_event_id from recording where id = 1)`);
  expect(await exportWithDefaults(client, folder)).toEqual({
    ...emptyResult,
    updated: 1,
    unchanged: total - 1,
    pending,
  });
  const changedFiles = Object.entries(readTexts(folder)).filter(([name, text]) => before[name] !== text);
  expect(changedFiles.map(([, text]) => text.split('\n## ')[1])).toEqual([
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

const twoMeetings = {
  recordings: [
    { id: 'r-1', status: 'done' },
    { id: 'r-2', status: 'done' },
  ],
};

test('writes records and transcripts in additional formats', async () => {
  const { folder, run, service } = await startHost([createMeeting('a', 'One', 'done', twoMeetings)]);
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
  const event = JSON.stringify(createMeeting('a', 'One', 'done', twoMeetings));
  const second = JSON.stringify(createRecording('r-2'));
  expect(json).toBe(`{"calendar_event":${event},"recordings":[${spaced},${second}]}\n`);
  expect(rest).toEqual({ '2026-10-01-one-a.txt': '', '2026-10-01-one-a.2.txt': 'Ada: Hello\n' });
});

test('reads many pages, and reports progress up to the total', async () => {
  const { run, folder } = await startHost(
    Array.from({ length: 220 }, (_, index) => createMeeting(`m${index}`, 'Weekly', '')),
  );
  const progress: string[] = [];
  const onProgress = (done: number, total: number | undefined) => progress.push(`${done}/${total}`);
  expect(await run({ concurrency: 8, onProgress })).toEqual({ ...emptyResult, new: 220 });
  expect(progress).toEqual(Array.from({ length: 220 }, (_, index) => `${index + 1}/220`));
  expect(Object.keys(readTexts(folder)).length).toBe(220);
});

test('exports as many meetings in parallel as requested', async () => {
  const { run, service } = await startHost(
    Array.from({ length: 20 }, (_, index) => createMeeting(`m${index}`, 'Weekly')),
  );
  const most = [];
  for (const concurrency of [1, 3]) {
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
    expect(await run({ concurrency, full: true })).toMatchObject({ failed: [] });
    most.push(highest);
  }
  expect(most).toEqual([1, 3]);
});

test('does not touch other files in the folder, and adds only the ledger', async () => {
  const { run, folder } = await startHost([createMeeting('a', 'One', '')]);
  await run();
  writeFileSync(join(folder, 'notes.md'), 'mine');
  await run({ full: true, prune: 'all' });
  expect(listFiles(folder)).toEqual(['.kith-export.jsonl', '2026-10-01-one-a.md', 'notes.md']);
  expect(readTexts(folder)).toMatchObject({ 'notes.md': 'mine' });
});

const createMeetingOn = (id: string, start_at: string, email = 'nobody@x.org') =>
  createMeeting(id, 'Weekly', '', {
    start_at,
    attendees: [{ email }, { email: 'b@y.org' }, { email: 'c@y.org' }],
  });

test.each([
  ['flat', ['2026-09-30-weekly-a.md', '2026-10-01-weekly-b.md', 'undated-weekly-c.md']],
  [
    'by-month',
    ['2026-09/2026-09-30-weekly-a.md', '2026-10/2026-10-01-weekly-b.md', 'undated/undated-weekly-c.md'],
  ],
  [
    'by-organization',
    [
      'acme-o1/2026-09-30-weekly-a.md',
      'acme-o1/2026-10-01-weekly-b.md',
      'no-organization/undated-weekly-c.md',
    ],
  ],
] as const)('the layout %s, and then another', async (layout, names) => {
  const { run, folder, service, takeRequests } = await startHost([
    createMeetingOn('a', '2026-09-30T23:00:00-09:00'),
    createMeetingOn('b', '2026-10-01T01:00:00+09:00', 'a@z.org'),
    { ...createMeetingOn('c', '../../x'), attendees: [{ email: 'nobody@x.org' }] },
  ]);
  service.responses.set('/v1/contacts', (to) => {
    const email = new URL(to.req.url ?? '', 'http://x').searchParams.get('email') ?? '';
    const id = email.endsWith('@y.org') ? 'o1' : email.endsWith('@z.org') ? 'o2' : null;
    const data = email.startsWith('nobody') ? [] : [{ id: 'c', emails: [email], organization_id: id }];
    to.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data }));
  });
  service.responses.set('/v1/organizations', [
    200,
    {
      data: [
        { id: 'o1', name: 'Acme' },
        { id: 'o2', name: null },
      ],
    },
  ]);
  expect(await run({ layout })).toEqual({ ...emptyResult, new: 3 });
  expect(Object.keys(readTexts(folder))).toEqual(names);
  const lookUps = takeRequests().filter((url) => /contacts|organizations/.test(url));
  expect(new Set(lookUps).size).toBe(lookUps.length);
  const other = layout === 'flat' ? 'by-month' : 'flat';
  expect(await run({ layout: other })).toEqual({ ...emptyResult, updated: 3 });
  const folders = other === 'flat' ? [] : ['2026-09', '2026-10', 'undated'];
  const entries = readdirSync(folder, { withFileTypes: true });
  expect(
    entries
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .sort(),
  ).toEqual(folders);
});
