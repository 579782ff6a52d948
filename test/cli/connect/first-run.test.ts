import { copyFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { dailyExamples } from '../../../src/cli/help/help.ts';
import { sendJson, startTestService } from '../../client/loopback.ts';
import { createMachine, createTemporaryFolder, writeStoredSettings } from '../../support/kith.ts';

const question = 'Which workspace do you want to use?';
const introduction = 'kith manages contacts, organizations, notes, lists and recorded meetings.';

/** Returns a machine without settings, in whose folder the sample is filled already. */
function createNewMachine() {
  const folder = createTemporaryFolder();
  copyFileSync(inject('sample'), join(folder, 'demo.sqlite'));
  return { folder, kith: createMachine(folder) };
}

test('a command in a terminal offers the sample workspace first, signs in, and continues', async () => {
  const { kith, folder } = createNewMachine();
  const { code, out, err } = await kith(['contacts', 'list', '--limit', '1', '--jq', '.'], {
    terminal: 80,
    answers: ['sample'],
  });
  expect({ code, id: JSON.parse(out)[0].id }).toEqual({ code: 0, id: expect.any(String) });
  const [first, ...lines] = err.split('\n');
  expect([first, ...lines.slice(0, 5)]).toEqual([
    introduction,
    'You are not signed in to a workspace.',
    question,
    'Sample workspace (recommended for a first look)',
    'Workspace on this machine (one file, no account)',
    'Hosted service (requires its URL and an API key)',
  ]);
  expect(err.replaceAll(/\n +/g, ' ')).toContain(
    `kith: Signed in to the sample workspace (already filled) as mina@tidewater.example: profile demo, file ${folder}/demo.sqlite\n`,
  );
  expect((await kith('auth list --jq .[].name', { terminal: 80 })).out).toBe('demo\n');
});

test('a command continues in a new workspace on this machine', async () => {
  const { kith } = createNewMachine();
  const { code, err } = await kith('organizations create --name Acme', { terminal: 80, answers: ['local'] });
  expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining('a workspace on this machine') });
  expect((await kith('organizations list --jq .[].name')).out).toBe('Acme\n');
});

test('a command continues with a hosted service', async () => {
  const { url, requests } = await startTestService(({ headers }, response) =>
    headers.authorization === 'Bearer key-for-tests'
      ? sendJson(response, 200, { data: [] })
      : sendJson(response, 401),
  );
  const { kith } = createNewMachine();
  const answers = ['hosted', url, 'key-for-tests'];
  const { code, err } = await kith('notes list', { terminal: 80, answers });
  expect({ code, err }).toEqual({
    code: 0,
    err: expect.stringContaining(`Signed in to ${url}: profile 127`),
  });
  expect(requests.at(-1)?.url).toMatch(/^\/v1\/notes/);
});

test.each([['contacts list'], ['search jiwoo'], ['api /v1/lists'], ['events export --out meetings'], ['']])(
  'Escape leaves "%s" with exit 130 and changes nothing',
  async (line) => {
    const folder = createTemporaryFolder();
    const { code, out, err } = await createMachine(folder)(line, { terminal: 80 });
    expect({ code, out, files: readdirSync(folder) }).toEqual({ code: 130, out: '', files: [] });
    expect(err).toContain(question);
  },
);

test('the sample has a user and a process for `kith today` and `kith deals`', async () => {
  const { kith } = createNewMachine();
  await kith('auth login --local --demo');
  expect((await kith('deals --overdue --json --jq length')).code).toBe(0);
  const { out } = await kith('config list --format tsv');
  expect(out).toMatch(/^user\tmina@tidewater.example\t.*login --demo$/m);
  expect(out).toMatch(/^process\tSales pipeline\t.*login --demo$/m);
  for (const [name, value] of [
    ['user', 'layla@tidewater.example'],
    ['process', 'Reseller program'],
  ] as const) {
    await kith(['config', 'set', name, value]);
    expect((await kith(`config get ${name}`)).out).toBe(`${value}\n`);
  }
  const other = createMachine();
  await other('auth login --local --demo');
  await other('config unset process');
  expect((await other('config get process')).out).toBe('\n');
});

