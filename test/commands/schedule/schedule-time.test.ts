import { expect, test } from 'vitest';
import {
  describeTime,
  findNextRun,
  type ScheduleTime,
} from '../../../src/commands/schedule/schedule-time.ts';

const daily = (hour: number, minute: number): ScheduleTime => ({ hours: [hour], minutes: [minute] });

test.each<[ScheduleTime, string]>([
  [{}, 'every minute'],
  [{ minutes: [0, 15, 30, 45] }, 'every 15 minutes'],
  [{ minutes: [5] }, 'every hour at :05'],
  [{ minutes: [0], hours: [0, 8, 16] }, 'every day at 00:00, 08:00, 16:00'],
  [daily(3, 0), 'every day at 03:00'],
  [{ ...daily(7, 30), weekdays: [1, 4] }, 'mon,thu at 07:30'],
  [{ ...daily(3, 0), days: [1, 15] }, 'day 1,15 of every month at 03:00'],
])('describes %o as %s', (time, text) => {
  expect(describeTime(time)).toBe(text);
});

test.each<[ScheduleTime, string, string, string]>([
  [{}, 'UTC', '2026-11-27T21:10:12Z', '2026-11-27T21:11:00.000Z'],
  [{ minutes: [0, 30] }, 'UTC', '2026-11-27T23:30:00Z', '2026-11-28T00:00:00.000Z'],
  [daily(3, 0), 'Asia/Seoul', '2026-11-27T17:59:59Z', '2026-11-27T18:00:00.000Z'],
  [daily(3, 0), 'Asia/Seoul', '2026-11-27T18:00:00Z', '2026-11-28T18:00:00.000Z'],
  [{ ...daily(7, 30), weekdays: [5] }, 'UTC', '2026-11-27T07:30:00Z', '2026-12-04T07:30:00.000Z'],
  [
    { ...daily(7, 30), weekdays: [0, 6] },
    'America/New_York',
    '2026-11-29T13:00:00Z',
    '2026-12-05T12:30:00.000Z',
  ],
  [{ ...daily(3, 0), days: [1, 15] }, 'UTC', '2026-11-15T03:00:00Z', '2026-12-01T03:00:00.000Z'],
  [{ ...daily(3, 0), days: [30] }, 'UTC', '2026-01-30T03:00:00Z', '2026-03-30T03:00:00.000Z'],
  // The clocks change on 29 March 2026 at 02:00.
  [daily(12, 0), 'Europe/Berlin', '2026-03-28T11:00:00Z', '2026-03-29T10:00:00.000Z'],
])('the next run of %o in %s after %s is at %s', (time, zone, now, expected) => {
  const next = findNextRun(time, zone, Date.parse(now));
  expect(next && new Date(next).toISOString()).toBe(expected);
});

test('the next run in the last minute of a day is found without a conversion for each minute', () => {
  const start = performance.now();
  const next = findNextRun({}, 'Asia/Seoul', Date.parse('2026-11-27T14:58:30Z'));
  expect([next, performance.now() - start < 100]).toEqual([Date.parse('2026-11-27T14:59:00Z'), true]);
});
