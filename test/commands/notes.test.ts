import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Failure } from '../../src/contract/errors.ts';
import { sendJson, startTestService } from '../client/loopback.ts';
import { createDemoMachine, createMachine, createTemporaryFolder } from '../support/kith.ts';

const command = 'notes create --organization rl16pk';
const countNotes = (kith: (line: string) => Promise<{ out: string }>) => kith('notes list --all --jq length');

/** A terminal with an editor; nothing that is written to the folder for temporary files escapes the test. */
function createDesk(env: Readonly<Record<string, string>> = { EDITOR: 'nano' }) {
  const desk = createTemporaryFolder();
  vi.stubEnv('TMPDIR', desk);
  onTestFinished(() => void vi.unstubAllEnvs());
  return { setting: { terminal: 400, env: { NO_COLOR: '1', ...env } }, readFiles: () => readdirSync(desk) };
}

test.each([
  [{ VISUAL: 'code --wait', EDITOR: 'nano' }, 'code --wait'],
  [{ VISUAL: '', EDITOR: 'nano -R' }, 'nano -R'],
  [{ VISUAL: '  ', EDITOR: ' vi ' }, 'vi'],
  [{ VISUAL: 'emacs' }, 'emacs'],
])('with %j a note is written in the editor %s', async (env, editor) => {
  const kith = createDemoMachine();
  const { setting, readFiles } = createDesk(env);
  const editorText = '\n# Visit\n\nFreezer 7 again.\n\n';
  const { code, out, err } = await kith(`${command} --deal d1 --jq .`, { ...setting, editorText });
  const note = JSON.parse(out);
  expect({ code, err, readFiles: readFiles() }).toEqual({
    code: 0,
    err: `(${editor})\nkith: Created note ${note.id}.\n`,
    readFiles: [],
  });
  expect(note).toMatchObject({
    organization_id: 'rl16pk',
    deal_id: 'd1',
    body: '# Visit\n\nFreezer 7 again.',
  });
});

test.each([
  [' \n\t\n', 'kith: The text is empty; nothing was sent.\n'],
  [undefined, 'kith: The editor "nano" exited with code 1.\n'],
])('an editor that exits with the text %j creates no note', async (editorText, err) => {
  const kith = createDemoMachine();
  const before = await countNotes(kith);
  const { setting, readFiles } = createDesk();
  expect(await kith(command, { ...setting, ...(editorText !== undefined && { editorText }) })).toEqual({
    code: 1,
    out: '',
    err: `(nano)\n${err}`,
  });
  expect({ now: await countNotes(kith), readFiles: readFiles() }).toEqual({ now: before, readFiles: [] });
});

test('an editor that fails, as with :cq, creates no note and keeps the text', async () => {
  const kith = createDemoMachine();
  const before = await countNotes(kith);
  const { setting, readFiles } = createDesk();
  const { code, err } = await kith(command, { ...setting, editorText: 'Not yet.', editorExitCode: 1 });
  expect([code, err]).toEqual([
    1,
    expect.stringMatching(
      /^\(nano\)\nkith: The editor "nano" exited with code 1; nothing was sent\.\nhint: Your text is saved in /,
    ),
  ]);
  expect([await countNotes(kith), readFiles()]).toEqual([before, [expect.anything()]]);
});

const noTerminal = 'kith: Missing required option: --body TEXT (an editor requires a terminal)\n';
const noEditor = 'kith: Missing required option: --body TEXT (no editor found; set VISUAL or EDITOR)\n';

test.each([
  [{ env: { EDITOR: 'nano' } }, noTerminal],
  [{ terminal: 80, env: { EDITOR: 'nano', CI: '1', NO_COLOR: '1' } }, noTerminal],
  [{ terminal: 80, env: { EDITOR: 'nano', TERM: 'dumb' } }, noTerminal],
  [{ terminal: 400, env: { NO_COLOR: '1' } }, noEditor],
  [{ terminal: 400, env: { NO_COLOR: '1', VISUAL: ' ', EDITOR: '' } }, noEditor],
])('no editor opens with %j', async (setting, err) => {
  const kith = createDemoMachine();
  expect(await kith(command, { ...setting, editorText: 'x' })).toEqual({ code: 2, out: '', err });
});

