import {
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { createMachine, createTemporaryFolder } from '../support/kith.ts';
import {
  createMeeting,
  emptyResult,
  exportWithDefaults,
  listFiles,
  readTexts,
  startHost,
} from './export-host.ts';

const escaping = '\u001b[2J\u001b]0;owned\u0007';

test.each<[string, string]>([
  ['a'.repeat(300), `2026-10-01-${'a'.repeat(120)}-a.md`],
  ['회의'.repeat(150), `2026-10-01-${'회의'.repeat(20)}-a.md`],
  ['../../etc/passwd', '2026-10-01-etc-passwd-a.md'],
  ['/etc/passwd', '2026-10-01-etc-passwd-a.md'],
  ['CON', '2026-10-01-con-a.md'],
  ['🎉', '2026-10-01-a.md'],
  [`Call ${escaping}`, '2026-10-01-call-2j-0-owned-a.md'],
  ['half \ud83d', '2026-10-01-half-a.md'],
  ['a\nb\r\n---\nc', '2026-10-01-a-b-c-a.md'],
  ['.kith-export.jsonl', '2026-10-01-kith-export-jsonl-a.md'],
])('turns the title %j into a safe and stable name', async (title, name) => {
  const { folder, run } = await startHost([createMeeting('a', title)]);
  expect([await run(), await run({ full: true })]).toEqual([
    { ...emptyResult, new: 1 },
    { ...emptyResult, unchanged: 1 },
  ]);
  expect(listFiles(dirname(folder))).toEqual(['out/.kith-export.jsonl', `out/${name}`]);
  const text = readFileSync(join(folder, name), 'utf8');
  expect(text).not.toMatch(/[^\P{Cc}\n\t]/u);
});

const oddIds = [
  'ab',
  'aB',
  'Ab',
  'AB',
  'a/b',
  'a\\b',
  '..',
  '../../etc/x',
  'C:x',
  'a b',
  '김'.repeat(100),
  '👋'.repeat(40),
  '__proto__',
  'con',
];

test('writes one file per id, even for ids with unusual characters or that differ only in case', async () => {
  const { folder, run } = await startHost(oddIds.map((id) => createMeeting(id, '../../Weekly', '')));
  expect(await run({ contents: { transcript: false, with: ['json'] } })).toEqual({
    ...emptyResult,
    new: oddIds.length,
  });
  const names = readdirSync(folder);
  expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(oddIds.length * 2 + 1);
  expect(readdirSync(join(folder, '..'))).toEqual(['out']);
  expect(await run({ contents: { transcript: false, with: ['json'] } })).toEqual({
    ...emptyResult,
    unchanged: oddIds.length,
  });
});

test('fails only the meeting of a recording whose id cannot be part of a path', async () => {
  const recordings = [{ id: '../calendar_events', status: 'done' }];
  const dots = [{ id: '..', status: 'done' }];
  const { run, takeRequests } = await startHost([
    createMeeting('a', 'One', 'done', { recordings }),
    createMeeting('b', 'Two', 'done', { recordings: dots }),
  ]);
  const failed = [{ id: 'b', title: 'Two', reason: '".." is not an id.' }];
  expect(await run()).toEqual({ ...emptyResult, new: 1, failed });
  expect(takeRequests()[1]).toBe('/v1/recordings/../calendar_events');
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

test.each([
  ['../../x', 'undated'],
  ['', 'undated'],
  [null, 'undated'],
  ['2026-13-45T99:99', '2026-13'],
  ['2026-1', 'undated'],
  ['20261001', 'undated'],
  [{ toString: 'x' }, 'undated'],
])('by-month puts a meeting that starts at %j into %s', async (start_at, month) => {
  const { folder, run } = await startHost([createMeeting('a', 'One', '', { start_at: start_at as string })]);
  expect(await run({ layout: 'by-month' })).toEqual({ ...emptyResult, new: 1 });
  expect(listFiles(dirname(folder)).map((name) => dirname(name))).toEqual(['out', `out/${month}`]);
});

test.each([
  ['../..', 'o', 'organization-o'],
  ['../../etc', 'o', 'etc-o'],
  ['CON', ' ', 'con-%20.~0'],
  ['CON', '', 'no-organization'],
  ['', 'nul', 'organization-nul'],
  [null, '../..', 'organization-%2e.%2e.%2f.%2e.%2e.~0'],
  ['회의'.repeat(200), 'o', `${'회의'.repeat(20)}-o`],
  [escaping, 'o', '2j-0-owned-o'],
])('by-organization turns the name %j with the id %j into the folder %s', async (name, id, folderName) => {
  const { folder, run, service } = await startHost([createMeeting('a', 'One', '')]);
  service.responses
    .set('/v1/contacts', [200, { data: [{ id: 'c', emails: ['a@x.org'], organization_id: id }] }])
    .set('/v1/organizations', [200, { data: [{ id, name }] }]);
  expect(await run({ layout: 'by-organization' })).toEqual({ ...emptyResult, new: 1 });
  expect(listFiles(dirname(folder)).map((one) => dirname(one))).toEqual(['out', `out/${folderName}`]);
});

test('ignores malformed attendees when it looks for the organization', async () => {
  const attendees = [null, {}, { email: 5 }, 'x'] as unknown as { email: string }[];
  const { folder, run } = await startHost([
    createMeeting('a', 'One', '', { attendees }),
    createMeeting('b', 'Two', '', { attendees: null as unknown as [] }),
  ]);
  expect(await run({ layout: 'by-organization' })).toEqual({ ...emptyResult, new: 2 });
  expect(Object.keys(readTexts(folder)).map((name) => dirname(name))).toEqual([
    'no-organization',
    'no-organization',
  ]);
});

test('names an output folder that is a file, and sends no request', async () => {
  const { client, takeRequests } = await startHost([createMeeting('a', 'One', '')]);
  const file = join(createTemporaryFolder(), 'file');
  writeFileSync(file, 'mine');
  for (const [folder, reason] of [
    [file, 'it is a file, not a folder'],
    [join(file, 'below'), 'a part of its path is not a folder'],
  ] as const) {
    const message = `Cannot write ${folder}: ${reason}.`;
    await expect(exportWithDefaults(client, folder)).rejects.toMatchObject({ code: 'failed', message });
  }
  expect([takeRequests(), readFileSync(file, 'utf8')]).toEqual([[], 'mine']);
});

test('replaces a symbolic link in place of a file, but not its target', async () => {
  const { folder, run, service } = await startHost([createMeeting('a', 'One', '')]);
  await run();
  const path = join(folder, '2026-10-01-one-a.md');
  const outside = join(dirname(folder), 'outside.md');
  renameSync(path, outside);
  symlinkSync(outside, path);
  const before = readFileSync(outside, 'utf8');
  service.meetings = [createMeeting('a', 'ONE', '', { updated_at: '2026-11-20T10:00:00.000Z' })];
  expect(await run()).toEqual({ ...emptyResult, updated: 1 });
  expect([readFileSync(outside, 'utf8'), lstatSync(path).isSymbolicLink()]).toEqual([before, false]);
});

test('neither moves nor removes files outside the folder that a ledger names', async () => {
  const { folder, run, service } = await startHost([createMeeting('a', 'One', '')]);
  await run();
  const outside = join(dirname(folder), 'outside.md');
  writeFileSync(outside, readFileSync(join(folder, '2026-10-01-one-a.md')));
  const ledger = join(folder, '.kith-export.jsonl');
  writeFileSync(ledger, readFileSync(ledger, 'utf8').replaceAll('"2026-10-01-one-a.md"', '"../outside.md"'));
  service.meetings = [];
  await run({ full: true, prune: 'all' });
  expect(listFiles(dirname(folder))).toContain('outside.md');
});

test.each([['title'], ['id'], ['updated_at'], ['start_at'], ['attendees'], ['recordings']])(
  'fails at most the meeting whose %s is not a string',
  async (field) => {
    const oddMeeting = { ...createMeeting('a', 'One'), [field]: { toString: 'x', valueOf: 1 } };
    const { run, folder } = await startHost([
      oddMeeting as ReturnType<typeof createMeeting>,
      createMeeting('b', 'Two'),
    ]);
    const { new: added, failed } = await run();
    expect(added + failed.length).toBe(2);
    expect(Object.keys(readTexts(folder))).toContain('2026-10-01-two-b.md');
  },
);

/** A folder in which not even root can create a file. */
function createLockedFolder(): string {
  const folder = createTemporaryFolder();
  if (process.getuid?.() === 0) return '/proc/self';
  chmodSync(folder, 0o500);
  return folder;
}

test.runIf(existsSync('/proc/self'))('names a folder in which no file can be created', async () => {
  const { client, takeRequests } = await startHost([createMeeting('a', 'One', '')]);
  const folder = createLockedFolder();
  await expect(exportWithDefaults(client, folder)).rejects.toMatchObject({
    code: 'failed',
    message: expect.stringContaining(`Cannot write ${folder}/.kith-export.lock: `),
  });
  expect(takeRequests()).toEqual([]);
});

test.runIf(existsSync('/proc/self'))('names a folder that cannot be created', async () => {
  const { client } = await startHost([createMeeting('a', 'One', '')]);
  await expect(exportWithDefaults(client, '/proc/kith/out')).rejects.toMatchObject({
    code: 'failed',
    message: expect.stringContaining('Cannot write /proc/kith/out: '),
  });
});

test('removes control characters from files and messages', async () => {
  const { folder, service, url } = await startHost([
    createMeeting('a', escaping, 'processing'),
    createMeeting('b', escaping),
  ]);
  service.responses.set('/v1/recordings/r-b', [422, { error: `Oh ${escaping}` }]);
  const kith = createMachine();
  const setting = { env: { KITH_API_KEY: 'key-for-tests', KITH_BASE_URL: url }, terminal: 100 };
  const run = await kith(['events', 'export', '--out', folder], setting);
  const status = await kith(['events', 'export', 'status', folder], setting);
  const verify = await kith(['events', 'export', 'verify', folder], setting);
  expect([run.code, status.code, verify.code]).toEqual([6, 6, 6]);
  for (const { out, err } of [run, status, verify]) {
    const colors = new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m`, 'g');
    expect((out + err).replace(colors, '')).not.toMatch(/[^\P{Cc}\n]/u);
  }
  expect(run.err).toContain('b "\\x1b[2J\\x1b]0;owned\\x07" (Oh \\x1b[2J');
});
