import { Failure } from '../../contract/errors.ts';
import type { Pager, Session } from '../context.ts';

/** Where a result goes: stdout; in a terminal with `$PAGER` set, what is longer than the screen goes through that. */
export function resultSink({ stdout, env, programs, signal }: Session): Pager {
  const command = env.PAGER?.trim() ?? '';
  const { rows } = stdout;
  // A terminal of no rows does not know its size: whatever it gets would be longer than that.
  if (!stdout.isTerminal || !rows || env.TERM === 'dumb' || ['', 'cat'].includes(command)) {
    return { sink: stdout, close: async () => {} };
  }
  let held = '';
  let pager: Pager | undefined;
  const write = async (text: string): Promise<void> => {
    if (pager) return pager.sink.write(text);
    held += text;
    if (held.split('\n').length <= rows) return;
    pager = await programs.pager(command);
    await pager.sink.write(held);
  };
  const close = async () => {
    if (pager) {
      await pager.close();
      // The person has not left it.
      if (signal.reason instanceof Failure && signal.reason.code === 'terminated') throw signal.reason;
    } else await stdout.write(held);
  };
  return { sink: { ...stdout, write }, close };
}
