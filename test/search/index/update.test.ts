import { existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withLock } from '../../../src/files/lock.ts';
import { loadSqlite } from '../../../src/sqlite/engine.ts';
import { createEnv, runKith } from '../../support/binary.ts';
import {
  createEmptyWorkspace,
  createLockHolder,
  createMachine,
  createSampleWorkspace,
  createTemporaryFolder,
  type MachineOptions,
} from '../../support/kith.ts';
import { createRecords, startRecordService } from './record-service.ts';

/** Returns a machine that uses a service with records. */
async function createServedMachine(...options: Parameters<typeof startRecordService>) {
  const service = await startRecordService(...options);
  const folder = createTemporaryFolder();
  const kith = createMachine(folder);
  const run = (line: string, more: MachineOptions = {}) =>
    kith(line, { ...more, env: { ...service.env, ...more.env } });
  const findIndex = () =>
    join(folder, readdirSync(folder).find((name) => name.endsWith('.sqlite')) ?? 'missing');
  return { ...service, folder, kith: run, findIndex };
}

const readIds = (out: string) =>
  out
    .split('\n')
    .slice(1, -1)
    .map((line) => line.split('\t')[1]);

test('creates a file that only its owner can read, and notes that it builds the index', async () => {
  const { kith, findIndex } = await createServedMachine();
  expect((await kith('index status --json --jq .updated_at')).out).toBe('null\n');
  const now = new Date('2026-11-20T10:00:00Z');
  expect(await kith('index update', { now })).toEqual({
    code: 0,
    out: 'Indexed 8 records (8 changes).\n',
    err: '',
  });
  expect((statSync(findIndex()).mode & 0o777).toString(8)).toBe('600');
  const { out } = await kith('index status --json', { now: new Date('2026-11-20T10:01:00Z') });
  expect(JSON.parse(out)).toEqual({
    file: findIndex(),
    records: 8,
    ...{ contacts: 3, organizations: 2, entries: 1, notes: 1, meetings: 1 },
    bytes: statSync(findIndex()).size,
    updated_at: '2026-11-20T10:00:00.000Z',
    age_seconds: 60,
  });
  expect((await kith('index clear')).out).toBe('Removed the search index.\n');
  expect((await kith('index clear')).out).toBe('No search index to remove.\n');
  expect(existsSync(findIndex())).toBe(false);
});

test('writes only what has changed, and fetches only new and changed meetings', async () => {
  const { kith, records, requests } = await createServedMachine();
  await kith('index update');
  expect((await kith('index update')).out).toBe('Indexed 8 records (0 changes).\n');
  requests.length = 0;
  records.contacts[1] = { ...records.contacts[1], first_name: '지수' };
  records.organizations[0] = { ...records.organizations[0], name: 'Hanbit' };
  // The contact, the organization, and the note about it.
  expect((await kith('index update')).out).toBe('Indexed 8 records (3 changes).\n');
  expect(requests.filter(({ url }) => url.includes('/v1/recordings'))).toEqual([]);
  expect(readIds((await kith('search 김지수')).out)).toEqual(['c2']);
  expect(readIds((await kith('search hanbit')).out)).toEqual(['o1', 'n1']);
  expect((await kith('index update --full')).out).toBe('Indexed 8 records (8 changes).\n');
  expect(requests.filter(({ url }) => url.includes('/v1/recordings')).length).toBe(1);
});

test('asks for the meetings since the last update, and once a day for all of them', async () => {
  const { kith, requests, records } = await createServedMachine();
  await kith('index update');
  requests.length = 0;
  await kith('index update');
  const listUrl = () => requests.findLast(({ url }) => url.startsWith('/v1/calendar_events'))?.url;
  const [, updatedAfter] = /updated_after=(\d+)/.exec(listUrl() ?? '') ?? [];
  // The service may store an update late.
  expect(Number(updatedAfter)).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000) - 600);
  records.meetings.length = 0;
  await kith('index update', { now: new Date(Date.now() + 25 * 3_600_000) });
  expect(listUrl()).not.toContain('updated_after');
  expect((await kith('search freezer')).code).toBe(3);
});

test('removes deleted records, and their words', async () => {
  const { kith, records } = await createServedMachine();
  await kith('index update');
  records.contacts.splice(0, 1);
  expect((await kith('index update')).out).toBe('Indexed 7 records (2 changes).\n'); // the entry lost its name
  expect((await kith('search zoe --in contacts,entries')).code).toBe(3);
});

