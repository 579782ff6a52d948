import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { createEnv, createSignedInHome } from '../support/binary.ts';
import { createMachine, createTemporaryFolder } from '../support/kith.ts';
import { ctrlC, ctrlD, runInTerminal, withExitCode } from '../support/terminal.ts';

const remove = 'kith contacts delete 0rlnky';
const question = 'Delete contact "김지우" (0rlnky)';

/** Whether the record still exists. */
const hasSettings = async (home: string) =>
  (await createMachine(join(home, '.config/kith'))('contacts get 0rlnky')).code === 0;

/** Removes cursor and color sequences from terminal output. */
const toPlainText = (out: string) => stripVTControlCharacters(out).replaceAll('\r', '');

/** Returns whether the cursor, which a prompt hides, is visible again. */
const seesCursor = (out: string) => out.lastIndexOf('\u001b[?25h') >= out.lastIndexOf('\u001b[?25l');

test.each([
  ['y and Enter', 'y\r', { code: 0, isThere: false, end: 'kith: Deleted contact 김지우 (0rlnky).' }],
  ['YES and Enter', 'YES\r', { code: 0, isThere: false, end: 'kith: Deleted contact 김지우 (0rlnky).' }],
  ['n and Enter', 'n\r', { code: 1, isThere: true, end: 'kith: Cancelled.' }],
  ['maybe and Enter', 'maybe\r', { code: 1, isThere: true, end: 'kith: Cancelled.' }],
  ['maybe without Enter', `maybe${ctrlC}`, { code: 130, isThere: true, end: 'kith: Interrupted.' }],
  ['Enter alone', '\r', { code: 1, isThere: true, end: 'kith: Cancelled.' }],
  ['Escape', '\u001b', { code: 130, isThere: true, end: 'kith: Interrupted.' }],
  ['Ctrl-C', ctrlC, { code: 130, isThere: true, end: 'kith: Interrupted.' }],
  ['Ctrl-D', ctrlD, { code: 130, isThere: true, end: 'kith: Interrupted.' }],
])(
  'asks for confirmation with the name of the record; the answer is %s',
  async (_, keystrokes, { code, end, ...expectedState }) => {
    const { env, home } = createSignedInHome();
    const { out } = await runInTerminal(withExitCode(remove), { env, reactions: [[question, keystrokes]] });
    const lines = toPlainText(out).trimEnd().split('\n');
    expect({ end: lines.slice(-2), seesCursor: seesCursor(out), isThere: await hasSettings(home) }).toEqual({
      end: [end, `code ${code}`],
      seesCursor: true,
      ...expectedState,
    });
  },
);

test('a prompt continues after Ctrl-Z and fg', async () => {
  const { env, home } = createSignedInHome({ NO_COLOR: '1' });
  const { out } = await runInTerminal(`set -m; ${remove}; echo "stopped $?"; ${withExitCode('fg')}`, {
    env,
    reactions: [
      [question, 'Y'],
      ['Y█', '\u001a'],
      ['stopped 148', 'es'],
      ['Yes█', '\r'],
    ],
  });
  expect(toPlainText(out).trimEnd().split('\n').slice(-2)).toEqual([
    'kith: Deleted contact 김지우 (0rlnky).',
    'code 0',
  ]);
  expect({ seesCursor: seesCursor(out), isThere: await hasSettings(home) }).toEqual({
    seesCursor: true,
    isThere: false,
  });
});

// That CI and TERM=dumb count as no terminal: test/commands/undo/deletion-question.test.ts
test('neither prompts nor deletes if stdin, stdout or stderr is no terminal', async () => {
  const { env, home: cwd } = createSignedInHome({ NO_COLOR: '1' });
  const lines = [
    `echo y | ${remove}`,
    `${remove} <&-`,
    `${remove} | cat`,
    `${remove} >file; cat file`,
    `${remove} 2>file; cat file`,
  ];
  const { out } = await runInTerminal(lines.join('; '), { env, cwd });
  const refusal = 'kith: Refusing to delete without confirmation. Pass --yes to skip the prompt.\r\n';
  expect(out).toBe(refusal.repeat(lines.length));
  expect(await hasSettings(cwd)).toBe(true);
});

test('asks which of two contacts of the same name is meant', async () => {
  const { env, home } = createSignedInHome({ NO_COLOR: '1' });
  await createMachine(join(home, '.config/kith'))('contacts create --first-name 김지우 --email b@x.example');
  const { out } = await runInTerminal(withExitCode('kith contacts get 김지우'), {
    env,
    reactions: [['김지우 (b@x.example', '\u001b[B\r']],
  });
  const text = toPlainText(out);
  expect(text).toContain('2 contacts match "김지우". Which one?');
  expect(text).toMatch(/^ID +(?!0rlnky)\w{6}$/m);
  expect({ end: text.trimEnd().split('\n').at(-1), seesCursor: seesCursor(out) }).toEqual({
    end: 'code 0',
    seesCursor: true,
  });
});

test('prompts for neither the URL nor the key without a terminal', async () => {
  const env = createEnv(createTemporaryFolder(), { NO_COLOR: '1' });
  const createPipelines = (line: string) => [
    `true | kith ${line}`,
    `kith ${line} | cat`,
    `CI=1 kith ${line}`,
  ];
  const lines = [
    ...createPipelines('auth login'),
    ...createPipelines('auth login --base-url http://127.0.0.1:9'),
  ];
  const { out } = await runInTerminal(lines.join('; '), { env });
  const errors = [
    'kith: Missing required option: --base-url URL',
    'kith: Cannot prompt for the API key: stdin is not a terminal.',
  ];
  expect(out.split('\r\n').filter((line) => !line.startsWith('hint: '))).toEqual([
    ...errors.flatMap((line) => [line, line, line]),
    '',
  ]);
});
