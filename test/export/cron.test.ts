import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { sendJson } from '../client/loopback.ts';
import { runKith } from '../support/binary.ts';
import { createMachine, createSampleWorkspace, createTemporaryFolder } from '../support/kith.ts';
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

const createMeetings = (count: number) =>
  Array.from({ length: count }, (_, index) => createMeeting(`m${index}`, `Weekly ${index}`));

/** Starts a service, and a machine that exports from it. `key`: the API key, which stands for the workspace. */
async function startNights(count: number) {
  const host = await startHost(createMeetings(count));
  host.service.clock = new Date();
  const settings = createTemporaryFolder();
  const kith = (line: string, key = 'key-for-tests') =>
    createMachine(settings)(line.replace('DIR', `"${host.folder}"`), {
      env: { KITH_API_KEY: key, KITH_BASE_URL: host.url },
    });
  const run = (flags = '', key?: string) => kith(`events export --out DIR --retries 0 ${flags}`, key);
  const print = (counts: string) => ({ code: 0, out: `${host.folder}: ${counts}\n`, err: '' });
  return { ...host, settings, kith, run, print };
}

test('a nightly job needs only a base URL and a key, prints what to mail, and continues after a failure', async () => {
  const { folder, env, run, print, service, settings } = await startNights(3);
  const { PATH, KITH_API_KEY, KITH_BASE_URL } = env;
  const cron = { env: { PATH, KITH_API_KEY, KITH_BASE_URL }, stdin: '' };
  const first = await runKith(['events', 'export', '--out', folder, '--retries', '0'], cron);
  expect(first).toEqual(print('3 new, 0 updated, 0 unchanged, 0 pending, 0 failed'));
  expect(readdirSync(dirname(folder))).toEqual(['out']);
  expect(await run()).toEqual(print('0 new, 0 updated, 3 unchanged, 0 pending, 0 failed'));
  expect(await run('--quiet')).toEqual({ code: 0, out: '', err: '' });
  expect(readdirSync(settings)).not.toContain('config.json');

  const escaping = '\u001b[2J\u001b]0;owned\u0007';
  service.meetings.push(createMeeting('b', escaping), createMeeting('p', 'Two', 'processing'));
  service.responses.set('/v1/recordings/r-b', [422, { error: `Oh ${escaping}.` }]);
  const shown = '\\x1b[2J\\x1b]0;owned\\x07';
  const message = `Not exported: b "${shown}" (Oh ${shown}.)`;
  const hint = 'Run the command again to retry only these meetings.';
  const err = `kith: ${message}\nhint: ${hint}\n`;
  const out = `${folder}: 1 new, 0 updated, 3 unchanged, 1 pending, 1 failed\n`;
  expect(await run('--full')).toEqual({ code: 6, out, err });
  expect(await run('--quiet')).toEqual({ code: 6, out: '', err });
  const { code, err: json } = await run('--json');
  expect([code, JSON.parse(json).error]).toMatchObject([
    6,
    { code: 'partial', exit_code: 6, hint, retryable: false },
  ]);
  service.responses.clear();
  const { out: counts, ...rest } = await run('--json --quiet');
  expect(JSON.parse(counts)).toEqual({ ...emptyResult, new: 1, unchanged: 4, pending: 1 });
  expect(rest).toEqual({ code: 0, err: '' });
});

test('a second run at the same time exits with 75 and one line, and does not disturb the first', async () => {
  const { folder, service, client, run, takeRequests } = await startNights(20);
  let release = () => {};
  const isHeld = new Promise<void>((resolve) => {
    service.responses.set('/v1/recordings/r-m3', (to) => {
      release = () => sendJson(to, 200, { data: createRecording('r-m3') });
      resolve();
    });
  });
  const first = run();
  await isHeld;
  takeRequests();
  const { code, out, err } = await run('--quiet');
  expect({ code, out, err }).toEqual({
    code: 75,
    out: '',
    err: expect.stringMatching(
      `^kith: Another run is exporting to ${folder}: process ${process.pid}, since .*\\.\n$`,
    ),
  });
  expect(takeRequests().filter((url) => url.includes('first'))).toEqual([]);
  release();
  expect((await first).code).toBe(0);
  service.responses.clear();
  const undisturbed = join(createTemporaryFolder(), 'out');
  await exportWithDefaults(client, undisturbed);
  expect(readTexts(folder)).toEqual(readTexts(undisturbed));
});

