import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { kithJs } from '../binary.ts';

/** When a signal is sent: so many milliseconds after the start, or when this is so. */
export type Moment = number | (() => boolean);

export interface Signalling {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string | undefined;
  readonly when: Moment;
  readonly signal: NodeJS.Signals;
  /** Milliseconds after which it is sent again. */
  readonly again?: number;
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
  if (typeof when === 'number') await wait(when);
  else while (!when() && child.exitCode === null) await wait(5);
  const sent = performance.now();
  child.kill(signal);
  if (again !== undefined) {
    await wait(again);
    child.kill(signal);
  }
  const deaf = setTimeout(() => child.kill('SIGKILL'), 5000);
  const code = await over;
  clearTimeout(deaf);
  const milliseconds = performance.now() - sent;
  if (unread) child.stdout.destroy();
  return { code, milliseconds, ...printed };
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
