import type { OutputStream } from '../../process/streams.ts';
import { sanitizeLine } from '../../render/text/sanitize.ts';
import type { Environment } from '../../settings/paths.ts';
import { readMonotonicClock } from '../../values/clock.ts';

/** A task that takes time. The line shows the first job, or else the first request. */
interface ActivityTask {
  readonly level: 'request' | 'job';
  /** Describes the task in at most `room` columns if possible; empty if there is nothing to show yet. */
  describe(room: number): string;
  /** Describes a wait. A waiting task has precedence over all others. */
  describeWait?(): string | undefined;
}

/** A clock in milliseconds. */
export interface Clock {
  now(): number;
  /** Calls a function later, unless the process ends first. Returns a function that cancels the call. */
  schedule(work: () => void, delay: number): () => void;
}

const realClock: Clock = {
  now: readMonotonicClock,
  schedule: (work, delay) => {
    const timer = setTimeout(work, delay).unref();
    return () => clearTimeout(timer);
  },
};

/** The terminal and the timing of the line. */
interface ActivityOptions {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Environment;
  readonly clock?: Clock | undefined;
}

/** Milliseconds before the line appears, so that it is visible within 150 ms of the start. */
const appearDelay = 25;

/** Milliseconds for which the line remains after a task ends, because the next task usually begins at once. */
const lingerTime = 60;

const frameTime = 80;

/**
 * The progress line on stderr. It is off until `enable` is called. ora draws it, and is loaded when it first appears.
 */
export class Activity {
  readonly #options: ActivityOptions;
  readonly #clock: Clock;
  readonly #tasks = new Set<ActivityTask>();
  #isEnabled = false;
  #isMidLine = false;
  #pauses = 0;
  #cancelShow: (() => void) | undefined;
  #cancelUpdate: (() => void) | undefined;
  #spinner: { text: string; render(): unknown; stop(): unknown } | undefined;

  constructor(options: ActivityOptions) {
    this.#options = options;
    this.#clock = options.clock ?? realClock;
  }

  now(): number {
    return this.#clock.now();
  }

  enable(): void {
    this.#isEnabled = true;
  }

  /** Adds a task; returns the function that ends it. */
  begin(task: ActivityTask): () => void {
    this.#tasks.add(task);
    this.#schedule();
    return () => {
      this.#tasks.delete(task);
      if (this.#tasks.size > 0) return;
      if (!this.#spinner) return this.#hide();
      this.#clock.schedule(() => this.#tasks.size === 0 && this.#hide(), lingerTime);
    };
  }

  /** Hides the line before a text is written to a terminal. It appears again below the text. */
  yieldTo(stream: OutputStream, text: string): void {
    if (!this.#isEnabled || text === '' || !stream.isTerminal) return;
    this.#hide();
    this.#isMidLine = !text.endsWith('\n');
    this.#schedule();
  }

  /** Hides the line while something else uses the terminal. */
  async pause<T>(work: () => Promise<T>): Promise<T> {
    this.#pauses += 1;
    this.#hide();
    try {
      return await work();
    } finally {
      this.#pauses -= 1;
      this.#schedule();
    }
  }

  close(): void {
    this.#isEnabled = false;
    this.#hide();
  }

  #isWanted(): boolean {
    return this.#isEnabled && this.#pauses === 0 && !this.#isMidLine && this.#tasks.size > 0;
  }

  #schedule(): void {
    if (this.#spinner || this.#cancelShow || !this.#isWanted()) return;
    this.#cancelShow = this.#clock.schedule(() => this.#show(), appearDelay);
  }

  async #show(): Promise<void> {
    const { stderr, env } = this.#options;
    this.#isEnabled &&= canShow(this.#options);
    if (!this.#isEnabled) return;
    const [{ default: ora }, { truncate }] = await Promise.all([
      import('ora'),
      import('../../render/text/width.ts'),
    ]);
    this.#cancelShow = undefined;
    if (!this.#isWanted() || this.#spinner) return;
    const describe = () => {
      const room = (stderr.columns ?? 80) - 4;
      return truncate(sanitizeLine(describeTasks(this.#tasks, room)), room);
    };
    const stream = createTerminalStream(stderr);
    const color = env.NO_COLOR ? false : 'cyan';
    // A hidden cursor would have to be restored at every kind of exit.
    const options = { color, stream, isEnabled: true, discardStdin: false, hideCursor: false } as const;
    this.#spinner = ora({ text: describe(), ...options }).start();
    this.#scheduleUpdate(describe);
  }

  /** Draws each new text. ora itself draws the frames of its spinner. */
  #scheduleUpdate(describe: () => string): void {
    this.#cancelUpdate = this.#clock.schedule(() => {
      this.#scheduleUpdate(describe);
      const text = this.#tasks.size > 0 && describe();
      if (!this.#spinner || !text || text === this.#spinner.text) return;
      this.#spinner.text = text;
      this.#spinner.render();
    }, frameTime);
  }

  #hide(): void {
    this.#cancelShow?.();
    this.#cancelUpdate?.();
    this.#spinner?.stop();
    this.#spinner = undefined;
    this.#cancelShow = undefined;
  }
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

/** Whether stderr is a terminal to draw on, and no reader of stdout may draw on it too. */
function canShow({ stdout, stderr, env: { TERM, CI } }: ActivityOptions): boolean {
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
  return stream as unknown as NodeJS.WriteStream; // it has all members that ora uses
}
