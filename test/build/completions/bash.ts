import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { runProgram } from '../../support/binary.ts';
import { prompt, screenOf, tab } from './keys.ts';
import type { Place } from './machine.ts';

export const script = resolve('completions/kith.bash');

/** Calls the function of the script as bash does; gives what it replies, as words with their quotes taken off. */
export async function offers(lines: readonly string[], { env, cwd }: Place) {
  const driver = `
    source '${script}'
    COMP_WORDBREAKS=$' \\t\\n"\\'@><=;|&(:'
    while IFS= read -r COMP_LINE; do
      COMP_POINT=\${#COMP_LINE}
      _kith
      eval "words=(\${COMPREPLY[*]})"
      (IFS=, && printf '%s\\n' "\${words[*]}")
    done`;
  const { out, err } = await runProgram('bash', ['--norc', '-c', driver], {
    env,
    cwd,
    stdin: lines.map((line) => `${line}\n`).join(''),
  });
  const replies = out.split('\n').map((reply) => (reply === '' ? [] : reply.split(',')));
  return { err, offers: Object.fromEntries(lines.map((line, at) => [line, replies[at]])) };
}

/** Presses Tab after each line in a real bash; gives the lines as they are then, and the screen. */
export async function tabbed(lines: readonly string[], place: Place, setup = '') {
  const rc = join(place.cwd, '../bashrc');
  writeFileSync(
    rc,
    `PS1='${prompt}'
    set +o history
    bind 'set enable-bracketed-paste off'
    bind 'set show-all-if-ambiguous on'
    bind 'set completion-display-width 0'
    bind -x '"\\C-xs": printf "\\n<%s>\\n" "$READLINE_LINE"'
    source '${script}'
    ${setup}\n`,
  );
  const keys = lines.map((line) => `${line}${tab}\x18s\x15`).join('');
  const screen = await screenOf(`bash --noprofile --rcfile '${rc}' -i`, keys, place);
  const after = Array.from(screen.matchAll(/^<(.*)>$/gm), ([, line]) => line);
  return { screen, typed: Object.fromEntries(lines.map((line, at) => [line, after[at]])) };
}
