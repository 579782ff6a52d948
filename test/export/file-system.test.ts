import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { ExportFolder } from '../../src/export/folder.ts';
import { writeFileAtomically } from '../../src/files/atomic-write.ts';
import { toPermissions } from '../../src/files/permissions.ts';
import { runShell } from '../support/binary.ts';
import { createMachine, createTemporaryFolder } from '../support/kith.ts';
import {
  createMeeting,
  createRecording,
  emptyResult,
  exportWithDefaults,
  listFiles,
  readLedgerLines,
  readTexts,
  startHost,
} from './export-host.ts';

const ledger = '.kith-export.jsonl';
const later = { updated_at: '2026-11-20T10:00:00.000Z' };
const isRoot = process.getuid?.() === 0;
const isWindows = process.platform === 'win32';
const withJson = { contents: { transcript: false, with: ['json'] } } as const;

/** Starts a service with two meetings. A test blocks the path of the first one. */
async function startBoth(title = 'One') {
  const createBoth = (title: string, more = {}) => [
    createMeeting('a', title, 'done', more),
    createMeeting('b', 'Two', 'done', { start_at: '2026-11-01T09:00:00.000+09:00' }),
  ];
  const host = await startHost(createBoth(title));
  return {
    ...host,
    toPath: (name: string) => join(host.folder, name),
    change: (title: string, more = {}) => {
      host.service.meetings = createBoth(title, { ...later, ...more });
    },
  };
}

const october = '2026-10/2026-10-01-one-a';

test.each<[string, 'folder' | 'file', blocked: string, reason: string]>([
  ['a folder in its place', 'folder', `${october}.md`, `read ${october}.md: it is a folder, not a file`],
  [
    'a folder in place of its JSON',
    'folder',
    `${october}.json`,
    `read ${october}.json: it is a folder, not a file`,
  ],
  [
    'a folder in place of a temporary file',
    'folder',
    '2026-10/.2026-10-01-one-a.md.kith-tmp',
    `write ${october}.md: it is a folder, not a file`,
  ],
  [
    'a file in place of its folder',
    'file',
    '2026-10',
    `write ${october}.md: a part of its path is not a folder`,
  ],
])('fails only one meeting because of %s, and fetches only that one on the next run', async (...row) => {
  const [, kind, blocked, reason] = row;
  const { folder, run, takeRequests, toPath, change } = await startBoth();
  mkdirSync(dirname(toPath(blocked)), { recursive: true });
  if (kind === 'folder') mkdirSync(toPath(blocked));
  else writeFileSync(toPath(blocked), '');
  const failed = [{ id: 'a', title: 'One', reason: `Cannot ${reason.replace(' ', ` ${folder}/`)}.` }];
  const options = { ...withJson, layout: 'by-month' } as const;
  expect(await run(options)).toEqual({ ...emptyResult, new: 1, failed });
  expect(readLedgerLines(folder)).toContainEqual({
    meeting: expect.objectContaining({ id: 'a', failed: failed[0]?.reason }),
  });
  rmSync(toPath(blocked), { recursive: true });
  change('Renamed');
  takeRequests();
  // A file that was written before the other one failed does not count as edited.
  expect(await run(options)).toMatchObject({ failed: [], edited: [], unchanged: 1 });
  expect(takeRequests().filter((url) => url.includes('recordings'))).toEqual(['/v1/recordings/r-a']);
  expect(listFiles(folder).slice(1)).toEqual([
    '2026-10/2026-10-01-renamed-a.json',
    '2026-10/2026-10-01-renamed-a.md',
    '2026-11/2026-11-01-two-b.json',
    '2026-11/2026-11-01-two-b.md',
  ]);
});

test('keeps a meeting at its old path until it can be moved, and then prunes the file of a run that failed', async () => {
  const { folder, run, toPath, change } = await startBoth();
  await run();
  const draft = toPath('.2026-10-01-one-a.json.kith-tmp');
  mkdirSync(draft);
  expect(await run({ contents: { transcript: false, with: ['json', 'txt'] } })).toMatchObject({
    failed: [{ id: 'a' }],
  });
  rmSync(draft, { recursive: true });
  writeFileSync(toPath('2026-10'), 'mine');
  const before = readTexts(folder);
  change('Two');
  const reason = `Cannot write ${toPath('2026-10')}: it is a file, not a folder.`;
  const sizes = new Set<number>();
  for (let night = 0; night < 3; night += 1) {
    expect(await run({ layout: 'by-month' })).toMatchObject({ failed: [{ id: 'a', reason }] });
    sizes.add(statSync(toPath(ledger)).size);
  }
  expect(sizes.size).toBe(1);
  expect(readTexts(folder)).toMatchObject({
    '2026-10': 'mine',
    '2026-10-01-one-a.md': before['2026-10-01-one-a.md'],
    '2026-10-01-one-a.txt': 'Ada: Hello\n',
  });
  rmSync(toPath('2026-10'));
  change('Three');
  await run({ prune: 'all' });
  expect(listFiles(folder)).toEqual([ledger, '2026-10-01-three-a.md', '2026-11-01-two-b.md']);
});

