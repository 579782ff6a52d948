import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sendJson, startTestService } from '../../client/loopback.ts';
import { createImportMachine } from '../../commands/import/import-machine.ts';
import { connectInProcess } from '../../commands/mcp/agent.ts';
import {
  createDemoMachine,
  createMachine,
  createTemporaryFolder,
  writeStoredSettings,
} from '../../support/kith.ts';
import { createProject } from '../connect/project-folder.ts';

const hint = 'hint: Only the person who set this guard should change it.\n';

/** Starts a service that accepts every write, and a machine that uses it. */
async function createServiceMachine(respond: Parameters<typeof startTestService>[0]) {
  const { requests, env } = await startTestService(respond);
  const kith = createMachine();
  return { requests, env, kith: (line: string, more = {}) => kith(line, { env: { ...env, ...more } }) };
}

const acceptWrites: Parameters<typeof startTestService>[0] = ({ method, url }, response) =>
  sendJson(response, 200, method === 'GET' && url.split('/').length < 4 ? { data: [] } : { id: 'c1' });

test('refuses every write before any request if a guard makes the workspace read-only', async () => {
  const { kith, requests } = await createServiceMachine(acceptWrites);
  const lines = [
    'contacts create --first-name Ada',
    'contacts update "Ada Lovelace" --first-name A',
    'contacts delete c1 --yes',
    'api /v1/notes -f body=x',
    'undo --yes',
  ];
  for (const line of lines) {
    const name = line.startsWith('contacts') ? line.split(' ').slice(0, 2).join(' ') : line.split(' ')[0];
    expect(await kith(`${line} --readonly`)).toEqual({
      code: 8,
      out: '',
      err: `kith: ${name} is not allowed: --readonly is set.\n${hint}`,
    });
    expect(await kith(line, { KITH_READONLY: '1' })).toMatchObject({
      code: 8,
      err: `kith: ${name} is not allowed: KITH_READONLY is set.\n${hint}`,
    });
    expect(await kith(line, { KITH_ALLOW: 'none' })).toMatchObject({
      code: 8,
      err: `kith: ${name} is not allowed: KITH_ALLOW allows no writes.\n${hint}`,
    });
  }
  expect(requests).toEqual([]);
  expect((await kith('contacts create --first-name Ada --readonly --dry-run')).code).toBe(0);
  expect((await kith('api /v1/contacts --readonly')).code).toBe(0);
  expect((await kith('undo --list --readonly')).code).toBe(0);
  expect(await kith('contacts create --first-name Ada', { KITH_READONLY: '0' })).toMatchObject({ code: 0 });
});

test('sends only the writes that --allow names', async () => {
  const { kith, requests } = await createServiceMachine(acceptWrites);
  const codes = async (lines: readonly string[], allow: string) => {
    const results = lines.map(async (line) => (await kith(`${line} --allow ${allow}`)).code);
    return Promise.all(results);
  };
  const lines = [
    'contacts create --first-name Ada',
    'contacts update c1 --first-name Ada',
    'contacts remove-emails c1 a@x.example',
    'contacts delete c1 --yes',
    'notes create --organization o1 --body x',
    'entries add l1 --contact c1',
    'api /v1/contacts -f first_name=Ada',
    'api /v1/contacts/c1 -X DELETE --yes',
    'api /v1/unknown -f a=b',
    'api /v1/contacts/ -f a=b',
  ];
  expect(await codes(lines, 'contacts')).toEqual([0, 0, 0, 0, 8, 8, 0, 0, 8, 8]);
  expect(await codes(lines, 'contacts:create,notes:create')).toEqual([0, 8, 8, 8, 0, 8, 0, 8, 8, 8]);
  expect(await codes(lines, 'contacts:update,entries:add')).toEqual([8, 0, 0, 8, 8, 0, 8, 8, 8, 8]);
  expect(await codes(lines, 'entries:create')).toEqual([8, 8, 8, 8, 8, 0, 8, 8, 8, 8]);
  requests.length = 0;
  expect(await kith('entries add l1 --contact c1 --allow contacts')).toMatchObject({
    err: `kith: entries add is not allowed: --allow allows only contacts.\n${hint}`,
  });
  expect(requests.filter(({ method }) => method !== 'GET')).toEqual([]);
});