test('a search updates an index that is older than an hour, or than --max-age', async () => {
  const { kith, requests } = await createServedMachine();
  const first = await kith('search zoe');
  expect(first.err).toBe('kith: Building the search index. Later searches only update it.\n');
  const countAfter = async (line: string, minutes: number) => {
    requests.length = 0;
    await kith(line, { now: new Date(Date.now() + minutes * 60_000) });
    return requests.length > 0;
  };
  expect(await countAfter('search zoe', 50)).toBe(false);
  expect(await countAfter('search zoe --max-age 2d', 70)).toBe(false);
  expect(await countAfter('search zoe', 70)).toBe(true);
  expect(await countAfter('search zoe --max-age 0', 70)).toBe(true);
});

test('a search updates an index that was updated by a clock that was ahead', async () => {
  const { kith, records } = await createServedMachine();
  await kith('index update', { now: new Date(Date.now() + 400 * 86_400_000) });
  records.contacts.splice(0, 1);
  records.meetings.length = 0;
  expect(await kith('search zoe --in contacts,meetings')).toMatchObject({ code: 3 });
});

test('searches the existing index and prints its age if the service cannot be reached', async () => {
  let status: number | undefined;
  const { kith } = await createServedMachine(createRecords(), () => status);
  await kith('search zoe');
  status = 503;
  const { code, out, err } = await kith('search zoe --in contacts --retries 0', {
    now: new Date(Date.now() + 3 * 3_600_000),
  });
  expect({ code, ids: readIds(out) }).toEqual({ code: 0, ids: ['c1'] });
  expect(err).toMatch(/^kith: Searching the index from 3 hours ago\. Updating it failed: refused\n$/);
  await kith('index clear');
  expect((await kith('search zoe --retries 0')).code).toBe(75);
});

test('indexes a meeting without a recording that the service does not have, and tries again later', async () => {
  const { kith, records } = await createServedMachine();
  const [id, recording] = [...records.recordings][0] ?? [];
  records.recordings.clear();
  const { code, err } = await kith('index update');
  expect({ code, err }).toEqual({
    code: 0,
    err: 'kith: Not indexed: 1 recording that could not be read.\n',
  });
  expect(readIds((await kith('search freezer')).out)).toEqual(['m1']);
  if (id && recording) records.recordings.set(id, recording);
  await kith('index update', { now: new Date(Date.now() + 25 * 3_600_000) });
  expect(readIds((await kith('search hygrometer')).out)).toEqual(['m1']);
});

test.each([
  ['truncated', (file: string) => truncateSync(file, 5000)],
  ['overwritten', (file: string) => writeFileSync(file, 'x'.repeat(20_000))],
  [
    'damaged inside',
    (file: string) => {
      const bytes = readFileSync(file);
      writeFileSync(file, bytes.fill(0x5a, 4096));
    },
  ],
  [
    'of another version',
    (file: string) => {
      const index = new (loadSqlite())(file);
      index.exec('pragma user_version = 2');
      index.close();
    },
  ],
])('rebuilds an index that is %s', async (_, damage) => {
  const { kith, findIndex } = await createServedMachine();
  await kith('index update');
  damage(findIndex());
  const { code, out, err } = await kith('search barometer');
  expect({ code, ids: readIds(out) }).toEqual({ code: 0, ids: ['n1', 'm1'] });
  expect(err).toBe('kith: Building the search index. Later searches only update it.\n');
  damage(findIndex());
  expect((await kith('index update')).out).toBe('Indexed 8 records (8 changes).\n');
});

test('does not show the records of another key', async () => {
  const { kith, records } = await createServedMachine();
  await kith('index update');
  records.contacts.length = 0;
  const { code, err } = await kith('search zoe --in contacts', { env: { KITH_API_KEY: 'another-key' } });
  expect({ code, err }).toEqual({ code: 3, err: expect.stringContaining('Building the search index.') });
});

test('a second update waits, and a search meanwhile uses the existing index', async () => {
  const { kith, findIndex, requests } = await createServedMachine();
  await kith('index update');
  requests.length = 0;
  let release = () => {};
  const isHeld = withLock(
    { path: `${findIndex()}.lock`, work: 'is updating the search index' },
    createLockHolder(process.pid + 1),
    () =>
      new Promise<void>((resolve) => {
        release = resolve;
      }),
  );
  const second = kith('index update');
  const { code, err } = await kith('search zoe --max-age 0');
  expect({ code, err }).toEqual({
    code: 0,
    err: expect.stringMatching(
      /Searching the index from \d+ seconds? ago\. Updating it failed: Another run is updating the search index: process \d+/,
    ),
  });
  expect(requests).toEqual([]);
  release();
  await isHeld;
  expect((await second).out).toBe('Indexed 8 records (0 changes).\n');
});

