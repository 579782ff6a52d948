/** Counts a request of a key; gives the seconds to wait where it is one too many, else undefined. */
export type RateLimit = (key: number) => number | undefined;

const minute = 60_000;

/** At most so many requests for a key in a minute; the minutes are those of the clock, the same for all keys. */
export function createRateLimit(limit: number, now: () => Date): RateLimit {
  let current = 0;
  let counts = new Map<number, number>();
  return (key) => {
    const time = now().getTime();
    const begun = Math.floor(time / minute);
    if (begun !== current) {
      current = begun;
      counts = new Map();
    }
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count <= limit ? undefined : Math.ceil(((begun + 1) * minute - time) / 1000);
  };
}