test('a flag, an alias or another profile cannot loosen the environment, the profile or .kith.json', async () => {
  const { kith, file, settings, profiles } = createProject({ profile: 'sample', allow: 'contacts,notes' });
  const env = { KITH_ALLOW: 'contacts:create,lists' };
  await kith(['alias', 'set', 'free', 'contacts create --allow contacts,lists --max-writes 9']);
  const add = (line: string, more = {}) => kith(line, { env: { ...env, ...more } });
  expect((await add('free --first-name Ada')).code).toBe(0);
  expect((await add('contacts update x --first-name Ada --allow contacts')).err).toContain(
    'contacts update is not allowed: KITH_ALLOW allows only contacts:create,lists.',
  );
  for (const flags of ['', '--profile empty', '--allow lists'])
    expect((await add(`lists create New --entry-type Contact ${flags}`)).err).toContain(
      `lists create is not allowed: allow in ${file} allows only contacts,notes.`,
    );
  const { url, requests } = await startTestService(acceptWrites);
  const service = { KITH_BASE_URL: url, KITH_API_KEY: 'a-key-of-tests' };
  expect((await add('lists create New --entry-type Contact', service)).code).toBe(8);
  writeStoredSettings(settings, {
    active: 'empty',
    defaults: { 'max-writes': '5' },
    profiles: { ...profiles, sample: { ...profiles.sample, guards: { readonly: 'true' } } },
    aliases: { free: 'contacts create --max-writes 9' },
  });
  expect(await add('free --first-name Ada')).toMatchObject({
    code: 8,
    err: expect.stringContaining(
      `contacts create is not allowed: readonly in profile sample of ${settings}/config.json is set.`,
    ),
  });
  writeFileSync(file, JSON.stringify({ 'max-writes': 0, readonly: false }));
  expect(await add('free --first-name Ada')).toMatchObject({
    code: 9,
    err: expect.stringContaining(`kith: Stopped: max-writes in ${file} allows at most 0 writes.`),
  });
  expect((await add(`free --first-name Ada --base-url ${url}`, service)).code).toBe(9);
  expect(requests).toEqual([]);
});

test('a nested project file cannot loosen the guards of the files above it', async () => {
  const { kith, file, project } = createProject({ profile: 'sample', allow: 'contacts', 'max-writes': 0 });
  const nested = join(project, 'src', '.kith.json');
  const line = 'contacts create --first-name Ada -q';
  for (const content of [{}, { readonly: false, 'max-writes': 5 }, { profile: 'empty' }]) {
    writeFileSync(nested, JSON.stringify(content));
    expect(await kith(line)).toMatchObject({
      code: 9,
      err: expect.stringContaining(`kith: Stopped: max-writes in ${file} allows at most 0 writes.`),
    });
  }
  writeFileSync(nested, JSON.stringify({ readonly: true }));
  expect((await kith(line)).err).toContain(`readonly in ${nested} is set.`);
  expect(JSON.parse((await kith('auth status --json')).out)).toMatchObject({
    profile: 'sample',
    guards: [
      { name: 'readonly', value: 'true', from: nested },
      { name: 'allow', value: 'contacts', from: file },
      { name: 'max-writes', value: '0', from: file },
    ],
  });
});

test('--organization auto needs the permission to create an organization', async () => {
  const kith = createDemoMachine();
  const line = 'contacts create --email ada@new.example --organization auto --allow';
  expect(await kith(`${line} contacts`)).toEqual({
    code: 8,
    out: '',
    err: `kith: organizations create is not allowed: --allow allows only contacts.\n${hint}`,
  });
  expect((await kith(`${line} contacts,organizations:create`)).code).toBe(0);
});

