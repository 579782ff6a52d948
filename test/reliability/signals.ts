import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { launcher } from '../support/binary.ts';
import { createTemporaryFolder } from '../support/kith.ts';

/** When a signal is sent: milliseconds after the start or the previous signal, or a condition. */
export type SignalTime = number | (() => boolean);

/** Returns a condition that holds a number of milliseconds after another one began to hold. */
export function afterDelay(milliseconds: number, condition: () => boolean): () => boolean {
  let since = Number.POSITIVE_INFINITY;
  return () => {
    if (condition()) since = Math.min(since, performance.now());
    return performance.now() - since > milliseconds;
  };
}

/** Returns an environment whose program reports that it listens for signals, and that it received a SIGINT. */
export function createSignalListener() {
  const folder = createTemporaryFolder();
  const [hookFile, listeningFile, receivedFile] = ['hook.cjs', 'listens', 'hears'].map((name) =>
    join(folder, name),
  );
  if (!hookFile || !listeningFile || !receivedFile) throw new Error('never');
  writeFileSync(
    hookFile,
    `const leave = (file) => require('node:fs').writeFileSync(file, '');
     process.on('newListener', (name) => {
       if (name !== 'SIGTERM') return;
       process.on('SIGINT', () => setTimeout(leave, 10, ${JSON.stringify(receivedFile)}));
       setImmediate(leave, ${JSON.stringify(listeningFile)});
     });`,
  );
  return {
    env: { NODE_OPTIONS: `--require=${hookFile}` },
    isListening: () => existsSync(listeningFile),
    hasReceivedSigint: () => existsSync(receivedFile),
  };
}

export interface SignalOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string | undefined;
  readonly sendAt: SignalTime;
  readonly signal: NodeJS.Signals;
  /** The moment at which the signal is sent again. */
  readonly sendAgainAt?: SignalTime;
  /** Whether stdout is a pipe that nobody reads. */
  readonly isUnread?: boolean;
}

export interface SignalResult {
  /** As a shell reports it: 128 plus the number of the signal that ended the program. */
  readonly code: number;
  readonly milliseconds: number;
  readonly out: string;
  readonly err: string;
}

/** Starts the built program, whose stdin stays open, and sends it a signal. */
export async function runWithSignal(args: readonly string[], options: SignalOptions): Promise<SignalResult> {
  const { env, cwd, sendAt, signal, sendAgainAt, isUnread = false } = options;
  const child = spawn(process.execPath, [launcher, ...args], { env, cwd });
  onTestFinished(() => void child.kill('SIGKILL'));
  const output = { out: '', err: '' };
  if (!isUnread) {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output.out += text;
    });
  }
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.err += text;
  });
  const closed = new Promise<number>((done) => {
    child.on('close', (code, by) => done(code ?? 128 + (by === null ? 0 : constants.signals[by])));
  });
  await waitFor(sendAt, child);
  const sentAt = performance.now();
  child.kill(signal);
  if (sendAgainAt !== undefined) {
    await waitFor(sendAgainAt, child);
    child.kill(signal);
  }
  const killTimer = setTimeout(() => child.kill('SIGKILL'), 5000);
  const code = await closed;
  clearTimeout(killTimer);
  const milliseconds = performance.now() - sentAt;
  if (isUnread) child.stdout.destroy();
  return { code, milliseconds, ...output };
}

async function waitFor(time: SignalTime, child: ChildProcess): Promise<void> {
  if (typeof time === 'number') await wait(time);
  else while (!time() && child.exitCode === null && child.signalCode === null) await wait(5);
}

/** The time in which a program must end and close its streams after a signal, in milliseconds. */
export const endDeadline = 1000;

/** Repeats an attempt up to twice until it ends soon enough: a busy machine may be late once, a program that waits always is. */
export async function retrySlowRun<T extends { readonly milliseconds: number }>(
  attempt: () => Promise<T>,
): Promise<T> {
  for (let attemptsLeft = 2; ; attemptsLeft--) {
    const result = await attempt();
    if (result.milliseconds < endDeadline || attemptsLeft === 0) return result;
  }
}
