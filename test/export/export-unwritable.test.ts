import { chmodSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { createMachine, createTemporaryFolder } from '../support/kith.ts';
import {
  createMeeting,
  emptyResult,
  exportWithDefaults,
  listFiles,
  readLedgerLines,
  readTexts,
  startHost,
} from './export-host.ts';

const contents = { transcript: false, with: ['json'] } as const;
const longTitle = 'a'.repeat(120);
const october = '2026-10/2026-10-01-one-a.md';

/** Two meetings. A test blocks the path of the first one. */
const createBothMeetings = (title = 'One', more = {}) => [
  createMeeting('a', title, 'done', more),
  createMeeting('b', 'Two', 'done', { start_at: '2026-11-01T09:00:00.000+09:00' }),
];
const isRoot = process.getuid?.() === 0;

type BlockPath = (toPath: (name: string) => string) => void;

test.each<[string, string, BlockPath, 'read' | 'write', string]>([
  [
    'a folder in its place',
    october,
    (toPath) => mkdirSync(toPath(october)),
    'read',
    'it is a folder, not a file',
  ],
  [
    'a folder in place of an additional file',
    '2026-10/2026-10-01-one-a.json',
    (toPath) => mkdirSync(toPath('2026-10/2026-10-01-one-a.json')),
    'read',
    'it is a folder, not a file',
  ],
  [
    'a folder in place of its draft',
    october,
    (toPath) => mkdirSync(toPath('2026-10/.2026-10-01-one-a.md.kith-tmp')),
    'write',
    'it is a folder, not a file',
  ],
  [
    'a file in place of its folder',
    october,
    (toPath) => writeFileSync(toPath('2026-10'), ''),
    'write',
    'a part of its path is not a folder',
  ],
])(
  'fails only one meeting because of %s, and fetches only that one on the next run',
  async (_, file, block, act, reason) => {
    const { folder, run, service, takeRequests } = await startHost(createBothMeetings());
    const toPath = (name: string) => {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      return join(folder, name);
    };
    block(toPath);
    const failed = [{ id: 'a', title: 'One', reason: `Cannot ${act} ${join(folder, file)}: ${reason}.` }];
    expect(await run({ contents, layout: 'by-month' })).toEqual({ ...emptyResult, new: 1, failed });
    const [, second] = ['md', 'json'].map((end) => `2026-11/2026-11-01-two-b.${end}`);
    expect(Object.keys(readTexts(folder))).toContain(second);
    expect(readLedgerLines(folder)).toContainEqual({
      meeting: expect.objectContaining({ id: 'a', failed: failed[0]?.reason }),
    });
    rmSync(toPath('2026-10'), { recursive: true });
    takeRequests();
    service.meetings = createBothMeetings('Renamed', { updated_at: '2026-11-20T10:00:00.000Z' });
    expect(await run({ contents, layout: 'by-month' })).toMatchObject({
      failed: [],
      edited: [],
      unchanged: 1,
    });
    expect(takeRequests().filter((url) => url.includes('recordings'))).toEqual(['/v1/recordings/r-a']);
    expect(listFiles(folder)).toEqual([
      '.kith-export.jsonl',
      '2026-10/2026-10-01-renamed-a.json',
      '2026-10/2026-10-01-renamed-a.md',
      '2026-11/2026-11-01-two-b.json',
      '2026-11/2026-11-01-two-b.md',
    ]);
  },
);

test('does not count a file of a meeting that failed halfway as edited', async () => {
  const { folder, run, service } = await startHost(createBothMeetings());
  const temporaryFile = join(folder, '.2026-10-01-one-a.json.kith-tmp');
  mkdirSync(temporaryFile, { recursive: true });
  await run({ contents });
  expect(listFiles(folder)).toContain('2026-10-01-one-a.md');
  service.meetings = createBothMeetings('One', { updated_at: '2026-11-20T10:00:00.000Z' });
  rmSync(temporaryFile, { recursive: true });
  expect(await run({ contents })).toEqual({ ...emptyResult, updated: 1, unchanged: 1 });
});

test('keeps a meeting at its old path until it can be moved', async () => {
  const { folder, run, service } = await startHost(createBothMeetings());
  await run({ layout: 'by-month' });
  const before = readTexts(folder);
  writeFileSync(join(folder, '2026-12'), 'mine');
  const start_at = '2026-12-01T09:00:00.000+09:00';
  service.meetings = createBothMeetings('One', { start_at, updated_at: '2026-11-20T10:00:00.000Z' });
  const reason = `Cannot write ${join(folder, '2026-12')}: it is a file, not a folder.`;
  expect(await run({ layout: 'by-month' })).toMatchObject({ failed: [{ id: 'a', reason }] });
  expect(readTexts(folder)).toEqual({ ...before, '2026-12': 'mine' });
  rmSync(join(folder, '2026-12'));
  expect(await run({ layout: 'by-month' })).toEqual({ ...emptyResult, updated: 1, unchanged: 1 });
  expect(listFiles(folder).slice(1)).toEqual(['2026-11/2026-11-01-two-b.md', '2026-12/2026-12-01-one-a.md']);
});

test('fails only the meeting whose name is too long for its folder', async () => {
  const { client } = await startHost(createBothMeetings(longTitle));
  let folder = createTemporaryFolder();
  while (folder.length < 3960) folder = join(folder, 'x'.repeat(Math.min(200, 4000 - folder.length)));
  mkdirSync(folder, { recursive: true });
  const { failed, ...counts } = await exportWithDefaults(client, folder);
  expect([counts.new, failed]).toEqual([
    1,
    [
      {
        id: 'a',
        title: longTitle,
        reason: `Cannot write ${folder}/2026-10-01-${longTitle}-a.md: file name too long.`,
      },
    ],
  ]);
});

test.skipIf(isRoot)('fails only the meeting whose file this user may not read', async () => {
  const { folder, run, service } = await startHost(createBothMeetings());
  await run();
  chmodSync(join(folder, '2026-10-01-one-a.md'), 0);
  service.meetings = createBothMeetings('Renamed', { updated_at: '2026-11-20T10:00:00.000Z' });
  const reason = `Cannot read ${join(folder, '2026-10-01-one-a.md')}: permission denied.`;
  expect(await run()).toMatchObject({ failed: [{ id: 'a', reason }] });
});

test('removes the temporary files of a killed run, but not a folder of such a name', async () => {
  const { folder, run } = await startHost(createBothMeetings());
  const toFolderPath = (name: string) => join(folder, name);
  for (const name of ['mine.kith-tmp', 'other/mine.kith-tmp']) {
    mkdirSync(toFolderPath(name), { recursive: true });
    writeFileSync(toFolderPath(`${name}/notes`), 'mine');
  }
  for (const name of ['.a.md.kith-tmp', 'other/.b.md.kith-tmp']) writeFileSync(toFolderPath(name), 'half');
  for (const name of ['.a.kith-tmp.md', 'other/mine.kith-tmp/.b.md.kith-tmp'])
    writeFileSync(toFolderPath(name), 'mine');
  symlinkSync(toFolderPath('mine.kith-tmp/notes'), toFolderPath('.c.md.kith-tmp'));
  await run();
  expect(listFiles(folder)).toEqual([
    '.a.kith-tmp.md',
    '.kith-export.jsonl',
    '2026-10-01-one-a.md',
    '2026-11-01-two-b.md',
    'mine.kith-tmp/notes',
    'other/mine.kith-tmp/.b.md.kith-tmp',
    'other/mine.kith-tmp/notes',
  ]);
});

test('--prune deletes a file of a run that could not write another one, even if moving it failed since', async () => {
  const { folder, run, service } = await startHost([createMeeting('a', 'One')]);
  await run();
  const draft = join(folder, '.2026-10-01-one-a.json.kith-tmp');
  mkdirSync(draft);
  const withBoth = await run({ contents: { transcript: false, with: ['json', 'txt'] } });
  expect(withBoth.failed).toHaveLength(1);
  rmSync(draft, { recursive: true });
  const month = join(folder, '2026-10');
  writeFileSync(month, '');
  service.meetings = [createMeeting('a', 'Two')];
  const ledgerSizes = new Set<number>();
  for (let night = 0; night < 3; night += 1) {
    const moved = await run({ layout: 'by-month' });
    expect(moved.failed).toHaveLength(1);
    ledgerSizes.add(statSync(join(folder, '.kith-export.jsonl')).size);
  }
  expect(ledgerSizes.size).toBe(1);
  expect(listFiles(folder)).toContain('2026-10-01-one-a.txt');
  rmSync(month);
  service.meetings = [createMeeting('a', 'Three')];
  await run({ prune: 'all' });
  expect(listFiles(folder)).toEqual(['.kith-export.jsonl', '2026-10-01-three-a.md']);
});

test('names the unwritable file and exits with 6', async () => {
  const { folder, url } = await startHost(createBothMeetings());
  mkdirSync(join(folder, '2026-10-01-one-a.md'), { recursive: true });
  const env = { KITH_API_KEY: 'key-for-tests', KITH_BASE_URL: url };
  const { code, err } = await createMachine()(['events', 'export', '--out', folder, '--quiet'], { env });
  const reason = `Cannot read ${join(folder, '2026-10-01-one-a.md')}: it is a folder, not a file.`;
  expect([code, err.split('\n')[0]]).toEqual([6, `kith: Not exported: a "One" (${reason})`]);
});
