import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createMachine } from '../support/kith.ts';
import {
  createMeeting,
  createRecording,
  emptyResult,
  type HostState,
  listFiles,
  readTexts,
  startHost,
  updatedMeeting,
} from './export-host.ts';

const contents = { transcript: true, with: ['json', 'txt'] } as const;
const plainContents = { transcript: false, with: [] } as const;
const now = new Date('2026-11-20T10:00:00Z');
const movedName = '.kith-export.damaged-20261120T100000Z.jsonl';

/** Exports two meetings to a folder. */
async function exportTwo(options = {}) {
  const host = await startHost([createMeeting('a', 'One'), createMeeting('B', 'Two')]);
  await host.run({ contents, ...options });
  const ledger = join(host.folder, '.kith-export.jsonl');
  /** Reads the exported files. */
  const readMeetingTexts = () =>
    Object.fromEntries(Object.entries(readTexts(host.folder)).filter(([name]) => !name.startsWith('.')));
  return {
    ...host,
    ledger,
    readMeetingTexts,
    path: (name: string) => join(host.folder, name),
  };
}

const damages: [string, (content: Buffer) => Buffer | string][] = [
  ['zeroed', (content) => Buffer.alloc(content.length)],
  ['that is truncated in its first line', (content) => content.subarray(0, 10)],
  ['that is null', () => 'null'],
  ['that is an array', () => '[1,2]\n'],
  ['that begins with zeros', (content) => Buffer.concat([Buffer.alloc(40), content.subarray(40)])],
  ['of other bytes', () => Buffer.from(Array.from({ length: 5000 }, (_, index) => (index * 89) % 256))],
  ['of other text', () => 'my notes\n'],
];

test.each(damages)('--full renames a ledger %s and rebuilds it', async (_, damageLedger) => {
  const { folder, ledger, readMeetingTexts, run } = await exportTwo();
  const [before, content] = [readMeetingTexts(), readFileSync(ledger)];
  const damagedLedger = Buffer.from(damageLedger(content));
  writeFileSync(ledger, damagedLedger);
  const paths: string[] = [];
  const result = await run({ contents, full: true, onDamagedLedger: async (path) => void paths.push(path) });
  expect(result).toEqual({ ...emptyResult, unchanged: 2 });
  expect(paths).toEqual([join(folder, movedName)]);
  expect(readFileSync(join(folder, movedName))).toEqual(damagedLedger);
  expect(readMeetingTexts()).toEqual(before);
  expect(readFileSync(ledger)).toEqual(content);
  expect(await run({ contents })).toEqual({ ...emptyResult, unchanged: 2 });
});

test.each(damages)('stops at a ledger %s without --full, and changes nothing', async (_, damageLedger) => {
  const { folder, ledger, run } = await exportTwo();
  const damagedLedger = Buffer.from(damageLedger(readFileSync(ledger)));
  writeFileSync(ledger, damagedLedger);
  await expect(run({ contents })).rejects.toMatchObject({
    message: expect.stringContaining(`The export ledger ${ledger} is damaged: its first line is `),
    detail: {
      hint: `Add --full to your export command to rebuild it: kith meetings export --full --out ${folder}`,
    },
  });
  expect(readFileSync(ledger)).toEqual(damagedLedger);
});

test.each<[string, (ledger: string, content: Buffer) => void]>([
  [
    'is truncated in the middle',
    (ledger, content) => writeFileSync(ledger, content.subarray(0, content.length / 2)),
  ],
  ['is empty', (ledger) => writeFileSync(ledger, '')],
  ['is missing', (ledger) => rmSync(ledger)],
])('rebuilds a ledger that %s on any run', async (_, damageLedger) => {
  for (const full of [false, true]) {
    const { ledger, readMeetingTexts, run, folder } = await exportTwo();
    const [before, content] = [readMeetingTexts(), readFileSync(ledger)];
    damageLedger(ledger, content);
    expect(await run({ contents, full })).toEqual({ ...emptyResult, unchanged: 2 });
    expect([readMeetingTexts(), readFileSync(ledger)]).toEqual([before, content]);
    expect(listFiles(folder).filter((name) => name.includes('damaged'))).toEqual([]);
  }
});

test('--full does not touch the ledger of a newer version', async () => {
  const { ledger, run } = await exportTwo();
  writeFileSync(ledger, '{"kith_export":2}\n');
  await expect(run({ full: true })).rejects.toMatchObject({ detail: { hint: 'Update kith.' } });
  expect(readFileSync(ledger, 'utf8')).toBe('{"kith_export":2}\n');
});

