import { getErrorMessage } from '../../contract/errors.ts';
import type { OpenDatabase } from '../db/database.ts';

/** Counts a request with a key; returns the seconds to wait if the key exceeds its limit. */
export type RateLimit = (key: number) => number | undefined | Promise<number | undefined>;

const minute = 60_000;

/** Creates a limit of requests per key and calendar minute, counted in this process. */
export function createRateLimit(limit: number, now: () => Date) {
  let current = 0;
  let counts = new Map<number, number>();
  return (key: number): number | undefined => {
    const time = now().getTime();
    const index = Math.floor(time / minute);
    if (index !== current) {
      current = index;
      counts = new Map();
    }
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count <= limit ? undefined : Math.ceil(((index + 1) * minute - time) / 1000);
  };
}

/** The dependencies of a limit that several processes share. */
interface SharedLimitDeps {
  readonly now: () => Date;
  readonly countRequests: NonNullable<OpenDatabase['countRequests']>;
  /** Receives the reason why this process counts separately. */
  readonly warn: (text: string) => void;
}

/**
 * Creates a limit of requests per key and minute of the database's clock, which all its servers share. If the database
 * cannot count them, this process counts separately for a minute.
 */
export function createSharedRateLimit(
  limit: number,
  { now, countRequests, warn }: SharedLimitDeps,
): RateLimit {
  const countHere = createRateLimit(limit, now);
  const quotas = new Map<number, ReturnType<typeof createQuota>>();
  let failure: Period | undefined;
  let isFailing = false;
  return async (key) => {
    const time = now().getTime();
    if (failure && isIn(failure, time)) return countHere(key);
    const take = quotas.get(key) ?? createQuota(limit, now, (requests) => countRequests(key, requests));
    quotas.set(key, take);
    try {
      const seconds = await take();
      isFailing = false;
      return seconds;
    } catch (error) {
      failure = { start: time, end: time + minute };
      if (!isFailing) warn(`Cannot count requests in the database: ${getErrorMessage(error)}. ${onItsOwn}`);
      isFailing = true;
      return countHere(key);
    }
  };
}

const onItsOwn = 'Until this works again, this process counts separately.';

/** Milliseconds by the clock of this process, which may be turned back. */
interface Period {
  readonly start: number;
  readonly end: number;
}

const isIn = ({ start, end }: Period, time: number) => start <= time && time < end;

/**
 * Creates the function that takes one request from the limit of a key, or returns the seconds until the next minute. It
 * reserves several requests at a time, so that few of them wait for the database.
 */
function createQuota(
  limit: number,
  now: () => Date,
  count: (requests: number) => ReturnType<SharedLimitDeps['countRequests']>,
) {
  const chunk = Math.max(1, Math.floor(limit / 50));
  let period: Period = { start: 0, end: 0 };
  let current = 0;
  let left = 0;
  let isExhausted = false;
  let waiting = 0;
  let reservation: Promise<void> | undefined;
  const reserve = async () => {
    const wanted = Math.max(chunk, waiting);
    const start = now().getTime();
    const { minute, requests, milliseconds } = await count(wanted);
    const granted = Math.min(Math.max(limit - (requests - wanted), 0), wanted);
    // The period ends before the minute does, by the duration of the statement. Until then, reservations are valid.
    left = granted + (minute === current ? left : 0);
    current = minute;
    period = { start, end: start + milliseconds };
    isExhausted = granted < wanted;
  };
  return async () => {
    for (;;) {
      const time = now().getTime();
      if (isIn(period, time)) {
        if (left > 0) {
          left -= 1;
          return undefined;
        }
        if (isExhausted) return Math.ceil((period.end - time) / 1000);
      }
      waiting += 1;
      reservation ??= reserve().finally(() => {
        reservation = undefined;
      });
      try {
        await reservation;
      } finally {
        waiting -= 1;
      }
    }
  };
}
