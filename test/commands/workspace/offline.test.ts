import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { formatCommandName } from '../../../src/cli/command/command.ts';
import { isWrite, needsWorkspace, sendsRequests, writesDirectly } from '../../../src/cli/command/effects.ts';
import { commandTree } from '../../../src/commands/tree.ts';
import { findMirrorFiles } from '../../../src/settings/mirror.ts';
import { copyWorkspaceFile } from '../../service/service.ts';
import { createDemoMachine, type createMachine } from '../../support/kith.ts';
import { connectInProcess } from '../mcp/agent.ts';
import { collectRequests, startHostedMachine } from './mirror-service.ts';

const now = new Date('2026-11-28T12:00:00Z');
const ageNote = 'kith: Reading the offline copy of work from 3 hours ago.\n';
const offline = { env: { KITH_OFFLINE: '1' }, now };

/** Writes a copy of the served workspace, three hours old, as `workspace pull` does. */
async function createMirror(service: Awaited<ReturnType<typeof startHostedMachine>>) {
  const { folder, url, key, location } = service;
  const files = findMirrorFiles({ KITH_CONFIG_DIR: folder }, { place: `${url}/`, key });
  mkdirSync(files.folder, { recursive: true });
  copyWorkspaceFile(location, files.database);
  const bytes = statSync(files.database).size;
  const state = { kith_mirror: 1, kith_version: '0.0.0', bytes, read_at: '2026-11-28T09:00:00Z', sums: {} };
  writeFileSync(files.state, JSON.stringify(state));
  return files;
}

/** Starts a service with a machine that has a copy of it. */
async function startMirroredMachine() {
  const service = await startHostedMachine();
  const files = await createMirror(service);
  return { ...service, files };
}

/** Commands that read a workspace and have a test of their own. */
const testedElsewhere = new Set([
  ...['auth login', 'auth status', 'doctor', 'index clear', 'index update', 'mcp'],
  ...['meetings export', 'meetings export verify'],
]);

/** Examples that write, need a folder, or print to a file. */
const otherExamples = /^undo(?! --list)|--(out|html) | -[fX] | [>|] /;

/** Returns an example of each command that reads a workspace. The commands on whole workspaces have tests of their own. */
async function listReadingExamples() {
  const examples = new Set<string>();
  for (const entry of commandTree.filter(({ name, isShorthand }) => !isShorthand && name !== 'workspace'))
    for (const command of await entry.commands()) {
      const isReading =
        sendsRequests(command) && !writesDirectly(command) && (!isWrite(command) || command.readsOnly);
      if (!isReading || testedElsewhere.has(formatCommandName(entry, command))) continue;
      const example = command.examples.findLast((line) => !otherExamples.test(line));
      expect([formatCommandName(entry, command), example]).toEqual([expect.anything(), expect.anything()]);
      examples.add(example ?? '');
    }
  return [...examples];
}

/** Replaces the words in capitals by ids of the sample. */
async function fillIds(line: string, kith: ReturnType<typeof createMachine>): Promise<string> {
  const readFirst = async (list: string) => JSON.parse((await kith(`${list} --limit 1 --json -q`)).out)[0];
  if (line.includes('FIELD')) return line.replace('FIELD', 'Tier');
  if (line.includes('NOTE')) return line.replace('NOTE', (await readFirst('notes list')).id);
  if (!/MEETING|RECORDING/.test(line)) return line;
  const { id, recordings } = await readFirst('events list');
  return line.replace('MEETING', id).replace('RECORDING', recordings[0].id);
}

test('every command that reads prints the same from the copy, and sends no request', async () => {
  const service = await startMirroredMachine();
  const { kith, requests, stopService } = service;
  await kith('index update');
  await kith('config set user mina@tidewater.example');
  const lines: (readonly [line: string, online: object])[] = [];
  for (const line of await listReadingExamples()) {
    const filled = await fillIds(line, kith);
    lines.push([filled, await kith(filled, { now })]);
  }
  await stopService();
  requests.length = 0;
  for (const [line, online] of lines) {
    const { err, ...result } = await kith(line, offline);
    expect.soft([line, { ...result, err: err.replace(ageNote, '') }]).toEqual([line, online]);
    const note = line === 'undo --list' || line.includes('--json') ? '' : ageNote;
    expect.soft([line, err]).toEqual([line, expect.stringContaining(note)]);
  }
  expect(requests).toEqual([]);
});