test('refuses the folder of another key, also for --prune, --full and verify, and --adopt takes it over', async () => {
  const { folder, url, service, run, kith, print, takeRequests } = await startNights(10);
  await run();
  const before = [readTexts(folder), readLedgerLines(folder)];
  expect(JSON.stringify(before)).not.toContain('key-for-tests');
  service.meetings = [...createMeetings(9), createMeeting('new', 'New')];
  const hint = `Export each workspace to its own folder. If it is the same workspace, run: kith meetings export --out ${folder} --adopt`;
  const err = `kith: ${folder} was exported from ${url}/ with another API key.\nhint: ${hint}\n`;
  for (const flags of ['', '--prune --yes', '--full'])
    expect(await run(flags, 'second-key')).toEqual({ code: 2, out: '', err });
  expect(await kith('events export verify DIR', 'second-key')).toEqual({ code: 2, out: '', err });
  expect([readTexts(folder), readLedgerLines(folder)]).toEqual(before);
  takeRequests();
  expect(await run('--adopt', 'second-key')).toEqual(
    print('1 new, 0 updated, 9 unchanged, 0 pending, 1 deleted upstream, 0 failed'),
  );
  expect(takeRequests().filter((path) => path.includes('recordings'))).toEqual(['/v1/recordings/r-new']);
  expect((await run('', 'second-key')).code).toBe(0);
  expect((await run('--adopt', 'second-key')).err).toBe('');
  expect((await run()).code).toBe(2);
});

test.each(['[1,2]', ''])(
  'another key overwrites and deletes nothing if the ledger is %j, and then owns the folder',
  async (text) => {
    const { folder, service, run } = await startNights(10);
    await run();
    const before = readTexts(folder);
    writeFileSync(join(folder, '.kith-export.jsonl'), text);
    // The ids and dates of the first workspace's meetings, and the title of one meeting.
    service.meetings = createMeetings(2).map((meeting, index) => ({
      ...meeting,
      title: index === 0 ? meeting.title : 'Other',
      updated_at: '2026-11-01T00:00:00.000Z',
    }));
    expect((await run('--full --prune --yes', 'second-key')).code).toBe(0);
    expect(readTexts(folder)).toMatchObject(before);
    const added = ['2026-10-01-other-m1.md', '2026-10-01-weekly-0-m0.new.md'];
    expect(listFiles(folder)).toEqual(expect.arrayContaining(added));
    expect((await run()).code).toBe(2);
  },
);

test('accepts a folder without an identity from the same base URL, and records the key', async () => {
  const { folder, url, run, print } = await startNights(2);
  await run();
  const write = (change: (lines: string) => string) => {
    const lines = readLedgerLines(folder).map(
      (line) => `${JSON.stringify({ ...line, identity: undefined })}\n`,
    );
    writeFileSync(join(folder, '.kith-export.jsonl'), change(lines.join('')));
  };
  write((lines) => lines.replace(url, 'https://other.example'));
  const refused = await run();
  const message = `${folder} holds the meetings of https://other.example/, not of ${url}/.`;
  expect([refused.code, refused.err.split('\n')[0]]).toEqual([2, `kith: ${message}`]);
  write((lines) => lines.replace('https://other.example', url));
  expect(await run()).toEqual(print('0 new, 0 updated, 2 unchanged, 0 pending, 0 failed'));
  expect((await run('', 'second-key')).code).toBe(2);
});

test('accepts a moved workspace file and a moved folder, but not another workspace at the same path', async () => {
  const home = createTemporaryFolder();
  const kith = createMachine(join(home, 'settings'));
  const toPath = (name: string) => join(home, name);
  const logIn = (file: string) => kith(['auth', 'login', '--local', '--database', file, '--profile', file]);
  const exportFrom = async (file: string, folder: string) => {
    expect((await logIn(file)).code).toBe(0);
    return kith(['events', 'export', '--out', toPath(folder), '--profile', file, '--quiet']);
  };
  mkdirSync(toPath('old'));
  const file = createSampleWorkspace(toPath('old'));
  expect(await exportFrom(file, 'out')).toEqual({ code: 0, out: '', err: '' });
  renameSync(toPath('out'), toPath('moved'));
  renameSync(file, toPath('renamed.sqlite'));
  expect(await exportFrom(toPath('renamed.sqlite'), 'moved')).toEqual({ code: 0, out: '', err: '' });
  const [header] = readLedgerLines(toPath('moved'));
  expect(header).toMatchObject({ workspace: toPath('renamed.sqlite'), identity: { id: expect.any(String) } });
  const before = readTexts(toPath('moved'));
  // Creates another workspace.
  expect((await logIn(file)).code).toBe(0);
  renameSync(file, toPath('renamed.sqlite'));
  const message = `holds the meetings of another workspace, whose file was ${toPath('renamed.sqlite')}.`;
  expect(await exportFrom(toPath('renamed.sqlite'), 'moved')).toMatchObject({
    code: 2,
    err: expect.stringContaining(message),
  });
  expect(readTexts(toPath('moved'))).toEqual(before);
});
