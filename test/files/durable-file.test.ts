import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import * as v from 'valibot';
import { expect, test, vi } from 'vitest';
import {
  type FileFormat,
  isNewerFailure,
  lockFile,
  moveDamagedFile,
  parseContent,
  parseLine,
  readDocument,
  readHeader,
  replaceDocument,
} from '../../src/files/durable-file.ts';
import { Journal } from '../../src/files/journal.ts';
import { createLockHolder, createTemporaryFolder } from '../support/kith.ts';

const Note = v.object({ version: v.literal(2), text: v.string() });

const format: FileFormat<typeof Note> = {
  what: 'note',
  version: 2,
  versionMember: 'version',
  schema: Note,
  upgrade: ({ title }) => ({ version: 2, text: title }),
  suggestRepair: (path) => `Remove ${path}`,
};

function createNote(content?: string | Buffer) {
  const path = join(createTemporaryFolder(), 'notes', 'note.json');
  if (content === undefined) return { path };
  const flat = join(createTemporaryFolder(), 'note.json');
  writeFileSync(flat, content);
  return { path: flat };
}

test('replaces a document, which only its owner may read, and reads it again', async () => {
  const { path } = createNote();
  expect(readDocument(format, path)).toBeUndefined();
  await replaceDocument(format, path, { version: 2, text: 'a' });
  expect(readFileSync(path, 'utf8')).toBe('{"version":2,"text":"a"}\n');
  await replaceDocument(format, path, { version: 2, text: 'b' }, 2);
  expect(readFileSync(path, 'utf8')).toBe('{\n  "version": 2,\n  "text": "b"\n}\n');
  expect(readDocument(format, path)).toEqual({ version: 2, text: 'b' });
  if (process.platform === 'win32') return;
  expect([path, dirname(path)].map((name) => statSync(name).mode & 0o777)).toEqual([0o600, 0o700]);
});

test('flushes the folder after a document is replaced, and after a damaged one is renamed', async () => {
  const { path } = createNote();
  const flushed: string[][] = [];
  const writes = '../../src/files/atomic-write.ts';
  vi.doMock(writes, async (original) => ({
    ...(await original<object>()),
    syncFolder: async (folder: string) => flushed.push(readdirSync(folder)),
  }));
  // Under another name, because the other tests use theirs.
  const another = '../../src/files/durable-file.ts?observed';
  const kit: typeof import('../../src/files/durable-file.ts') = await import(another);
  vi.doUnmock(writes);
  await kit.replaceDocument(format, path, { version: 2, text: 'a' });
  await kit.moveDamagedFile(path, new Date('2026-11-20T10:00:00Z'), 0o600);
  expect(flushed).toEqual([['note.json'], ['note.damaged-20261120T100000Z.json']]);
});

test.each(['{"version":1,"title":"old"}', '{"title":"old"}', '\ufeff{"title":"old"}'])(
  'upgrades the earlier version %s',
  (content) => {
    expect(readDocument(format, createNote(content).path)).toEqual({ version: 2, text: 'old' });
  },
);

test.each<[string | Buffer, string]>([
  ['', 'it is empty'],
  [Buffer.from([0x7b, 0xff, 0x7d]), 'it is not UTF-8'],
  ['{"version":', 'it is not JSON'],
  ['[]', 'it is not an object'],
  ['{"version":2,"text":5}', 'text is invalid'],
])('names the damage of %j, and replaces the file', async (content, reason) => {
  const { path } = createNote(content);
  expect(() => readDocument(format, path)).toThrow(
    expect.objectContaining({
      code: 'failed',
      problem: 'damaged',
      message: `The note ${path} is damaged: ${reason}.`,
      detail: { hint: `Remove ${path}` },
    }),
  );
  await replaceDocument(format, path, { version: 2, text: 'new' });
  expect(readDocument(format, path)).toEqual({ version: 2, text: 'new' });
});

test('names the document if the schema does not name the damaged member', () => {
  const schema = v.custom<object>(() => false);
  const { path } = createNote('{}');
  expect(() => readDocument({ ...format, schema }, path)).toThrow(
    `The note ${path} is damaged: it is invalid.`,
  );
});

