import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { createSignedInHome, runKith } from '../support/binary.ts';
import { splitWords } from '../support/kith.ts';

/** Creates a home folder in which a file of kith is a pipe without a writer. */
function createNamedPipe(name: string) {
  const { home, env } = createSignedInHome();
  const path = join(home, name);
  mkdirSync(dirname(path), { recursive: true });
  execFileSync('rm', ['-f', path]);
  execFileSync('mkfifo', ['-m', '600', path]);
  const run = (line: string) =>
    runKith(splitWords(line), {
      env,
      cwd: home,
      onStart: (child) => setTimeout(() => child.kill('SIGKILL'), 20_000).unref(),
      stdin: '',
    });
  return { home, path, run };
}

const settings = '.config/kith/config.json';
const reason = 'it is a pipe or a device, not a file';

test.each([
  ['contacts list', settings, 'Cannot read', 'config.json'],
  ['config set limit 9', `${settings}.lock`, 'Cannot read', 'config.json.lock'],
  ['events export --out meetings', 'meetings/.kith-export.jsonl', 'Cannot read', '.kith-export.jsonl'],
  ['events export --out meetings', 'meetings/.kith-export.lock', 'Cannot read', '.kith-export.lock'],
])(
  'names the pipe to move away instead of waiting if a pipe is in place of a file: kith %s with %s',
  async (line, name, description, last) => {
    const { path, run } = createNamedPipe(name);
    expect(await run(line)).toEqual({
      code: 1,
      out: '',
      err: `kith: ${description} ${join(dirname(path), last)}: ${reason}.\nhint: Move ${path} away: kith needs a file at this path.\n`,
    });
  },
);

test('reports a pipe in place of an export ledger and writes nothing', async () => {
  const { run } = createNamedPipe('meetings/.kith-export.jsonl');
  const ledger = 'meetings/.kith-export.jsonl';
  expect(await run('events export status meetings')).toEqual({
    code: 1,
    out: '',
    err: `kith: Cannot read ${ledger}: ${reason}.\nhint: Move ${ledger} away: kith needs a file at this path.\n`,
  });
});

test('reports a pipe in place of the workspace file', async () => {
  const { path, run } = createNamedPipe('demo.sqlite');
  const hint = 'hint: Use another file: kith auth login --local --database FILE\n';
  expect(await run('contacts list')).toEqual({
    code: 1,
    out: '',
    err: `kith: Cannot use the workspace file ${path}: ${reason}.\n${hint}`,
  });
});

test('reports a pipe in place of the settings file in kith doctor', async () => {
  const { path, run } = createNamedPipe(settings);
  const { code, out } = await run('doctor --json');
  expect([code, JSON.parse(out)]).toEqual([
    1,
    expect.arrayContaining([
      {
        check: 'config file',
        state: 'error',
        found: `Cannot read ${path}: ${reason}.`,
        advice: `Move ${path} away: kith needs a file at this path.`,
      },
    ]),
  ]);
});

test('reports a pipe in place of a project file', async () => {
  const { path, run } = createNamedPipe('.kith.json');
  expect(await run('contacts list')).toEqual({
    code: 2,
    out: '',
    err: `kith: Cannot use ${path}: it is not a file.\n`,
  });
});

test('works without the name cache if a pipe is in its place', async () => {
  const { env: shared, home } = createSignedInHome();
  const env = { ...shared, XDG_CACHE_HOME: join(home, '.cache') };
  const run = (line: string) => runKith(splitWords(line), { env });
  await run('lists list -q');
  const folder = join(home, '.cache/kith');
  const cache = join(folder, readdirSync(folder).find((name) => name.startsWith('names-')) ?? '');
  execFileSync('rm', [cache]);
  execFileSync('mkfifo', ['-m', '600', cache]);
  expect(await run('lists list --quiet --limit 1')).toMatchObject({ code: 0, err: '' });
  expect(await run('complete lists')).toMatchObject({ code: 0, err: '' });
});