test('writes everything again after the ledger was lost, next to existing files with other content', async () => {
  const { ledger, readMeetingTexts, run } = await exportTwo();
  const before = readMeetingTexts();
  rmSync(ledger);
  const edited = ['2026-10-01-one-a.md', '2026-10-01-two-B~1.md'];
  const options = { contents: { transcript: false, with: ['txt'] } } as const;
  expect(await run({ ...options, prune: 'all' })).toEqual({ ...emptyResult, updated: 2, edited });
  const newFiles = ['2026-10-01-one-a.new.md', '2026-10-01-two-B~1.new.md'];
  expect(Object.keys(readMeetingTexts()).sort()).toEqual([...Object.keys(before), ...newFiles].sort());
  expect(readMeetingTexts()).toMatchObject(before);
  expect(await run(options)).toEqual({ ...emptyResult, unchanged: 2 });
});

/** Renames a meeting on the service. */
function renameMeeting({ meetings }: HostState, id: string, title: string): void {
  const index = meetings.findIndex((event) => event.id === id);
  meetings[index] = updatedMeeting(id, title, '2026-11-20T10:30:00.000Z');
}

test('writes new files for a meeting that was renamed after the ledger was lost', async () => {
  const { service, ledger, readMeetingTexts, run } = await exportTwo({ contents: plainContents });
  const before = readMeetingTexts();
  renameMeeting(service, 'a', 'Other');
  rmSync(ledger);
  expect(await run()).toEqual({ ...emptyResult, new: 1, unchanged: 1 });
  expect(readMeetingTexts()).toEqual({
    ...before,
    '2026-10-01-other-a.md': expect.stringContaining('# Other'),
  });
});

test('keeps a file whose summary changed upstream, because it looks like an edited file', async () => {
  const { service, ledger, readMeetingTexts, run } = await exportTwo({ contents: plainContents });
  renameMeeting(service, 'a', 'One');
  service.responses.set('/v1/recordings/r-a', [
    200,
    createRecording('r-a', { summary: { summary: 'New.' } }),
  ]);
  writeFileSync(ledger, 'null');
  expect((await run({ full: true })).edited).toEqual(['2026-10-01-one-a.md']);
  expect(readMeetingTexts()['2026-10-01-one-a.new.md']).toContain('New.');
});

test('keeps an edited file, and writes the new text next to it only once', async () => {
  const { ledger, path, readMeetingTexts, run } = await exportTwo();
  appendFileSync(path('2026-10-01-one-a.md'), 'mine\n');
  for (const edited of [['2026-10-01-one-a.md'], []]) {
    writeFileSync(ledger, 'null');
    expect(await run({ contents, full: true })).toMatchObject({ new: 0, failed: [], edited });
    expect(readMeetingTexts()['2026-10-01-one-a.md']).toMatch(/mine\n$/);
    expect(Object.keys(readMeetingTexts()).filter((name) => name.includes('.new'))).toEqual([
      '2026-10-01-one-a.new.md',
    ]);
  }
});

test('continues an interrupted rebuild', async () => {
  const { service, ledger, readMeetingTexts, run } = await exportTwo();
  const before = readMeetingTexts();
  writeFileSync(ledger, 'null');
  service.responses.set('/v1/recordings/r-a', [500, {}]);
  expect((await run({ contents, full: true })).failed).toMatchObject([{ id: 'a' }]);
  service.responses.clear();
  expect(await run({ contents })).toMatchObject({ edited: [], failed: [] });
  expect(readMeetingTexts()).toEqual(before);
});

test('names the damaged ledger and the command that rebuilds it, and reports its new path even with --quiet', async () => {
  const { folder, url } = await startHost([createMeeting('a', 'One')]);
  const kith = createMachine();
  const env = { KITH_API_KEY: 'key-for-tests', KITH_BASE_URL: url };
  const exportArgs = ['events', 'export', '--out', folder];
  await kith(exportArgs, { env });
  const ledger = join(folder, '.kith-export.jsonl');
  writeFileSync(ledger, '[1,2]');
  for (const line of [exportArgs, ['events', 'export', 'status', folder]]) {
    expect(await kith(line, { env })).toEqual({
      code: 1,
      out: '',
      err: `kith: The export ledger ${ledger} is damaged: its first line is incomplete.\nhint: Add --full to your export command to rebuild it: kith meetings export --full --out ${folder}\n`,
    });
  }
  expect(await kith([...exportArgs, '--full', '--quiet'], { env, now })).toEqual({
    code: 0,
    out: '',
    err: `kith: The ledger of ${folder} is damaged. It was moved to ${join(folder, movedName)}; this run rebuilds it.\n`,
  });
  expect(await kith([...exportArgs, '--json'], { env })).toMatchObject({ code: 0, err: '' });
});