test('fails only the meeting whose name is too long for its folder', async () => {
  const title = 'a'.repeat(120);
  const { client } = await startBoth(title);
  let folder = createTemporaryFolder();
  while (folder.length < 3960) folder = join(folder, 'x'.repeat(Math.min(200, 4000 - folder.length)));
  mkdirSync(folder, { recursive: true });
  const reason = `Cannot write ${folder}/2026-10-01-${title}-a.md: file name too long.`;
  const { new: count, failed } = await exportWithDefaults(client, folder);
  expect([count, failed]).toEqual([1, [{ id: 'a', title, reason }]]);
});

test.skipIf(isRoot)('fails only the meeting whose file this user may not read', async () => {
  const { run, toPath, change } = await startBoth();
  await run();
  chmodSync(toPath('2026-10-01-one-a.md'), 0);
  change('Renamed');
  const reason = `Cannot read ${toPath('2026-10-01-one-a.md')}: permission denied.`;
  expect(await run()).toMatchObject({ failed: [{ id: 'a', reason }] });
});

/** A folder in which not even root can create a file. */
function createLockedFolder(): string {
  const folder = createTemporaryFolder();
  if (isRoot) return '/proc/self';
  chmodSync(folder, 0o500);
  return folder;
}

test.runIf(existsSync('/proc/self'))('names a folder that cannot be used, and sends no request', async () => {
  const { client, takeRequests } = await startBoth();
  const file = join(createTemporaryFolder(), 'file');
  writeFileSync(file, 'mine');
  const locked = createLockedFolder();
  for (const [folder, message] of [
    [file, `Cannot write ${file}: it is a file, not a folder.`],
    [join(file, 'below'), `Cannot write ${join(file, 'below')}: a part of its path is not a folder.`],
    [locked, `Cannot write ${locked}/.kith-export.lock: `],
    ['/proc/kith/out', 'Cannot write /proc/kith/out: '],
  ] as const) {
    await expect(exportWithDefaults(client, folder)).rejects.toMatchObject({
      code: 'failed',
      message: expect.stringContaining(message),
    });
  }
  expect([takeRequests(), readFileSync(file, 'utf8')]).toEqual([[], 'mine']);
});

test.each([
  ['its lock', 0, 'short', '.kith-export.lock'],
  ['the ledger', 4, 'short', ledger],
  ['a meeting', 4, 'long '.repeat(1000), '2026-10-01-weekly-m0.md'],
])('names %s if the disk is full, and continues on the next run', async (_, blocks, summary, name) => {
  const { folder, service, env, run, client } = await startHost(
    Array.from({ length: 20 }, (_, n) => createMeeting(`m${n}`, 'Weekly')),
  );
  service.responses.set('/v1/recordings/r-m0', [200, createRecording('r-m0', { summary: { summary } })]);
  const line = `ulimit -f ${blocks}; kith events export --out ${folder} --retries 0`;
  expect(await runShell(line, { env })).toEqual({
    code: 1,
    out: '',
    err: `kith: Cannot write ${join(folder, name)}: file size limit exceeded.\n`,
  });
  expect(listFiles(folder).filter((one) => /lock|tmp/.test(one))).toEqual([]);
  expect(await run({ adopt: true })).toMatchObject({ failed: [], edited: [] });
  const undisturbed = join(createTemporaryFolder(), 'out');
  await exportWithDefaults(client, undisturbed);
  expect(readTexts(folder)).toEqual(readTexts(undisturbed));
});

test('removes the temporary files of a killed run, but not a folder of such a name', async () => {
  const { folder, run, toPath } = await startBoth();
  for (const name of ['mine.kith-tmp', 'other/mine.kith-tmp']) {
    mkdirSync(toPath(name), { recursive: true });
    writeFileSync(toPath(`${name}/notes`), 'mine');
  }
  for (const name of ['.a.md.kith-tmp', 'other/.b.md.kith-tmp']) writeFileSync(toPath(name), 'half');
  for (const name of ['.a.kith-tmp.md', 'other/mine.kith-tmp/.b.md.kith-tmp'])
    writeFileSync(toPath(name), 'mine');
  symlinkSync(toPath('mine.kith-tmp/notes'), toPath('.c.md.kith-tmp'));
  await run();
  expect(listFiles(folder)).toEqual([
    '.a.kith-tmp.md',
    ledger,
    '2026-10-01-one-a.md',
    '2026-11-01-two-b.md',
    'mine.kith-tmp/notes',
    'other/mine.kith-tmp/.b.md.kith-tmp',
    'other/mine.kith-tmp/notes',
  ]);
});

test('replaces a symbolic link in place of a file, but not its target', async () => {
  const { folder, run, toPath, change } = await startBoth();
  await run();
  const path = toPath('2026-10-01-one-a.md');
  const outside = join(dirname(folder), 'outside.md');
  renameSync(path, outside);
  symlinkSync(outside, path);
  const before = readFileSync(outside, 'utf8');
  change('ONE');
  expect(await run()).toEqual({ ...emptyResult, updated: 1, unchanged: 1 });
  expect([readFileSync(outside, 'utf8'), lstatSync(path).isSymbolicLink()]).toEqual([before, false]);
});