test('KITH_GUARD_FILE counts the writes of all processes of a session', async () => {
  const { kith, requests } = await createServiceMachine(({ method }, response) =>
    sendJson(response, method === 'PATCH' ? 422 : 200, { id: 'c1' }),
  );
  const file = join(createTemporaryFolder(), 'count.json');
  const env = { KITH_MAX_WRITES: '3', KITH_MAX_REQUESTS: '5', KITH_GUARD_FILE: file };
  const create = () => kith('api /v1/contacts -f first_name=Ada', env);
  expect((await kith('contacts update c1 --first-name Ada', env)).code).toBe(5); // refused: not a write
  expect((await Promise.all([create(), create()])).map(({ code }) => code)).toEqual([0, 0]);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ write: 2, request: 3 });
  expect((await Promise.all([create(), create()])).map(({ code }) => code).toSorted()).toEqual([0, 9]);
  expect(requests).toHaveLength(4);
  expect((await kith('api /v1/contacts', env)).code).toBe(0);
  expect(await kith('api /v1/contacts', env)).toMatchObject({
    code: 9,
    err: expect.stringContaining('KITH_MAX_REQUESTS allows at most 5 requests'),
  });
  for (const [text, problem] of [
    ['{', 'is damaged: it is not JSON'],
    ['{"write":-9,"request":0}', 'is damaged: write is invalid'],
    ['{"version":2}', 'was written by a newer version of kith'],
  ] as const) {
    writeFileSync(file, text);
    expect(await create()).toMatchObject({
      code: 2,
      err: expect.stringContaining(`kith: The guard count file ${file} ${problem}.\n`),
    });
    expect(readFileSync(file, 'utf8')).toBe(text);
  }
  for (const name of ['', 'count.json'])
    expect((await kith('api /v1/contacts', { ...env, KITH_GUARD_FILE: name })).code).toBe(2);
  expect(requests).toHaveLength(5);
});

test('--base-url does not loosen the guards of the active profile', async () => {
  const { url, requests } = await startTestService(acceptWrites);
  const folder = createTemporaryFolder();
  const work = { base_url: url, api_key: 'a-key-of-tests', guards: { readonly: 'yes' } };
  writeStoredSettings(folder, { active: 'work', profiles: { work } });
  const kith = createMachine(folder);
  const env = { KITH_API_KEY: 'another-key-of-tests' };
  const line = 'contacts create --first-name Ada';
  expect((await kith(line)).code).toBe(8);
  expect((await kith(`${line} --base-url ${url}`, { env })).code).toBe(8);
  expect(requests).toEqual([]);
  // The environment alone names the workspace, so no profile is in use.
  expect((await kith(line, { env: { ...env, KITH_BASE_URL: url } })).code).toBe(0);
});

test.each([
  [{ KITH_READONLY: 'maybe' }, '', 'KITH_READONLY: "maybe" is not true or false.'],
  [{ KITH_READONLY: '' }, '', 'KITH_READONLY is empty.'],
  [{ KITH_ALLOW: '' }, '', 'KITH_ALLOW is empty.'],
  [
    { KITH_ALLOW: 'contact' },
    '',
    'KITH_ALLOW: "contact" is not one of contacts, organizations, notes, custom-fields, lists, entries, or none alone.',
  ],
  [
    { KITH_ALLOW: 'notes,contacts:merge' },
    '',
    'KITH_ALLOW: "contacts:merge" is not one of contacts, contacts:create, contacts:update, contacts:delete.',
  ],
  [{ KITH_MAX_WRITES: '-1' }, '', 'KITH_MAX_WRITES: "-1" is not an integer of 0 or more.'],
  [
    {},
    '--allow none,notes',
    '--allow: "none" is not one of contacts, organizations, notes, custom-fields, lists, entries, or none alone.',
  ],
  [{}, '--max-requests many', '--max-requests: "many" is not an integer of 0 or more.'],
])('an invalid guard is a usage error that names its place: %j %s', async (variables, flags, message) => {
  const { kith, requests } = await createServiceMachine(acceptWrites);
  for (const line of ['contacts list', 'contacts create --first-name Ada'])
    expect(await kith(`${line} ${flags}`, variables)).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining(`kith: ${message}\n`),
    });
  expect(requests).toEqual([]);
});

