import { resolve } from 'node:path';
import { runProgram } from '../../support/binary.ts';
import type { Place } from './machine.ts';

export const script = resolve('completions/kith.fish');

/** What a real fish offers at the end of each line, each with what it says about it. */
export async function described(lines: readonly string[], { env, cwd }: Place) {
  const driver = `
    source '${script}'
    while read --line line
      complete -C $line
      echo .
    end`;
  const stdin = lines.map((line) => `${line}\n`).join('');
  const { out, err } = await runProgram('fish', ['--no-config', '-c', driver], { env, cwd, stdin });
  const replies = out.split(/^\.\n/m).map((reply) => reply.split('\n').filter(Boolean));
  return { err, offers: Object.fromEntries(lines.map((line, at) => [line, replies[at]])) };
}

/** The same without what it says. */
export async function offers(lines: readonly string[], place: Place) {
  const { err, offers: found } = await described(lines, place);
  const plain = Object.entries(found).map(([line, replies]) => [
    line,
    replies?.map((one) => one.replace(/\t.*/, '')),
  ]);
  return { err, offers: Object.fromEntries(plain) };
}
