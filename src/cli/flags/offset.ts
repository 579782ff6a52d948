import { Failure } from '../../contract/errors.ts';
import type { Option } from './options.ts';

/** A time within a recording, in seconds: typed as `12:30`, `1:02:30` or `750`. */
export function offset(summary: string): Option<number | undefined> {
  return { summary, value: 'TIME', read: secondsOf };
}

function secondsOf(given: string): number {
  const [, hours = '0', minutes = '0', seconds] =
    /^(?:(?:(\d{1,4}):(?=\d\d:))?(\d{1,4}):(?=\d\d(?:\.|$)))?(\d{1,7}(?:\.\d{1,3})?)$/.exec(given) ?? [];
  const isClock = given.includes(':');
  const isHours = given.split(':').length > 2;
  if (seconds === undefined || (isClock && Number(seconds) >= 60) || (isHours && Number(minutes) >= 60)) {
    throw new Failure('usage', `"${given}" is not a time in a recording, such as 12:30, 1:02:30 or 750.`);
  }
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
}
