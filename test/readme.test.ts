import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { keyFor, kithJs, serving, signedIn } from './support/binary.ts';
import { exampleFiles } from './support/example-files.ts';
import { machine, sampleWorkspace } from './support/kith.ts';
import { inTerminal } from './support/terminal.ts';

const blocks = Array.from(
  readFileSync('README.md', 'utf8').matchAll(/^```sh\n(.*?)^```$/gms),
  ([, block = '']) => block,
);

/** The two commands: .ci/run types them on a fresh clone. */
const twoCommands = blocks.filter((block) => block.startsWith('npm '));

/** Lines that need what a machine with the tests may not have; each is run elsewhere, or says what it needs. */
const elsewhere: Readonly<Record<string, string>> = {
  '--keychain': 'test/reliability/keychain.test.ts runs it, where there is a keychain',
  'kith completion powershell': 'test/build/completions/command.test.ts looks at what it prints',
};

test('the two commands are those that .ci/run types', () => {
  const steps = readFileSync('.ci/run', 'utf8');
  expect(twoCommands).toEqual(['npm ci && npm run demo\n', 'npm ci && npm test\n']);
  for (const part of ['npm ci', 'npm test', 'npm run --silent demo']) expect(steps).toContain(part);
});

/** A port that nobody listens on now, below those that a system gives to who asks for any, as all other tests do. */
async function freePort(): Promise<string> {
  const port = 10_000 + Math.floor(Math.random() * 20_000);
  const server = createServer().listen(port, '127.0.0.1');
  const isFree = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  server.close();
  return isFree ? String(port) : freePort();
}

/** A machine on which `kith` is installed, signed in to the sample; the files of the examples are in the folder one is in. */
async function place() {
  const { env, home: cwd, database } = signedIn({ PAGER: 'cat', EDITOR: 'true' });
  const files = {
    ...exampleFiles,
    'companies.csv': 'name,Web site,Notes,Rooms\nAnalytical,analytical.example,,3\n',
    'key.txt': await keyFor(database),
    'bin/kith': `#!/bin/sh\nexec "${process.execPath}" "${kithJs}" "$@"\n`,
  };
  for (const folder of ['bin', '.config/fish/completions', '.local/share/kith', 'zsh']) {
    mkdirSync(join(cwd, folder), { recursive: true });
  }
  sampleWorkspace(join(cwd, '.local/share/kith')); // to fill it anew takes a second
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  chmodSync(join(cwd, 'bin/kith'), 0o755);
  const kith = machine(join(cwd, '.config/kith'));
  const id = async (line: string, path: string) => (await kith(`${line} -q --jq ${path}`)).out.trim();
  /** What stands in the README for what a reader has, and finds out. */
  const words: Readonly<Record<string, () => string | Promise<string>>> = {
    'https://crm.example.com': async () => (await serving(database, env)).url,
    '${fpath[1]}': () => join(cwd, 'zsh'),
    RECORDING: () => id('events grep "cold room" --max 1', '.[0].recording_id'),
    EVENT: () => id('events list --limit 1', '.[0].id'),
    '4717': freePort,
  };
  const filled = async (block: string) => {
    const lines = block
      .split('\n')
      .filter((line) => !Object.keys(elsewhere).some((part) => line.includes(part)));
    let text = lines.join('\n');
    for (const [word, found] of Object.entries(words)) {
      if (text.includes(word)) text = text.replaceAll(word, await found());
    }
    return text;
  };
  const PATH = [join(cwd, 'bin'), process.env.PATH].join(delimiter);
  return { env: { ...env, PATH }, cwd, kith, key: files['key.txt'], filled };
}

const others = blocks.filter((block) => !twoCommands.includes(block));

test.each(others.map((block, index) => [index + 1, block.split('\n')[0] ?? '', block] as const))(
  'block %i runs as it stands: %s',
  async (_, __, block) => {
    const { env, cwd, kith, key, filled } = await place();
    if (block.includes('--out meetings --format'))
      await kith(['events', 'export', '--out', join(cwd, 'meetings'), '--transcript']);
    writeFileSync(join(cwd, 'block.sh'), `set -eo pipefail\n${await filled(block)}`);
    const { out } = await inTerminal('unset -f kith; bash block.sh; echo "code $?"', {
      env,
      cwd,
      person: [block.includes('auth login') ? ['API key', `${key}\r`] : ['Delete', 'y\r']],
    });
    expect(out).toMatch(/^code 0\r$/m);
  },
);
