import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { calendarEvents } from '../../src/contract/calendar-events.ts';
import { createRecordNormalizer } from '../../src/contract/received.ts';
import { openLedger } from '../../src/export/ledger.ts';
import { createMeeting as createLedgerMeeting } from '../../src/export/meeting-state.ts';
import { defaultPermissions } from '../../src/files/permissions.ts';
import { createTemporaryFolder } from '../support/kith.ts';
import {
  createMeeting,
  emptyResult,
  listRequest,
  readLedgerLines,
  readTexts,
  startHost,
  updateTime,
} from './export-host.ts';

const hash = expect.stringMatching(/^[\w-]{43}$/);

test("records each recording, and the watermark by the service's clock", async () => {
  const { folder, run } = await startHost([
    createMeeting('b', 'Two', 'processing'),
    createMeeting('a', 'One', 'done', {
      recordings: [
        { id: 'x', status: 'done' },
        { id: 'y', status: 'failed' },
      ],
    }),
  ]);
  await run({ clock: () => new Date('2031-01-01T00:00:00Z') });
  const createFiles = (name: string) => [{ name, hash }];
  expect(readLedgerLines(folder)).toEqual([
    { kith_export: 1, workspace: 'https://crm.example.com/', identity: { key_hash: hash } },
    {
      watermark: {
        filter: {},
        made: 'md flat',
        at: updateTime,
        listed: Date.parse('2031-01-01') / 1000,
      },
    },
    {
      meeting: {
        id: 'a',
        title: 'One',
        updated_at: '2026-10-01T02:00:00.000Z',
        made: 'md',
        layout: 'flat',
        files: createFiles('2026-10-01-one-a.md'),
        recordings: [
          {
            id: 'x',
            updated_at: '2026-10-01T01:00:00.000Z',
            state: 'exported',
          },
          { id: 'y', updated_at: null, state: 'exported' },
        ],
      },
    },
    {
      meeting: {
        id: 'b',
        title: 'Two',
        updated_at: '2026-10-01T02:00:00.000Z',
        made: 'md',
        layout: 'flat',
        files: createFiles('2026-10-01-two-b.md'),
        recordings: [
          {
            id: 'r-b',
            updated_at: null,
            state: 'pending',
            since: '2031-01-01T00:00:00.000Z',
          },
        ],
      },
    },
  ]);
});

test('records each meeting before it fetches the second next one', async () => {
  const { folder, run, service } = await startHost(
    Array.from({ length: 8 }, (_, n) => createMeeting(`m${n}`, 'Weekly')),
  );
  const counts: number[] = [];
  service.onResponse = (url) => {
    if (!url.includes('recordings')) return;
    const meetings = readLedgerLines(folder).flatMap(
      ({ meeting }) => (meeting as { id: string; updated_at: string }) ?? [],
    );
    counts.push(new Set(meetings.filter(({ updated_at }) => updated_at).map(({ id }) => id)).size);
  };
  await run({ concurrency: 1 });
  expect(counts.length).toBe(8);
  expect(counts.filter((count, fetched) => count < fetched - 1)).toEqual([]);
});

