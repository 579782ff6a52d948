import type { Failure } from '../../contract/errors.ts';
import { sanitizeLine } from '../../render/text/sanitize.ts';
import { measureWidth, truncate } from '../../render/text/width.ts';
import { formatCount } from '../../values/text.ts';
import type { ParsedCommand } from '../command/command.ts';
import type { Session } from '../command/context.ts';
import { choosePaint } from '../print/format-records.ts';

/** The output of one run, and its failure, if it may be temporary. */
export interface Refresh {
  readonly time: Date;
  readonly text: string;
  readonly notes: readonly string[];
  readonly problem: Failure | undefined;
}

export interface Viewer {
  /** Shows the latest refresh. Called every second. `wait`: milliseconds until the next refresh. */
  show(refresh: Refresh, wait: number): Promise<void>;
  /** Whether the size of the terminal has changed, so that the output must be rendered again. */
  hasNewSize(): boolean;
  close(): Promise<void>;
}

const esc = '\u001b[';

/** Lines above the output: the command with the time, and the failure of the last run. */
const headerLines = 2;

/**
 * Creates a viewer that repaints a terminal in place. It changes terminal modes only within one write, so that nothing
 * must be restored when the program ends. The last output stays on the screen.
 */
export function createScreen(
  { words, seconds }: Pick<ParsedCommand, 'words'> & { readonly seconds: number },
  { streams: { stdout }, runtime: { env }, globals }: Session,
): Viewer {
  const readSize = () => `${stdout.columns}x${stdout.rows}`;
  const title = `Every ${seconds} s: ${sanitizeLine(`kith ${words.join(' ')}`)}`;
  let size: string | undefined;
  return {
    async show(refresh, wait) {
      const { columns = 80, rows = 24 } = stdout;
      const paint = globals.noColor ? undefined : await choosePaint(stdout, env);
      const { problem } = refresh;
      const failure = problem
        ? truncate(sanitizeLine(`The last run failed: ${problem.message}`), columns)
        : '';
      const lines = [
        formatHeader(title, refresh, wait, columns),
        problem && paint ? paint.red(failure) : failure,
        ...truncateOutput(refresh, rows - headerLines, columns),
      ];
      // Moves the previous screen into the scrollback.
      const start = size === undefined ? '\n'.repeat(rows - 1) : '';
      size = readSize();
      // Without automatic wrapping, a long line cannot move the lines below it.
      // Erased before the text: after a full line, the cursor stays on its last column.
      const erase = (index: number) => `${esc}${index < lines.length - 1 ? 'K' : 'J'}`;
      const frame = lines.map((line, index) => erase(index) + line).join('\r\n');
      await stdout.write(`${start}${esc}H${esc}?7l${frame}${esc}?7h`);
    },
    hasNewSize: () => size !== undefined && size !== readSize(),
    close: async () => {
      if (size !== undefined) await stdout.write('\n');
    },
  };
}

/** Formats the first line: the command on the left; the time of the output and of the next run on the right. */
function formatHeader(title: string, { time }: Refresh, wait: number, columns: number): string {
  const clock = time.toLocaleTimeString('en-GB');
  const right = `${clock}, next in ${Math.ceil(wait / 1000)} s`;
  const room = columns - right.length - 1;
  if (room < 10) return truncate(right, columns);
  const left = truncate(title, room);
  return `${left}${' '.repeat(columns - measureWidth(left) - right.length)}${right}`;
}

/** Returns the lines of the output that fit, then the number of hidden lines, then the notes. */
function truncateOutput({ text, notes }: Refresh, room: number, columns: number): string[] {
  const lines = text.replace(/\n$/, '').split('\n');
  const ends = notes
    .map((note) => truncate(`kith: ${sanitizeLine(note)}`, columns))
    .slice(0, Math.max(0, room - 2));
  const space = Math.max(1, room - ends.length);
  if (lines.length <= space) return [...lines, ...ends];
  const hiddenCount = formatCount(lines.length - space + 1, 'more line');
  return [...lines.slice(0, space - 1), `(${hiddenCount})`, ...ends];
}