test.each([
  [{ readonly: 'true' }, 'readonly: not a boolean.'],
  [{ allow: 'contact' }, 'allow: "contact" is not one of'],
  [{ 'max-writes': '5' }, 'max-writes: not a number.'],
])('an invalid guard of a project file is a usage error: %j', async (content, message) => {
  const { kith, file } = createProject(content);
  expect(await kith('contacts create --first-name Ada')).toMatchObject({
    code: 2,
    err: expect.stringContaining(`kith: ${file}: ${message}`),
  });
});

test('sends no write if the settings are damaged, because a guard in them may forbid it', async () => {
  const { kith, requests, env } = await createServiceMachine(acceptWrites);
  const folder = createTemporaryFolder();
  writeFileSync(join(folder, 'config.json'), '{');
  const more = { ...env, KITH_CONFIG_DIR: folder };
  expect((await kith('contacts list', more)).code).toBe(0);
  requests.length = 0;
  expect(await kith('contacts create --first-name Ada', more)).toMatchObject({
    code: 1,
    err: expect.stringContaining(`The settings file ${folder}/config.json is damaged`),
  });
  expect(requests).toEqual([]);
});

test('--max-writes counts a retried write once and a refused write not at all; --max-requests counts attempts', async () => {
  const statuses = [503, 204, 404, 204, 204];
  const { kith, requests } = await createServiceMachine(({ method }, response) => {
    if (method === 'GET')
      sendJson(response, statuses.length > 0 ? 200 : 503, { data: [] }, { 'retry-after': '0' });
    else sendJson(response, statuses.shift() ?? 500, undefined, { 'retry-after': '0' });
  });
  const result = await kith('contacts delete a b c d e --yes --max-writes 3');
  expect(result).toMatchObject({
    code: 9,
    out: 'id\tdeleted\na\ttrue\nc\ttrue\nd\ttrue\n',
    err: expect.stringContaining(
      'e (Stopped: --max-writes allows at most 3 writes. Completed writes remain)',
    ),
  });
  const deletions = requests.filter(({ method }) => method === 'DELETE');
  expect(deletions.map(({ url }) => url.slice(-1))).toEqual(['a', 'a', 'b', 'c', 'd']);
  requests.length = 0;
  expect(await kith('contacts list --max-requests 2')).toMatchObject({
    code: 9,
    err: `kith: Stopped: --max-requests allows at most 2 requests. Completed writes remain.\n${hint}`,
  });
  expect(requests).toHaveLength(2);
});

test('an import that reaches --max-writes exits with 9, and the next run continues it', async () => {
  const { kith, writeTestFile, json, readReport } = await createImportMachine();
  const rows = Array.from({ length: 9 }, (_, index) => `p${index}@x.example,P${index}\n`);
  const file = writeTestFile('sheet.csv', `email,first_name\n${rows.join('')}`);
  const stopped = await kith(`contacts import ${file} --concurrency 4`, { env: { KITH_MAX_WRITES: '4' } });
  expect(stopped).toMatchObject({ code: 9, out: '' });
  expect(stopped.err).toContain('of 9 rows. Run the same command again to import the rest.\n');
  expect(stopped.err).toContain('kith: Stopped: KITH_MAX_WRITES allows at most 4 writes.');
  expect(await json('contacts list')).toHaveLength(4);
  const continued = await kith(`contacts import ${file}`);
  expect(continued.code).toBe(0);
  expect(await json('contacts list')).toHaveLength(9);
  expect(readReport().map(({ action }) => action)).toEqual(rows.map(() => 'create'));
});

test('an import of a noun that is not allowed writes nothing', async () => {
  const { kith, writeTestFile, json } = await createImportMachine();
  const file = writeTestFile('sheet.csv', 'email\na@x.example\n');
  expect((await kith(`contacts import ${file} --allow notes`)).code).toBe(8);
  expect(await json('contacts list')).toEqual([]);
});

