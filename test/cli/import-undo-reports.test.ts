import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { stateOf } from '../sync/state.ts';
import { counts, prepared } from './undoing.ts';

test('a report that was not finished is taken back as far as it goes', async () => {
  const { bring, undo, at, give } = await prepared();
  await bring('contacts', 'email\na@x.example\nb@x.example\n');
  const text = readFileSync(at('sheet.report.csv'), 'utf8');
  writeFileSync(at('sheet.report.csv'), text.replace(/,finished[\s\S]*/, ',fini'));
  // A header and rows without a first line: it is of nobody.
  expect((await undo()).code).toBe(2);
  const started = text.replace(/^(.*\r\n)([\s\S]*)\r\n(.*),finished,(.*)\r\n$/, '$1$3,started,$4\r\n$2\r\n');
  writeFileSync(at('sheet.report.csv'), `${started}b@x.exa`);
  expect(await undo()).toMatchObject({ code: 0, err: '' });
  expect((await stateOf(give)).contacts).toEqual([]);
});

test('a report of another workspace is refused, and so are one that is damaged, one that is none and one that is not there', async () => {
  const { bring, undo, at, file, writes } = await prepared();
  await bring('contacts', 'email\na@x.example\nb@x.example\n');
  writes();
  const report = readFileSync(at('sheet.report.csv'), 'utf8');
  const trial = async (text: string) => {
    file('other.csv', text);
    const { code, err } = await undo('', 'other.csv');
    return [code, err.replaceAll(at('other.csv'), 'FILE')];
  };
  expect(await trial(report.replace(/http:..127.0.0.1:\d+/g, 'https://crm.example.com'))).toEqual([
    2,
    expect.stringMatching(
      /^kith: FILE is the report of an import into https:..crm.example.com\/?, not into http:/,
    ),
  ]);
  expect(await trial(report.replace(/""what"":""contact""/, '""what"":""con'))).toEqual([
    2,
    'kith: FILE: what row 2 says of its undoing cannot be read.\n',
  ]);
  expect(await trial(report.replace('contact', 'calendar'))).toEqual([
    2,
    'kith: FILE: what row 2 says of its undoing cannot be read.\n',
  ]);
  expect(await trial('my,own,work\n')).toEqual([
    2,
    expect.stringContaining('FILE is there, and is no report of an import.'),
  ]);
  expect((await undo('', 'nothing.csv')).code).toBe(3);
  expect(writes()).toEqual([]);
});

test('a run that was ended and taken back is not gone on with: what was taken back is brought in again', async () => {
  const { bring, undo, file, at, give, report } = await prepared();
  const sheet = 'email\na@x.example\nb@x.example\n';
  await bring('contacts', sheet);
  file('sheet.report.csv', asKilled(readFileSync(at('sheet.report.csv'), 'utf8')));
  expect((await undo('--dry-run')).code).toBe(0);
  const killed = readFileSync(at('sheet.report.csv'), 'utf8');
  expect(await undo()).toMatchObject({ code: 0 });
  expect((await undo()).out).toContain(' 0 undone, 1 undone already');
  // The half of a line made way, and there is one mark however often it is undone.
  const mark = ',undone,,,,\r\n';
  expect(readFileSync(at('sheet.report.csv'), 'utf8')).toBe(killed.replace('b@x.exa', mark));
  const { code, err } = await bring('contacts', sheet);
  expect([code, err]).toEqual([0, expect.stringContaining(at('sheet.report.previous.csv'))]);
  expect(report().map(({ action }) => action)).toEqual(['create', 'same', 'finished']);
  expect((await stateOf(give)).contacts).toHaveLength(2);
});

test('of a row that stands twice in a report the last line counts', async () => {
  const { bring, undo, file, at, give } = await prepared();
  await bring('contacts', 'email\na@x.example\nb@x.example\n');
  const report = readFileSync(at('sheet.report.csv'), 'utf8');
  const [first = '', second = ''] = report.split('\r\n').filter((line) => line.includes('create'));
  // A run that went on from a killed one has found the row as it was to be.
  const same = `${first.split(',')[0]},same,,,2,\r\n`;
  file('sheet.report.csv', report.replace(second, `${second}\r\n${second}`).replace(/(?=,finished)/, same));
  const { code, out } = await undo();
  expect([code, counts(out)]).toEqual([0, '1 undone, 0 undone already, 0 changed since, 0 failed']);
  expect((await stateOf(give)).contacts).toEqual([expect.stringContaining('a@x.example')]);
});

/** A report of two rows as its run would have left it, killed at the second. */
const asKilled = (report: string) =>
  report.replace(/^(.*\r\n)(.*\r\n).*\r\n(.*),finished,(.*\r\n)$/, '$1$3,started,$4$2b@x.exa');

test('rows whose answer was lost, and those that a killed run was at, are named and not passed over', async () => {
  const { bring, undo, file, at, meddling } = await prepared();
  meddling.after = ({ method, body }, response) => {
    const isLost = method === 'POST' && body.includes('a@x.example');
    if (isLost) response.destroy();
    return isLost;
  };
  await bring('contacts', 'email\na@x.example\nb@x.example\n', '--retries 0');
  const { code, out, err } = await undo();
  expect([code, counts(out)]).toEqual([
    6,
    '1 undone, 0 undone already, 0 changed since, 0 failed, 1 unknown',
  ]);
  expect(err).toBe('kith: Row 2: Something of it may have been written: look.\n');
  const finished = readFileSync(at('sheet.report.csv'), 'utf8');
  const sending = ',sending,,,9,"{""what"":""contact"",""body"":{}}"\r\n';
  file('sheet.report.csv', `${finished}${sending}`);
  expect((await undo()).err).toMatch(/2 writes are not undone:\n.*row 2: .*\n.*row 9: /);
});
