import type { Failure } from '../../contract/errors.ts';
import type { OutputStream } from '../../process/streams.ts';
import { parseRetryAfter } from '../../values/retry-after.ts';
import type { CommandResult, ParsedCommand } from '../command/command.ts';
import { type Session, wrapOutput } from '../command/context.ts';
import { printResult } from '../print/print.ts';
import { createScreen, type Refresh, type Viewer } from './screen.ts';

interface WatchedCommand extends Pick<ParsedCommand, 'words'> {
  /** Seconds between the end of a run and the next one. */
  readonly seconds: number;
  readonly run: (session: Session) => Promise<CommandResult>;
  readonly toFailure: (error: unknown) => Failure;
}

/** The longest wait that a service may request, in milliseconds. */
const maxWait = 86_400_000;

/**
 * Runs a command every few seconds and shows its output, until a signal or a permanent error. Each run sends every
 * request once: the next run is the retry.
 * @throws {Failure} the failure of the command, or of the signal
 */
export async function watch(command: WatchedCommand, session: Session): Promise<void> {
  const { signal, globals } = session;
  const { stdout, stderr } = session.streams;
  const { env } = session.runtime;
  const isScreen =
    stdout.isTerminal && Boolean(stdout.rows) && stderr.isTerminal && env.TERM !== 'dumb' && !globals.debug;
  const runSession: Session = {
    ...session.derive({ attempts: 1 + (globals.retries ?? 0) }),
    // The screen cannot scroll sideways.
    globals: { ...globals, wide: globals.wide && !isScreen },
  };
  const viewer = isScreen ? createScreen(command, session) : createLog(session);
  const repeat = async () => {
    let latest: Refresh = { time: session.runtime.now(), text: '', notes: [], problem: undefined };
    for (;;) {
      latest = await refresh(command, runSession, latest);
      const wait = Math.max(command.seconds * 1000, findRetryAfter(latest, session.runtime.now()));
      for (let remaining = wait; remaining > 0; remaining -= 1000) {
        await viewer.show(latest, remaining);
        await session.runtime.sleep(Math.min(1000, remaining), signal);
        if (viewer.hasNewSize()) break;
      }
    }
  };
  try {
    await (isScreen ? session.terminal.activity.pause(repeat) : repeat());
  } finally {
    await viewer.close();
  }
}

/** Runs the command once. On a temporary failure, keeps the output of the previous run. */
async function refresh(command: WatchedCommand, session: Session, before: Refresh): Promise<Refresh> {
  const time = session.runtime.now();
  const notes: string[] = [];
  const warnings: string[] = [];
  let text = '';
  const keep = async (note: string) => {
    warnings.push(note);
    notes.push(note);
  };
  const capture: OutputStream = wrapOutput(session.streams.stdout, async (part) => {
    text += part;
  });
  // No pager opens if the height is unknown.
  Object.defineProperty(capture, 'rows', { value: undefined });
  // A copy of the session has its own caches, so that each run reads names again.
  const copy: Session = {
    ...session,
    streams: { ...session.streams, stdout: capture },
    messages: {
      ...session.messages,
      warnings,
      note: async (note) => {
        warnings.push(note);
        if (!session.globals.quiet) notes.push(note);
      },
      warn: keep,
    },
  };
  try {
    const result = await command.run(copy);
    await printResult(result, copy, false);
    if (result.failure) throw result.failure;
    return { time, text, notes, problem: undefined };
  } catch (error) {
    const problem = command.toFailure(error);
    if (problem.exit !== 75) throw problem;
    return { ...before, problem };
  }
}

/** Returns the milliseconds for which a service asked to wait. */
function findRetryAfter({ problem }: Refresh, now: Date): number {
  const wait = problem?.detail.headers && parseRetryAfter(problem.detail.headers, now);
  return Math.min(wait ?? 0, maxWait);
}

/**
 * Creates a viewer that prints each result below the last one, if it has changed. Of NDJSON, prints only new and
 * changed records. Prints notes and failures on stderr when they change.
 */
function createLog({ streams: { stdout }, messages: { warn }, globals }: Session): Viewer {
  const isByLine = globals.format === 'ndjson';
  let printedText: string | undefined;
  let lines = new Set<string>();
  let message = '';
  return {
    async show({ text, notes, problem }) {
      const messages = problem ? [`The last run failed; retrying: ${problem.message}`] : notes;
      if (messages.join('\n') !== message) for (const text of messages) await warn(text);
      message = messages.join('\n');
      if (problem || text === printedText) return;
      const next = new Set(isByLine ? text.split('\n').slice(0, -1) : []);
      const newLines = [...next].filter((line) => !lines.has(line)).map((line) => `${line}\n`);
      [printedText, lines] = [text, next];
      await stdout.write(isByLine ? newLines.join('') : text);
    },
    hasNewSize: () => false,
    close: async () => {},
  };
}
