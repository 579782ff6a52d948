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
const plain = { transcript: false, with: [] } as const;
const now = new Date('2026-11-20T10:00:00Z');
const moved = '.kith-export.damaged-20261120T100000Z.jsonl';

/** Exports two meetings to a folder. */
async function exportTwo(options = {}) {
  const host = await startHost([createMeeting('a', 'One'), createMeeting('B', 'Two')]);
  await host.run({ contents, ...options });
  const ledger = join(host.folder, '.kith-export.jsonl');
  /** Reads the exported files. */
  const texts = () =>
    Object.fromEntries(Object.entries(readTexts(host.folder)).filter(([name]) => !name.startsWith('.')));
  return { ...host, ledger, texts, path: (name: string) => join(host.folder, name) };
}

const damages: [string, (whole: Buffer) => Buffer | string][] = [
  ['zeroed', (whole) => Buffer.alloc(whole.length)],
  ['that is empty', () => ''],
  ['that is null', () => 'null'],
  ['that is an array', () => '[1,2]\n'],
  ['that begins with zeros', (whole) => Buffer.concat([Buffer.alloc(40), whole.subarray(40)])],
  ['of other bytes', () => Buffer.from(Array.from({ length: 5000 }, (_, index) => (index * 89) % 256))],
  ['of other text', () => 'my notes\n'],
];

test.each(damages)('--full renames a ledger %s and rebuilds it', async (_, damage) => {
  const { folder, ledger, texts, run } = await exportTwo();
  const [before, whole] = [texts(), readFileSync(ledger)];
  const damaged = Buffer.from(damage(whole));
  writeFileSync(ledger, damaged);
  const paths: string[] = [];
  const result = await run({ contents, full: true, onDamagedLedger: async (path) => void paths.push(path) });
  expect(result).toEqual({ ...emptyResult, unchanged: 2 });
  expect(paths).toEqual([join(folder, moved)]);
  expect(readFileSync(join(folder, moved))).toEqual(damaged);
  expect(texts()).toEqual(before);
  expect(readFileSync(ledger)).toEqual(whole);
  expect(await run({ contents })).toEqual({ ...emptyResult, unchanged: 2 });
});

test.each(damages)('stops at a ledger %s without --full, and changes nothing', async (_, damage) => {
  const { folder, ledger, run } = await exportTwo();
  const damaged = Buffer.from(damage(readFileSync(ledger)));
  writeFileSync(ledger, damaged);
  await expect(run({ contents })).rejects.toMatchObject({
    message: `The export ledger ${ledger} is damaged.`,
    detail: {
      hint: `Add --full to your export command to rebuild it: kith events export --full --out ${folder}`,
    },
  });
  expect(readFileSync(ledger)).toEqual(damaged);
});

