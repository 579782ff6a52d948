import type { ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, truncateSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { complete } from '../../../src/completion/complete.ts';
import { findMirrorFiles } from '../../../src/settings/mirror.ts';
import { createEnv, runKith } from '../../support/binary.ts';
import { createDemoMachine, createEmptyWorkspace } from '../../support/kith.ts';
import { connectInProcess } from '../mcp/agent.ts';
import { collectRequests, startHostedMachine } from './mirror-service.ts';

const offline = { env: { KITH_OFFLINE: '1' } };

const findFiles = ({ folder, url, key }: Awaited<ReturnType<typeof startHostedMachine>>) =>
  findMirrorFiles({ KITH_CONFIG_DIR: folder }, { place: `${url}/`, key });

/** Serves a workspace with one contact. */
async function startSmallMachine() {
  const service = await startHostedMachine(createEmptyWorkspace());
  const { id } = await service.sendOk<{ id: string }>('POST /v1/contacts', { first_name: 'Ada' });
  const rename = (first_name: string) => service.sendOk(`PATCH /v1/contacts/${id}`, { first_name });
  const readName = async () =>
    (await service.kith(`contacts get ${id} --jq .first_name`, offline)).out.trim();
  return { ...service, id, rename, readName };
}

/** Lists the files below a folder with their modes. */
const listModes = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => {
    const stats = statSync(join(folder, name));
    return [name, stats.isDirectory(), (stats.mode & 0o777).toString(8)] as const;
  });

test('pull copies every record of the workspace', async () => {
  const { kith, requests } = await startHostedMachine();
  const lists = JSON.parse((await kith('lists list --all --json -q')).out) as { id: string }[];
  const events = JSON.parse((await kith('events list --all --json -q')).out) as {
    recordings: { id: string }[];
  }[];
  const lines = [
    ...['contacts', 'organizations', 'notes', 'custom-fields', 'lists', 'events'].map(
      (noun) => `${noun} list`,
    ),
    ...lists.map(({ id }) => `entries list ${id}`),
  ].map((line) => `${line} --all --json --quiet`);
  lines.push(
    ...events.flatMap(({ recordings }) => recordings.map(({ id }) => `recordings get ${id} --json -q`)),
  );
  const online = new Map<string, string>();
  for (const line of lines) online.set(line, (await kith(line)).out);
  expect(await kith('workspace pull')).toEqual({
    code: 0,
    out: 'Pulled work: 510 records. To read them without the service, add --offline to a command.\n',
    err: '',
  });
  const sent = requests.length;
  for (const [line, out] of online) expect.soft([line, (await kith(line, offline)).out]).toEqual([line, out]);
  expect(requests.length).toBe(sent);
});

test('a second pull fetches only changed recordings, and --json counts the records', async () => {
  const service = await startHostedMachine();
  const { kith, requests, clock, sendOk } = service;
  const first = await collectRequests(requests, () => kith('workspace pull'));
  const files = findFiles(service);
  const inode = statSync(files.database).ino;
  clock.time = new Date(Date.parse(clock.time) + 3_600_000).toISOString();
  const second = await collectRequests(requests, async () => {
    const { out } = await kith('workspace pull');
    expect(out).toBe('The offline copy of work is up to date: 510 records.\n');
  });
  expect(statSync(files.database).ino).toBe(inode);
  expect(first.filter((request) => request.includes('/recordings/')).length).toBeGreaterThan(30);
  // The sample has one unfinished recording.
  expect(second.filter((request) => request.includes('/recordings/'))).toHaveLength(1);
  await sendOk('PATCH /v1/contacts/0rlnky', { first_name: 'Jiwoo' });
  const { out } = await kith('workspace pull --json', { now: new Date() });
  expect(JSON.parse(out)).toMatchObject({
    profile: 'work',
    file: files.database,
    archive: files.archive,
    changed: true,
    records: 510,
    contacts: 150,
    age_seconds: 0,
  });
  expect((await kith('contacts get 0rlnky --jq .first_name', offline)).out).toBe('Jiwoo\n');
  expect(statSync(files.database).ino).not.toBe(inode);
});

test('pull updates the search index and the names for completion without further requests', async () => {
  const { kith, folder, requests } = await startHostedMachine();
  const pulled = await collectRequests(requests, () => kith('workspace pull'));
  const read = pulled.filter((request) => request.includes('/recordings/'));
  expect(new Set(read).size).toBe(read.length);
  const search = await collectRequests(requests, async () => {
    expect((await kith('search 김지우 --limit 1 --jq .[].id')).out).toBe('0rlnky\n');
  });
  expect(search).toEqual([]);
  const place = { env: { KITH_CONFIG_DIR: folder }, folder };
  expect(complete(['complete', 'lists', '--word=News', '--command=lists get'], place)).toContain(
    'Newsletter',
  );
  expect(complete(['complete', 'contacts', '--word=김지', '--command=contacts get'], place)).toContain(
    '김지우',
  );
});

test('only the user can read the copy, and it contains no key', async () => {
  const service = await startSmallMachine();
  await service.kith('workspace pull');
  const { folder } = findFiles(service);
  const wrong = listModes(folder).filter(([, isFolder, mode]) => mode !== (isFolder ? '700' : '600'));
  expect(wrong).toEqual([]);
  for (const [name, isFolder] of listModes(folder))
    if (!isFolder) expect(readFileSync(join(folder, name)).includes(service.key)).toBe(false);
});

