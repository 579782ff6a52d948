import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { startTestService } from '../client/loopback.ts';
import { createSignedInHome, launcher } from '../support/binary.ts';
import { runInTerminal, withExitCode } from '../support/terminal.ts';
import { endDeadline, retrySlowRun } from './signals.ts';

/** Returns a command that writes its process id to a file. */
const numbered = (args: string) =>
  `bash -c 'echo $$ >number; exec "${process.execPath}" "${launcher}" ${args}'`;

const terminated = (cwd: string) =>
  process.kill(Number(readFileSync(join(cwd, 'number'), 'utf8')), 'SIGTERM');

const showsCursor = '\u001b[?25h';
const hidesCursor = '\u001b[?25l';

/** Returns the text after the last erased line. */
const plain = (out: string) =>
  stripVTControlCharacters(out.split('\u001b[0K').at(-1) ?? '').replaceAll('\r', '');

interface Place {
  readonly args: string;
  /** What is shown then. */
  readonly shown: string;
  readonly env?: Readonly<Record<string, string>>;
}

// The pager or editor takes a while to end, and its shell prints nothing.
const leaves = 'trap "sleep 0.1; echo >left; exit" TERM; echo open';
const waits = 'while :; do sleep 0.02; done 2>/dev/null';
const pager = `${leaves}; cat >/dev/null; ${waits}`;
const editor = `sh -c '${leaves}; ${waits}'`;

const places: Readonly<Record<string, Place>> = {
  'a question': { args: 'contacts delete 0rlnky', shown: 'Delete' },
  'the question for a key': { args: 'auth login --base-url http://127.0.0.1:9', shown: 'API key' },
  'a spinner': { args: 'events export --out meetings', shown: hidesCursor },
  'the pager': { args: 'contacts list -q', shown: 'open', env: { PAGER: pager } },
  'the editor': {
    args: 'notes create --organization 0rlnky',
    shown: 'open',
    env: { EDITOR: editor },
  },
};

test.each(Object.entries(places))(
  'restores the terminal after SIGTERM and exits with 143: at %s',
  async (name, place) => {
    const { out, milliseconds, left } = await retrySlowRun(async () => {
      const { env, home: cwd } = createSignedInHome({ ...place.env, NO_COLOR: '1' });
      const { url } = await startTestService(() => {});
      const hosted = name === 'a spinner' ? { KITH_BASE_URL: url, KITH_API_KEY: 'key-for-tests' } : {};
      let sent = 0;
      const { out } = await runInTerminal(withExitCode(numbered(place.args)), {
        env: { ...env, ...hosted },
        cwd,
        rows: 12,
        reactions: [
          [
            place.shown,
            () => {
              sent = performance.now();
              terminated(cwd);
            },
          ],
        ],
      });
      const milliseconds = performance.now() - sent;
      const left = existsSync(join(cwd, 'left'));
      // A busy machine may end before the shell of a pager or an editor receives the signal.
      return { out, milliseconds: left === 'env' in place ? milliseconds : Number.POSITIVE_INFINITY, left };
    });
    expect(milliseconds).toBeLessThan(endDeadline);
    expect(plain(out)).toMatch(/(^|\n)kith: Terminated\.\n(hint: .*\n)?code 143\n$/);
    expect(out.lastIndexOf(showsCursor)).toBeGreaterThanOrEqual(out.lastIndexOf(hidesCursor));
    expect(left).toBe('env' in place);
  },
);

test('exits with 143 after SIGTERM and names the file that contains the text if the editor keeps running', async () => {
  const stays = `sh -c 'trap "" TERM; echo text >"$1"; echo open; exec sleep 3' sh`;
  const { milliseconds, code, text } = await retrySlowRun(async () => {
    const { env, home: cwd } = createSignedInHome({ EDITOR: stays, NO_COLOR: '1' });
    let sent = 0;
    const send = () => {
      sent = performance.now();
      terminated(cwd);
    };
    const { out } = await runInTerminal(withExitCode(numbered('notes create --organization rl16pk')), {
      env,
      cwd,
      reactions: [['open', send]],
    });
    const [, path = '', code] =
      /^hint: Your text is saved in (.*)\. Use .*\ncode (.*)$/m.exec(plain(out)) ?? [];
    return {
      milliseconds: performance.now() - sent,
      code,
      text: existsSync(path) && readFileSync(path, 'utf8'),
    };
  });
  expect({ code, text }).toEqual({ code: '143', text: 'text\n' });
  expect(milliseconds).toBeLessThan(endDeadline);
});
