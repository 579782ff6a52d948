import { expect, test } from 'vitest';
import { parseTimeOffset, readDays, resolveZone, shiftTime } from '../../src/values/dates.ts';

test.each([
  // 2026-11-23 is a Monday.
  ['today', '2026-11-23', '2026-11-23', '2026-11-23'],
  ['next friday', '2026-11-23', '2026-12-04', '2026-12-04'],
  ['Sunday', '2026-11-23', '2026-11-29', '2026-11-29'],
  ['last-week', '2026-11-23', '2026-11-16', '2026-11-22'],
  ['this  month', '2024-02-10', '2024-02-01', '2024-02-29'],
  ['next month', '2026-12-31', '2027-01-01', '2027-01-31'],
  ['last month', '2026-01-31', '2025-12-01', '2025-12-31'],
  ['this quarter', '2026-11-23', '2026-10-01', '2026-12-31'],
  ['last quarter', '2026-02-28', '2025-10-01', '2025-12-31'],
  ['next year', '2026-11-23', '2027-01-01', '2027-12-31'],
  ['end of month', '2024-02-10', '2024-02-29', '2024-02-29'],
  ['end of the month', '2100-02-10', '2100-02-28', '2100-02-28'],
  ['End of next month', '2026-01-31', '2026-02-28', '2026-02-28'],
  ['end-of-week', '2026-11-23', '2026-11-29', '2026-11-29'],
  ['end of the day', '2026-11-23', '2026-11-23', '2026-11-23'],
  ['end of friday', '2026-11-23', '2026-11-27', '2026-11-27'],
  ['the beginning of next month', '2026-12-31', '2027-01-01', '2027-01-01'],
  ['start of last year', '2026-11-23', '2025-01-01', '2025-01-01'],
])('%s on %s is from %s to %s', (text, today, first, last) => {
  expect(readDays(text, today)).toMatchObject({ first, last });
});

test.each([
  // 2026-11-25 is a Wednesday.
  ['friday', 'coming', '2026-11-27'],
  ['Monday', 'coming', '2026-11-30'],
  ['wednesday', 'coming', '2026-11-25'],
  ['friday', 'latest', '2026-11-20'],
  ['monday', 'latest', '2026-11-23'],
  ['wednesday', 'latest', '2026-11-25'],
  ['end of monday', 'coming', '2026-11-30'],
  ['next monday', 'latest', '2026-11-30'],
] as const)('%s on a Wednesday, the %s one, is %s', (text, direction, day) => {
  expect(readDays(text, '2026-11-25', direction)?.first).toBe(day);
});

test('marks only the end of a period as an end', () => {
  const isEnd = (text: string) => readDays(text, '2026-11-23')?.isEnd === true;
  expect(isEnd('end of month')).toBe(true);
  for (const text of ['this month', '2026-11-30', 'beginning of month']) expect(isEnd(text)).toBe(false);
});

test.each(['month', 'the month', 'end of', 'end of may', 'constructor', 'this constructor', 'next', ''])(
  '"%s" names no days',
  (text) => {
    expect(readDays(text, '2026-11-23')).toBeUndefined();
  },
);

const seoul = 'Asia/Seoul';

test.each([
  ['7d', '2026-11-23T12:00:00Z', seoul, '2026-11-16T12:00:00Z'],
  ['30m ago', '2026-11-23T12:00:00Z', seoul, '2026-11-23T11:30:00Z'],
  ['+2w', '2026-11-23T12:00:00Z', seoul, '2026-12-07T12:00:00Z'],
  ['in an hour', '2026-11-23T12:00:00Z', seoul, '2026-11-23T13:00:00Z'],
  // The end of a month in Seoul, where it is already the next day.
  ['in 1 month', '2026-01-30T20:00:00Z', seoul, '2026-02-27T20:00:00Z'],
  ['in a month', '2024-01-30T20:00:00Z', seoul, '2024-02-28T20:00:00Z'],
  ['+1 year', '2024-02-29T12:00:00Z', 'UTC', '2025-02-28T12:00:00Z'],
  ['4 years ago', '2028-02-29T12:00:00Z', 'UTC', '2024-02-29T12:00:00Z'],
  ['in 13 months', '2026-12-31T12:00:00Z', 'UTC', '2028-01-31T12:00:00Z'],
  ['56 years ago', '2026-01-01T00:00:00Z', 'UTC', '1970-01-01T00:00:00Z'],
  // The local time stays the same across a change of the clocks; hours are elapsed time.
  ['+1d', '2026-03-07T17:00:00Z', 'America/New_York', '2026-03-08T16:00:00Z'],
  ['1d', '2026-11-01T17:00:00Z', 'America/New_York', '2026-10-31T16:00:00Z'],
  ['+24h', '2026-03-07T17:00:00Z', 'America/New_York', '2026-03-08T17:00:00Z'],
  ['in 999999 years', '2026-11-23T12:00:00Z', 'UTC', '9999-12-31T00:00:00Z'],
  ['999999 years ago', '2026-11-23T12:00:00Z', 'UTC', '0001-01-01T00:00:00Z'],
  ['999999w', '2026-11-23T12:00:00Z', 'UTC', '0001-01-01T00:00:00Z'],
])('%s at %s in %s is %s', (text, time, zone, expected) => {
  const offset = parseTimeOffset(text);
  expect(offset && shiftTime(Date.parse(time), offset, zone)).toBe(Date.parse(expected));
});

test.each([
  '7',
  '7y',
  '-7d',
  '7 days',
  'days ago',
  'in days',
  'in 7d ago',
  '+7d ago',
  '1234567d',
  'in 1.5 days',
])('"%s" is not a distance from now', (text) => {
  expect(parseTimeOffset(text)).toBeUndefined();
});

test.each([
  ['Asia/Seoul', 'Asia/Seoul'],
  [':Asia/Seoul', 'Asia/Seoul'],
  ['/usr/share/zoneinfo/Asia/Seoul', 'Asia/Seoul'],
  [':/usr/share/zoneinfo/posix/America/Port-au-Prince', 'America/Port-au-Prince'],
  ['KST-9', 'Etc/GMT-9'],
  ['<+09>-9', 'Etc/GMT-9'],
  ['UTC0', 'UTC'],
  ['EST5', 'Etc/GMT+5'],
  ['+09:00', 'Etc/GMT-9'],
  ['+0545', 'Asia/Katmandu'],
  ['IST-5:30', 'Asia/Calcutta'],
  ['UTC+25', undefined],
  ['Nowhere/Else', undefined],
  ['CET-1CEST,M3.5.0,M10.5.0/3', undefined],
])('reads %s as the zone %s', (text, name) => {
  expect(resolveZone(text)).toBe(name);
});