test('guards apply to MCP tools, and count for the lifetime of the server', async () => {
  const folder = createTemporaryFolder();
  const kith = createDemoMachine(folder);
  const create = (agent: Awaited<ReturnType<typeof connectInProcess>>) =>
    agent.call('records_create', { noun: 'contacts', first_name: 'Ada' });
  const agent = await connectInProcess(kith, { KITH_MAX_WRITES: '2' }, '--allow-write');
  expect(await create(agent)).toMatchObject({ isError: false });
  expect(await create(agent)).toMatchObject({ isError: false });
  expect(await create(agent)).toMatchObject({
    isError: true,
    text: expect.stringContaining('limit_reached: Stopped: KITH_MAX_WRITES allows at most 2 writes.'),
  });
  const reader = await connectInProcess(kith, {}, '--allow-write', '--readonly');
  expect(await create(reader)).toMatchObject({
    isError: true,
    text: expect.stringContaining('blocked: This command is not allowed: --readonly is set.'),
  });
  const notes = await connectInProcess(kith, {}, '--allow-write', '--allow', 'notes');
  expect((await create(notes)).text).toContain('contacts create is not allowed');
});

test('auth status and config list show the effective guards and their sources', async () => {
  const { kith, file } = createProject({ profile: 'sample', allow: 'contacts,notes:create' });
  await kith('config set max-requests 500 --profile sample');
  const env = { KITH_ALLOW: 'contacts:update,notes', KITH_MAX_REQUESTS: '900' };
  const guards = [
    { name: 'allow', value: 'contacts:update,notes:create', from: `KITH_ALLOW, ${file}` },
    { name: 'max-requests', value: '500', from: 'KITH_MAX_REQUESTS, profile sample' },
  ];
  expect(JSON.parse((await kith('auth status --json', { env })).out)).toMatchObject({ guards });
  expect((await kith('auth status --format tsv', { env })).out).toContain(
    `allow contacts:update,notes:create (KITH_ALLOW, ${file})`,
  );
  const rows = JSON.parse((await kith('config list --json', { env })).out);
  expect(rows.filter(({ from }: { from: string }) => from)).toEqual(
    guards.map((guard) => ({ ...guard, default: null })),
  );
  expect((await kith('config get allow', { env })).out).toBe('contacts:update,notes:create\n');
});

test('a script can set a new guard, but only a person can change an existing guard', async () => {
  const folder = createTemporaryFolder();
  const kith = createDemoMachine(folder);
  expect((await kith('config set readonly true')).code).toBe(0);
  expect((await kith('config set readonly true')).code).toBe(0);
  const stored = readFileSync(join(folder, 'config.json'), 'utf8');
  for (const line of ['config set readonly false', 'config unset readonly', 'config unset readonly --yes'])
    expect(await kith(line)).toMatchObject({
      code: 8,
      err: expect.stringContaining(`Cannot change the guard readonly in ${folder}/config.json from true to `),
    });
  expect(readFileSync(join(folder, 'config.json'), 'utf8')).toBe(stored);
  const asked = await kith('config unset readonly', { terminal: 80, answers: [true] });
  expect(asked).toMatchObject({ code: 0, out: 'Guard readonly reset to false.\n' });
  expect((await kith('contacts create --first-name Ada')).code).toBe(0);
});

test('only a person can sign out of a profile with guards, because signing in again would remove them', async () => {
  const folder = createTemporaryFolder();
  const kith = createDemoMachine(folder);
  expect((await kith('config set readonly true --profile demo')).code).toBe(0);
  for (const line of ['auth logout', 'auth logout --profile demo --yes'])
    expect(await kith(line)).toMatchObject({
      code: 8,
      err:
        'kith: Cannot remove the profile demo with its guards (readonly true) without a terminal.\n' +
        'hint: Only a person in a terminal can change an existing guard.\n',
    });
  expect((await kith('contacts create --first-name Ada')).code).toBe(8);
  expect(await kith('auth logout', { terminal: 80, answers: [true] })).toMatchObject({ code: 0 });
});

test('signing in again keeps the guards of a profile', async () => {
  const folder = createTemporaryFolder();
  const kith = createDemoMachine(folder);
  await kith('config set allow contacts --profile demo');
  expect((await kith('auth login --local --demo')).code).toBe(0);
  expect((await kith('lists create New --entry-type Contact')).code).toBe(8);
});