test('every write is refused before any request, a form or an editor', async () => {
  const { kith, requests } = await startMirroredMachine();
  const commands = await Promise.all(commandTree.map(({ commands }) => commands()));
  const writing = commands
    .flat()
    .filter((command) => isWrite(command) && !writesDirectly(command) && needsWorkspace(command));
  const others = /--dry-run|^notes update NOTE$| < |^undo --list|^api "?\/v1\/\w+(\?\S+)? --(jq|paginate)/;
  const lines = writing.flatMap(({ examples }) => examples.filter((line) => !others.test(line)));
  for (const line of lines)
    expect([line, await kith(line, offline)]).toMatchObject([
      line,
      {
        code: 75,
        out: '',
        err: expect.stringMatching(/ is not possible offline: it writes to the service\./),
      },
    ]);
  expect(lines.length).toBeGreaterThan(writing.length / 2);
  const inTerminal = { ...offline, terminal: 80, editorText: 'x', env: { ...offline.env, EDITOR: 'vi' } };
  for (const line of ['contacts create', 'contacts edit 0rlnky', 'notes create --organization rl16pk'])
    expect(await kith(line, inTerminal)).toEqual({
      code: 75,
      out: '',
      err: expect.stringMatching(
        / (contacts|notes) (create|edit) is not possible offline: it writes to the service\.\n.*hint:.* Unset KITH_OFFLINE, or set it to 0\.\n$/,
      ),
    });
  expect(requests).toEqual([]);
});

test('a dry run of a write reads the copy', async () => {
  const { kith, requests } = await startMirroredMachine();
  const { code, out, err } = await kith('contacts update 김지우 --first-name Jiwoo --dry-run', offline);
  expect({ code, out }).toEqual({
    code: 0,
    out: 'PATCH /v1/contacts/0rlnky\n{\n  "first_name": "Jiwoo"\n}\n',
  });
  expect(err).toContain(ageNote);
  expect(requests).toEqual([]);
});

test('the age is a warning in an envelope, and --quiet omits the warning', async () => {
  const { kith } = await startMirroredMachine();
  expect(await kith('lists list --limit 9 --offline --quiet', { now })).toMatchObject({ code: 0, err: '' });
  const { out } = await kith('lists list --limit 9 --offline --json-envelope', { now });
  expect(JSON.parse(out).warnings).toEqual(['Reading the offline copy of work from 3 hours ago.']);
});

test('without an offline copy, a command fails and names the command that creates the copy', async () => {
  const { kith, requests } = await startHostedMachine();
  expect(await kith('contacts list --offline')).toEqual({
    code: 75,
    out: '',
    err: 'kith: There is no offline copy of work on this machine.\nhint: When the service can be reached: kith workspace pull\n',
  });
  const { err } = await kith('search jiwoo --json', offline);
  expect(JSON.parse(err).error).toMatchObject({ code: 'offline', exit_code: 75, retryable: true });
  expect(requests).toEqual([]);
});

test('the copy of another key is not read', async () => {
  const { kith, url } = await startMirroredMachine();
  const env = { KITH_BASE_URL: url, KITH_API_KEY: 'another-key-of-tests' };
  const { code, err } = await kith('contacts list --offline', { env });
  expect([code, err]).toEqual([
    75,
    expect.stringContaining(`There is no offline copy of ${new URL(url).host}`),
  ]);
});

test('a local workspace is used as always', async () => {
  const kith = createDemoMachine();
  expect(await kith('contacts find --email jiwoo.kim@hanbit-cold.example', offline)).toMatchObject({
    code: 0,
    err: '',
  });
  expect((await kith('contacts create --first-name Ada --offline')).code).toBe(0);
});

test('KITH_OFFLINE takes true and false, and rejects other words', async () => {
  const { kith, requests } = await startMirroredMachine();
  const run = (text: string) => kith('lists list', { env: { KITH_OFFLINE: text }, now });
  for (const text of ['0', 'false', '']) expect((await run(text)).err).toBe('');
  expect(requests).toHaveLength(3);
  expect((await run('true')).err).toBe(ageNote);
  expect(await run('maybe')).toMatchObject({
    code: 2,
    err: 'kith: KITH_OFFLINE: "maybe" is not true or false.\n',
  });
  expect(requests).toHaveLength(3);
});

test('reading changes no file of the copy', async () => {
  const { kith, files } = await startMirroredMachine();
  const names = readdirSync(files.folder);
  const bytes = readFileSync(files.database);
  await kith('contacts list --all', offline);
  await kith('search jiwoo', offline);
  expect(readdirSync(files.folder)).toEqual(names);
  expect(readFileSync(files.database).equals(bytes)).toBe(true);
});

