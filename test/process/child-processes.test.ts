import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Failure } from '../../src/contract/errors.ts';
import { createPrograms } from '../../src/process/child-processes.ts';
import { createTemporaryFolder } from '../support/kith.ts';

/** Runs a shell command unattended. Returns its exit code and output. */
async function runCommand(
  line: string,
  more: {
    signal?: AbortSignal;
    stdout?: () => Promise<void>;
    stdin?: string;
    encoding?: 'latin1';
  } = {},
) {
  const output = { out: '', err: '' };
  const folder = createTemporaryFolder();
  const exit = await createPrograms({ SECRET: 'not theirs' }, new Set()).runUnattended({
    ...more,
    command: ['/bin/sh', '-c', line],
    env: { HOME: folder, PATH: '/usr/bin:/bin' },
    folder,
    stdout: async (text) => {
      output.out += text;
      await more.stdout?.();
    },
    stderr: async (text) => {
      output.err += text;
    },
    signal: more.signal ?? new AbortController().signal,
  });
  return { exit, out: output.out.replaceAll(folder, 'HOME'), err: output.err };
}

test.each([
  ['exit 0', 0, '', ''],
  ['echo 회의; echo b >&2; exit 6', 6, '회의\n', 'b\n'],
  ['kill -TERM $$', 143, '', ''],
  ['kill -KILL $$', 137, '', ''],
  ['cat', 0, '', ''],
  ['cd "$HOME"; pwd', 0, 'HOME\n', ''],
  ['env | grep -v "^_=\\|^PWD=" | sort', 0, 'HOME=HOME\nPATH=/usr/bin:/bin\n', ''],
  ['[ -t 0 ] || [ -t 1 ] || [ -t 2 ] || echo none', 0, 'none\n', ''],
])('the command %s exits unattended with %i', async (line, exit, out, err) => {
  expect(await runCommand(line)).toEqual({ exit, out, err });
});

test.skipIf(process.platform !== 'linux')(
  'runs a command in its own session, without a terminal',
  async () => {
    // The fields after the name: state, parent, group, session, terminal.
    const { out } = await runCommand('echo $$; sed "s/.*) //" /proc/$$/stat | cut -d" " -f 4,5');
    const [pid] = out.split('\n');
    expect(out).toBe(`${pid}\n${pid} 0\n`);
  },
);

test('ends a running command if the program receives a signal', async () => {
  const controller = new AbortController();
  const commandRun = runCommand('trap "echo ended; exit 9" TERM; echo begun; while :; do sleep 0.05; done', {
    signal: controller.signal,
    stdout: async () => controller.abort(),
  });
  // The shell may report that `sleep` has ended too.
  expect(await commandRun).toEqual({ exit: 9, out: 'begun\nended\n', err: expect.any(String) });
});

test('ends the programs that a command has started if the program receives a signal', async () => {
  const controller = new AbortController();
  const start = performance.now();
  const { exit } = await runCommand('echo begun; sleep 30 & exit 3', {
    signal: controller.signal,
    stdout: async () => void setTimeout(() => controller.abort(), 100),
  });
  expect([exit, performance.now() - start < 10_000]).toEqual([3, true]);
});

test('passes the bytes of stdin and stdout unchanged', async () => {
  const bytes = String.fromCharCode(...Array.from({ length: 256 }, (_, byte) => byte));
  expect(await runCommand('cat', { stdin: bytes, encoding: 'latin1' })).toEqual({
    exit: 0,
    out: bytes,
    err: '',
  });
  expect(await runCommand('true', { stdin: 'x'.repeat(1_000_000) })).toEqual({ exit: 0, out: '', err: '' });
});

test('starts no command after the program received a signal', async () => {
  const signal = AbortSignal.abort(new Failure('interrupted', 'Interrupted.'));
  await expect(runCommand('echo begun', { signal })).rejects.toThrow('Interrupted.');
});

test('kills a command that ignores SIGTERM', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const stop = new AbortController();
  const stdout = async () => {
    stop.abort();
    vi.advanceTimersByTime(5000);
  };
  const line = "trap '' TERM; echo ready; exec sleep 20";
  expect(await runCommand(line, { signal: stop.signal, stdout })).toMatchObject({ exit: 137 });
});

test('ends a command if its output is no longer read', async () => {
  const stdout = async () => {
    throw new Error('closed');
  };
  let pid = '';
  const folder = createTemporaryFolder();
  const commandRun = createPrograms({}, new Set()).runUnattended({
    command: ['/bin/sh', '-c', 'echo $$ >&2; sleep 0.1; echo x; exec sleep 30'],
    env: { PATH: '/usr/bin:/bin' },
    folder,
    stdout,
    stderr: async (text) => {
      pid = text.trim();
    },
    signal: new AbortController().signal,
  });
  await expect(commandRun).rejects.toThrow('closed');
  await expect
    .poll(async () => {
      await wait(20);
      return isRunning(Number(pid));
    })
    .toBe(false);
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
