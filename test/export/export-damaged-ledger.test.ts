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
  readLedgerLines,
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
  ['that is empty', () => ''],
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
    message: `The export ledger ${ledger} is damaged.`,
    detail: {
      hint: `Add --full to your export command to rebuild it: kith events export --full --out ${folder}`,
    },
  });
  expect(readFileSync(ledger)).toEqual(damagedLedger);
});

test.each<[string, (content: Buffer) => Buffer]>([
  ['in its first line', (content) => content.subarray(0, 10)],
  ['in the middle', (content) => content.subarray(0, content.length / 2)],
])('rebuilds a ledger that was truncated %s on any run', async (_, damageLedger) => {
  for (const full of [false, true]) {
    const { ledger, readMeetingTexts, run, folder } = await exportTwo();
    const [before, content] = [readMeetingTexts(), readFileSync(ledger)];
    writeFileSync(ledger, damageLedger(content));
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

test.each([
  ['flat', ['json', 'txt'], false],
  ['by-month', ['json', 'txt'], true],
  ['by-month', [], false],
  ['flat', ['vtt', 'txt'], true],
] as const)(
  'recognizes files by their content, even if the rebuilding run uses %s, %j and transcript %s',
  async (layout, kinds, transcript) => {
    const options = { layout, contents: { transcript, with: kinds } };
    const { folder, ledger, readMeetingTexts, run, client } = await exportTwo();
    rmSync(ledger);
    const result = await run({ ...options, full: true, prune: 'all' });
    expect([result.edited, result.failed]).toEqual([[], []]);
    const cleanHost = await startHost([createMeeting('a', 'One'), createMeeting('B', 'Two')]);
    await cleanHost.run({ ...options, client });
    expect(readMeetingTexts()).toEqual(readTexts(cleanHost.folder));
    expect(readLedgerLines(folder)).toEqual(readLedgerLines(cleanHost.folder));
  },
);

/** Renames a meeting on the service. */
function renameMeeting({ meetings }: HostState, id: string, title: string): void {
  const index = meetings.findIndex((event) => event.id === id);
  meetings[index] = updatedMeeting(id, title, '2026-11-20T10:30:00.000Z');
}

test('renames and updates the files of a meeting that was renamed after the ledger was lost', async () => {
  const { service, ledger, readMeetingTexts, run } = await exportTwo();
  renameMeeting(service, 'a', 'Other');
  writeFileSync(ledger, 'null');
  expect(await run({ contents, full: true })).toEqual({ ...emptyResult, updated: 1, unchanged: 1 });
  expect(Object.keys(readMeetingTexts())).toEqual([
    '2026-10-01-other-a.json',
    '2026-10-01-other-a.md',
    '2026-10-01-other-a.txt',
    '2026-10-01-two-B~1.json',
    '2026-10-01-two-B~1.md',
    '2026-10-01-two-B~1.txt',
  ]);
  expect(readMeetingTexts()['2026-10-01-other-a.md']).toContain('# Other');
});

test.each<[string, (text: string) => string]>([
  ['text', (text) => `${text}mine\n`],
  ['a fact', (text) => text.replace('---\n\n', 'tags: [x]\n---\n\n')],
  ['the heading', (text) => text.replace('# One', '# Mine')],
  ['the title in the front matter', (text) => text.replace('"One"', '"Mine"')],
])('keeps a file in which a person changed %s, even if its meeting was renamed', async (_, edit) => {
  const { service, ledger, path, readMeetingTexts, run } = await exportTwo({ contents: plainContents });
  const edited = edit(readFileSync(path('2026-10-01-one-a.md'), 'utf8'));
  writeFileSync(path('2026-10-01-one-a.md'), edited);
  renameMeeting(service, 'a', 'Other');
  writeFileSync(ledger, 'null');
  expect((await run({ full: true })).edited).toEqual(['2026-10-01-other-a.md']);
  expect(readMeetingTexts()).toMatchObject({
    '2026-10-01-other-a.md': edited,
    '2026-10-01-other-a.new.md': expect.stringContaining('# Other'),
  });
  expect(Object.keys(readMeetingTexts()).length).toBe(3);
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

test('recovers meetings from the readable lines of a damaged ledger, and updates them in place', async () => {
  const { service, ledger, readMeetingTexts, run } = await exportTwo();
  renameMeeting(service, 'a', 'Other');
  const lines = readFileSync(ledger, 'utf8').split('\n');
  writeFileSync(ledger, ['null', ...lines.slice(1)].join('\n'));
  expect(await run({ contents, full: true })).toEqual({ ...emptyResult, updated: 1, unchanged: 1 });
  expect(Object.keys(readMeetingTexts()).filter((name) => name.includes('-a.'))).toEqual([
    '2026-10-01-other-a.json',
    '2026-10-01-other-a.md',
    '2026-10-01-other-a.txt',
  ]);
});

test('recovers from a damaged ledger that a meeting was removed from the export', async () => {
  const { service, folder, ledger, run } = await exportTwo();
  service.meetings = service.meetings.filter(({ id }) => id !== 'a');
  for (const name of listFiles(folder)) if (name.includes('-a.')) rmSync(join(folder, name));
  const lines = readFileSync(ledger, 'utf8').split('\n');
  writeFileSync(ledger, ['null', ...lines.slice(1, -1), '{"forgotten":"a"}', ''].join('\n'));
  expect(await run({ contents, full: true })).toEqual({ ...emptyResult, unchanged: 1 });
  expect(readFileSync(ledger, 'utf8')).not.toContain('"id":"a"');
});

test('continues to recognize files after an interrupted rebuild', async () => {
  const { service, ledger, readMeetingTexts, run } = await exportTwo();
  const before = Object.keys(readMeetingTexts()).length;
  writeFileSync(ledger, 'null');
  service.responses.set('/v1/recordings/r-a', [500, {}]);
  const options = { layout: 'by-month' } as const;
  expect((await run({ ...options, full: true })).failed).toMatchObject([{ id: 'a' }]);
  service.responses.clear();
  expect(await run(options)).toMatchObject({ edited: [], failed: [] });
  expect(Object.keys(readMeetingTexts()).length).toBe(before);
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
      err: `kith: The export ledger ${ledger} is damaged.\nhint: Add --full to your export command to rebuild it: kith events export --full --out ${folder}\n`,
    });
  }
  expect(await kith([...exportArgs, '--full', '--quiet'], { env, now })).toEqual({
    code: 0,
    out: '',
    err: `kith: The ledger of ${folder} is damaged. It was moved to ${join(folder, movedName)}; this run rebuilds it.\n`,
  });
  expect(await kith([...exportArgs, '--json'], { env })).toMatchObject({ code: 0, err: '' });
});
