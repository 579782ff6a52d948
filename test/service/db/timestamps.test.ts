import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatTimestamp, formatTimestampOrNull } from '../../../src/service/db/timestamps.ts';

test('formats a time like Date.toISOString', () => {
  const latestTime = 8_640_000_000_000_000;
  const times = fc.oneof(
    fc.integer({ min: -latestTime, max: latestTime }),
    fc.integer({ min: -4e9, max: 4e9 }),
  );
  const roundTrip = (time: number) => {
    expect(formatTimestamp(time)).toBe(new Date(time).toISOString());
  };
  fc.assert(fc.property(times, roundTrip), { numRuns: 2000 });
  for (const time of [0, -1, -86_400_000, 86_399_999, 253_402_300_800_000, latestTime, -latestTime])
    roundTrip(time);
  expect([formatTimestampOrNull(null), formatTimestampOrNull(0)]).toEqual([null, '1970-01-01T00:00:00.000Z']);
});