test('a format chooses the code of its failures', () => {
  const usage = { ...format, code: 'usage' } as const;
  for (const content of ['{', '{"version":3}'])
    expect(() => parseContent(usage, 'note.json', content)).toThrow(
      expect.objectContaining({ code: 'usage' }),
    );
});

test('neither reads nor replaces a path that is a folder', async () => {
  const { path } = createNote();
  mkdirSync(path, { recursive: true });
  const failure = expect.objectContaining({
    code: 'failed',
    message: `Cannot read ${path}: it is a folder, not a file.`,
  });
  expect(() => readDocument(format, path)).toThrow(failure);
  await expect(replaceDocument(format, path, { version: 2, text: 'a' })).rejects.toThrow(failure);
});

test('distinguishes the failure for a newer file from other failures', () => {
  const catchFailure = (content: string) => {
    try {
      return parseContent(format, 'note.json', content);
    } catch (error) {
      return error;
    }
  };
  const errors = [catchFailure('{"version":3}'), catchFailure('{'), new Error('newer')];
  expect(errors.map(isNewerFailure)).toEqual([true, false, false]);
});

test('neither reads nor replaces a document of a newer version, whatever its shape', async () => {
  const content = '{"version":3,"text":{"parts":[]}}';
  const { path } = createNote(content);
  const failure = expect.objectContaining({
    problem: 'newer',
    message: `The note ${path} was written by a newer version of kith.`,
    detail: { hint: 'Update kith.' },
  });
  expect(() => readDocument(format, path)).toThrow(failure);
  await expect(replaceDocument(format, path, { version: 2, text: 'new' })).rejects.toThrow(failure);
  expect(readFileSync(path, 'utf8')).toBe(content);
});

test('reads the header of a journal of any length, and its lines', () => {
  const text = 'x'.repeat(200_000);
  const { path } = createNote(
    `${JSON.stringify({ version: 2, text })}\n{"count":1}\n{"count":\n{"count":"1"}\n`,
  );
  const journal = new Journal(path);
  expect(readHeader(format, path, journal)).toEqual({ version: 2, text });
  const Line = v.object({ count: v.number() });
  expect(Array.from(journal.readLines(), (line) => parseLine(Line, line.text)).slice(1)).toEqual([
    { count: 1 },
    undefined,
    undefined,
  ]);
  journal.close();
});

test.each([
  ['{"version":2,"text":"a"}', 'is damaged: its first line is incomplete'],
  ['\n', 'is damaged: its first line is empty'],
  ['{\n', 'is damaged: its first line is not JSON'],
  ['{"version":3}\n{}\n', 'was written by a newer version of kith'],
])('reports a journal that begins with %j', (content, problem) => {
  const { path } = createNote(content);
  const journal = new Journal(path);
  expect(() => readHeader(format, path, journal)).toThrow(`The note ${path} ${problem}.`);
  journal.close();
});

test('waits for another process that changes a file, and then changes it', async () => {
  const { path } = createNote('{}');
  const order: string[] = [];
  const change = (name: string, timeout?: number) =>
    lockFile(format, path, createLockHolder(), async () => void order.push(name), timeout);
  const first = lockFile(format, path, createLockHolder(), async () => {
    await expect(change('impatient', 0)).rejects.toMatchObject({
      code: 'busy',
      message: expect.stringContaining(`Another run is changing the note ${path}: process `),
    });
    await wait(100);
    order.push(...readdirSync(dirname(path)));
  });
  await Promise.all([first, change('second')]);
  expect(order).toEqual(['note.json', 'note.json.lock', 'second']);
});

test('gives each damaged file its own new name', async () => {
  const { path } = createNote('{');
  const now = new Date('2026-11-20T10:00:00.123Z');
  chmodSync(path, 0o644);
  const first = await moveDamagedFile(path, now, 0o600);
  if (process.platform !== 'win32') expect(statSync(first).mode & 0o777).toBe(0o600);
  writeFileSync(path, '[');
  const second = await moveDamagedFile(path, now, 0o600);
  expect(second).toBe(path.replace('note.json', 'note.damaged-20261120T100000Z-2.json'));
  expect(readdirSync(join(path, '..')).toSorted()).toEqual([
    'note.damaged-20261120T100000Z-2.json',
    'note.damaged-20261120T100000Z.json',
  ]);
});
