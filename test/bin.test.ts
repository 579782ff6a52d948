import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { version } from '../package.json';
import { serveLocation } from './service/serve.ts';
import {
  createEnv,
  createKey,
  createSignedInHome,
  launcher,
  runKith,
  runProgram,
  runShell,
  startKithServe,
} from './support/binary.ts';
import { createDemoMachine, createMachine, createTemporaryFolder } from './support/kith.ts';
import { countRounds } from './support/rounds.ts';
import { runInTerminal } from './support/terminal.ts';

test.each([[['--version']], [['-V']], [['-v']]])(
  '%s works without a home folder, settings and a network',
  async (args) => {
    expect(await runKith(args, { env: {} })).toEqual({ code: 0, out: `${version}\n`, err: '' });
  },
);

test('version names the commit of the build, Node.js and the platform', async () => {
  const { code, out, err } = await runKith(['version', '--json'], { env: {} });
  expect({ code, err, ...JSON.parse(out) }).toEqual({
    code: 0,
    err: '',
    version,
    commit: existsSync('.git') ? expect.stringMatching(/^[0-9a-f]{12}$/) : null,
    node: process.versions.node,
    platform: process.platform,
    architecture: process.arch,
  });
});

test.each([
  '--help',
  '-h',
  'help',
  'contacts --help',
  'api -h',
  'orgs --help',
  'help all',
  'help meetings',
  'kith --help',
  'help nope',
])('%s prints the help that Commander renders, prerendered or not', async (words) => {
  const laidOut = await createMachine()(words);
  expect(await runKith(words.split(' '), { env: {} })).toEqual(laidOut);
});

test('wraps help to the width of a narrow terminal', async () => {
  const { out } = await runInTerminal('kith --help', {
    env: createEnv(createTemporaryFolder()),
    columns: 72,
  });
  expect(out.split('\n').every((line) => line.trimEnd().length <= 72)).toBe(true);
});

test('offers names for completion in a folder that was removed', async () => {
  const home = createTemporaryFolder();
  createDemoMachine(home);
  const line = `kith lists list -q > /dev/null && mkdir gone && cd gone && rmdir ../gone && kith complete lists --word=sales`;
  expect(await runShell(line, { env: createEnv(home, { KITH_CONFIG_DIR: home }), cwd: home })).toEqual({
    code: 0,
    out: 'Sales pipeline\n',
    err: '',
  });
});

test('signs in to the sample on a fresh machine and finds a contact', async () => {
  const home = createTemporaryFolder();
  const env = createEnv(home);
  const file = join(home, '.local/share/kith/demo.sqlite');
  expect(await runKith(['auth', 'login', '--local', '--demo'], { env })).toEqual({
    code: 0,
    out: `Signed in to the sample workspace as mina@tidewater.example: profile demo, file ${file}\nNext: kith contacts list\n`,
    err: '',
  });
  expect(await runKith(['auth', 'login', '--local', '--demo'], { env })).toEqual({
    code: 0,
    out: `Signed in to the sample workspace (already filled) as mina@tidewater.example: profile demo, file ${file}\nNext: kith contacts list\n`,
    err: '',
  });
  const { out } = await runKith(['contacts', 'find', '--phone', '010-5550-1234'], { env });
  expect(out.split('\n')[1]).toMatch(/^0rlnky\t김지우\t/);
  const settings = join(home, '.config/kith');
  expect(
    [statSync(file), statSync(settings), statSync(join(settings, 'config.json'))].map(
      ({ mode }) => mode & 0o777,
    ),
  ).toEqual([0o600, 0o700, 0o600]);
});

test('prints how to sign in if there is no profile, and writes nothing', async () => {
  const home = createTemporaryFolder();
  const { code, out, err } = await runKith(['contacts', 'list'], { env: createEnv(home) });
  expect({ code, out, files: readdirSync(home) }).toEqual({ code: 4, out: '', files: [] });
  expect(err).toMatch(
    /^kith: You are not signed in to a workspace\.\nhint: .*kith auth login --local --demo/,
  );
});

const sameLines = [
  'contacts list',
  'contacts list --all --json',
  'contacts get 0rlnky',
  'contacts get 0rlnky --json',
  'contacts find --phone 01055501234 --format table',
  'organizations list --all --format csv',
  'lists list --json',
  'entries list "Sales pipeline" --all',
  'entries list "Reseller program" --all --format ndjson',
  'events list --all --json',
  'events list --contact 0rlnky --starts-after 2026-06-01',
  'recordings summary $RECORDING',
  'recordings transcript $RECORDING --timestamps',
  'recordings get $RECORDING --json',
];

