import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { startTestService } from '../client/loopback.ts';
import { createSignedInHome, launcher, runProgram, runShell } from '../support/binary.ts';
import { createTemporaryFolder } from '../support/kith.ts';

const diskFullResult = { out: '1', err: 'kith: Cannot write: no space left on the disk.\n' };

test.each<[string, string, { out: string; err?: string }]>([
  [
    'keeps the exit code of an error if the reader closes stderr',
    'kith contacts get nope 2> >(true)',
    { out: '3' },
  ],
  [
    'exits with 0 if the reader closes stderr under --debug',
    'kith contacts list -q --debug 2> >(true) >file',
    { out: '0' },
  ],
  [
    'exits with 0 and prints nothing if the reader closes both streams',
    'kith contacts list --all --debug 2>&1 | true',
    { out: '0' },
  ],
  [
    'exits with 0 and prints nothing if the reader closes the output of --jq',
    "kith contacts list --all --jq '.[]' | true",
    { out: '0' },
  ],
  [
    'exits with 0 and prints nothing if the reader closes the NDJSON output of --jq',
    'kith contacts list --all --format ndjson --jq . | true',
    { out: '0' },
  ],
  [
    'exits with 0 and completes an export if the reader closes stdout',
    'kith events export --out meetings -q | true',
    { out: '0' },
  ],
  ['exits with 0 if --version has no stdout from the start', 'kith --version >&-', { out: '0' }],
  ['exits with 0 if --help has no stderr from the start', 'kith --help 2>&- | true', { out: '0' }],
  ['exits with 0 if stdout is closed from the start', "kith contacts list -q --jq '.[]' >&-", { out: '0' }],
  [
    'exits with 0 if stderr is closed from the start, even with --debug',
    'kith contacts list --debug 2>&- >file',
    { out: '0' },
  ],
  [
    'exits with 2 after an invalid flag even if stderr is closed from the start',
    'kith contacts list --nope 2>&-',
    { out: '2' },
  ],
  [
    'keeps the exit code of an error if both streams are closed from the start',
    'kith contacts get nope >&- 2>&-',
    { out: '3' },
  ],
  [
    'exits with 0 if stderr goes to a full disk',
    'kith contacts list --debug 2>/dev/full >file',
    { out: '0' },
  ],
  [
    'exits with 1 and reports it in one line if stdout goes to a full disk',
    'kith contacts list --format ndjson >/dev/full',
    diskFullResult,
  ],
  ['exits with 1 and reports it if --help goes to a full disk', 'kith --help >/dev/full', diskFullResult],
  [
    'exits with 1 and reports it if a record goes to a full disk',
    'kith contacts get 0rlnky >/dev/full',
    diskFullResult,
  ],
  [
    'exits with 1 and reports it in one line if the output of --jq goes to a full disk',
    "kith contacts list --jq '.[]' >/dev/full",
    diskFullResult,
  ],
  [
    'exits with 1 and says that the write was carried out if stdout goes to a full disk',
    'kith contacts create --first-name Ada >/dev/full',
    { out: '1', err: `kith: Cannot write: no space left on the disk. The command itself has completed.\n` },
  ],
  [
    'does not claim a write after a read with kith api if stdout goes to a full disk (exit code 1)',
    'kith api /v1/contacts >/dev/full',
    diskFullResult,
  ],
  [
    'exits with 6 after a partly completed write even if the reader closes stdout',
    'kith contacts delete 0rlnky nobody --yes | true',
    { out: '6', err: expect.stringContaining('nobody') },
  ],
  [
    'exits with 1 if both streams go to a full disk',
    'kith contacts list >/dev/full 2>/dev/full',
    { out: '1' },
  ],
  [
    'exits with 1 if the disk has room for half of the output',
    'head -c 1022 /dev/zero >file; ulimit -f 1; kith --version >>file',
    diskFullResult,
  ],
  [
    'exits with 1 if the output of --version goes to a full disk',
    'kith --version >/dev/full 2>/dev/full',
    { out: '1' },
  ],
])('%s', async (_, line, { out, err = '' }) => {
  const { env, home: cwd } = createSignedInHome();
  const { out: code, err: message } = await runShell(`${line}; echo "\${PIPESTATUS[0]}"`, { env, cwd });
  expect({ code: code.trim(), err: message }).toEqual({ code: out, err });
});

