import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { runProgram } from '../../support/binary.ts';
import { prompt, tab, typeIntoShell } from './keys.ts';
import type { ShellEnvironment } from './machine.ts';

export const bashScript = resolve('completions/kith.bash');

/** Calls the script's completion function as bash does. Returns its candidates for each line, without quotes. */
export async function completeInDriver(lines: readonly string[], { env, cwd }: ShellEnvironment) {
  const driver = `
    source '${bashScript}'
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
  return { err, offers: Object.fromEntries(lines.map((line, index) => [line, replies[index]])) };
}

/** Presses Tab after each line in a real bash. Returns the completed lines and the screen. */
export async function pressTab(lines: readonly string[], environment: ShellEnvironment, startupLines = '') {
  const rc = join(environment.cwd, '../bashrc');
  writeFileSync(
    rc,
    `PS1='${prompt}'
    set +o history
    bind 'set enable-bracketed-paste off'
    bind 'set show-all-if-ambiguous on'
    bind 'set completion-display-width 0'
    bind -x '"\\C-xs": printf "\\n<%s>\\n" "$READLINE_LINE"'
    source '${bashScript}'
    ${startupLines}\n`,
  );
  const keys = lines.map((line) => `${line}${tab}\x18s\x15`).join('');
  const screen = await typeIntoShell(`bash --noprofile --rcfile '${rc}' -i`, keys, environment);
  const linesAfter = Array.from(screen.matchAll(/^<(.*)>$/gm), ([, line]) => line);
  return {
    screen,
    completedLines: Object.fromEntries(lines.map((line, index) => [line, linesAfter[index]])),
  };
}
