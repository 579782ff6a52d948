import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { startTestService } from '../client/loopback.ts';
import { createSignedInHome, launcher } from '../support/binary.ts';
import { runInTerminal, withExitCode } from '../support/terminal.ts';
import { endDeadline, retrySlowRun } from './signals.ts';

/** Returns a command that writes its process id to a file. */
const formatNumberedProgram = (args: string) =>
  `bash -c 'echo $$ >number; exec "${process.execPath}" "${launcher}" ${args}'`;

const createTerminator = (cwd: string) =>
  process.kill(Number(readFileSync(join(cwd, 'number'), 'utf8')), 'SIGTERM');

const showsCursor = '\u001b[?25h';
const hidesCursor = '\u001b[?25l';

/** Returns the text after the last erased line. */
const toPlainText = (out: string) =>
  stripVTControlCharacters(out.split('\u001b[0K').at(-1) ?? '').replaceAll('\r', '');

interface RestoreCase {
  readonly args: string;
  /** The expected prompt. */
  readonly prompt: string;
  readonly env?: Readonly<Record<string, string>>;
}

// The pager or editor takes a while to end, and its shell prints nothing.
const leavingScript = 'trap "sleep 0.1; echo >left; exit" TERM; echo open';
const waitingLoop = 'while :; do sleep 0.02; done 2>/dev/null';
const pager = `${leavingScript}; cat >/dev/null; ${waitingLoop}`;
const editor = `sh -c '${leavingScript}; ${waitingLoop}'`;

const restoreCases: Readonly<Record<string, RestoreCase>> = {
  'a question': { args: 'contacts delete 0rlnky', prompt: 'Delete' },
  'a picker': { args: 'contacts get', prompt: 'Which contact?' },
  'the question for a key': { args: 'auth login --base-url http://127.0.0.1:9', prompt: 'API key' },
  'a spinner': { args: 'events export --out meetings', prompt: 'Loading meetings' },
  'the pager': { args: 'contacts list -q', prompt: 'open', env: { PAGER: pager } },
  'the editor': {
    args: 'notes create --organization rl16pk',
    prompt: 'open',
    env: { EDITOR: editor },
  },
};

test.each(Object.entries(restoreCases))(
  'restores the terminal after SIGTERM and exits with 143: at %s',
  async (name, restoreCase) => {
    const { out, milliseconds, hasLeft } = await retrySlowRun(async () => {
      const { env, home: cwd } = createSignedInHome({ ...restoreCase.env, NO_COLOR: '1' });
      const { url } = await startTestService(() => {});
      const hostedEnv = name === 'a spinner' ? { KITH_BASE_URL: url, KITH_API_KEY: 'key-for-tests' } : {};
      let sentAt = 0;
      const { out } = await runInTerminal(withExitCode(formatNumberedProgram(restoreCase.args)), {
        env: { ...env, ...hostedEnv },
        cwd,
        rows: 12,
        reactions: [
          [
            restoreCase.prompt,
            () => {
              sentAt = performance.now();
              createTerminator(cwd);
            },
          ],
        ],
      });
      const milliseconds = performance.now() - sentAt;
      const hasLeft = existsSync(join(cwd, 'left'));
      // A busy machine may end before the shell of a pager or an editor receives the signal.
      return {
        out,
        milliseconds: hasLeft === 'env' in restoreCase ? milliseconds : Number.POSITIVE_INFINITY,
        hasLeft,
      };
    });
    expect(milliseconds).toBeLessThan(endDeadline);
    expect(toPlainText(out)).toMatch(/(^|\n)kith: Terminated\.\n(hint: .*\n)?code 143\n$/);
    expect(out.lastIndexOf(showsCursor)).toBeGreaterThanOrEqual(out.lastIndexOf(hidesCursor));
    expect(hasLeft).toBe('env' in restoreCase);
  },
);

test('exits with 143 after SIGTERM and names the file that contains the text if the editor keeps running', async () => {
  const stayingEditor = `sh -c 'trap "" TERM; echo text >"$1"; echo open; exec sleep 3' sh`;
  const { milliseconds, code, text } = await retrySlowRun(async () => {
    const { env, home: cwd } = createSignedInHome({ EDITOR: stayingEditor, NO_COLOR: '1' });
    let sentAt = 0;
    const sendSignal = () => {
      sentAt = performance.now();
      createTerminator(cwd);
    };
    const { out } = await runInTerminal(
      withExitCode(formatNumberedProgram('notes create --organization rl16pk')),
      {
        env,
        cwd,
        columns: 400, // the hint has two long paths
        reactions: [['open', sendSignal]],
      },
    );
    const [, path = '', code] =
      /^hint: Your text is saved in (.*)\. Use .*\ncode (.*)$/m.exec(toPlainText(out)) ?? [];
    return {
      milliseconds: performance.now() - sentAt,
      code,
      text: existsSync(path) && readFileSync(path, 'utf8'),
    };
  });
  expect({ code, text }).toEqual({ code: '143', text: 'text\n' });
  expect(milliseconds).toBeLessThan(endDeadline);
});
