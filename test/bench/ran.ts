import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Runs a program to its end. Its output is thrown away, or goes through a pipe, as to `wc`. */
export function ran(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  output: 'ignore' | 'pipe' = 'ignore',
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, stdio: ['ignore', output, 'inherit'] });
    child.stdout?.resume();
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`${command} ${args.join(' ')} ended with ${code}`)),
    );
  });
}

/**
 * A script that writes the most memory that its process held, in kB, into a file at its end. Linux counts what the
 * parent held when it was begun as its own too: that of the program alone stands in /proc.
 */
const teller = (file: string) => `const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const status = '/proc/self/status';
process.on('exit', () => {
  const held = existsSync(status) && /VmHWM:\\s*(\\d+)/.exec(readFileSync(status, 'utf8'))?.[1];
  writeFileSync(${JSON.stringify(file)}, String(held || process.resourceUsage().maxRSS));
});`;

/** The most memory that a program on Node held, in MB: it is run with flags for Node that tell it in the end. */
export async function peakOf(
  folder: string,
  run: (flags: readonly string[]) => Promise<void>,
): Promise<number> {
  const told = join(folder, 'rss');
  const script = join(folder, 'rss.cjs');
  writeFileSync(script, teller(told));
  await run(['--require', script]);
  return Number(readFileSync(told, 'utf8')) / 1024;
}
