import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { startTestService } from '../client/loopback.ts';
import { createSignedInHome, launcher, runProgram } from '../support/binary.ts';
import { createTemporaryFolder } from '../support/kith.ts';

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
    error: { code: 'failed', message: 'Unexpected error: boom \u001b[31m of [key]', details: [] },
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
