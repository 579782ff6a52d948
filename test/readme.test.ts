import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { binary, keyFor, kithJs, serving, signedIn } from './binary.ts';
import { exampleFiles } from './example-files.ts';
import { inTerminal } from './terminal.ts';

const blocks = Array.from(
  readFileSync('README.md', 'utf8').matchAll(/^```sh\n(.*?)^```$/gms),
  ([, block = '']) => block,
);

/** The two commands: .ci/run types them on a fresh clone. */
const twoCommands = blocks.filter((block) => block.startsWith('npm '));

/** Lines that need what a machine with the tests may not have; each is run elsewhere, or says what it needs. */
const elsewhere: Readonly<Record<string, string>> = {
  '--keychain': 'test/survives/keychain.test.ts runs it, where there is a keychain',
  'kith completion powershell': 'test/completions/command.test.ts looks at what it prints',
};

test('the two commands are those that .ci/run types', () => {
  const steps = readFileSync('.ci/run', 'utf8');
  expect(twoCommands).toEqual(['npm ci && npm run demo\n', 'npm ci && npm test\n']);
  for (const part of ['npm ci', 'npm test', 'npm run --silent demo']) expect(steps).toContain(part);
});

/** A machine on which `kith` is installed, signed in to the sample; the files of the examples are in the folder one is in. */
async function place() {
  const { env, home: cwd, database } = signedIn({ PAGER: 'cat', EDITOR: 'true' });
  const files = {
    ...exampleFiles,
    'companies.csv': 'name,Web site,Notes,Rooms\nAnalytical,analytical.example,,3\n',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  for (const folder of ['bin', '.config/fish/completions', 'zsh'])
    mkdirSync(join(cwd, folder), { recursive: true });
  writeFileSync(join(cwd, 'bin/kith'), `#!/bin/sh\nexec "${process.execPath}" "${kithJs}" "$@"\n`);
  chmodSync(join(cwd, 'bin/kith'), 0o755);
  const key = await keyFor(database);
  writeFileSync(join(cwd, 'key.txt'), key);
  const { url } = await serving(database, env);
  const id = async (...args: string[]) => (await binary([...args, '-q'], { env })).out.trim();
  const [event, recording] = [
    await id('events', 'list', '--limit', '1', '--jq', '.[0].id'),
    await id('events', 'grep', 'cold room', '--max', '1', '--jq', '.[0].recording_id'),
  ];
  const filled = (block: string) =>
    block
      .split('\n')
      .filter((line) => !Object.keys(elsewhere).some((part) => line.includes(part)))
      .join('\n')
      .replaceAll('https://crm.example.com', url)
      .replaceAll(/\$\{fpath\[1\]\}/g, join(cwd, 'zsh'))
      .replaceAll('RECORDING', recording)
      .replaceAll('EVENT', event)
      .replaceAll('4717', `${20_000 + (process.pid % 40_000)}`);
  const PATH = [join(cwd, 'bin'), process.env.PATH].join(delimiter);
  return { env: { ...env, PATH }, cwd, key, filled };
}

const others = blocks.filter((block) => !twoCommands.includes(block));

test.each(others.map((block, index) => [index + 1, block.split('\n')[0] ?? '', block] as const))(
  'block %i runs as it stands: %s',
  async (_, __, block) => {
    const { env, cwd, key, filled } = await place();
    if (block.includes('--out meetings --format'))
      await binary(['events', 'export', '--out', 'meetings', '--transcript'], { env, cwd });
    writeFileSync(join(cwd, 'block.sh'), `set -eo pipefail\n${filled(block)}`);
    const { out } = await inTerminal('unset -f kith; bash block.sh; echo "code $?"', {
      env,
      cwd,
      person: [block.includes('auth login') ? ['API key', `${key}\r`] : ['?', 'y']],
    });
    expect(out).toMatch(/code 0\r\n$/);
  },
);
