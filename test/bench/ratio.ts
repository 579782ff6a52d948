/** What is measured: one run of it. */
export interface Measured {
  readonly name: string;
  /** What is to be done before each run, and is not measured. */
  readonly before?: () => void | Promise<void>;
  readonly run: () => void | Promise<void>;
}

/** The time of one thing as a multiple of another's, run in turn: A B A B. */
export interface Ratio {
  readonly name: string;
  readonly median: number;
  /** Half of the runs lie between these. */
  readonly quartiles: readonly [number, number];
}

/** Milliseconds of each run of things that are run in turn, A B A B, after some that warm the caches of the machine. */
export async function inTurn(all: readonly Measured[], rounds: number, warming = 2): Promise<number[][]> {
  const times: number[][] = all.map(() => []);
  for (let round = -warming; round < rounds; round += 1) {
    for (const [index, { before, run }] of all.entries()) {
      await before?.();
      const start = performance.now();
      await run();
      if (round >= 0) times[index]?.push(performance.now() - start);
    }
  }
  return times;
}

/** Runs each in turn, and compares the others with the floor. */
export async function ratios(
  floor: Measured,
  others: readonly Measured[],
  rounds: number,
  warming = 2,
): Promise<Ratio[]> {
  const [floors = [], ...times] = await inTurn([floor, ...others], rounds, warming);
  const base = quantile(floors, 0.5);
  return others.map(({ name }, index) => {
    const at = (part: number) => quantile(times[index] ?? [], part) / base;
    return { name, median: at(0.5), quartiles: [at(0.25), at(0.75)] };
  });
}

/** A line of a table for each ratio. */
export function lines(found: readonly Ratio[]): string {
  return found
    .map(({ name, median, quartiles }) => {
      const [low, high] = quartiles.map((value) => value.toFixed(2));
      return `  ${median.toFixed(2)}  (${low} to ${high})  ${name}\n`;
    })
    .join('');
}

/** The value below which a part of the values lie: 0.5 gives the median. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
