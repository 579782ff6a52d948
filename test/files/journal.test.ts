import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { Journal } from '../../src/files/journal.ts';
import { anyCharacter } from '../support/any-text.ts';
import { createTemporaryFolder } from '../support/kith.ts';

/** Opens a journal of a file with a text. */
function createJournal(text: string | Uint8Array) {
  const path = join(createTemporaryFolder(), 'journal');
  writeFileSync(path, text);
  const journal = new Journal(path);
  onTestFinished(() => journal.close());
  return { path, journal };
}

const repeatKilobytes = (letter: string, count: number) => letter.repeat(1024 * count);

/** Lines about as long as a chunk, some with characters of three bytes. */
const longLines = [
  repeatKilobytes('a', 2),
  repeatKilobytes('한', 1),
  '',
  repeatKilobytes('b', 64),
  repeatKilobytes('글', 60),
  'c',
  repeatKilobytes('d', 300),
];

test('reads lines of any length with their offsets, without text after the last line end', () => {
  const { journal } = createJournal(`${longLines.join('\n')}\n{"torn`);
  const lines = [...journal.readLines()];
  expect(lines.map(({ text }) => text)).toEqual(longLines);
  expect(lines.map(({ start }) => journal.readLine(start))).toEqual(longLines);
  expect(lines.map(({ next }) => next)).toEqual([
    ...lines.slice(1).map(({ start }) => start),
    journal.size - 6,
  ]);
  expect(() => journal.readLine(journal.size - 6)).toThrow(
    /^Another program changed .*journal while kith was using it\.$/,
  );
});

test('reads back any lines', () => {
  const line = fc.string({ unit: anyCharacter, maxLength: 200 }).map((text) => text.replaceAll('\n', ''));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 50 }), (texts) => {
      const { journal } = createJournal(texts.map((text) => `${text}\n`).join(''));
      expect(Array.from(journal.readLines(), ({ text }) => text)).toEqual(texts);
    }),
    { numRuns: 30 },
  );
});

test('keeps the offsets of lines after invalid bytes', () => {
  const { journal } = createJournal(Buffer.concat([Buffer.from([0xff, 0xc3, 10]), Buffer.from('next\n')]));
  const [, next] = [...journal.readLines()];
  expect(next).toEqual({ text: 'next', start: 3, next: 8 });
});

test('appends after lines of other writers, and truncates a torn line', () => {
  const { path, journal } = createJournal('one\ntwo\ntor');
  journal.truncate(8);
  expect(journal.append('three')).toBe(8);
  appendFileSync(path, 'four\n');
  const start = journal.append('five');
  expect(journal.readLine(start)).toBe('five');
  expect(Array.from(journal.readLines(), ({ text }) => text)).toEqual([
    'one',
    'two',
    'three',
    'four',
    'five',
  ]);
});
