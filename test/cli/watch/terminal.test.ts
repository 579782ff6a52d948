import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createSignedInHome, launcher, runShell } from '../../support/binary.ts';
import { ctrlC, runInTerminal, withExitCode } from '../../support/terminal.ts';

const watch = 'kith notes list --watch 1 --sort -created_at --fields id,body';

/** Creates a note in another process. */
function createNote(env: NodeJS.ProcessEnv, body: string): void {
  const words = [launcher, 'notes', 'create', '--organization', 'rl16pk', '--body', body];
  const child = spawn(process.execPath, words, { env, stdio: 'ignore' });
  onTestFinished(() => void child.kill());
}

test('shows a change, and Ctrl-C leaves the last output and the terminal as they were', async () => {
  const { env } = createSignedInHome({ NO_COLOR: '1' });
  const { out } = await runInTerminal(withExitCode(watch), {
    env,
    rows: 12,
    reactions: [
      ['more lines)', () => createNote(env, 'Freezer 7 is back')],
      ['Freezer 7 is back', ctrlC],
    ],
  });
  const end = out.slice(out.lastIndexOf('Freezer 7 is back'));
  expect(end).toContain('kith: Interrupted.\r\n');
  expect(end).toMatch(/code 130\r\n$/);
  expect(out).not.toContain('\u001b[?1049h');
});

test('renders again for the new size of the terminal', async () => {
  const { env, home: cwd } = createSignedInHome({ NO_COLOR: '1' });
  const resize = '(until [ -e shown ]; do sleep 0.05; done; stty cols 50 rows 9 </dev/tty) &';
  const { out } = await runInTerminal(`${resize} ${withExitCode(watch.replace('1', '60'))}`, {
    env,
    cwd,
    rows: 20,
    reactions: [
      ['more lines)', () => writeFileSync(join(cwd, 'shown'), '')],
      ['kith notes lis…', ctrlC],
    ],
  });
  const frame = out.slice(out.lastIndexOf('\u001b[?7l'));
  const lines = frame.slice(0, frame.indexOf('\u001b[?7h')).split('\r\n');
  expect(lines).toHaveLength(9);
  expect(lines[7]).toContain('more lines)');
  expect(out).toMatch(/code 130\r\n$/);
});

test('a closed pipe ends --watch at the next output', async () => {
  const { env } = createSignedInHome({ NO_COLOR: '1' });
  const create = 'kith notes create --organization rl16pk --body New -q >&2';
  const result = await runShell(`${watch} --format ndjson | { head -1; exec <&-; ${create}; }`, { env });
  expect(result).toMatchObject({ code: 0, out: expect.stringMatching(/^\{"id":.*\}\n$/) });
});
