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
  readonly countRequest: NonNullable<OpenDatabase['countRequest']>;
  /** Receives the reason why this process counts separately. */
  readonly warn: (text: string) => void;
}

/**
 * Creates a limit of requests per key and minute that all servers of a database share. The minute is that of the
 * database's clock. While the database cannot count, this process counts separately: a broken counter must not fail
 * requests.
 */
export function createSharedRateLimit(
  limit: number,
  { now, countRequest, warn }: SharedLimitDeps,
): RateLimit {
  const countHere = createRateLimit(limit, now);
  let isFailing = false;
  return async (key) => {
    try {
      const { requests, milliseconds } = await countRequest(key);
      isFailing = false;
      return requests <= limit ? undefined : Math.ceil(milliseconds / 1000);
    } catch (error) {
      if (!isFailing)
        warn(
          `Cannot count requests in the database: ${getErrorMessage(error)}. This process counts separately until the database counts again.`,
        );
      isFailing = true;
      return countHere(key);
    }
  };
}
