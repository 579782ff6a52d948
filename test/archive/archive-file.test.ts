import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openArchivePath } from '../../src/archive/archive-file.ts';
import { createTarHeader, createTarPadding, tarEnd } from '../../src/archive/tar.ts';
import { createTemporaryFolder } from '../support/kith.ts';
import { readArchive, startArchiveMachine } from './archive-service.ts';

/** Gives the test its own folder for temporary files, and returns a function that lists its content. */
function watchTemporary(): () => string[] {
  const folder = createTemporaryFolder();
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  return () => readdirSync(folder);
}

/** Returns a machine with an archive folder and the same archive as a file. */
async function createArchiveFile() {
  const machine = await startArchiveMachine();
  const file = join(machine.home, 'kith.tar.gz');
  const { code } = await machine.kith(`workspace backup ${machine.archive} --archive ${file}`);
  expect(code).toBe(0);
  return { ...machine, file };
}

test('writes one file that tar can read and kith can verify, with the state of the folder', async () => {
  const { kith, archive, file } = await createArchiveFile();
  const folder = createTemporaryFolder();
  execFileSync('tar', ['xzf', file, '-C', folder]);
  expect(readArchive(folder)).toEqual(readArchive(archive));
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const listTemporary = watchTemporary();
  expect(await kith(`workspace verify ${file}`)).toEqual({
    code: 0,
    out: `${file}: 1 custom field, 1 organization, 2 contacts, 2 lists, 2 entries, 1 note, 3 meetings, 3 recordings. No problems.\n`,
    err: '',
  });
  expect(listTemporary()).toEqual([]);
});

test('writes only a file if no folder is named, and replaces it later', async () => {
  const { kith, home, records } = await startArchiveMachine();
  const file = join(home, 'kith.tgz');
  const listTemporary = watchTemporary();
  expect((await kith(`workspace backup --archive ${file}`)).out).toMatch(
    /^Wrote .*kith\.tgz: 1 custom field/,
  );
  records.contacts.push({ id: 'c3' });
  const { code, out } = await kith(`workspace backup --archive ${file} --json`);
  expect({ code, bytes: JSON.parse(out).archive_bytes }).toEqual({ code: 0, bytes: statSync(file).size });
  const archive = await openArchivePath(file);
  expect(archive.find('contacts', 'c3')?.text).toBe('{"id":"c3"}');
  archive.close();
  expect(listTemporary()).toEqual([]);
  expect(readdirSync(home).filter((name) => name !== 'settings')).toEqual(['kith.tgz']);
});

test('accepts an archive that another program packed', async () => {
  const { kith, archive, home } = await createArchiveFile();
  const file = join(home, 'packed.tar.gz');
  execFileSync('sh', ['-c', `cd "${archive}" && tar czf "${file}" *.ndjson manifest.json`]);
  expect((await kith(`workspace verify ${file}`)).code).toBe(0);
});

/** Replaces or adds blocks in an archive file, and returns the changed file. */
function changeFile(file: string, change: (tar: Buffer) => Buffer): string {
  const changed = `${file}.changed.tar.gz`;
  writeFileSync(changed, gzipSync(change(gunzipSync(readFileSync(file)))));
  return changed;
}

/** Returns a file of a tar, with other bytes at an offset of its header. */
function createTarFile(name: string, text: string, change: (header: Buffer) => void = () => {}): Buffer {
  const header = createTarHeader({ name, size: text.length }, 0);
  change(header);
  let sum = 0;
  for (const [index, byte] of header.entries()) sum += index >= 148 && index < 156 ? 32 : byte;
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return Buffer.concat([header, Buffer.from(text), createTarPadding(text.length)]);
}

