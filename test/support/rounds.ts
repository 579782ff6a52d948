const isLong = process.env.KITH_LONG === '1';

/** The seed of the random numbers. The run prints it, and KITH_SEED sets it. */
export const seed = Number(process.env.KITH_SEED);

/**
 * Counts the rounds of a random or kill loop: a few by default; with KITH_LONG=1 all, or as many as fit into
 * KITH_LONG_SECONDS.
 */
export function* countRounds(few: number, all: number): Generator<number> {
  const end = performance.now() + 1000 * Number(process.env.KITH_LONG_SECONDS ?? Number.POSITIVE_INFINITY);
  for (let round = 0; round < (isLong ? all : few); round += 1) {
    if (round >= few && performance.now() > end) return;
    yield round;
  }
}

/** Returns the number of runs of a property: a quarter by default, all with KITH_LONG=1. */
export const countRuns = (all: number): number => (isLong ? all : Math.ceil(all / 4));

/** Returns a generator of numbers from 0 to 1 (mulberry32). `loop`: another number for each loop. */
export function createRandom(loop: number): () => number {
  let state = seed + loop;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    const first = Math.imul(state ^ (state >>> 15), 1 | state);
    const second = (first + Math.imul(first ^ (first >>> 7), 61 | first)) ^ first;
    return ((second ^ (second >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns values in random order. */
export function shuffle<T>(values: readonly T[]): T[] {
  const random = createRandom(values.length);
  const places = values.map((value) => ({ value, place: random() }));
  return places.sort((one, other) => one.place - other.place).map(({ value }) => value);
}

/** Goes through as many values as `countRounds` counts. */
export function* takeRounds<T>(values: readonly T[], few: number): Generator<T> {
  for (const round of countRounds(few, values.length)) yield values[round] as T;
}