test('kith alone signs in and suggests commands, and prints its help from then on', async () => {
  const { kith, folder } = createNewMachine();
  const { code, out, err } = await kith('', { terminal: 80, answers: ['sample'] });
  expect({ code, err, out }).toEqual({
    code: 0,
    err: expect.stringContaining(question),
    out:
      `Signed in to the sample workspace (already filled) as mina@tidewater.example: profile demo, file ${folder}/demo.sqlite\n` +
      `Next: ${dailyExamples
        .slice(0, 3)
        .map(([line]) => `kith ${line}`)
        .join('\n      ')}\n`,
  });
  for (const line of out.split('\n').slice(1, -1)) {
    const suggestion = await kith(line.replace(/^.*?kith /, ''));
    expect({ line, code: suggestion.code, isEmpty: suggestion.out === '' }).toEqual({
      line,
      code: 0,
      isEmpty: false,
    });
  }
  expect((await kith('', { terminal: 80 })).out).toMatch(/^Usage: kith /);
});

test.each([
  ['--help', {}],
  ['help contacts', {}],
  ['contacts', {}],
  ['contacts list --help', {}],
  ['version', {}],
  ['--version', {}],
  ['completion bash', {}],
  ['config list', {}],
  ['doctor', {}],
  ['auth list', {}],
  ['auth status', {}],
  ['auth logout', {}],
  ['keys list', {}],
  ['migrate', {}],
  ['serve --port 1 --host nowhere.invalid', {}],
  ['schedule install x --dry-run --daily 07:30 -- contacts list', {}],
  ['mcp', {}],
  ['contacts list --no-input', {}],
  ['contacts list --profile nobody', {}],
  ['contacts list --base-url https://crm.example.com', {}],
  ['contacts list', { KITH_PROFILE: 'nobody' }],
  ['contacts list', { KITH_API_KEY: 'key-for-tests' }],
  ['contacts list', { KITH_DATABASE_URL: '/nowhere/kith.sqlite' }],
  ['contacts list', { CI: '1' }],
  ['contacts list', { TERM: 'dumb' }],
  ['', { CI: '1' }],
  ['', { KITH_PROFILE: 'nobody' }],
])('"%s" with %o does not ask for a workspace', async (line, env) => {
  const { code, err } = await createMachine()(line, { terminal: 80, env });
  expect({ line, isInterrupted: code === 130, err }).toEqual({
    line,
    isInterrupted: false,
    err: expect.not.stringContaining(question),
  });
});

test('nothing is asked without a terminal', async () => {
  const kith = createMachine();
  expect(await kith('contacts list')).toMatchObject({
    code: 4,
    err: expect.stringContaining('hint: Sign in'),
  });
  expect(await kith('')).toMatchObject({ code: 0, out: expect.stringMatching(/^Usage: kith /), err: '' });
});

test('damaged settings or another profile are not a first run', async () => {
  const folder = createTemporaryFolder();
  const kith = createMachine(folder);
  writeFileSync(join(folder, 'config.json'), '{');
  expect(await kith('contacts list', { terminal: 200 })).toMatchObject({
    code: 1,
    err: expect.stringContaining('it is not JSON'),
  });
  expect((await kith('', { terminal: 80 })).out).toMatch(/^Usage: kith /);
  writeStoredSettings(folder, { profiles: { work: { database: '/nowhere.sqlite' } } });
  expect((await kith('contacts list', { terminal: 80 })).code).toBe(4);
  writeStoredSettings(folder, { defaults: { limit: '3' }, profiles: {} });
  expect((await kith('contacts list', { terminal: 80 })).code).toBe(130);
});

test.each([
  ['names a profile', '{"profile": "work"}', 4],
  ['is damaged', '{', 2],
  ['names no profile', '{"limit": 5}', 130],
])('asks only if no project file names a profile: the file %s', async (_, text, code) => {
  const { folder, kith } = createNewMachine();
  const invocation = { node: '', script: '', folder };
  writeFileSync(join(folder, '.kith.json'), text);
  const env = { HOME: folder };
  expect((await kith('contacts list', { terminal: 80, env, invocation })).code).toBe(code);
  expect((await kith('', { terminal: 80, env, invocation })).code).toBe(code === 130 ? 130 : 0);
});