test('an update that is killed with -9 leaves an index that the next one completes', async () => {
  const records = createRecords();
  const contact = records.contacts[0];
  for (let row = 0; row < 3000; row += 1)
    records.contacts.push({ ...contact, id: `x${row}`, first_name: 'Extra', emails: [`p${row}@x.example`] });
  const meetings = Array.from({ length: 120 }, (_, row) => ({ ...records.meetings[0], id: `m${row}` }));
  records.meetings.splice(0, 1, ...meetings);
  let kill = () => {};
  let fetched = 0;
  const service = await startRecordService(records, (url) => {
    if (url.startsWith('/v1/recordings/')) fetched += 1;
    if (fetched === 75) kill();
    return undefined;
  });
  const home = createTemporaryFolder();
  const env = createEnv(home, { ...service.env, KITH_CONFIG_DIR: home });
  const killed = await runKith(['index', 'update'], {
    env,
    onStart: (child) => {
      kill = () => child.kill('SIGKILL');
    },
  });
  expect(killed.code).toBe(-2);
  const kith = createMachine(home);
  const options = { env: service.env };
  const status = JSON.parse((await kith('index status --json', options)).out);
  expect(status).toMatchObject({ contacts: 3003, meetings: 50, updated_at: null });
  fetched = 1000;
  const { out } = await kith('index update', options);
  expect(out).toBe('Indexed 3,127 records (70 changes).\n');
  expect(readIds((await kith('search barometer --in meetings --all', options)).out).length).toBe(120);
});

test('searches a workspace file, whose texts the index does not have', async () => {
  const folder = createTemporaryFolder();
  const kith = createMachine(folder);
  await kith(['auth', 'login', '--local', '--demo', '--database', createSampleWorkspace(folder)]);
  const { out } = await kith('search spreadsheet --in meetings --limit 1 -q --jq .[0]');
  expect(JSON.parse(out)).toMatchObject({ kind: 'meeting', excerpt: expect.stringMatching(/spreadsheet/i) });
  const file =
    readdirSync(folder).find((name) => name.startsWith('search-') && name.endsWith('.sqlite')) ?? '';
  const { out: body } = await kith('notes list --limit 1 -q --jq .[0].body[:15]');
  expect(body.trim()).toContain(' ');
  expect(readFileSync(join(folder, file)).includes(body.trim())).toBe(false);
  // A record is found after it was written, and not after it was deleted.
  const { out: id } = await kith('contacts create --first-name Zyxwvut --jq .id');
  expect(readIds((await kith('search zyxwvut')).out)).toEqual([id.trim()]);
  await kith(['contacts', 'delete', id.trim(), '--yes']);
  expect((await kith('search zyxwvut')).code).toBe(3);
});

test('names the file if the index cannot be written', async () => {
  const { env } = await startRecordService();
  const kith = createMachine();
  const { code, err } = await kith('search zoe', { env: { ...env, KITH_CONFIG_DIR: '/proc/nowhere' } });
  expect({ code, err }).toEqual({
    code: 1,
    err: expect.stringMatching(
      /kith: Cannot write \/proc\/nowhere\/search-\w+\.sqlite: a folder in its path does not exist\.\n$/,
    ),
  });
});

test('the index of a workspace file is updated after an hour if the last update took long', async () => {
  const folder = createTemporaryFolder();
  const kith = createMachine(folder);
  await kith(['auth', 'login', '--local', '--database', createEmptyWorkspace(folder)]);
  await kith('contacts create --first-name Ada');
  await kith('index update');
  const file =
    readdirSync(folder).find((name) => name.startsWith('search-') && name.endsWith('.sqlite')) ?? '';
  const index = new (loadSqlite())(join(folder, file));
  index.exec("update meta set value = 6000 where key = 'duration'");
  index.close();
  await kith('contacts create --first-name Grace');
  expect((await kith('search grace')).code).toBe(3);
  expect((await kith('search grace', { now: new Date(Date.now() + 2 * 3_600_000) })).code).toBe(0);
});
