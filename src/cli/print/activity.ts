import type { OutputStream } from '../../process/streams.ts';
import { sanitizeLine } from '../../render/text/sanitize.ts';
import type { Environment } from '../../settings/paths.ts';

/** Something that takes time. Of several, the first job is shown, or else the first request. */
interface ActivityTask {
  readonly level: 'request' | 'job';
  /** Describes it in at most `room` columns, if it can; empty if there is nothing to say yet. */
  describe(room: number): string;
  /** Describes what it waits for; a waiting task is shown before all others. */
  describeWait?(): string | undefined;
}

/** The progress line on stderr, which says what the program is doing. */
export type Activity = ReturnType<typeof createActivity>;

/** A clock in milliseconds. */
export interface Clock {
  now(): number;
  /** Calls a function later, unless the process ends before; returns a function that cancels the call. */
  schedule(work: () => void, delay: number): () => void;
}

const realClock: Clock = {
  now: () => performance.now(),
  schedule: (work, delay) => {
    const timer = setTimeout(work, delay).unref();
    return () => clearTimeout(timer);
  },
};

/** What the line is shown on, and when. */
interface ActivityOptions {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Environment;
  readonly clock?: Clock | undefined;
}

/** Milliseconds before the line appears, so that it is on the screen within 150 of the start. */
const appearDelay = 25;

/** Milliseconds for which the line stays when a task ends, because the next one usually begins at once. */
const lingerTime = 60;

const frameTime = 80;

/** Creates the line, which is off until `enable` is called. ora, which draws it, is loaded only when it appears. */
export function createActivity({ stdout, stderr, env, clock = realClock }: ActivityOptions) {
  const tasks = new Set<ActivityTask>();
  let isEnabled = false;
  let isMidLine = false;
  let pauses = 0;
  let cancelShow: (() => void) | undefined;
  let cancelUpdate: (() => void) | undefined;
  let spinner: { text: string; render(): unknown; stop(): unknown } | undefined;
  const isWanted = () => isEnabled && pauses === 0 && !isMidLine && tasks.size > 0;
  const hide = () => {
    cancelShow?.();
    cancelUpdate?.();
    spinner?.stop();
    spinner = undefined;
    cancelShow = undefined;
  };
  const show = async () => {
    isEnabled &&= canShow(stdout, stderr, env);
    if (!isEnabled) return;
    const [{ default: ora }, { truncate }] = await Promise.all([
      import('ora'),
      import('../../render/text/width.ts'),
    ]);
    cancelShow = undefined;
    if (!isWanted() || spinner) return;
    const describe = () => {
      const room = (stderr.columns ?? 80) - 4;
      return truncate(sanitizeLine(describeTasks(tasks, room)), room);
    };
    /** Draws a new text; ora itself draws the frames of its spinner. */
    const update = () => {
      cancelUpdate = clock.schedule(update, frameTime);
      const text = tasks.size > 0 && describe();
      if (!spinner || !text || text === spinner.text) return;
      spinner.text = text;
      spinner.render();
    };
    const stream = createTerminalStream(stderr);
    const color = env.NO_COLOR ? false : 'cyan';
    // A hidden cursor would have to be restored at every kind of exit.
    const options = { color, stream, isEnabled: true, discardStdin: false, hideCursor: false } as const;
    spinner = ora({ text: describe(), ...options }).start();
    cancelUpdate = clock.schedule(update, frameTime);
  };
  const schedule = () => {
    if (spinner || cancelShow || !isWanted()) return;
    cancelShow = clock.schedule(show, appearDelay);
  };
  return {
    now: clock.now,
    /** Switches the line on, unless it was closed. */
    enable: () => {
      isEnabled = true;
    },
    /** Adds a task; returns the function that ends it. */
    begin(task: ActivityTask): () => void {
      tasks.add(task);
      schedule();
      return () => {
        tasks.delete(task);
        if (tasks.size > 0) return;
        if (!spinner) return hide();
        clock.schedule(() => tasks.size === 0 && hide(), lingerTime);
      };
    },
    /** Hides the line before a text is written to a terminal. It appears again below the text. */
    yieldTo(stream: OutputStream, text: string) {
      if (!isEnabled || text === '' || !stream.isTerminal) return;
      hide();
      isMidLine = !text.endsWith('\n');
      schedule();
    },
    /** Hides the line while something else uses the terminal. */
    async pause<T>(work: () => Promise<T>): Promise<T> {
      pauses += 1;
      hide();
      try {
        return await work();
      } finally {
        pauses -= 1;
        schedule();
      }
    },
    close() {
      isEnabled = false;
      hide();
    },
  };
}

/** Describes the tasks. If the text is longer than `room`, a wait is described without its task. */
function describeTasks(tasks: Iterable<ActivityTask>, room: number): string {
  const all = [...tasks];
  const wait = all.map((task) => task.describeWait?.()).find((text) => text !== undefined);
  const byLevel = [...all.filter(({ level }) => level === 'job'), ...all];
  const text = byLevel.map((task) => task.describe(room)).find((description) => description !== '') ?? '';
  if (wait === undefined || text === '') return wait ?? text;
  const full = `${text}: ${wait}`;
  return full.length > room ? wait : full;
}

/** Whether stderr is a terminal that can be drawn on, and nothing that reads stdout might draw on it too. */
function canShow(stdout: OutputStream, stderr: OutputStream, { TERM, CI }: Environment): boolean {
  // ora loops forever if the terminal reports 0 columns.
  return stderr.isTerminal && stderr.columns !== undefined && !stdout.isPipe && TERM !== 'dumb' && !CI;
}

/** Creates the stream that ora writes to. */
function createTerminalStream(output: OutputStream): NodeJS.WriteStream {
  const write = (text: string) => {
    void output.write(text);
    return true;
  };
  const stream = {
    isTTY: true,
    columns: output.columns,
    write,
    cursorTo: (x: number) => write(`\u001b[${x + 1}G`),
    clearLine: () => write('\u001b[0K'),
    moveCursor: (_: number, dy: number) => write(`\u001b[${-dy}A`),
    on: () => stream,
    once: () => stream,
    off: () => stream,
    removeListener: () => stream,
  };
  return stream as unknown as NodeJS.WriteStream; // all that ora uses
}