test('exits with 143 after SIGTERM while another program fills the pipe', async () => {
  const { env, home: cwd } = createSignedInHome();
  const kith = `timeout --preserve-status -s TERM 1.5 "${process.execPath}" "${launcher}"`;
  const line = `{ head -c 65536 /dev/zero; ${kith} contacts list -q --limit 1; echo $? >code; } | until [ -s code ]; do sleep 0.05; done; cat code`;
  // On a busy machine, kith may be killed before it prints the message.
  const err = expect.stringMatching(/^(kith: Terminated\.\n)?$/);
  expect(await runShell(line, { env, cwd })).toEqual({ code: 0, out: '143\n', err });
});

const key = 'kith_key-for-crashes';
const boom = `new Error('boom \\u001b[31m of ${key}')`;

const crashes = {
  'an uncaught exception': `throw ${boom}`,
  'an unhandled rejection': `Promise.reject(${boom})`,
};

/** Runs a command that crashes while it waits for a service that never responds. */
async function runAndCrash(command: string, ...flags: string[]) {
  const requestFile = join(createTemporaryFolder(), 'asked');
  const { url } = await startTestService(() => writeFileSync(requestFile, ''));
  const { env, home } = createSignedInHome({ KITH_BASE_URL: url, KITH_API_KEY: key });
  const preload = join(home, 'preload.cjs');
  writeFileSync(
    preload,
    `const look = () => {
       if (!require('node:fs').existsSync(${JSON.stringify(requestFile)})) return setTimeout(look, 5).unref();
       ${command};
     };
     look();`,
  );
  const args = ['--require', preload, launcher, 'contacts', 'list', ...flags];
  return runProgram(process.execPath, args, { env });
}

const line = 'kith: Unexpected error: boom \\x1b[31m of [key]\n';

test.each(Object.entries(crashes))(
  'prints one line without keys after an uncaught exception or rejection (exit code 1): %s',
  async (_, command) => {
    const { code, out, err } = await runAndCrash(command);
    expect({ code, out, err }).toEqual({
      code: 1,
      out: '',
      err: `${line}hint: Run the command with --debug to see where it happened.\n`,
    });
  },
);

test('shows the stack trace of a crash, without keys, with --debug', async () => {
  const { code, err } = await runAndCrash(crashes['an uncaught exception'], '--debug');
  expect(code).toBe(1);
  expect(err).toContain(line);
  expect(err).toMatch(/^ {4}at .*preload\.cjs/m);
  expect(err).not.toContain(key);
});

test('prints a crash as a JSON object, without keys, with --json', async () => {
  const { code, err } = await runAndCrash(crashes['an unhandled rejection'], '--json');
  expect({ code, ...JSON.parse(err) }).toEqual({
    code: 1,
    error: {
      code: 'failed',
      message: 'Unexpected error: boom \u001b[31m of [key]',
      details: [],
      exit_code: 1,
      hint: 'Run the command with --debug to see where it happened.',
      retryable: false,
    },
  });
});

test('suggests reinstalling if a file of the program is missing (exit code 1)', async () => {
  const folder = createTemporaryFolder();
  mkdirSync(join(folder, 'bin'));
  cpSync(dirname(launcher), join(folder, 'bin'), { recursive: true });
  cpSync(join(dirname(launcher), '../dist'), join(folder, 'dist'), { recursive: true });
  symlinkSync(join(dirname(launcher), '../package.json'), join(folder, 'package.json'));
  const program = readdirSync(join(folder, 'dist')).filter((name) => name.startsWith('program-'));
  for (const name of program) rmSync(join(folder, 'dist', name));
  const end = await runProgram(process.execPath, [join(folder, 'bin/kith.js'), 'contacts', 'list'], {
    env: createSignedInHome().env,
  });
  expect({ ...end, err: end.err.split('\n') }).toEqual({
    code: 1,
    out: '',
    err: [expect.stringMatching(/^kith: Unexpected error: Cannot find module/), 'hint: Reinstall kith.', ''],
  });
});