test.each([
  ['--body "By hand." --dry-run --jq .body.body', 'By hand.\n'],
  ['--body - --dry-run --jq .body.body', 'From stdin.\n'],
  [`--data '{"body":"Data"}' --dry-run --jq .body.body`, 'Data\n'],
])('no editor opens with %s', async (flags, out) => {
  const kith = createDemoMachine();
  const { setting } = createDesk();
  expect(await kith(`${command} ${flags}`, { ...setting, stdin: 'From stdin.', editorText: 'x' })).toEqual({
    code: 0,
    out,
    err: '',
  });
});

test('--dry-run prints the text and keeps no copy', async () => {
  const kith = createDemoMachine();
  const { setting, readFiles } = createDesk();
  const { out } = await kith(`${command} --dry-run`, { ...setting, editorText: 'Seen.' });
  expect(out).toBe('POST /v1/notes\n{\n  "organization_id": "rl16pk",\n  "body": "Seen."\n}\n');
  expect(readFiles()).toEqual([]);
});

/** Reads the text from the file that a hint names. */
function readKeptText(err: string): { text: string; hint: string } {
  const [, file = '', hint = ''] = /^hint: (?:.*\. )?Your text is saved in (\S+)\. (.*)$/m.exec(err) ?? [];
  return { text: existsSync(file) ? readFileSync(file, 'utf8') : '', hint: hint.replace(file, 'FILE') };
}

/** Starts a service with every organization, which handles each write as a function does. */
async function startNoteService(onWrite: (response: ServerResponse) => void): Promise<string> {
  const { url } = await startTestService(({ method }, response) =>
    method === 'GET' ? sendJson(response, 200, { id: 'rl16pk' }) : onWrite(response),
  );
  return url;
}

const longText = 'An hour of work.\n\n- 한국어도 있다\n';

test.each([
  [422, 5, 'kith: Too long.'],
  [500, 7, 'kith: Too long. The POST may have been processed.'],
  [401, 4, 'kith: Too long.'],
])('a write that fails with %i keeps the text and reports its file', async (status, code, message) => {
  const url = await startNoteService((response) => sendJson(response, status, { message: 'Too long.' }));
  const { setting } = createDesk();
  const env = { ...setting.env, KITH_BASE_URL: url, KITH_API_KEY: 'key-for-tests' };
  const result = await createMachine()(command, { ...setting, env, editorText: longText });
  expect({ code: result.code, said: result.err.split('\n')[1] }).toEqual({ code, said: message });
  expect(readKeptText(result.err)).toEqual({ text: longText, hint: 'Use it with --body @FILE' });
});

test('an interrupted write keeps the text too', async () => {
  const controller = new AbortController();
  const url = await startNoteService(() => controller.abort(new Failure('interrupted', 'Interrupted.')));
  const { setting } = createDesk();
  const env = { ...setting.env, KITH_BASE_URL: url, KITH_API_KEY: 'key-for-tests' };
  const result = await createMachine()(command, {
    ...setting,
    env,
    editorText: longText,
    signal: controller.signal,
  });
  expect({ code: result.code, said: result.err.split('\n')[1] }).toEqual({
    code: 130,
    said: 'kith: Interrupted.',
  });
  expect(readKeptText(result.err).text).toBe(longText);
});

test('-F reads the text of a note from a file or stdin', async () => {
  const kith = createDemoMachine();
  const file = join(createTemporaryFolder(), 'minutes.md');
  writeFileSync(file, '# Minutes\n');
  const created = JSON.parse((await kith(`${command} -F ${file} --json`)).out);
  expect(created).toMatchObject({ organization_id: 'rl16pk', body: '# Minutes\n' });
  const update = `notes update ${created.id} --body-file - --json`;
  expect(JSON.parse((await kith(update, { stdin: 'Done.' })).out)).toMatchObject({
    id: created.id,
    body: 'Done.',
  });
  expect(await kith(`${update} --body Done`)).toMatchObject({
    code: 2,
    err: expect.stringContaining('--body and --body-file cannot be used together.'),
  });
  expect(await kith(`${command} -F ${file}.missing`)).toMatchObject({
    code: 2,
    err: expect.stringContaining(`${file}.missing`),
  });
});

test('-f sets a field of a record', async () => {
  const kith = createDemoMachine();
  const long = await kith('contacts create --first-name Ada --field Role=Lead --dry-run --json');
  expect(long).toMatchObject({ code: 0, out: expect.stringContaining('"Lead"') });
  expect(await kith('contacts create --first-name Ada -f Role=Lead --dry-run --json')).toEqual(long);
});
