import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import {
  type FileFormat,
  moveDamagedFile,
  parseLine,
  readDocument,
  readHeader,
  replaceDocument,
} from '../../src/files/durable-file.ts';
import { Journal } from '../../src/files/journal.ts';
import { createTemporaryFolder } from '../support/kith.ts';

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
  await replaceDocument(format, path, { version: 2, text: 'b' }, 2);
  expect(readFileSync(path, 'utf8')).toBe('{\n  "version": 2,\n  "text": "b"\n}\n');
  expect(readDocument(format, path)).toEqual({ version: 2, text: 'b' });
  if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
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
  const { path } = createNote(`${JSON.stringify({ version: 2, text })}\n{"count":1}\n{"count":\n`);
  const journal = new Journal(path);
  expect(readHeader(format, path, journal)).toEqual({ version: 2, text });
  const Line = v.object({ count: v.number() });
  expect(Array.from(journal.readLines(), (line) => parseLine(Line, line.text)).slice(1)).toEqual([
    { count: 1 },
    undefined,
  ]);
  journal.close();
});

test('reports a journal without a whole header', () => {
  const { path } = createNote('{"version":2,"text":"a"}');
  const journal = new Journal(path);
  expect(() => readHeader(format, path, journal)).toThrow(
    `The note ${path} is damaged: its first line is incomplete.`,
  );
  journal.close();
});

test('gives each damaged file its own new name', async () => {
  const { path } = createNote('{');
  const now = new Date('2026-11-20T10:00:00.123Z');
  await moveDamagedFile(path, now, 0o600);
  writeFileSync(path, '[');
  const second = await moveDamagedFile(path, now, 0o600);
  expect(second).toBe(path.replace('note.json', 'note.damaged-20261120T100000Z-2.json'));
  expect(readdirSync(join(path, '..')).toSorted()).toEqual([
    'note.damaged-20261120T100000Z-2.json',
    'note.damaged-20261120T100000Z.json',
  ]);
});
