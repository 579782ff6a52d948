import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createDemoMachine, createTemporaryFolder } from '../../support/kith.ts';

/** A machine with the sample workspace, and a folder for output. */
function createOutputMachine() {
  const folder = createTemporaryFolder();
  return { kith: createDemoMachine(), folder, file: join(folder, 'out.txt') };
}

const getMode = (path: string) => statSync(path).mode & 0o777;

test.each(['contacts list', 'contacts list --json --all', 'lists list --format table', 'config path'])(
  '%s -o FILE writes the output to the file, as the redirection of a shell',
  async (line) => {
    const { kith, folder, file } = createOutputMachine();
    const plain = await kith(line);
    expect(await kith(`${line} -o ${file}`, { terminal: 80 })).toEqual({ code: 0, out: '', err: plain.err });
    expect(readFileSync(file, 'utf8')).toBe(plain.out);
    expect(readdirSync(folder)).toEqual(['out.txt']);
    expect(getMode(file)).toBe(0o644 & ~process.umask());
  },
);

test('an existing file keeps its mode and the link to it', async () => {
  const { kith, folder, file } = createOutputMachine();
  writeFileSync(file, 'old');
  chmodSync(file, 0o640);
  const link = join(folder, 'link');
  symlinkSync(file, link);
  expect((await kith(`config path --output ${link}`)).code).toBe(0);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect({ mode: getMode(file), text: readFileSync(file, 'utf8') }).toEqual({
    mode: 0o640,
    text: (await kith('config path')).out,
  });
});

test('no other user can write to the file, whatever the umask or the mode of an existing file', async () => {
  const { kith, file } = createOutputMachine();
  const umask = process.umask(0);
  onTestFinished(() => void process.umask(umask));
  await kith(`config path -o ${file}`);
  expect(getMode(file)).toBe(0o644);
  chmodSync(file, 0o666);
  await kith(`config path -o ${file}`);
  expect(getMode(file)).toBe(0o644);
});

test.each([
  ['contacts get 0nobody', 3],
  ['contacts list --fields nonsense', 2],
  ['contacts list --jq error', 1],
])('the file stays as it was if %s fails', async (line, code) => {
  const { kith, folder, file } = createOutputMachine();
  writeFileSync(file, 'old');
  expect(await kith(`${line} -o ${file}`)).toMatchObject({ code, out: '' });
  expect(readFileSync(file, 'utf8')).toBe('old');
  expect(readdirSync(folder)).toEqual(['out.txt']);
});

test('a complete output is written even if it reports a failure', async () => {
  const { kith, file } = createOutputMachine();
  const { code } = await kith(`contacts delete 0rlnky 0nobody --yes --json -o ${file}`);
  expect({ code, output: JSON.parse(readFileSync(file, 'utf8')) }).toEqual({
    code: 6,
    output: [{ id: '0rlnky', deleted: true }],
  });
});

test.each([
  ['folder', 'it is a folder, not a file'],
  ['missing/out.txt', 'a folder in its path does not exist'],
])('-o %s fails before anything is sent: %s', async (name, reason) => {
  const { kith, folder } = createOutputMachine();
  mkdirSync(join(folder, 'folder'));
  const path = join(folder, name);
  expect(await kith(`contacts create --first-name Unwritten -o ${path}`)).toEqual({
    code: 2,
    out: '',
    err: `kith: Cannot write ${path}: ${reason}.\n`,
  });
  expect((await kith("contacts list --all --where 'first_name = Unwritten' --no-header")).out).toBe('');
});

test('-o - prints to stdout', async () => {
  const { kith } = createOutputMachine();
  expect(await kith('config path -o -')).toEqual(await kith('config path'));
});

test('-o writes to a named pipe without replacing it', async () => {
  const { kith, file } = createOutputMachine();
  execFileSync('mkfifo', [file]);
  const reader = openSync(file, constants.O_RDWR | constants.O_NONBLOCK);
  const bytes = Buffer.alloc(4096);
  expect((await kith(`config path -o ${file}`)).code).toBe(0);
  const text = bytes.toString('utf8', 0, readSync(reader, bytes));
  closeSync(reader);
  expect(text).toBe((await kith('config path')).out);
  expect(statSync(file).isFIFO()).toBe(true);
});

test('mcp refuses -o, because an agent reads its output', async () => {
  const { kith, file } = createOutputMachine();
  expect(await kith(`mcp -o ${file}`)).toMatchObject({
    code: 2,
    err: 'kith: This command does not accept --output.\n',
  });
  expect(existsSync(file)).toBe(false);
});