test.each<[string, (whole: Buffer) => Buffer]>([
  ['in its first line', (whole) => whole.subarray(0, 10)],
  ['in the middle', (whole) => whole.subarray(0, whole.length / 2)],
])('rebuilds a ledger that was truncated %s on any run', async (_, damage) => {
  for (const full of [false, true]) {
    const { ledger, texts, run, folder } = await exportTwo();
    const [before, whole] = [texts(), readFileSync(ledger)];
    writeFileSync(ledger, damage(whole));
    expect(await run({ contents, full })).toEqual({ ...emptyResult, unchanged: 2 });
    expect([texts(), readFileSync(ledger)]).toEqual([before, whole]);
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
    const { folder, ledger, texts, run, client } = await exportTwo();
    rmSync(ledger);
    const result = await run({ ...options, full: true, prune: 'all' });
    expect([result.edited, result.failed]).toEqual([[], []]);
    const clean = await startHost([createMeeting('a', 'One'), createMeeting('B', 'Two')]);
    await clean.run({ ...options, client });
    expect(texts()).toEqual(readTexts(clean.folder));
    expect(readLedgerLines(folder)).toEqual(readLedgerLines(clean.folder));
  },
);

/** Renames a meeting on the service. */
function rename({ meetings }: HostState, id: string, title: string): void {
  const index = meetings.findIndex((event) => event.id === id);
  meetings[index] = updatedMeeting(id, title, '2026-11-20T10:30:00.000Z');
}

test('renames and updates the files of a meeting that was renamed after the ledger was lost', async () => {
  const { service, ledger, texts, run } = await exportTwo();
  rename(service, 'a', 'Other');
  writeFileSync(ledger, 'null');
  expect(await run({ contents, full: true })).toEqual({ ...emptyResult, updated: 1, unchanged: 1 });
  expect(Object.keys(texts())).toEqual([
    '2026-10-01-other-a.json',
    '2026-10-01-other-a.md',
    '2026-10-01-other-a.txt',
    '2026-10-01-two-B~1.json',
    '2026-10-01-two-B~1.md',
    '2026-10-01-two-B~1.txt',
  ]);
  expect(texts()['2026-10-01-other-a.md']).toContain('# Other');
});

test.each<[string, (text: string) => string]>([
  ['text', (text) => `${text}mine\n`],
  ['a fact', (text) => text.replace('---\n\n', 'tags: [x]\n---\n\n')],
  ['the heading', (text) => text.replace('# One', '# Mine')],
  ['the title in the front matter', (text) => text.replace('"One"', '"Mine"')],
])('keeps a file in which a person changed %s, even if its meeting was renamed', async (_, edit) => {
  const { service, ledger, path, texts, run } = await exportTwo({ contents: plain });
  const edited = edit(readFileSync(path('2026-10-01-one-a.md'), 'utf8'));
  writeFileSync(path('2026-10-01-one-a.md'), edited);
  rename(service, 'a', 'Other');
  writeFileSync(ledger, 'null');
  expect((await run({ full: true })).edited).toEqual(['2026-10-01-other-a.md']);
  expect(texts()).toMatchObject({
    '2026-10-01-other-a.md': edited,
    '2026-10-01-other-a.new.md': expect.stringContaining('# Other'),
  });
  expect(Object.keys(texts()).length).toBe(3);
});

test('keeps a file whose summary changed upstream, because it looks like an edited file', async () => {
  const { service, ledger, texts, run } = await exportTwo({ contents: plain });
  rename(service, 'a', 'One');
  service.responses.set('/v1/recordings/r-a', [
    200,
    createRecording('r-a', { summary: { summary: 'New.' } }),
  ]);
  writeFileSync(ledger, 'null');
  expect((await run({ full: true })).edited).toEqual(['2026-10-01-one-a.md']);
  expect(texts()['2026-10-01-one-a.new.md']).toContain('New.');
});

test('keeps an edited file, and writes the new text next to it only once', async () => {
  const { ledger, path, texts, run } = await exportTwo();
  appendFileSync(path('2026-10-01-one-a.md'), 'mine\n');
  for (const edited of [['2026-10-01-one-a.md'], []]) {
    writeFileSync(ledger, 'null');
    expect(await run({ contents, full: true })).toMatchObject({ new: 0, failed: [], edited });
    expect(texts()['2026-10-01-one-a.md']).toMatch(/mine\n$/);
    expect(Object.keys(texts()).filter((name) => name.includes('.new'))).toEqual(['2026-10-01-one-a.new.md']);
  }
});

test('recovers meetings from the readable lines of a damaged ledger, and updates them in place', async () => {
  const { service, ledger, texts, run } = await exportTwo();
  rename(service, 'a', 'Other');
  const lines = readFileSync(ledger, 'utf8').split('\n');
  writeFileSync(ledger, ['null', ...lines.slice(1)].join('\n'));
  expect(await run({ contents, full: true })).toEqual({ ...emptyResult, updated: 1, unchanged: 1 });
  expect(Object.keys(texts()).filter((name) => name.includes('-a.'))).toEqual([
    '2026-10-01-other-a.json',
    '2026-10-01-other-a.md',
    '2026-10-01-other-a.txt',
  ]);
});

test('continues to recognize files after an interrupted rebuild', async () => {
  const { service, ledger, texts, run } = await exportTwo();
  const before = Object.keys(texts()).length;
  writeFileSync(ledger, 'null');
  service.responses.set('/v1/recordings/r-a', [500, {}]);
  const options = { layout: 'by-month' } as const;
  expect((await run({ ...options, full: true })).failed).toMatchObject([{ id: 'a' }]);
  service.responses.clear();
  expect(await run(options)).toMatchObject({ edited: [], failed: [] });
  expect(Object.keys(texts()).length).toBe(before);
});

test('names the damaged ledger and the command that rebuilds it, and reports its new path even with --quiet', async () => {
  const { folder, url } = await startHost([createMeeting('a', 'One')]);
  const kith = createMachine();
  const env = { KITH_API_KEY: 'key-for-tests', KITH_BASE_URL: url };
  const exporting = ['events', 'export', '--out', folder];
  await kith(exporting, { env });
  const ledger = join(folder, '.kith-export.jsonl');
  writeFileSync(ledger, '[1,2]');
  for (const line of [exporting, ['events', 'export', 'status', folder]]) {
    expect(await kith(line, { env })).toEqual({
      code: 1,
      out: '',
      err: `kith: The export ledger ${ledger} is damaged.\nhint: Add --full to your export command to rebuild it: kith events export --full --out ${folder}\n`,
    });
  }
  expect(await kith([...exporting, '--full', '--quiet'], { env, now })).toEqual({
    code: 0,
    out: '',
    err: `kith: The ledger of ${folder} is damaged. It was moved to ${join(folder, moved)}; this run rebuilds it.\n`,
  });
  expect(await kith([...exporting, '--json'], { env })).toMatchObject({ code: 0, err: '' });
});