test.each<[string, (text: string) => string, number]>([
  ['a torn last line', (text) => text.slice(0, -20), 1],
  ['a damaged line in the middle', (text) => text.replace(/\{"meeting":\{"id":"a"/, '{"meet\0\ufffd'), 1],
  [
    'a line with an invalid path',
    (text) => text.replace('"files":[', '"files":[{"name":"../../x","hash":""},'),
    1,
  ],
  ['a line of an unknown kind', (text) => `${text}{"more":1}\n`, 0],
])('repairs a ledger with %s and checks everything again', async (_, damageText, fetched) => {
  const { folder, run, takeRequests } = await startHost([
    createMeeting('a', 'One'),
    createMeeting('b', 'Two'),
  ]);
  await run();
  const path = join(folder, '.kith-export.jsonl');
  const content = readFileSync(path, 'utf8');
  const texts = readTexts(folder);
  writeFileSync(path, damageText(content));
  takeRequests();
  expect(await run()).toEqual({ ...emptyResult, unchanged: 2 });
  expect(takeRequests().filter((url) => url.includes('recordings')).length).toBe(fetched);
  expect([readTexts(folder), readFileSync(path, 'utf8')]).toEqual([texts, content]);
});

test('treats an empty ledger as new', async () => {
  const { folder, run } = await startHost([createMeeting('a', 'One')]);
  mkdirSync(folder);
  writeFileSync(join(folder, '.kith-export.jsonl'), '');
  writeFileSync(join(folder, 'notes.md'), '# My notes\n');
  expect(await run()).toEqual({ ...emptyResult, new: 1 });
});

test('removes a torn line even if the run fails, and checks everything again on the next run', async () => {
  const { folder, run, takeRequests, service } = await startHost([
    createMeeting('a', 'One'),
    createMeeting('b', 'Two'),
  ]);
  await run();
  const path = join(folder, '.kith-export.jsonl');
  writeFileSync(path, readFileSync(path, 'utf8').slice(0, -20));
  service.responses.set('/v1/calendar_events', [401, {}]);
  await expect(run()).rejects.toMatchObject({ code: 'unauthorized' });
  expect(readLedgerLines(folder).map((line) => Object.keys(line)[0])).toEqual([
    'kith_export',
    'watermark',
    'meeting',
    'watermark',
  ]);
  service.responses.clear();
  takeRequests();
  expect(await run()).toEqual({ ...emptyResult, unchanged: 2 });
  expect(takeRequests()).toEqual([listRequest(), '/v1/recordings/r-b']);
});

test('repairs bytes that are not UTF-8 and a torn line after them', async () => {
  const { folder, run } = await startHost([createMeeting('a', 'One')]);
  await run();
  const path = join(folder, '.kith-export.jsonl');
  const content = readFileSync(path);
  writeFileSync(path, Buffer.concat([content, Buffer.from([0xff, 0xfe, 0xc3, 10]), Buffer.from('{"meet')]));
  await run();
  expect(readFileSync(path)).toEqual(content);
});

test.each([
  ['{"kith_export":2}\n', 'was written by a newer version of kith'],
  ['{"kith_export":2,"workspace":{}}\n', 'was written by a newer version of kith'],
  ['my notes\n', 'is damaged: its first line is not JSON'],
  ['my notes', 'is damaged: its first line is incomplete'],
  ['{"kith_exp', 'is damaged: its first line is incomplete'],
  ['{"name":"x"}\n', 'is damaged: kith_export is invalid'],
  ['\n', 'is damaged: its first line is empty'],
])('touches nothing if the ledger is %j', async (text, message) => {
  const { folder, run, takeRequests } = await startHost([createMeeting('a', 'One')]);
  await run();
  const path = join(folder, '.kith-export.jsonl');
  writeFileSync(path, text);
  takeRequests();
  await expect(run()).rejects.toMatchObject({
    code: 'failed',
    message: `The export ledger ${path} ${message}.`,
  });
  expect([takeRequests(), readFileSync(path, 'utf8')]).toEqual([[], text]);
});

test('restores the format of lines that another program reformatted', async () => {
  const { folder, run } = await startHost([createMeeting('a', 'One'), createMeeting('b', 'Two')]);
  await run();
  const path = join(folder, '.kith-export.jsonl');
  const content = readFileSync(path, 'utf8');
  writeFileSync(path, content.replaceAll('\n', '\r\n').replaceAll('{"meeting":', '{ "more": 1, "meeting": '));
  expect(await run()).toEqual({ ...emptyResult, unchanged: 2 });
  expect(readFileSync(path, 'utf8')).toBe(content);
});

test('stops if another program changes the ledger during the run', async () => {
  const { folder, run, service } = await startHost([createMeeting('a', 'One'), createMeeting('b', 'Two')]);
  await run();
  const path = join(folder, '.kith-export.jsonl');
  const content = readFileSync(path, 'utf8');
  service.onResponse = () => writeFileSync(path, content.replaceAll('{', '('));
  const message = `Another program changed ${path} while kith was using it.`;
  await expect(run()).rejects.toMatchObject({ code: 'failed', message });
  service.onResponse = () => writeFileSync(path, '');
  writeFileSync(path, content);
  await expect(run()).rejects.toMatchObject({ code: 'failed', message });
  service.onResponse = () => {};
  writeFileSync(path, content);
  expect(await run()).toEqual({ ...emptyResult, unchanged: 2 });
});

const event = createRecordNormalizer(calendarEvents.get)({ id: 'a' });

/** Opens the ledger of a new folder. */
function openNew() {
  const ledger = openLedger(createTemporaryFolder(), {}, defaultPermissions);
  return Object.assign(ledger, {
    add: (id: string, title: string) =>
      ledger.save({ meeting: createLedgerMeeting({ ...event, id, title }) }),
    remove: (id: string) => ledger.save({ forgotten: id }),
  });
}

const toPairs = (meetings: Iterable<{ readonly id: string; readonly title: string }>) =>
  Array.from(meetings, ({ id, title }) => [id, title]);

test('holds the same meetings as a Map, for any ids', async () => {
  const id = fc.oneof(fc.constantFrom('', '\0', '\ud800', '\udc00', '__proto__', 'é'), fc.nat(9).map(String));
  const step = fc.record({ id, isSaved: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), id, async (steps, chosen) => {
      const ledger = openNew();
      const expected = new Map<string, string>();
      for (const [index, { id, isSaved }] of steps.entries()) {
        if (isSaved) ledger.add(id, `${index}`);
        else ledger.remove(id);
        if (isSaved) expected.set(id, `${index}`);
        else expected.delete(id);
        expect(ledger.size).toBe(expected.size);
      }
      expect(new Set(toPairs(ledger.listMeetings()).map(String))).toEqual(new Set([...expected].map(String)));
      expect(toPairs(ledger.listMeetings((id) => id === chosen))).toEqual(
        [...expected].filter(([id]) => id === chosen),
      );
      expect(ledger.getMeeting(chosen)?.title).toBe(expected.get(chosen));
      ledger.close();
    }),
  );
});

test('yields the current state of each meeting, without those added since the call', async () => {
  const ledger = openNew();
  for (const id of ['a', 'b', 'c']) ledger.add(id, 'first');
  const read: unknown[] = [];
  for (const { id, title } of ledger.listMeetings()) {
    read.push([id, title]);
    if (id !== 'a') continue;
    ledger.remove('b');
    ledger.add('c', 'second');
    ledger.add('d', 'first');
  }
  expect(read).toEqual([
    ['a', 'first'],
    ['c', 'second'],
  ]);
  ledger.close();
});