test.each([
  ['a path with ..', createTarFile('../evil', 'x'), 'it has the file "../evil"'],
  ['an absolute path', createTarFile('/tmp/evil', 'x'), '/tmp/evil'],
  ['a long path', createTarFile('evil', 'x', (header) => header.write('../..', 345)), '../../evil'],
  ['another name', createTarFile('notes.txt', 'x'), 'notes.txt'],
  ['a name with control characters', createTarFile('\u001b[2Jx', 'x'), '\\u001b'],
  ['a symbolic link', createTarFile('notes.ndjson', '', (header) => header.write('2', 156)), 'not a file'],
  ['a hard link', createTarFile('notes.ndjson', '', (header) => header.write('1', 156)), 'not a file'],
  ['a device', createTarFile('notes.ndjson', '', (header) => header.write('3', 156)), 'not a file'],
  ['a folder', createTarFile('older/', '', (header) => header.write('5', 156)), 'not a file'],
  ['a file twice', createTarFile('manifest.json', '{}'), 'two files manifest.json'],
  [
    'a huge file',
    createTarFile('notes.ndjson', '', (header) => {
      header[124] = 0x80;
      header.writeBigUInt64BE(1n << 62n, 128);
    }),
    'too large',
  ],
  [
    'a huge manifest',
    createTarFile('manifest.json', '', (header) => void header.write('77777777777', 124)),
    'too large',
  ],
  [
    'a negative size',
    createTarFile('notes.ndjson', '', (header) => header.write('-0000000001', 124)),
    'damaged',
  ],
])('refuses an archive with %s', async (_, hostile, message) => {
  const { kith, file } = await createArchiveFile();
  const listTemporary = watchTemporary();
  const isRepeated = message.startsWith('two');
  const changed = changeFile(file, (tar) =>
    Buffer.concat(isRepeated ? [createTarFile('manifest.json', '{}'), hostile, tar] : [hostile, tar]),
  );
  const { code, out, err } = await kith(['workspace', 'verify', changed]);
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toContain(message);
  expect(listTemporary()).toEqual([]);
});

test.each([
  ['is truncated', (bytes: Buffer) => bytes.subarray(0, bytes.length - 40)],
  [
    'has damaged bytes',
    (bytes: Buffer) => Buffer.concat([bytes.subarray(0, 200), Buffer.alloc(9), bytes.subarray(209)]),
  ],
  ['is not compressed', () => Buffer.from('hello')],
  ['is empty', () => Buffer.alloc(0)],
  [
    'ends after the first file',
    (bytes: Buffer) => gzipSync(Buffer.concat([gunzipSync(bytes).subarray(0, 2560), tarEnd])),
  ],
  [
    'has a file of another size',
    (bytes: Buffer) => {
      const tar = gunzipSync(bytes);
      return gzipSync(Buffer.concat([tar.subarray(0, tar.indexOf('organizations.ndjson')), tarEnd]));
    },
  ],
])('refuses a file that %s', async (_, change) => {
  const { kith, file } = await createArchiveFile();
  writeFileSync(file, change(readFileSync(file)));
  const { code, err } = await kith(['workspace', 'verify', file]);
  expect({ code, err }).toEqual({
    code: 1,
    err: expect.stringContaining('is not a kith archive, or it is damaged'),
  });
});

test('does not replace another file, or the archive of another workspace, without --force', async () => {
  const { kith, file, home } = await createArchiveFile();
  const other = join(home, 'photos.tar.gz');
  execFileSync('tar', ['czf', other, '-C', home, 'archive']);
  const before = readFileSync(other);
  const { code, err } = await kith(`workspace backup --archive ${other}`);
  expect({ code, err }).toEqual({
    code: 2,
    err: expect.stringContaining('exists and is not a kith archive'),
  });
  expect(readFileSync(other)).toEqual(before);
  const otherKey = await kith(`workspace backup --archive ${file}`, { KITH_API_KEY: 'another-key' });
  expect(otherKey).toMatchObject({ code: 2, err: expect.stringContaining('another key') });
  expect((await kith(`workspace backup --archive ${other} --force`)).code).toBe(0);
});

test('refuses a file in the archive folder, in a missing folder, or with another ending', async () => {
  const { kith, archive, home, takeRequests } = await createArchiveFile();
  takeRequests();
  mkdirSync(join(home, 'empty'));
  for (const [words, message] of [
    [`${archive} --archive ${join(archive, 'a.tar.gz')}`, 'inside the archive folder'],
    [`--archive ${join(home, 'none', 'a.tar.gz')}`, 'the folder does not exist'],
    ['--archive a.zip', '--archive: a.zip does not end in .tar.gz or .tgz.'],
    ['a.tar.gz', 'kith workspace backup --archive a.tar.gz'],
    ['--keep 3 --archive a.tar.gz', '--keep requires DIR'],
    ['', 'Missing required argument: DIR'],
  ])
    expect(await kith(`workspace backup ${words}`)).toMatchObject({
      code: 2,
      err: expect.stringContaining(message ?? ''),
    });
  expect(takeRequests()).toEqual([]);
});