test('a second run at the same time exits with 75', async () => {
  const { kith, settings } = await startSmallMachine();
  let second: ReturnType<typeof kith> | undefined;
  settings.beforeRequest = () => {
    second ??= kith('workspace pull');
  };
  expect((await kith('workspace pull')).code).toBe(0);
  expect(await second).toMatchObject({
    code: 75,
    err: expect.stringContaining('Another run is pulling the workspace work: process '),
  });
});

test('--quiet prints nothing in cron', async () => {
  const { kith } = await startSmallMachine();
  expect(await kith('workspace pull --quiet')).toEqual({ code: 0, out: '', err: '' });
});

test('--remove and auth logout remove the copy', async () => {
  const service = await startSmallMachine();
  const { kith } = service;
  const { folder } = findFiles(service);
  await kith('workspace pull');
  expect((await kith('workspace pull --remove')).out).toBe('Removed the offline copy of work.\n');
  expect(existsSync(folder)).toBe(false);
  expect((await kith('workspace pull --remove')).out).toBe('There is no offline copy of work.\n');
  await kith('workspace pull');
  expect(existsSync(folder)).toBe(true);
  await kith('auth logout');
  expect(existsSync(folder)).toBe(false);
});

test('pull refuses a local workspace, and a run with --offline', async () => {
  expect(await createDemoMachine()('workspace pull')).toEqual({
    code: 2,
    out: '',
    err:
      'kith: This workspace is on this machine already. Only a hosted workspace has an offline copy.\n' +
      'hint: Choose a hosted profile with --profile. To list profiles: kith auth list\n',
  });
  const { kith, requests } = await startSmallMachine();
  expect(await kith('workspace pull', offline)).toMatchObject({
    code: 75,
    err: expect.stringContaining('workspace pull is not possible offline: it reads the service.'),
  });
  expect(requests).toEqual([]);
});

test('a program that reads the copy keeps its state during a pull', async () => {
  const { kith, id, rename, readName } = await startSmallMachine();
  await kith('workspace pull');
  const { call } = await connectInProcess(kith, offline.env);
  const readInProgram = async () =>
    (await call('records_get', { noun: 'contacts', id })).structured.records?.[0]?.first_name;
  expect(await readInProgram()).toBe('Ada');
  await rename('Augusta');
  await kith('workspace pull');
  expect(await readInProgram()).toBe('Ada');
  expect(await readName()).toBe('Augusta');
});

test('a killed or failed pull leaves the earlier copy, and the next pull completes', async () => {
  const service = await startSmallMachine();
  const { kith, folder, settings, rename, readName } = service;
  await kith('workspace pull');
  await rename('Augusta');
  const env = createEnv(folder, { KITH_CONFIG_DIR: folder });
  const files = findFiles(service);
  // During the first and the second request, and while the workspace file is written.
  for (const moment of [1, 2, 'copy']) {
    let kill = () => {};
    let remaining = moment;
    const watcher = watch(
      files.folder,
      (_, name) => moment === 'copy' && /copy|next/.test(name ?? '') && kill(),
    );
    settings.beforeRequest = () => {
      if (typeof remaining === 'number' && --remaining === 0) kill();
    };
    const onStart = (child: ChildProcess) => {
      kill = () => void child.kill('SIGKILL');
    };
    expect([moment, (await runKith(['workspace', 'pull'], { env, onStart })).code]).toEqual([moment, -2]);
    watcher.close();
    expect(await readName()).toBe('Ada');
  }
  settings.beforeRequest = () => {
    throw new Error('The service fails.');
  };
  expect((await kith('workspace pull --retries 0')).code).not.toBe(0);
  expect(await readName()).toBe('Ada');
  delete settings.beforeRequest;
  expect((await kith('workspace pull')).code).toBe(0);
  expect(await readName()).toBe('Augusta');
  expect(readdirSync(files.folder).sort()).toEqual(['archive', 'mirror.json', 'workspace.sqlite']);
});

test('neither reads nor replaces the copy of a newer version', async () => {
  const service = await startSmallMachine();
  const { kith } = service;
  await kith('workspace pull');
  const { state, folder } = findFiles(service);
  const text = readFileSync(state, 'utf8').replace('"kith_mirror": 1', '"kith_mirror": 2');
  writeFileSync(state, text);
  writeFileSync(join(folder, 'deals.sqlite'), 'a file that this version does not know');
  for (const line of ['contacts list --offline', 'workspace pull'])
    expect(await kith(line)).toMatchObject({
      code: 1,
      err: expect.stringContaining(`${state} was written by a newer version of kith.`),
    });
  expect(readFileSync(state, 'utf8')).toBe(text);
  expect(readdirSync(folder)).toContain('deals.sqlite');
});

test('pull replaces a damaged copy', async () => {
  const service = await startSmallMachine();
  const { kith, readName } = service;
  await kith('workspace pull');
  const files = findFiles(service);
  truncateSync(files.database, 4096);
  writeFileSync(join(files.archive, 'manifest.json'), '{');
  expect(await kith('contacts list', offline)).toMatchObject({
    code: 75,
    err: expect.stringContaining('hint: When the service can be reached: kith workspace pull'),
  });
  expect((await kith('workspace pull')).code).toBe(0);
  expect(await readName()).toBe('Ada');
});
