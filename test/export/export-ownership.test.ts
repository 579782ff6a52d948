import { copyFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createMachine, createSampleWorkspace, createTemporaryFolder } from '../support/kith.ts';
import { createMeeting, listFiles, readTexts, startHost } from './export-host.ts';

const createMeetings = (count: number, name = 'Weekly') =>
  Array.from({ length: count }, (_, index) => createMeeting(`m${index}`, `${name} ${index}`));

/** Starts a service with ten meetings and exports them with a first key. */
async function exportFolder(count = 10) {
  const host = await startHost(createMeetings(count));
  host.service.clock = new Date();
  const settings = createTemporaryFolder();
  const run = (flags = '', key = 'first-key', more = {}) =>
    createMachine(settings)(`events export --out "${host.folder}" --retries 0 ${flags}`, {
      env: { KITH_API_KEY: key, KITH_BASE_URL: host.url },
      ...more,
    });
  expect((await run()).code).toBe(0);
  return { ...host, run, ledger: join(host.folder, '.kith-export.jsonl') };
}

const createHint = (folder: string) =>
  `hint: Export each workspace to its own folder. If it is the same workspace, run: kith meetings export --out ${folder} --adopt\n`;

test('refuses the folder of another API key of the same service, and --prune deletes nothing', async () => {
  const { run, folder, url, service, ledger } = await exportFolder();
  const before = [readTexts(folder), readFileSync(ledger, 'utf8')];
  service.meetings = [createMeeting('m3', 'Of someone else')];
  for (const flags of ['', '--prune --yes', '--full']) {
    expect(await run(flags, 'second-key')).toEqual({
      code: 2,
      out: '',
      err: `kith: ${folder} was exported from ${url}/ with another API key.\n${createHint(folder)}`,
    });
  }
  expect([readTexts(folder), readFileSync(ledger, 'utf8')]).toEqual(before);
  expect(before[1]).not.toContain('first-key');
});

test('--adopt takes over a folder after the key was replaced', async () => {
  const { run, folder, service, takeRequests } = await exportFolder();
  service.meetings = [...createMeetings(9), createMeeting('new', 'New')];
  takeRequests();
  expect(await run('--adopt', 'second-key')).toEqual({
    code: 0,
    out: `${folder}: 1 new, 0 updated, 9 unchanged, 0 pending, 1 deleted upstream, 0 failed\n`,
    err: '',
  });
  expect(takeRequests().filter((path) => path.includes('recordings'))).toEqual(['/v1/recordings/r-new']);
  expect((await run('', 'second-key')).code).toBe(0);
  expect((await run('--adopt', 'second-key')).err).toBe('');
  expect((await run()).code).toBe(2);
});

test.each(['[1,2]', ''])(
  'another key overwrites and deletes nothing if the ledger is %j, and then owns the folder',
  async (text) => {
    const { run, folder, service, ledger } = await exportFolder();
    const { '.kith-export.jsonl': _, ...before } = readTexts(folder);
    writeFileSync(ledger, text);
    // The ids and dates of the first workspace's meetings, and the title of one meeting.
    service.meetings = createMeetings(2, 'Weekly').map((one, index) => ({
      ...one,
      title: index === 0 ? one.title : 'Other',
      updated_at: '2026-11-01T00:00:00.000Z',
    }));
    expect((await run('--full --prune --yes', 'second-key')).code).toBe(0);
    expect(readTexts(folder)).toMatchObject(before);
    expect(listFiles(folder)).toEqual(
      expect.arrayContaining(['2026-10-01-other-m1.md', '2026-10-01-weekly-0-m0.new.md']),
    );
    expect((await run()).code).toBe(2);
  },
);

test('accepts a folder without an identity from the same base URL, and records the key', async () => {
  const { run, url, ledger } = await exportFolder();
  const old = readFileSync(ledger, 'utf8').replace(/,"identity":{[^}]*}/, '');
  writeFileSync(ledger, old.replace(url, 'https://other.example'));
  expect((await run()).code).toBe(2);
  writeFileSync(ledger, old);
  expect(await run()).toMatchObject({ code: 0, out: expect.stringContaining('10 unchanged') });
  expect((await run('', 'second-key')).code).toBe(2);
});

test('verify refuses the folder of another workspace', async () => {
  const { folder, url } = await exportFolder();
  const env = { KITH_API_KEY: 'second-key', KITH_BASE_URL: url };
  expect(await createMachine()(`events export verify "${folder}"`, { env })).toMatchObject({
    code: 2,
    err: expect.stringContaining('with another API key'),
  });
});

test('accepts moved and copied workspace files and folders, but not another workspace at the same path', async () => {
  const home = createTemporaryFolder();
  const kith = createMachine(join(home, 'settings'));
  const toHomePath = (name: string) => join(home, name);
  const logIn = (file: string) => kith(['auth', 'login', '--local', '--database', file, '--profile', file]);
  const run = (file: string, folder: string) =>
    kith(['events', 'export', '--out', toHomePath(folder), '--profile', file, '--quiet']);
  mkdirSync(toHomePath('old'));
  const first = createSampleWorkspace(toHomePath('old'));
  await logIn(first);
  expect(await run(first, 'out')).toEqual({ code: 0, out: '', err: '' });
  renameSync(toHomePath('out'), toHomePath('moved'));
  copyFileSync(first, toHomePath('copy.sqlite'));
  renameSync(first, toHomePath('renamed.sqlite'));
  for (const file of [toHomePath('copy.sqlite'), toHomePath('renamed.sqlite')]) {
    await logIn(file);
    expect(await run(file, 'moved')).toEqual({ code: 0, out: '', err: '' });
  }
  const [header = ''] = readFileSync(join(toHomePath('moved'), '.kith-export.jsonl'), 'utf8').split('\n');
  expect(JSON.parse(header)).toMatchObject({
    workspace: toHomePath('renamed.sqlite'),
    identity: { id: expect.any(String) },
  });
  const before = readTexts(toHomePath('moved'));
  expect((await kith(['auth', 'login', '--local', '--database', first, '--profile', first])).code).toBe(0);
  renameSync(first, toHomePath('renamed.sqlite'));
  expect(await run(toHomePath('renamed.sqlite'), 'moved')).toMatchObject({
    code: 2,
    err: expect.stringContaining(
      `holds the meetings of another workspace, whose file was ${toHomePath('renamed.sqlite')}.`,
    ),
  });
  expect(readTexts(toHomePath('moved'))).toEqual(before);
});

test('--prune deletes more than a tenth of the files only with --yes', async () => {
  const { run, folder, service } = await exportFolder(20);
  service.meetings = createMeetings(17);
  const readMeetingTexts = readTexts(folder);
  expect(await run('--prune')).toEqual({
    code: 1,
    out: '',
    err:
      'kith: --prune would delete 3 of 20 files; nothing was deleted.\n' +
      'hint: To delete them anyway, also pass --yes.\n',
  });
  expect(readTexts(folder)).toEqual(readMeetingTexts);
  service.meetings = createMeetings(18);
  expect((await run('--prune')).code).toBe(0);
  expect(listFiles(folder)).toHaveLength(19);
  service.meetings = createMeetings(9);
  expect((await run('--prune --yes')).code).toBe(0);
  expect(listFiles(folder)).toHaveLength(10);
});
