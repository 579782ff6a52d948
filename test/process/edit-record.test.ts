import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSignedInHome } from '../support/binary.ts';
import { ctrlC, runInTerminal, withExitCode } from '../support/terminal.ts';

/** A machine whose editor is a script, with a folder of its own for temporary files. */
function createScriptedEditor(script: string) {
  const { env, home: cwd } = createSignedInHome({ NO_COLOR: '1' });
  const tmp = join(cwd, 'tmp');
  mkdirSync(tmp);
  writeFileSync(join(cwd, 'editor'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const options = { env: { ...env, TMPDIR: tmp, EDITOR: join(cwd, 'editor') }, cwd, columns: 100 };
  const listFiles = () => readdirSync(tmp, { recursive: true, encoding: 'utf8' });
  return { options, listFiles, tmp };
}

/** Replaces the file, as many editors do, with other permissions. */
const replaceFirstName = `sed 's/^first_name: .*/first_name: Jiwoo/' "$1" >new; chmod 644 new; mv new "$1"`;

test('edits a record with a script as the editor at 40 columns', async () => {
  const { options, listFiles } = createScriptedEditor(replaceFirstName);
  const { out } = await runInTerminal(withExitCode('kith contacts edit 0rlnky'), {
    ...options,
    columns: 40,
    reactions: [['Send these changes?', 'y\r']],
  });
  expect(out).toContain('  first_name: 지우 -> Jiwoo');
  expect(out).toMatch(/Updated contact Jiwoo 김[\s\S]*\r\ncode 0\r\n$/);
  expect(listFiles()).toEqual([]);
});

test('sends nothing after Ctrl-C at the question, keeps the text with mode 0600, and restores the terminal', async () => {
  const { options, listFiles, tmp } = createScriptedEditor(replaceFirstName);
  const { out } = await runInTerminal(withExitCode('kith contacts edit 0rlnky'), {
    ...options,
    reactions: [['Send these changes?', ctrlC]],
  });
  expect(out).toMatch(/kith contacts edit 0rlnky --file \S+\r\ncode 130\r\n$/);
  const [, file = ''] = listFiles();
  expect(statSync(join(tmp, file)).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(tmp, file), 'utf8')).toContain('first_name: Jiwoo\n');
});

test('opens the editor again with the errors, and keeps the text of an editor that is killed', async () => {
  const script = `grep '^#!' "$1" >>seen && kill -9 $$; sed 's/^first_name: .*/frist_name: Jiwoo/' "$1" >new; cat new >"$1"`;
  const { options, listFiles } = createScriptedEditor(script);
  const { out } = await runInTerminal(withExitCode('kith contacts edit 0rlnky'), options);
  expect(readFileSync(join(options.cwd, 'seen'), 'utf8')).toMatch(
    /^#! Nothing was sent\. Correct the following and save:\n#! Line \d+: Unknown field "frist_name"\. Did you mean "first_name"\?\n$/,
  );
  expect(out).toMatch(
    /kith: The editor "\S+" exited with code \d+; nothing\s+was\s+sent\.[\s\S]*\r\ncode 1\r\n$/,
  );
  expect(listFiles()).toHaveLength(2);
});
