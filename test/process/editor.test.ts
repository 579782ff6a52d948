import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSignedInHome, launcher } from '../support/binary.ts';
import { ctrlC, runInTerminal, withExitCode } from '../support/terminal.ts';

const createCommand = 'kith notes create --organization rl16pk --no-color -q';

/** An editor that waits, and that Ctrl-C ends; a shell would first begin its next command. */
const waitingEditor = `"${process.execPath}" -e 'console.log("ready"); setInterval(() => {}, 1000)'`;

/** A machine with a folder of its own for temporary files. */
function createEditorMachine(more: Readonly<Record<string, string>>) {
  const { env, home: cwd } = createSignedInHome({ NO_COLOR: '1', ...more });
  const folder = join(cwd, 'tmp');
  mkdirSync(folder);
  const options = { env: { ...env, TMPDIR: folder }, cwd, columns: 400 };
  return { options, readFiles: () => readdirSync(folder, { recursive: true, encoding: 'utf8' }) };
}

test.each([
  ['EDITOR', { EDITOR: `sh -c 'echo "$1 $2" >args; echo "안녕 🧊" >"$2"' code --wait` }, '--wait '],
  [
    'VISUAL before EDITOR',
    { VISUAL: `sh -c 'echo "$1" >args; echo "안녕 🧊" >"$1"' sh`, EDITOR: 'false' },
    '',
  ],
])('reads the text of a note from %s, and removes its file', async (_, editor, before) => {
  const { options, readFiles } = createEditorMachine(editor);
  const { code, out } = await runInTerminal(`${createCommand} --json`, options);
  expect({ code, readFiles: readFiles(), body: JSON.parse(out).body }).toEqual({
    code: 0,
    readFiles: [],
    body: '안녕 🧊',
  });
  const result = await runInTerminal(
    `kith notes get ${JSON.parse(out).id} --format tsv --fields body --no-header`,
    options,
  );
  expect(result.out).toBe('안녕 🧊\r\n');
  const args = readFileSync(join(options.cwd, 'args'), 'utf8');
  expect(args.startsWith(`${before}${options.cwd}/tmp/kith-`) && args.endsWith('/note.md\n')).toBe(true);
});

test('does not pass the API key to an editor or a pager', async () => {
  const keys = { KITH_API_KEY: 'kith_secret', KITH_API_KEY_FILE: '/nowhere/key' };
  const { options } = createEditorMachine({
    EDITOR: `env >edited; echo x >`,
    PAGER: 'env >paged; cat',
    ...keys,
  });
  expect((await runInTerminal(`${createCommand} --json`, options)).code).toBe(0);
  expect((await runInTerminal('kith contacts list -q', { ...options, rows: 12 })).code).toBe(0);
  for (const name of ['edited', 'paged']) {
    const environment = readFileSync(join(options.cwd, name), 'utf8');
    expect(environment).toContain('PAGER=');
    expect(environment).not.toMatch(/KITH_API_KEY|kith_secret/);
  }
});

// An editor that fails or leaves no text: test/commands/notes.test.ts
test('leaves no file behind if an editor is stopped by Ctrl-C', async () => {
  const { options, readFiles } = createEditorMachine({ EDITOR: waitingEditor });
  const result = await runInTerminal(withExitCode(createCommand), {
    ...options,
    reactions: [['ready', ctrlC]],
  });
  expect({ out: result.out.replaceAll('\r', ''), readFiles: readFiles() }).toEqual({
    out: 'ready\n^Ckith: Interrupted.\ncode 130\n',
    readFiles: [],
  });
});

test('keeps a text that is refused because its organization was deleted, and names its file', async () => {
  const { options, readFiles } = createEditorMachine({
    EDITOR: `sh -c '"${process.execPath}" "${launcher}" organizations delete rl16pk --yes -q >/dev/null; echo text >"$1"' sh`,
  });
  const { code, out } = await runInTerminal(createCommand, options);
  const [folder = '', file = ''] = readFiles();
  const path = join(options.cwd, 'tmp', file);
  expect({ code, out }).toEqual({
    code: 5,
    out:
      'kith: No organization has the id "rl16pk".\r\n' +
      `hint: Your text is saved in ${path}. Use it with --body @${path}\r\n`,
  });
  expect([folder, readFileSync(path, 'utf8')]).toEqual([expect.stringMatching(/^kith-/), 'text\n']);
});

test('ends after an editor that ignored Ctrl-C, and keeps the text', async () => {
  const editor = `sh -c 'trap "sleep 0.1; echo met" INT; echo text >"$1"; echo ready; until [ -e key ]; do sleep 0.02; done' sh`;
  const { options, readFiles } = createEditorMachine({ EDITOR: editor });
  const { out } = await runInTerminal(withExitCode(createCommand), {
    ...options,
    reactions: [
      ['ready', ctrlC],
      ['met', ctrlC],
      ['met', () => writeFileSync(join(options.cwd, 'key'), '')],
    ],
  });
  const path = join(options.cwd, 'tmp', readFiles()[1] ?? '');
  expect(out.replaceAll(/\^C|\r/g, '').split('\n')).toEqual([
    'ready',
    'met',
    'met',
    'kith: Interrupted.',
    `hint: Your text is saved in ${path}. Use it with --body @${path}`,
    'code 130',
    '',
  ]);
});

test('starts no editor if stdin, stdout or stderr is no terminal', async () => {
  const { options } = createEditorMachine({ EDITOR: 'touch started; true' });
  const lines = [
    `${createCommand} | cat`,
    `true | ${createCommand}`,
    `${createCommand} 2>messages; cat messages`,
  ];
  const { out } = await runInTerminal(lines.join('; '), options);
  const refusal = 'kith: Missing required option: --body TEXT (an editor requires a terminal)\r\n';
  expect(out).toBe(refusal.repeat(lines.length));
  expect(readdirSync(options.cwd)).not.toContain('started');
});
