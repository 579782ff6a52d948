import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sendJson, startTestService } from '../client/loopback.ts';
import { createEnv, launcher, runShell } from '../support/binary.ts';
import { createMachine, createTemporaryFolder, writeStoredSettings } from '../support/kith.ts';
import { runInTerminal } from '../support/terminal.ts';

const other = 'sk_other_0123"456\\789/+=';
const used = 'sk_used_abcdefghij';
const filed = 'sk_filed_ABCDEFGHIJ';
const named = 'sk_named_0123456789';

/** Creates a machine with a key in the active profile, in another one and in a file, and a service that returns them. */
async function withKeys() {
  const home = createTemporaryFolder();
  const errorBody = { error: { message: `no ${used}, ${other}, ${encodeURIComponent(other)} nor ${filed}` } };
  const list = { id: used, name: `List ${used} ${other}` };
  const { url } = await startTestService((requests, response) => {
    if (requests.url.startsWith('/v1/lists')) sendJson(response, 200, { data: [list] });
    else if (requests.url === '/v1/organizations/rl16pk') sendJson(response, 200, { id: 'rl16pk' });
    else if (requests.method === 'GET') sendJson(response, 200, { data: [] });
    else sendJson(response, 422, errorBody);
  });
  const folder = join(home, '.config/kith');
  const profiles = {
    work: { base_url: url, api_key: used },
    'not used': { base_url: 'https://other.example.com', api_key: other },
  };
  writeStoredSettings(folder, { active: 'work', profiles });
  writeFileSync(join(home, 'key.txt'), `${filed}\n`, { mode: 0o600 });
  return { home, folder, url, env: createEnv(home), keyFile: { KITH_API_KEY_FILE: join(home, 'key.txt') } };
}

/** Returns whether a text has most of a key in any spelling. */
const hasKey = (text: string) =>
  /sk_(other_0123|used_abcdefg|filed_abcdefg|named_0123)/i.test(text) || text.includes('456\\789');

test.each([
  ['as an id', 'contacts get KEY'],
  ['as an email address', 'contacts find --email KEY@example.com'],
  ['as a noun', 'KEY list'],
  ['as a verb', 'contacts KEY'],
  ['as a flag', 'contacts list --KEY'],
  ['as the value of a flag', 'contacts list --limit KEY'],
  ['as a format', 'contacts list --format KEY'],
  ['as a jq expression', 'contacts list --jq KEY'],
  ['as a profile', 'contacts list --profile KEY'],
  ['as a base URL', 'contacts list --base-url KEY'],
  ['in a base URL', 'contacts list --base-url https://KEY.example.com --retries 0'],
  ['as the path of a request', 'api /v1/KEY --debug'],
  ['in the query of a request', 'api /v1/contacts -X GET -f q=KEY --debug'],
  ['in a dry run', 'contacts create --first-name KEY --dry-run --debug'],
  ['in a refused write', 'contacts create --first-name KEY --debug'],
  ['in a refused write, as JSON', 'contacts create --first-name KEY --json'],
  ['as a file', 'contacts import KEY'],
  ['as a default', 'config set limit KEY'],
  ['in a schedule', 'schedule install x --dry-run --daily 03:00 -- contacts list --profile KEY'],
])(
  'prints [key] instead of a typed key, plain or escaped for URLs, JSON, CSV, XML and shells: %s',
  async (_, line) => {
    const { folder, home, keyFile } = await withKeys();
    const kith = createMachine(folder);
    const env = { HOME: home, ...keyFile, KITH_DEBUG: '1' };
    const invocation = { node: process.execPath, script: launcher, folder: home };
    for (const key of [used, other, filed, named]) {
      const words = line.split(' ').map((word) => word.replace('KEY', key));
      const ofVariable = key === named && { KITH_API_KEY: named };
      const { out, err } = await kith(words, { env: { ...env, ...ofVariable }, invocation });
      expect(out + err).not.toBe('');
      expect(hasKey(out + err), out + err).toBe(false);
    }
  },
);

test('prints [key] instead of a typed key if the settings file is damaged', async () => {
  const { folder } = await withKeys();
  const file = join(folder, 'config.json');
  writeFileSync(file, readFileSync(file, 'utf8').slice(0, -2));
  expect(await createMachine(folder)(['contacts', `--${used}`, other])).toEqual({
    code: 2,
    out: '',
    err: expect.stringMatching(/^kith: Unknown option: --\[key\]\nhint: .*\n$/),
  });
});

