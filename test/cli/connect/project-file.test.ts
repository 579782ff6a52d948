import { chownSync, existsSync, lchownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sendJson, startTestService } from '../../client/loopback.ts';
import { createMachine, writeStoredSettings } from '../../support/kith.ts';
import { createProject } from './project-folder.ts';

const count = 'lists list --jq length';

test('profile, format and limit of a project file are announced once and used in its folder', async () => {
  const { kith, file } = createProject({ profile: 'sample', format: 'ndjson', limit: 2 });
  const first = await kith('contacts list --fields id');
  const announcement = `kith: Using ${file}: profile sample, format ndjson, limit 2.\n`;
  expect(first).toMatchObject({ code: 0, out: expect.stringMatching(/^(\{"id":"\w+"\}\n){2}$/) });
  expect(first.err).toMatch(announcement);
  expect((await kith('contacts list --fields id')).err).toBe(first.err.replace(announcement, ''));
  writeFileSync(file, JSON.stringify({ profile: 'sample' }));
  expect((await kith(count)).err).toBe(`kith: Using ${file}: profile sample.\n`);
  expect(await kith(count)).toEqual({ code: 0, out: '4\n', err: '' });
});

test('--quiet does not announce a project file, and the next command does', async () => {
  const { kith, file } = createProject({ profile: 'sample' });
  expect(await kith(`${count} --quiet`)).toEqual({ code: 0, out: '4\n', err: '' });
  expect((await kith(count)).err).toBe(`kith: Using ${file}: profile sample.\n`);
});

test('flags and the environment override it, and it overrides stored settings', async () => {
  const { kith } = createProject({ profile: 'sample', format: 'csv', limit: 3 });
  await kith('config set limit 7');
  await kith('config set format tsv');
  const lines = async (line: string, env = {}) =>
    (await kith(`${line} -q`, { env })).out.split('\n').length - 1;
  expect(await lines('contacts list --no-header')).toBe(3);
  expect(await lines('contacts list --no-header --limit 5')).toBe(5);
  expect(await lines('contacts list --no-header --profile empty')).toBe(0);
  expect(await lines('contacts list --no-header', { KITH_PROFILE: 'empty' })).toBe(0);
  expect((await kith('lists list -q --fields id,name')).out).toMatch(/^id,name\r\n/);
  expect((await kith('lists list -q --fields id,name', { env: { KITH_FORMAT: 'tsv' } })).out).toMatch(
    /^id\tname\n/,
  );
  expect((await kith('config list --format tsv')).out).toMatch(/^limit\t3\t25\t\/.*\/\.kith\.json$/m);
  expect((await kith('config get limit')).out).toBe('3\n');
  expect((await kith('config list --format tsv --profile empty')).out).toContain('page-size\t\t100\t\n');
});

test('commands show where the profile came from', async () => {
  const { kith, file } = createProject({ profile: 'sample' });
  expect(JSON.parse((await kith('auth status --json')).out)).toMatchObject({
    profile: 'sample',
    profile_from: file,
  });
  const env = { KITH_PROFILE: 'empty' };
  expect(JSON.parse((await kith('auth status --json', { env })).out)).toMatchObject({
    profile: 'empty',
    profile_from: 'KITH_PROFILE',
  });
  expect((await kith('auth list --jq ".[] | select(.active) | .name"')).out).toBe('sample\n');
  expect((await kith(`doctor --jq '.[] | select(.check == "project file") | .found'`)).out).toBe(
    `Using ${file}: profile sample.\n`,
  );
  expect((await kith('auth switch empty')).err).toBe(
    `kith: ${file} selects the profile sample in its folder. To use empty there, pass --profile empty.\n`,
  );
  expect(await kith('auth logout')).toMatchObject({
    code: 2,
    err: `kith: The profile sample comes from ${file}. Name the profile to remove.\nhint: kith auth logout --profile sample\n`,
  });
  const plan = await kith('schedule install x --dry-run --hourly 1 --for systemd -- contacts list');
  expect(plan.out).toContain('"--profile","sample"');
});

test.each([
  ['{\n  "profile": "x",\n}', ', line 3: not valid JSON.'],
  ['{"profile": "x"', ', line 1: not valid JSON.'],
  ['', ', line 1: not valid JSON.'],
  ['[1]', ': not a JSON object.'],
  [{ base_url: 'https://evil.example' }, ': "base_url": not supported.'],
  [{ api_key: 'sk_live_4242424242424242' }, ': "api_key": not supported.'],
  [{ database: '/tmp/x.sqlite' }, ': "database": not supported.'],
  ['{"__proto__": {"profile": "x"}}', ': "__proto__": not supported.'],
  [{ profile: '' }, ': profile: NAME must not be empty.'],
  [{ profile: ['x'] }, ': profile: not a string.'],
  [{ format: 'xml' }, ': format: "xml" is not one of table, json, ndjson, compact, csv, tsv.'],
  [{ limit: '5' }, ': limit: not a number.'],
  [{ limit: 0 }, ': limit: "0" is not an integer of 1 or more.'],
])('refuses the content %j', async (content, message) => {
  const { kith, file } = createProject(content);
  for (const line of ['contacts list', 'auth status', 'config list', 'lists list --profile sample']) {
    const { code, out, err } = await kith(line);
    expect({ line, code, out }).toEqual({ line, code: 2, out: '' });
    expect(err).toContain(`kith: ${file}${message}\n`);
    expect(err).not.toMatch(/evil|4242/);
  }
  const finding = await kith(`doctor --jq '.[] | select(.check == "project file") | .state'`);
  expect(finding).toMatchObject({ code: 1, out: 'error\n' });
  for (const line of ['version', 'completion bash', 'contacts list --help', 'help', 'auth switch sample'])
    expect((await kith(line)).code).toBe(0);
});

