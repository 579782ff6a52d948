import { setMaxListeners } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { Failure, toFailure } from '../contract/errors.ts';
import type { TerminalPrograms } from './child-processes.ts';

/** Milliseconds after a signal until pagers and editors are killed, the work is abandoned, and the process ends. */
const timeouts = { programs: 200, work: 350, process: 500 };

export interface Shutdown {
  /** Aborted with the failure that the program exits with. */
  readonly signal: AbortSignal;
  /** Rejects with that failure if the work does not end in time. */
  readonly forcedExit: Promise<never>;
  /** Extends the time to end after the first signal. A negative number reverts an extension. */
  readonly extendTimeouts: (milliseconds: number) => void;
  /** Runs `reload` for each SIGHUP, unless the terminal was closed: that ends the program. */
  readonly onHangup: (reload: () => Promise<void>) => void;
}

/**
 * Handles signals: the first one stops the work in order, the second one ends the process at once. Ctrl-C in a pager or
 * an editor goes to that program. A dependency of conf sends the first signal again in the next turns of the event
 * loop, which does not count as a second one. An uncaught error stops the work as a signal does.
 */
export function handleSignals(programs: TerminalPrograms): Shutdown {
  const stopping = new AbortController();
  const { signal } = stopping;
  // Each request adds a listener, and Node warns about more than ten.
  setMaxListeners(0, signal);
  let giveUp: (failure: Failure) => void = () => {};
  const forcedExit = new Promise<never>((_, reject) => {
    giveUp = reject;
  });
  forcedExit.catch(() => {}); // it may be that nobody waits
  let extraTime = 0;
  const stop = (failure: Failure, hasPrograms: () => boolean, exit: () => void, extra = 0) => {
    if (signal.aborted) return;
    // The timeouts start when the pager or editor has ended, so that kith can report the saved text.
    const schedule = (milliseconds: number, then: () => void) => {
      const hadPrograms = hasPrograms();
      const check = () => (hadPrograms || hasPrograms() ? schedule(milliseconds, then) : then());
      setTimeout(check, milliseconds).unref();
    };
    schedule(extra + timeouts.work, () => giveUp(failure));
    schedule(extra + timeouts.process, exit);
    stopping.abort(failure);
    if (!hasPrograms()) endPrograms(programs);
  };
  const onSignal = (name: NodeJS.Signals, failure: Failure, hasPrograms: () => boolean) => {
    let isSecond = false;
    process.on(name, () => {
      const exit = () => exitBySignal(name);
      if (isSecond && !hasPrograms()) exit();
      stop(failure, hasPrograms, exit, extraTime);
      const markSecond = () => {
        isSecond = true;
      };
      setImmediate(() => setImmediate(markSecond));
    });
  };
  onSignal('SIGINT', new Failure('interrupted', 'Interrupted.'), () => programs.size > 0);
  onSignal('SIGTERM', new Failure('terminated', 'Terminated.'), () => false);
  const crash = (error: unknown) => {
    process.exitCode = 1;
    const exit = () => process.exit(1);
    stop(toFailure(error), () => false, exit);
  };
  process.on('uncaughtException', crash).on('unhandledRejection', crash);
  const extendTimeouts = (milliseconds: number) => {
    extraTime += milliseconds;
  };
  const onHangup = (reload: () => Promise<void>) => {
    process.on('SIGHUP', () => {
      if (process.stdin.isTTY && !hasTerminal()) exitBySignal('SIGHUP');
      else void reload();
    });
  };
  return { signal, forcedExit, extendTimeouts, onHangup };
}

/** Whether the terminal of this process is open. */
function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}

/** Ends the programs that use the terminal. Only a shell is killed, so that kith can report the text of an editor. */
function endPrograms(programs: TerminalPrograms): void {
  for (const { pid } of programs) endWithChildren(pid);
  const kill = () => {
    for (const { pid } of programs) end(pid, 'SIGKILL');
  };
  setTimeout(kill, timeouts.programs).unref();
}

/** Ends a shell and its children. Finds the children only on Linux. */
function endWithChildren(pid: number | undefined): void {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    for (const child of children.match(/\d+/g) ?? []) endWithChildren(Number(child));
  } catch {} // it has ended, or this is not Linux
  end(pid, 'SIGTERM');
}

function end(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(pid, signal);
  } catch {} // it has ended
}

/** Restores the terminal and ends the process by the signal. A normal exit would wait for a named pipe. */
function exitBySignal(signal: NodeJS.Signals): void {
  const { isTTY } = process.stderr;
  if (isTTY && process.env.TERM !== 'dumb') process.stderr.write('\r\u001b[K\u001b[?25h');
  if (process.stdin.isTTY) process.stdin.setRawMode(false);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  if (process.pid > 1) return;
  // The first process of a container survives its own signals.
  const { signals } = process.getBuiltinModule('node:os').constants;
  process.exit(128 + signals[signal]);
}
