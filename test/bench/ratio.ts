import { spawnSync } from 'node:child_process';

/** A command that is measured: what to run, and with what environment. */
export interface Measured {
  readonly name: string;
  readonly args: readonly string[];
}

/** The time of one command as a multiple of another's, run in turn: A B A B. */
export interface Ratio {
  readonly name: string;
  readonly median: number;
  /** Half of the runs lie between these. */
  readonly quartiles: readonly [number, number];
}

/** Runs `node` with each list of arguments in turn, `rounds` times, and compares each with the first. */
export function ratios(
  floor: Measured,
  others: readonly Measured[],
  rounds: number,
  env: NodeJS.ProcessEnv,
): Ratio[] {
  const times = new Map<string, number[]>([floor, ...others].map(({ name }) => [name, []]));
  for (let round = -2; round < rounds; round += 1) {
    for (const { name, args } of [floor, ...others]) {
      const start = performance.now();
      const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
      if (status !== 0) throw new Error(`${name} ended with ${status}: ${stderr}`);
      // The first two rounds warm the caches of the machine.
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

function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