test('a database URL with an invalid escape is a usage error that shows no password', async () => {
  const env = { KITH_DATABASE_URL: 'postgres://kith:s3cr%et@db.example.com/kith' };
  expect(await createMachine()('contacts list', { env })).toEqual({
    code: 2,
    out: '',
    err:
      'kith: KITH_DATABASE_URL: not a valid PostgreSQL URL.\n' +
      'hint: Use a URL such as postgres://USER@HOST/DATABASE, with special characters escaped: %40 for @, %2F for /.\n',
  });
});

test('prints the same for a local workspace and for the same one served by another process', async () => {
  const { env, home, database } = createSignedInHome();
  const key = await createKey(database);
  const { url, stop } = await startKithServe(database, env);
  const kith = createMachine(join(home, '.config/kith'));
  const { out } = await kith('events list --limit 1 --jq .[0].recordings[0].id');
  for (const line of sameLines.map((line) => line.replace('$RECORDING', out.trim()))) {
    const localResult = await kith(line);
    expect([line, localResult.code]).toEqual([line, 0]);
    expect(await kith(line, { env: { KITH_BASE_URL: url, KITH_API_KEY: key } })).toEqual(localResult);
  }
  const wrongEnv = { KITH_BASE_URL: url, KITH_API_KEY: 'not-the-key-at-all' };
  expect(await kith('contacts list', { env: wrongEnv })).toEqual({
    code: 4,
    out: '',
    err: 'kith: Invalid API key.\nhint: See kith auth status, then kith auth login.\n',
  });
  expect(await stop()).toBe(0);
});

test('auth login checks the key with the service, stores it, and never prints it', async () => {
  const { database } = createSignedInHome();
  const key = await createKey(database);
  const { url } = await serveLocation(database, key);
  const home = createTemporaryFolder();
  const kith = createMachine(join(home, '.config/kith'));
  const other = createEnv(home);
  const loginArgs = ['auth', 'login', '--base-url', url, '--key-stdin'];
  const refused = await runKith(loginArgs, { env: other, stdin: 'kith_wrong-key-1234\n' });
  expect({ code: refused.code, files: readdirSync(home) }).toEqual({ code: 4, files: [] });
  const loginResult = await runKith(loginArgs, { env: other, stdin: `${key}\n` });
  const status = await kith('auth status --json');
  expect(JSON.parse(status.out)).toMatchObject({ base_url: url, key: `…${key.slice(-4)}`, works: true });
  const listResult = await runKith(['contacts', 'list', '--limit', '1', '--debug'], { env: other });
  const otherResult = await kith('contacts list --base-url https://other.example');
  expect([loginResult, status, listResult, otherResult].map(({ code }) => code)).toEqual([0, 0, 0, 4]);
  const output = JSON.stringify([refused, loginResult, status, listResult, otherResult]);
  expect([output.includes(key), output.includes('kith_wrong-key-1234')]).toEqual([false, false]);
});

test('prints a table with colors in a terminal', async () => {
  const { env } = createSignedInHome();
  const { out } = await runInTerminal('kith contacts list --limit 2', { env });
  expect(out).toContain('\u001b[1mNAME\u001b[22m ');
  expect(out).toContain('김지우');
});

test('the demo exports 36 summaries, also on a second run', async () => {
  const cwd = createTemporaryFolder();
  const env = createEnv(join(cwd, 'home'));
  mkdirSync(join(cwd, 'home'));
  const counts = ['36 new, 0 updated, 0 unchanged', '0 new, 0 updated, 36 unchanged'];
  for (const round of countRounds(1, 2)) {
    const { code, out, err } = await runProgram(process.execPath, [join(launcher, '../demo.js')], {
      env,
      cwd,
    });
    expect({ code, err }).toEqual({
      code: 0,
      err: expect.stringMatching(/^(kith: Building the search index.*\n)?$/),
    });
    expect(out).toContain(counts[round]);
    expect(out).toContain('36 meeting summaries are in kith-demo/');
    const files = readdirSync(join(cwd, 'kith-demo')).filter((name) => !name.startsWith('.'));
    expect(files.filter((name) => name.endsWith('.md'))).toHaveLength(36);
    expect(readFileSync(join(cwd, 'kith-demo/report.html'), 'utf8')).toContain('</html>');
    const [, expected = ''] = /cat "(.*)"/.exec(out) ?? [];
    expect(readFileSync(join(cwd, expected), 'utf8')).toMatch(/^---\nid: "\w+"\ntitle: "/);
  }
  expect(existsSync(join(cwd, 'home/.config'))).toBe(false);
});
