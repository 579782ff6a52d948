import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { inject } from 'vitest';
import { prompt, screenOf, tab } from './keys.ts';
import type { Place } from './machine.ts';

export const script = resolve('completions/_kith');
/**
 * A line of .zshrc that finds the script as an installed one is found. What zsh has found is kept for the next one, as
 * on any machine: to look through all of its functions takes twenty times as long.
 */
export const fromFolder = () =>
  `fpath=('${resolve('completions')}' $fpath); autoload -Uz compinit; compinit -u -d '${inject('sample')}.zcompdump'`;

/** Presses Tab after each line in a real zsh; gives the lines as they are then, and what was offered. */
export async function tabbed(lines: readonly string[], place: Place, setup = fromFolder()) {
  const folder = join(place.cwd, '../zsh');
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
  const screen = await screenOf('zsh -i', keys, { ...place, env: { ...place.env, ZDOTDIR: folder } });
  const after = Array.from(screen.matchAll(/^(.*)¦(.*)$/gm), ([, line, seen]) => ({
    line,
    offers: seen === '' ? [] : [...new Set(seen?.split(','))],
  }));
  return {
    screen,
    typed: Object.fromEntries(lines.map((line, at) => [line, after[at]?.line])),
    offers: Object.fromEntries(lines.map((line, at) => [line, after[at]?.offers])),
  };
}

/** What a real zsh offers after each line, and the complaints that its screen shows. */
export async function offers(lines: readonly string[], place: Place) {
  const { screen, offers } = await tabbed(lines, place);
  return { err: (screen.match(/\b(kith|zsh|compdef|_\w+):.*/g) ?? []).join('\n'), offers };
}
