import { expect, test } from 'vitest';
import {
  changeCrontab,
  formatCrontabBlock,
  listCrontabNames,
} from '../../../src/commands/schedule/crontab.ts';

const block = formatCrontabBlock('nightly', '0 3 * * * kith schedule run nightly');
const otherBlock = formatCrontabBlock('night', '0 4 * * * kith schedule run night');
const added = formatCrontabBlock('nightly', '0 5 * * * kith schedule run nightly');

test.each([
  ['an empty crontab', '', added],
  ['other lines', '# mine\nMAILTO=""\n\n0 1 * * * x\n', `# mine\nMAILTO=""\n\n0 1 * * * x\n${added}`],
  ['a last line without its end', '0 1 * * * x', `0 1 * * * x\n${added}`],
  ['the schedule', `a\n${block}b\n`, `a\n${added}b\n`],
  ['the schedule twice', `${block}a\n${block}b`, `${added}a\nb`],
  ['another schedule with a similar name', otherBlock, otherBlock + added],
  ['Windows line endings', `a\r\n${block.replaceAll('\n', '\r\n')}b\r\n`, `a\r\n${added}b\r\n`],
  ['a begin without an end', '# kith schedule nightly: begin\n0 1 * * * x\n', undefined],
  ['a begin before another schedule', `# kith schedule nightly: begin\n${otherBlock}`, undefined],
  ['an end without a begin', '# kith schedule nightly: end\n', undefined],
  ['bytes that are not UTF-8', '# \xe9\xff\0\n', `# \xe9\xff\0\n${added}`],
])('a schedule is put into a crontab with %s', (_, before, after = before + added) => {
  expect(changeCrontab(before, 'nightly', added)).toMatchObject({ before, after, added });
});

test.each([
  [`a\n${block}b`, 'a\nb'],
  [`${block}${otherBlock}${block}`, otherBlock],
  ['a\n', 'a\n'],
  ['# kith schedule nightly: begin\n0 1 * * * x\n', '# kith schedule nightly: begin\n0 1 * * * x\n'],
])('a schedule is removed from the crontab %j', (before, after) => {
  expect(changeCrontab(before, 'nightly', '').after).toBe(after);
});

test('the schedules in a crontab are listed once', () => {
  expect(listCrontabNames(`a\n${block}${otherBlock}${block}# kith schedule x: begin\n`)).toEqual([
    'nightly',
    'night',
  ]);
});

test('keeps a hand-written line that ends like an entry of kith', () => {
  const own = formatCrontabBlock('nightly', '0 3 * * * /usr/bin/node /bin/kith.js schedule run nightly');
  const [begin, entry, end] = own.split(/(?<=\n)/);
  const lines = '# do not run nightly\n0 4 * * * make run nightly\n';
  const change = changeCrontab(`${begin}${lines}${entry}${end}`, 'nightly', '');
  expect(change).toMatchObject({ after: lines, removed: own });
});

test('keeps lines that a person added between the lines of a schedule', () => {
  const [begin, , end] = block.split(/(?<=\n)/);
  const before = `a\n${begin}MAILTO=x\n0 3 * * * kith schedule run nightly\n5 5 * * * run nightly report\n${end}b\n`;
  const rest = 'MAILTO=x\n5 5 * * * run nightly report\nb\n';
  expect(changeCrontab(before, 'nightly', '')).toMatchObject({ after: `a\n${rest}`, removed: block });
  expect(changeCrontab(before, 'nightly', added).after).toBe(`a\n${added}${rest}`);
});
