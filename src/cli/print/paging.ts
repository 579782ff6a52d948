import { Failure } from '../../contract/errors.ts';
import type { Pager } from '../../process/child-processes.ts';
import { type Session, wrapOutput } from '../command/context.ts';

/** The session members that opening the pager needs. */
type Screen = Pick<Session, 'stdout' | 'env' | 'programs' | 'signal'>;

/** The pager if no variable names one. It quits at once if the output fits the screen. */
const defaultPager = 'less -FRX';

/** Opens the output of a result: stdout, or the pager in a terminal if the result is longer than the screen. */
export function openResultOutput({ stdout, env, programs, signal }: Screen): Pager {
  const named = env.KITH_PAGER ?? env.PAGER;
  const { rows } = stdout;
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
    if (buffer.split('\n').length <= rows) return;
    const { openPager, hasProgram } = await programs();
    const command = named?.trim() ?? (!env.CI && hasProgram('less') ? defaultPager : undefined);
    if (command !== undefined) pager = await openPager(command);
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