test('replaces a key that the service returns with [key] in tables, files, reports and the pager', async () => {
  const { env: minimalEnv, keyFile, home, folder } = await withKeys();
  const env = { ...minimalEnv, ...keyFile };
  const csv = join(home, 'people.csv');
  const kith = createMachine(folder);
  writeFileSync(csv, 'email\nada@analytical.example\n');
  const outputs = [
    await runShell('kith lists list', { env, cwd: home }),
    await kith('lists list --json', { env: keyFile }),
    await kith('lists list --format csv', { env: keyFile }),
    await kith(['contacts', 'import', csv, '--retries', '0'], { env: keyFile }),
    await runInTerminal('PAGER=cat\\ - kith lists list', { env, cwd: home, rows: 2, columns: 40 }),
    await runInTerminal(`PAGER=cat\\ - kith contacts create --first-name ${used} --dry-run`, {
      env,
      cwd: home,
      rows: 2,
    }),
  ];
  for (const { out, err } of outputs) expect(hasKey(out + err), out + err).toBe(false);
  expect(outputs[0]?.out).toContain('List [key] [key]');
  const report = readFileSync(join(home, 'people.report.csv'), 'utf8');
  expect(report).toContain('no [key], [key], [key] nor ');
  const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const leaks = files
    .map((one) => join(one.parentPath, one.name))
    .filter((path) => hasKey(readFileSync(path, 'utf8')));
  expect(leaks.sort()).toEqual([join(folder, 'config.json'), join(home, 'key.txt')]);
  expect(readdirSync(folder).some((name) => name.startsWith('names-'))).toBe(true);
});

test.runIf(existsSync('/proc/self/cmdline'))(
  'passes no key as an argument of kith, an editor or a pager',
  async () => {
    const { env: minimalEnv, home: cwd } = await withKeys();
    const env = {
      ...minimalEnv,
      KITH_API_KEY: used,
      EDITOR: 'cat /proc/$PPID/cmdline /proc/$$/cmdline >arguments; false',
    };
    await runInTerminal('kith notes create --organization rl16pk', { env, cwd });
    const requests = readFileSync(join(cwd, 'arguments'), 'utf8');
    expect(requests).toContain('notes\0create');
    expect(hasKey(requests), requests).toBe(false);
  },
);

const line = ['contacts', 'list', '--format', 'ndjson'];

test('names a settings file with a key that other users can read, and the chmod command to run', async () => {
  const { folder } = await withKeys();
  const kith = createMachine(folder);
  const file = join(folder, 'config.json');
  chmodSync(file, 0o644);
  const err = `kith: ${file} contains a key and is readable by other users. Run: chmod 600 ${file}\n`;
  expect(await kith(line)).toEqual({ code: 0, out: '', err });
  expect(await kith([...line, '--quiet'])).toEqual({ code: 0, out: '', err: '' });
  chmodSync(file, 0o600);
  expect(await kith(line)).toEqual({ code: 0, out: '', err: '' });
});

test('accepts a settings file without a key that other users can read', async () => {
  const folder = createTemporaryFolder();
  writeStoredSettings(folder, { defaults: { limit: '9' }, profiles: {} });
  chmodSync(join(folder, 'config.json'), 0o644);
  expect(await createMachine(folder)('config get limit')).toEqual({ code: 0, out: '9\n', err: '' });
});

test('names a key file that other users can read, and the chmod command to run', async () => {
  const { folder, home, url } = await withKeys();
  const file = join(home, 'my key.txt');
  writeFileSync(file, used, { mode: 0o640 });
  const err = `kith: ${file} contains a key and is readable by other users. Run: chmod 600 '${file}'\n`;
  const env = { KITH_API_KEY_FILE: file, KITH_BASE_URL: url };
  expect(await createMachine(folder)(line, { env })).toEqual({ code: 0, out: '', err });
  expect(await createMachine()(line, { env })).toEqual({ code: 0, out: '', err });
});

test('names a settings folder that other users can write to, unless it is sticky like /tmp', async () => {
  const { folder } = await withKeys();
  const settingsFolder = join(createTemporaryFolder(), 'ours');
  mkdirSync(settingsFolder);
  writeFileSync(join(settingsFolder, 'config.json'), readFileSync(join(folder, 'config.json')), {
    mode: 0o600,
  });
  const kith = createMachine(settingsFolder);
  chmodSync(settingsFolder, 0o777);
  const err = `kith: Other users can replace the settings in ${settingsFolder}. Run: chmod go-w ${settingsFolder}\n`;
  expect(await kith(line)).toEqual({ code: 0, out: '', err });
  chmodSync(settingsFolder, 0o1777);
  expect(await kith(line)).toEqual({ code: 0, out: '', err: '' });
});

test('replaces a key that the service returns during a login with [key]', async () => {
  const { url } = await startTestService((_, response) =>
    sendJson(response, 403, { message: `No: ${givenKey}` }),
  );
  const givenKey = 'sk_live_just_given_0123';
  const { code, err } = await createMachine()(`auth login --base-url ${url} --key-stdin`, {
    stdin: `${givenKey}\n`,
  });
  expect([code, err]).toEqual([expect.any(Number), expect.stringContaining('No: [key]')]);
  expect(err).not.toContain(givenKey);
});
