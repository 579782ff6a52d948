import { readFileSync, rmSync, writeFileSync } from 'node:fs';
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
  laterRequests,
  listFiles,
  listRequest,
  readLedgerLines,
  readTexts,
  startHost,
  updateTime,
} from './export-host.ts';

const hash = expect.stringMatching(/^[\w-]{43}$/);

/** Exports two meetings to a folder. */
async function exportTwo() {
  const host = await startHost([createMeeting('a', 'One'), createMeeting('b', 'Two')]);
  await host.run();
  host.takeRequests();
  const path = join(host.folder, '.kith-export.jsonl');
  return { ...host, path, content: readFileSync(path), readLedger: () => readFileSync(path) };
}

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
  const written = { updated_at: '2026-10-01T02:00:00.000Z', made: 'md', layout: 'flat' };
  expect(readLedgerLines(folder)).toEqual([
    { kith_export: 1, workspace: 'https://crm.example.com/', identity: { key_hash: hash } },
    { watermark: { filter: {}, made: 'md flat', at: updateTime, listed: Date.parse('2031-01-01') / 1000 } },
    {
      meeting: {
        ...{ id: 'a', title: 'One', ...written, files: [{ name: '2026-10-01-one-a.md', hash }] },
        recordings: [
          { id: 'x', updated_at: '2026-10-01T01:00:00.000Z', state: 'exported' },
          { id: 'y', updated_at: null, state: 'exported' },
        ],
      },
    },
    {
      meeting: {
        ...{ id: 'b', title: 'Two', ...written, files: [{ name: '2026-10-01-two-b.md', hash }] },
        recordings: [{ id: 'r-b', updated_at: null, state: 'pending', since: '2031-01-01T00:00:00.000Z' }],
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

// A ledger whose first line is intact, or that is missing or empty, is repaired by any run. It requests the recordings
// of meetings without a line again, and lists all meetings after damage.
test.each<[string, (text: string) => string | Buffer | undefined, fetched: number, isRelist: boolean]>([
  ['missing', () => undefined, 2, true],
  ['empty', () => '', 2, true],
  ['truncated after its first line', (text) => text.slice(0, text.indexOf('\n') + 1), 2, true],
  ['torn in its last line', (text) => text.slice(0, -20), 1, true],
  ['damaged in the middle', (text) => text.replace(/\{"meeting":\{"id":"a"/, '{"meet\0\ufffd'), 1, true],
  [
    'with an invalid path',
    (text) => text.replace('"files":[', '"files":[{"name":"../../x","hash":""},'),
    1,
    true,
  ],
  ['with a line of an unknown kind', (text) => `${text}{"more":1}\n`, 0, true],
  ['with the incomplete line of an earlier version', (text) => `${text}{"incomplete":true}\n`, 0, false],
  [
    'with bytes that are not UTF-8 and a torn line',
    (text) => Buffer.concat([Buffer.from(text), Buffer.from([0xff, 0xfe, 0xc3, 10]), Buffer.from('{"meet')]),
    0,
    true,
  ],
  [
    'reformatted by another program',
    (text) => text.replaceAll('\n', '\r\n').replaceAll('{"meeting":', '{ "more": 1, "meeting": '),
    0,
    false,
  ],
])('repairs a ledger that is %s, and changes no file', async (_, damage, fetched, isRelist) => {
  const { folder, run, takeRequests, path, content, readLedger } = await exportTwo();
  const texts = readTexts(folder);
  for (const full of [false, true]) {
    const damaged = damage(String(content));
    if (damaged === undefined) rmSync(path);
    else writeFileSync(path, damaged);
    takeRequests();
    expect(await run({ full })).toEqual({ ...emptyResult, unchanged: 2 });
    const requests = takeRequests();
    expect(requests.filter((url) => url.includes('recordings')).length).toBe(full ? 2 : fetched);
    expect(requests[0]).toBe(full || isRelist ? listRequest() : laterRequests(updateTime)[0]);
    expect([readTexts(folder), readLedger()]).toEqual([texts, content]);
  }
});

const incomplete = 'is damaged: its first line is incomplete';
const newer = 'was written by a newer version of kith';

// Without --full, a run stops and changes nothing. With --full, it rebuilds the ledger.
test.each<[string | Buffer, string]>([
  [Buffer.alloc(400), incomplete],
  ['{"kith_exp', incomplete],
  ['my notes', incomplete],
  ['my notes\n', 'is damaged: its first line is not JSON'],
  ['[1,2]\n', 'is damaged: its first line is not an object'],
  ['\n', 'is damaged: its first line is empty'],
  ['{"name":"x"}\n', 'is damaged: kith_export is invalid'],
  ['{"kith_export":2}\n', newer],
  ['{"kith_export":2,"workspace":{}}\n', newer],
])('stops at the ledger %j; --full renames and rebuilds it, unless it is newer', async (text, message) => {
  const { folder, run, takeRequests, path, content, readLedger } = await exportTwo();
  const texts = readTexts(folder);
  writeFileSync(path, text);
  const hint =
    message === newer
      ? 'Update kith.'
      : `Add --full to your export command to rebuild it: kith meetings export --full --out ${folder}`;
  const failure = { code: 'failed', message: `The export ledger ${path} ${message}.`, detail: { hint } };
  await expect(run()).rejects.toMatchObject(failure);
  const paths: string[] = [];
  const rebuild = run({ full: true, onDamagedLedger: async (path) => void paths.push(path) });
  if (message === newer) {
    await expect(rebuild).rejects.toMatchObject(failure);
    expect([takeRequests(), readLedger()]).toEqual([[], Buffer.from(text)]);
    return;
  }
  expect(await rebuild).toEqual({ ...emptyResult, unchanged: 2 });
  const moved = '.kith-export.damaged-20261120T100000Z.jsonl';
  expect(paths).toEqual([join(folder, moved)]);
  expect(readFileSync(join(folder, moved))).toEqual(Buffer.from(text));
  expect(readTexts(folder)).toMatchObject(texts);
  expect(listFiles(folder).length).toBe(4);
  expect(readLedger()).toEqual(content);
});

test('names the damaged ledger and the command that rebuilds it, and reports its new path even with --quiet', async () => {
  const { folder, kith, path } = await exportTwo();
  const exportArgs = ['events', 'export', '--out', folder, '--adopt'];
  writeFileSync(path, '[1,2]');
  for (const line of [exportArgs, ['events', 'export', 'status', folder]]) {
    expect(await kith(line)).toEqual({
      code: 1,
      out: '',
      err: `kith: The export ledger ${path} ${incomplete}.\nhint: Add --full to your export command to rebuild it: kith meetings export --full --out ${folder}\n`,
    });
  }
  const { code, out, err } = await kith([...exportArgs, '--full', '--quiet']);
  const moved = join(folder, listFiles(folder).find((name) => name.includes('damaged')) ?? '');
  expect({ code, out, err }).toEqual({
    code: 0,
    out: '',
    err: `kith: The ledger of ${folder} is damaged. It was moved to ${moved}; this run rebuilds it.\n`,
  });
});

test('removes a torn line even if the run fails, and checks everything again on the next run', async () => {
  const { folder, run, takeRequests, service, path, content } = await exportTwo();
  writeFileSync(path, String(content).slice(0, -20));
  service.responses.set('/v1/calendar_events', [401, {}]);
  await expect(run()).rejects.toMatchObject({ code: 'unauthorized' });
  const kinds = readLedgerLines(folder).map((line) => Object.keys(line)[0]);
  expect(kinds).toEqual(['kith_export', 'watermark', 'meeting', 'watermark']);
  service.responses.clear();
  takeRequests();
  expect(await run()).toEqual({ ...emptyResult, unchanged: 2 });
  expect(takeRequests()).toEqual([listRequest(), '/v1/recordings/r-b']);
});

test('stops if another program changes the ledger during the run', async () => {
  const { run, service, path, content } = await exportTwo();
  for (const changed of [String(content).replaceAll('{', '('), '']) {
    writeFileSync(path, content);
    service.onResponse = () => writeFileSync(path, changed);
    const message = `Another program changed ${path} while kith was using it.`;
    await expect(run()).rejects.toMatchObject({ code: 'failed', message });
  }
  service.onResponse = () => {};
  writeFileSync(path, content);
  expect(await run()).toEqual({ ...emptyResult, unchanged: 2 });
});

const event = createRecordNormalizer(calendarEvents.get)({ id: 'a' });

/** Opens the ledger of a folder. */
function openNew(folder = createTemporaryFolder()) {
  const ledger = openLedger(folder, {}, defaultPermissions);
  return Object.assign(ledger, {
    add: (id: string, title: string) =>
      ledger.save({ meeting: createLedgerMeeting({ ...event, id, title }) }),
    remove: (id: string) => ledger.save({ forgotten: id }),
  });
}

const [file, newFile, next, nextNew] = ['a.md', 'a.new.md', 'b.md', 'b.new.md'].map((name) => ({
  name,
  hash: `of ${name}`,
}));

test.each<[string, object, object]>([
  ['an exported meeting', {}, { files: [file], plannedFiles: [], unusedFiles: [], isDeleted: false }],
  ['the .new file of an edited file', { files: [{ ...file, beside: newFile }] }, { files: [file, newFile] }],
  ['a killed run', { files: [{ ...file, next }] }, { files: [file], plannedFiles: [next] }],
  ['a killed first run', { files: [{ ...next, hash: '', next }] }, { files: [], plannedFiles: [next] }],
  [
    'a run that was killed at an edited file',
    { files: [{ ...file, beside: newFile, next: { ...next, beside: nextNew } }] },
    { files: [file, newFile], plannedFiles: [next, nextNew] },
  ],
  ['files of earlier options', { left: [{ ...file, beside: newFile }] }, { unusedFiles: [file, newFile] }],
  [
    'a deleted meeting',
    { gone: true, recordings: [{ id: 'r', updated_at: null, state: 'gone' }] },
    { isDeleted: true, recordings: [{ id: 'r', updated_at: null, state: 'unavailable', isListed: false }] },
  ],
])('reads the line of kith 0.1 about %s', (_, fields, expected) => {
  const folder = createTemporaryFolder();
  const meeting = {
    ...{ id: 'a', title: 'One', updated_at: '2026-10-01T02:00:00.000Z', made: 'md', layout: 'flat' },
    ...{ files: [file], recordings: [], ...fields },
  };
  const lines = [{ kith_export: 1, workspace: 'https://crm.example.com/' }, { meeting }];
  writeFileSync(
    join(folder, '.kith-export.jsonl'),
    lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
  );
  const ledger = openNew(folder);
  expect(ledger.getMeeting('a')).toMatchObject({ title: 'One', contents: 'md', ...expected });
  ledger.close();
});

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