test('a search of the copy does not update the index, however old it is', async () => {
  const { kith } = await startMirroredMachine();
  await kith('index update');
  const readTime = async () => (await kith('index status --jq .updated_at')).out;
  const time = await readTime();
  for (const flags of ['', '--max-age 0'])
    expect((await kith(`search jiwoo ${flags}`, { ...offline, now: new Date('2027-01-01') })).code).toBe(0);
  expect(await readTime()).toBe(time);
});

test('a search without an index builds it from the copy', async () => {
  const { kith, requests } = await startMirroredMachine();
  const { code, out, err } = await kith('search jiwoo --limit 1 --jq .', offline);
  expect([code, JSON.parse(out)]).toMatchObject([0, [{ id: '0rlnky' }]]);
  expect(err).toContain('Building the search index.');
  expect(requests).toEqual([]);
  // The next search with the service updates an index of this age.
  expect((await kith('search jiwoo', { now })).code).toBe(0);
  expect(requests).not.toEqual([]);
});

test('a backup of the copy has its age', async () => {
  const { kith, folder } = await startMirroredMachine();
  expect((await kith(['workspace', 'backup', join(folder, 'backup')], offline)).code).toBe(0);
  const manifest = JSON.parse(readFileSync(join(folder, 'backup/manifest.json'), 'utf8'));
  expect(manifest).toMatchObject({
    started_at: '2026-11-28T09:00:00.000Z',
    completed_at: '2026-11-28T09:00:00.000Z',
  });
});

test('a copy into a file reads the copy, and a copy into the service is refused', async () => {
  const { kith, folder, requests } = await startMirroredMachine();
  const file = join(folder, 'copy.sqlite');
  expect(await kith(['workspace', 'copy', 'work', file], offline)).toMatchObject({ code: 0 });
  expect(existsSync(file)).toBe(true);
  expect(await kith(['workspace', 'copy', file, 'work'], offline)).toMatchObject({
    code: 75,
    err: expect.stringContaining('workspace copy is not possible offline'),
  });
  expect(requests).toEqual([]);
});

test('sign-in and checks send no request', async () => {
  const { kith, url, requests } = await startMirroredMachine();
  const login = await kith(`auth login --base-url ${url} --key-stdin --profile other --offline`, {
    stdin: 'key-of-another-workspace',
  });
  expect(login).toMatchObject({ code: 75, err: expect.stringContaining('Offline: no request is sent to') });
  expect((await kith('auth status --jq .works', offline)).out).toBe('true\n');
  expect((await kith('doctor --fields check,found', offline)).out).toMatch(
    /^offline copy\t\S+workspace\.sqlite, from 3 hours ago$/m,
  );
  expect(requests).toEqual([]);
});

test('a command that cannot reach the service names the copy', async () => {
  const { kith, stopService } = await startMirroredMachine();
  await stopService();
  const { code, err } = await kith('contacts list --limit 5 --retries 0', { now });
  expect(code).toBe(75);
  expect(err).toContain(
    'hint: To read the offline copy from 3 hours ago: kith contacts list --limit 5 --retries 0 --offline\n',
  );
  for (const line of ['contacts create --first-name Ada', 'workspace pull'])
    expect((await kith(`${line} --retries 0`, { now })).err).not.toContain('--offline');
});

test('after an export from an older copy, the next export lists all meetings', async () => {
  const { kith, folder, files, requests } = await startMirroredMachine();
  const state = JSON.parse(readFileSync(files.state, 'utf8'));
  writeFileSync(files.state, JSON.stringify({ ...state, read_at: '2026-01-01T00:00:00Z' }));
  const line = `events export --out ${join(folder, 'meetings')}`;
  const listTimes = async (options = {}) => {
    const lists = await collectRequests(requests, async () => {
      expect((await kith(line, options)).code).toBe(0);
    });
    return lists.filter((request) => /calendar_events\?.*updated_after=/.test(request)).length;
  };
  await listTimes();
  expect(await listTimes()).toBeGreaterThan(0);
  await listTimes(offline);
  expect(await listTimes()).toBe(0);
});

test('MCP tools answer from the copy, and each result says how old it is', async () => {
  const { kith, requests } = await startMirroredMachine();
  const { call } = await connectInProcess(kith, { KITH_OFFLINE: '1' }, '--allow-write');
  const list = await call('records_list', { noun: 'contacts', limit: 1 });
  expect(list.structured.records).toMatchObject([{ id: '0rlnky' }]);
  expect(list.structured.warnings).toContainEqual(
    expect.stringMatching(/^Reading the offline copy of work from \d+ /),
  );
  const write = await call('records_create', { noun: 'contacts', first_name: 'Ada' });
  expect(write.structured.error).toMatchObject({ code: 'offline', retryable: true });
  expect(requests).toEqual([]);
});
