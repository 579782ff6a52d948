/** Counts a request with a key; returns the seconds to wait if the key exceeds its limit. */
export type RateLimit = (key: number) => number | undefined;

const minute = 60_000;

/** Creates a limit of requests per key and calendar minute. */
export function createRateLimit(limit: number, now: () => Date): RateLimit {
  let current = 0;
  let counts = new Map<number, number>();
  return (key) => {
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
