import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { kithJs } from '../support/binary.ts';
import { temporaryFolder } from '../support/kith.ts';

/** When a signal is sent: so many milliseconds after the start or the signal before, or when this is so. */
export type Moment = number | (() => boolean);

/** So many milliseconds after something is so. */
export function later(milliseconds: number, isSo: () => boolean): () => boolean {
  let since = Number.POSITIVE_INFINITY;
  return () => {
    if (isSo()) since = Math.min(since, performance.now());
    return performance.now() - since > milliseconds;
  };
}

/** What tells of a program, started with `env`, that it listens for signals, and that it has heard a SIGINT. */
export function listener() {
  const folder = temporaryFolder();
  const [hook, listens, hears] = ['hook.cjs', 'listens', 'hears'].map((name) => join(folder, name));
  if (!hook || !listens || !hears) throw new Error('never');
  writeFileSync(
    hook,
    `const leave = (file) => require('node:fs').writeFileSync(file, '');
     process.on('newListener', (name) => {
       if (name !== 'SIGTERM') return;
       process.on('SIGINT', () => setTimeout(leave, 10, ${JSON.stringify(hears)}));
       setImmediate(leave, ${JSON.stringify(listens)});
     });`,
  );
  return {
    env: { NODE_OPTIONS: `--require=${hook}` },
    listens: () => existsSync(listens),
    hears: () => existsSync(hears),
  };
}

export interface Signalling {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string | undefined;
  readonly when: Moment;
  readonly signal: NodeJS.Signals;
  /** When it is sent again. */
  readonly again?: Moment;
  /** stdout is a pipe that nobody reads. */
  readonly unread?: boolean;
}

export interface Signalled {
  /** As a shell tells it: 128 and the signal's number where that has ended it. */
  readonly code: number;
  readonly milliseconds: number;
  readonly out: string;
  readonly err: string;
}

/** Starts the built program, whose stdin stays open, sends it a signal, and tells how it ended. */
export async function signalled(args: readonly string[], signalling: Signalling): Promise<Signalled> {
  const { env, cwd, when, signal, again, unread = false } = signalling;
  const child = spawn(process.execPath, [kithJs, ...args], { env, cwd });
  onTestFinished(() => void child.kill('SIGKILL'));
  const printed = { out: '', err: '' };
  if (!unread) {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed.out += text;
    });
  }
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    printed.err += text;
  });
  const over = new Promise<number>((done) => {
    child.on('close', (code, by) => done(code ?? 128 + (by === null ? 0 : constants.signals[by])));
  });
  await reached(when, child);
  const sent = performance.now();
  child.kill(signal);
  if (again !== undefined) {
    await reached(again, child);
    child.kill(signal);
  }
  const deaf = setTimeout(() => child.kill('SIGKILL'), 5000);
  const code = await over;
  clearTimeout(deaf);
  const milliseconds = performance.now() - sent;
  if (unread) child.stdout.destroy();
  return { code, milliseconds, ...printed };
}

async function reached(moment: Moment, child: ChildProcess): Promise<void> {
  if (typeof moment === 'number') await wait(moment);
  else while (!moment() && child.exitCode === null && child.signalCode === null) await wait(5);
}

/** Milliseconds in which it has ended, its streams closed. */
export const soon = 1000;

/** What ended soon, of three tries at the most: a machine that is busy may be late once, a program that waits is always. */
export async function endedSoon<T extends { readonly milliseconds: number }>(
  attempt: () => Promise<T>,
): Promise<T> {
  for (let left = 2; ; left--) {
    const ended = await attempt();
    if (ended.milliseconds < soon || left === 0) return ended;
  }
}