test('neither moves nor removes files outside the folder that a ledger names', async () => {
  const { folder, run, service, toPath } = await startBoth();
  await run();
  const outside = join(dirname(folder), 'outside.md');
  writeFileSync(outside, readFileSync(toPath('2026-10-01-one-a.md')));
  const lines = readFileSync(toPath(ledger), 'utf8');
  writeFileSync(toPath(ledger), lines.replaceAll('"2026-10-01-one-a.md"', '"../outside.md"'));
  service.meetings.shift();
  await run({ full: true, prune: 'all' });
  expect(listFiles(dirname(folder))).toContain('outside.md');
});

test('moves files between folders at the same time, even if each leaves its folder empty', async () => {
  const root = createTemporaryFolder();
  const folder = new ExportFolder(root);
  const months = ['05', '06', '07'];
  for (const month of months) await writeFileAtomically(join(root, month, month), ['text']);
  for (let repetition = 0; repetition < 300; repetition += 1) {
    await Promise.all(
      months.map(async (name, index) => {
        for (let turns = repetition % (index + 2); turns > 0; turns -= 1) await turn();
        const [from = '', to = ''] = [months[(index + repetition) % 3], months[(index + repetition + 1) % 3]];
        folder.move(join(from, name), join(to, name));
      }),
    );
  }
  expect(readdirSync(root).sort()).toEqual(months);
});

/** Starts a service with one meeting. `readModes` returns the permissions in its export folder. */
async function startWithModes() {
  const host = await startHost([createMeeting('a', 'One')]);
  const toPath = (name: string) => join(host.folder, name);
  const readModes = (...names: string[]) =>
    names.map((name) => (statSync(toPath(name)).mode & 0o777).toString(8));
  const run = (mode: number, more = {}) =>
    host.run({ permissions: toPermissions(mode), layout: 'by-month', ...more });
  return { ...host, toPath, run, readModes: () => readModes('.', '2026-10', ledger, `${october}.md`) };
}

test.skipIf(isWindows).each([
  ['0600', ['700', '700', '600', '600']],
  ['0640', ['750', '750', '640', '640']],
  ['0664', ['775', '775', '664', '664']],
])(
  'applies --mode %s to files, ledger, and old and new folders, regardless of the umask',
  async (mode, expected) => {
    for (const umask of [0o000, 0o022, 0o077]) {
      const before = process.umask(umask);
      onTestFinished(() => void process.umask(before));
      const { run, readModes } = await startWithModes();
      await run(Number.parseInt(mode, 8), { layout: 'flat' });
      await run(Number.parseInt(mode, 8));
      expect(readModes()).toEqual(expected);
    }
  },
);

test.skipIf(isWindows)(
  'keeps the permissions of an existing file until it is rewritten, and those of a folder',
  async () => {
    const { run, readModes, service, toPath } = await startWithModes();
    await run(0o600);
    chmodSync(toPath('.'), 0o755);
    chmodSync(toPath(`${october}.md`), 0o644);
    chmodSync(toPath(ledger), 0o644);
    await run(0o600);
    expect(readModes()).toEqual(['755', '700', '600', '644']);
    service.meetings = [createMeeting('a', 'One', 'done', { ...later, attendees: [] })];
    await run(0o600);
    expect(readModes()).toEqual(['755', '700', '600', '600']);
  },
);

test.skipIf(isWindows)('applies the mode to a renamed damaged ledger too', async () => {
  const { run, toPath } = await startWithModes();
  await run(0o600);
  writeFileSync(toPath(ledger), 'null');
  chmodSync(toPath(ledger), 0o644);
  const paths: string[] = [];
  await run(0o640, { full: true, onDamagedLedger: async (path: string) => void paths.push(path) });
  expect(paths.map((path) => statSync(path).mode & 0o777)).toEqual([0o640]);
});

test.skipIf(isWindows).each(['640', '0640'])('accepts --mode %s', async (mode) => {
  const { kith, folder } = await startHost([createMeeting('a', 'One')]);
  await kith(['events', 'export', '--out', folder, '--mode', mode]);
  expect(statSync(join(folder, '2026-10-01-one-a.md')).mode & 0o777).toBe(0o640);
});

test.each([
  ['0999', '"0999" is not an octal file mode.'],
  ['rw', '"rw" is not an octal file mode.'],
  ['04755', '"04755" is not an octal file mode.'],
  ['0444', '"0444" does not let the owner read and write.'],
])('rejects --mode %s', async (mode, message) => {
  const { code, err } = await createMachine()(['events', 'export', '--out', 'x', '--mode', mode]);
  const hint = 'hint: Use a mode such as 0600, 0640 or 0644.\n';
  expect([code, err]).toEqual([2, `kith: --mode: ${message}\n${hint}`]);
});
