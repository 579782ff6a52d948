import { setMaxListeners } from 'node:events';
import { readFileSync } from 'node:fs';
import { Failure, toFailure } from '../contract/errors.ts';
import type { TerminalPrograms } from './child-processes.ts';

/**
 * Milliseconds after a stop at which a program that stays at the terminal is left there, at which the work is left as
 * it stands, and at which the process ends unheard.
 */
const patience = { programs: 200, work: 350, process: 500 };

/** How this process is told to stop. */
export interface Shutdown {
  /** Aborted with the failure that the program then ends with. */
  readonly signal: AbortSignal;
  /** Rejects with it where the work does not end by that. */
  readonly forcedExit: Promise<never>;
}

/**
 * The first signal stops the work in order, the second one ends the process at once. A library of conf sends
 * the first again, which arrives when the event loop goes round once more: that is no second one. Nor is Ctrl-C while
 * a pager or an editor has the terminal: it is meant for that, and would leave it there without us. An error that
 * nothing has caught stops the work as a signal does.
 */
export function handleSignals(atTerminal: TerminalPrograms): Shutdown {
  const stopping = new AbortController();
  const { signal } = stopping;
  // Each request under way listens, and Node would warn of more than ten.
  setMaxListeners(0, signal);
  let giveUp: (failure: Failure) => void = () => {};
  const forcedExit = new Promise<never>((_, reject) => {
    giveUp = reject;
  });
  forcedExit.catch(() => {}); // it may be that nobody waits
  const stop = (failure: Failure, isOthers: () => boolean, leave: () => void) => {
    if (signal.aborted) return;
    // Once a pager or an editor is left the work has the whole time: to name the text that was kept takes some.
    const after = (milliseconds: number, then: () => void) => {
      const wasOthers = isOthers();
      const later = () => (wasOthers || isOthers() ? after(milliseconds, then) : then());
      setTimeout(later, milliseconds).unref();
    };
    after(patience.work, () => giveUp(failure));
    after(patience.process, leave);
    stopping.abort(failure);
    if (!isOthers()) endPrograms(atTerminal);
  };
  const onSignal = (name: NodeJS.Signals, failure: Failure, isOthers: () => boolean) => {
    let isSecond = false;
    process.on(name, () => {
      const leave = () => leaveBy(name);
      if (isSecond && !isOthers()) leave();
      stop(failure, isOthers, leave);
      setImmediate(() =>
        setImmediate(() => {
          isSecond = true;
        }),
      );
    });
  };
  onSignal('SIGINT', new Failure('interrupted', 'Interrupted.'), () => atTerminal.size > 0);
  onSignal('SIGTERM', new Failure('terminated', 'Terminated.'), () => false);
  const crash = (error: unknown) => {
    process.exitCode = 1;
    stop(
      toFailure(error),
      () => false,
      () => process.exit(1),
    );
  };
  process.on('uncaughtException', crash);
  process.on('unhandledRejection', crash);
  return { signal, forcedExit };
}

/**
 * Ends what has the terminal. A shell waits for what it runs: where that stays, the shell is ended alone, so that there
 * is time to name the text of an editor.
 */
function endPrograms(atTerminal: TerminalPrograms): void {
  for (const { pid } of atTerminal) endWithChildren(pid);
  const leave = () => {
    for (const { pid } of atTerminal) end(pid, 'SIGKILL');
  };
  setTimeout(leave, patience.programs).unref();
}

/** Ends a shell and what it runs, which is no child of ours; where the system does not tell its children, it alone. */
function endWithChildren(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    for (const child of children.match(/\d+/g) ?? []) endWithChildren(Number(child));
  } catch {
    // It has ended, or this is not Linux.
  }
  end(pid, 'SIGTERM');
}

function end(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}

/**
 * Ends the process by the signal itself, with the exit code of one: to exit, Node would wait for a file that opens
 * when somebody writes to it. What a spinner or a question hid is shown again, and the terminal set back.
 */
function leaveBy(signal: NodeJS.Signals): void {
  const { isTTY } = process.stderr;
  if (isTTY && process.env.TERM !== 'dumb') process.stderr.write('\r\u001b[K\u001b[?25h');
  if (process.stdin.isTTY) process.stdin.setRawMode(false);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}