test('a project file can name only an existing profile', async () => {
  const { kith, file } = createProject({ profile: 'work' });
  for (const line of [count, 'keys list'])
    expect(await kith(line)).toMatchObject({
      code: 4,
      err: expect.stringContaining(
        `kith: Profile "work" from ${file} not found.\nhint: Profiles: empty, sample.\n`,
      ),
    });
});

test('a key of the environment is never sent to the service of a project file', async () => {
  const { url, requests } = await startTestService((_, response) => sendJson(response, 200, { data: [] }));
  const { url: other, requests: others } = await startTestService((_, response) =>
    sendJson(response, 200, { data: [] }),
  );
  const { kith, settings } = createProject({ profile: 'other' });
  const profiles = {
    mine: { base_url: url, api_key: 'key-of-mine' },
    other: { base_url: other, api_key: 'key-of-other' },
  };
  writeStoredSettings(settings, { active: 'mine', profiles });
  expect(await kith(count, { env: { KITH_API_KEY: 'key-of-env' } })).toMatchObject({ code: 0 });
  expect(await kith(count, { env: { KITH_BASE_URL: url } })).toMatchObject({ code: 0 });
  expect([requests.length, others.length]).toEqual([2, 0]);
  expect(await kith(count)).toMatchObject({ code: 0 });
  expect(others.map(({ headers }) => headers.authorization)).toEqual(['Bearer key-of-other']);
});

test('limit and format work without stored settings', async () => {
  const data = Array.from({ length: 5 }, (_, index) => ({ id: `c${index}` }));
  const { url } = await startTestService((_, response) => sendJson(response, 200, { data }));
  const { home, file } = createProject({ limit: 2, format: 'ndjson', profile: 'sample' });
  const kith = createMachine(join(home, 'none'));
  const options = {
    env: { HOME: home, KITH_BASE_URL: url, KITH_API_KEY: 'key-for-tests' },
    invocation: { node: '', script: '', folder: join(home, 'project') },
  };
  const { code, out, err } = await kith('contacts list', options);
  expect({ code, out }).toEqual({ code: 0, out: '{"id":"c0"}\n{"id":"c1"}\n' });
  expect(err).toContain(`Using ${file}`);
});

test('uses all project files up to the home folder, and a nearer file overrides the others', async () => {
  const { kith, home, project, file } = createProject({ profile: 'sample' });
  const [outer, inner] = [join(home, '.kith.json'), join(project, 'src', '.kith.json')];
  writeFileSync(outer, '{"limit": 2, "profile": "empty"}');
  writeFileSync(inner, '{"limit": 3}');
  const { out, err } = await kith(count);
  expect({ out, err: err.split('\n').slice(0, 3) }).toEqual({
    out: '3\n',
    err: [
      `kith: Using ${outer}: limit 2, profile empty.`,
      `kith: Using ${file}: profile sample.`,
      `kith: Using ${inner}: limit 3.`,
    ],
  });
  expect((await kith('config list --format tsv')).out).toContain(`limit\t3\t25\t${inner}\n`);
  const below = { HOME: join(project, 'src', 'deep') };
  expect(await kith(`${count} --profile sample`, { env: below })).toEqual({ code: 0, out: '4\n', err: '' });
});

test.runIf(process.getuid?.() === 0)('ignores the file of another user and says so once', async () => {
  const { kith, file } = createProject({ profile: 'sample' });
  chownSync(file, 65_534, 65_534);
  const { out, err } = await kith(count);
  expect(out).toBe('0\n');
  expect(err).toContain(`kith: Ignored ${file}: it belongs to another user.\n`);
  expect((await kith(count)).err).not.toContain('Ignored');
  expect((await kith(`doctor --jq '.[] | select(.check == "project file") | .state'`)).out).toBe('warning\n');
});

test.runIf(process.getuid?.() === 0)(
  'ignores a link of another user, even to a file of this one',
  async () => {
    const { kith, home, file } = createProject();
    writeFileSync(join(home, 'mine.json'), '{"profile": "sample"}');
    symlinkSync(join(home, 'mine.json'), file);
    lchownSync(file, 65_534, 65_534);
    const { out, err } = await kith(count);
    expect(out).toBe('0\n');
    expect(err).toContain(`kith: Ignored ${file}: it belongs to another user.\n`);
  },
);

test('accepts a link to a project file, and refuses a folder and a large file', async () => {
  const { kith, file, home, project } = createProject();
  writeFileSync(join(home, 'shared.json'), '{"profile": "sample"}');
  symlinkSync(join(home, 'shared.json'), file);
  expect((await kith(count)).out).toBe('4\n');
  const nested = join(project, 'src', '.kith.json');
  mkdirSync(nested);
  expect(await kith(count)).toMatchObject({
    code: 2,
    err: `kith: Cannot use ${nested}: it is not a file.\n`,
  });
  writeFileSync(join(project, 'src', 'deep', '.kith.json'), ' '.repeat(70_000));
  expect(await kith(count)).toMatchObject({
    code: 2,
    err: expect.stringContaining('it is larger than 64 KB'),
  });
});

test('an announcement that cannot be stored is repeated', async () => {
  const { kith, home, settings, file } = createProject({ profile: 'sample' });
  mkdirSync(join(settings, 'projects.json'));
  for (const _ of [1, 2]) expect((await kith(count)).err).toBe(`kith: Using ${file}: profile sample.\n`);
  expect(existsSync(join(home, '.cache'))).toBe(false);
});
