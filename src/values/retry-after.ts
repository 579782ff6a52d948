/** A hundred years, because a longer wait exceeds the range of dates. */
const maxRetryAfter = 100 * 365 * 86_400_000;

/**
 * Returns the milliseconds of a valid `Retry-After`. Compares a date with the clock of the service, not of this
 * machine.
 */
export function parseRetryAfter(
  headers: Readonly<Record<string, string | undefined>>,
  now: Date,
): number | undefined {
  const text = headers['retry-after']?.trim() ?? '';
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, maxRetryAfter);
  // Date.parse accepts "1.5" too.
  const until = /\d\d:\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  const serviceTime = Date.parse(headers.date ?? '') || now.getTime();
  return Number.isNaN(until) ? undefined : Math.min(Math.max(0, until - serviceTime), maxRetryAfter);
}
