import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { inject } from 'vitest';
import { prompt, tab, typeIntoShell } from './keys.ts';
import type { ShellEnvironment } from './machine.ts';

export const zshScript = resolve('completions/_kith');
/**
 * Returns a line of .zshrc that loads the script like an installed one. zsh caches its functions for the next start:
 * scanning all of them takes twenty times as long.
 */
export const createFunctionPath = () =>
  `fpath=('${resolve('completions')}' $fpath); autoload -Uz compinit; compinit -u -d '${inject('sample')}.zcompdump'`;

/** Presses Tab after each line in a real zsh. Returns the completed lines and the candidates. */
export async function pressTab(
  lines: readonly string[],
  environment: ShellEnvironment,
  setup = createFunctionPath(),
) {
  const folder = join(environment.cwd, '../zsh');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, '.zshrc'),
    `PS1='${prompt}'
    ${setup}
    # The arguments of compadd are the candidates, except in calls that only ask for them.
    compadd() {
      local -a hits
      [[ " $* " == *' -'[a-zA-Z]#[OAD]' '* ]] || { builtin compadd -A hits "$@"; seen+=("\${(@Q)hits}") }
      builtin compadd "$@"
    }
    shown() {
      print -r -- $'\\n'"\${BUFFER}¦\${(j:,:)seen}"
      BUFFER= seen=()
    }
    zle -N shown
    bindkey '^Xs' shown
    unsetopt beep\n`,
  );
  const keys = lines.map((line) => `${line}${tab}\x18s`).join('');
  const screen = await typeIntoShell('zsh -i', keys, {
    ...environment,
    env: { ...environment.env, ZDOTDIR: folder },
  });
  const states = Array.from(screen.matchAll(/^(.*)¦(.*)$/gm), ([, line, requests]) => ({
    line,
    offers: requests === '' ? [] : [...new Set(requests?.split(','))],
  }));
  return {
    screen,
    typed: Object.fromEntries(lines.map((line, index) => [line, states[index]?.line])),
    offers: Object.fromEntries(lines.map((line, index) => [line, states[index]?.offers])),
  };
}

/** Returns the candidates of a real zsh for each line, and the error messages on its screen. */
export async function completeInDriver(lines: readonly string[], environment: ShellEnvironment) {
  const { screen, offers: completeInDriver } = await pressTab(lines, environment);
  return { err: (screen.match(/\b(kith|zsh|compdef|_\w+):.*/g) ?? []).join('\n'), offers: completeInDriver };
}
