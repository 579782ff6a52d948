/** Something whose running time is measured. */
export interface Measurement {
  /** Runs before each round and is not measured. */
  readonly prepare?: () => unknown;
  readonly run: () => unknown;
}

/**
 * Runs measurements alternately, A B A B, so that a machine that becomes slower slows all of them. Rounds that warm the
 * caches of the machine come first and are not counted.
 * Returns the milliseconds of each round, for each measurement.
 */
export async function runInTurn(
  measurements: readonly Measurement[],
  rounds: number,
  warmups = 2,
): Promise<number[][]> {
  const times: number[][] = measurements.map(() => []);
  for (let round = -warmups; round < rounds; round += 1) {
    for (const [index, { prepare, run }] of measurements.entries()) {
      await prepare?.();
      const start = performance.now();
      await run();
      if (round >= 0) times[index]?.push(performance.now() - start);
    }
  }
  return times;
}

/** Divides the values of each round. */
export const divide = (values: readonly number[], divisors: readonly number[] = []): number[] =>
  values.map((value, round) => value / (divisors[round] ?? Number.NaN));

/** Returns the value below which a part of the values is: 0.5 gives the median. */
function computeQuantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

export const computeMedian = (values: readonly number[] = []): number => computeQuantile(values, 0.5);

/** Formats a median with its quartiles: `1.04 (0.99 to 1.12)`. */
export function formatQuartiles(values: readonly number[], digits = 2): string {
  const format = (part: number) => computeQuantile(values, part).toFixed(digits);
  return `${format(0.5)} (${format(0.25)} to ${format(0.75)})`;
}

/**
 * Runs one piece of work alternately with the floor, by each build. Returns the cells of a row: the ratio of each build to
 * the floor and, for two builds, of the first to the second.
 */
export async function measureRatios(
  floor: Measurement,
  builds: readonly Measurement[],
  rounds: number,
  warmups?: number,
): Promise<string[]> {
  const [floorTimes, ...times] = await runInTurn([floor, ...builds], rounds, warmups);
  return formatRatios(times, floorTimes);
}

/** Formats the ratio of each build to the floor and, for two builds, of the first to the second. */
export function formatRatios(builds: readonly number[][], floor: readonly number[] = []): string[] {
  const cells = builds.map((values) => formatQuartiles(divide(values, floor)));
  const [first, second] = builds;
  return first && second ? [...cells, formatQuartiles(divide(first, second))] : cells;
}
