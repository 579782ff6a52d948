import { Failure } from '../../contract/errors.ts';
import type { Pager } from '../../process/child-processes.ts';
import { type Context, type Runtime, wrapOutput } from '../command/context.ts';

/** The session members that opening the pager needs. */
interface Screen extends Pick<Context, 'streams' | 'terminal'> {
  readonly runtime: Pick<Runtime, 'env'>;
  readonly signal: AbortSignal;
}

/** The pager if no variable names one. It quits at once if the output fits the screen. */
const defaultPager = 'less -FRX';

/**
 * Opens the output of a result: stdout, or the pager in a terminal if the result is longer than the screen. `isWide`:
 * whether lines may be wider than the screen; then the pager scrolls sideways.
 */
export function openResultOutput(
  { streams: { stdout }, runtime: { env }, terminal, signal }: Screen,
  isWide = false,
): Pager {
  const named = env.KITH_PAGER ?? env.PAGER;
  const { rows, columns } = stdout;
  const isOff = named !== undefined && ['', 'cat'].includes(named.trim());
  // 0 rows means that the size of the terminal is unknown.
  if (!stdout.isTerminal || !rows || env.TERM === 'dumb' || isOff) {
    return { output: stdout, close: async () => {} };
  }
  let buffer: string | undefined = '';
  let pager: Pager | undefined;
  const write = async (text: string): Promise<void> => {
    if (buffer === undefined) return (pager?.output ?? stdout).write(text);
    buffer += text;
    const lines = buffer.split('\n');
    if (lines.length <= rows && !(isWide && columns !== undefined && (await hasLongLine(lines, columns))))
      return;
    const { openPager, hasProgram } = await terminal.programs();
    const command = named?.trim() ?? (!env.CI && hasProgram('less') ? defaultPager : undefined);
    if (command !== undefined)
      pager = await openPager(isWide && command.startsWith('less') ? `${command} -S` : command);
    const start = buffer;
    buffer = undefined;
    await (pager?.output ?? stdout).write(start);
  };
  const close = async () => {
    if (buffer !== undefined) await stdout.write(buffer);
    if (!pager) return;
    await pager.close();
    // The user has not quit the pager.
    if (signal.reason instanceof Failure && signal.reason.code === 'terminated') throw signal.reason;
  };
  return { output: wrapOutput(stdout, write), close };
}

async function hasLongLine(lines: readonly string[], columns: number): Promise<boolean> {
  const { measureWidth } = await import('../../render/text/width.ts');
  return lines.some((line) => measureWidth(line) > columns);
}
