/** What is measured: one run of it. */
export interface Measured {
  readonly name: string;
  /** What is to be done before each run, and is not measured. */
  readonly before?: () => void;
  readonly run: () => void | Promise<void>;
}

/** The time of one thing as a multiple of another's, run in turn: A B A B. */
export interface Ratio {
  readonly name: string;
  readonly median: number;
  /** Half of the runs lie between these. */
  readonly quartiles: readonly [number, number];
}

/** Runs each in turn, `rounds` times after some that warm the caches of the machine, and compares the others with the floor. */
export async function ratios(
  floor: Measured,
  others: readonly Measured[],
  rounds: number,
  warming = 2,
): Promise<Ratio[]> {
  const times = new Map<string, number[]>([floor, ...others].map(({ name }) => [name, []]));
  for (let round = -warming; round < rounds; round += 1) {
    for (const { name, before, run } of [floor, ...others]) {
      before?.();
      const start = performance.now();
      await run();
      if (round >= 0) times.get(name)?.push(performance.now() - start);
    }
  }
  const base = quantile(times.get(floor.name) ?? [], 0.5);
  return others.map(({ name }) => {
    const own = times.get(name) ?? [];
    const at = (part: number) => quantile(own, part) / base;
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

function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
