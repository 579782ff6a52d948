import { resolve } from 'node:path';
import { runProgram } from '../../support/binary.ts';
import type { ShellEnvironment } from './machine.ts';

export const fishScript = resolve('completions/kith.fish');

/** Returns the candidates of a real fish for each line, with their descriptions. */
export async function completeWithDescriptions(lines: readonly string[], { env, cwd }: ShellEnvironment) {
  const driver = `
    source '${fishScript}'
    while read --line line
      complete -C $line
      echo .
    end`;
  const stdin = lines.map((line) => `${line}\n`).join('');
  const { out, err } = await runProgram('fish', ['--no-config', '-c', driver], { env, cwd, stdin });
  const replies = out.split(/^\.\n/m).map((reply) => reply.split('\n').filter(Boolean));
  return { err, offers: Object.fromEntries(lines.map((line, index) => [line, replies[index]])) };
}

/** Returns the candidates of a real fish for each line, without descriptions. */
export async function completeInDriver(lines: readonly string[], environment: ShellEnvironment) {
  const { err, offers: described } = await completeWithDescriptions(lines, environment);
  const withoutDescriptions = Object.entries(described).map(([line, replies]) => [
    line,
    replies?.map((reply) => reply.replace(/\t.*/, '')),
  ]);
  return { err, offers: Object.fromEntries(withoutDescriptions) };
}
