import type { Prompts } from '../cli/context.ts';

/** The streams of a process that a question is asked on; to look at stdin opens it. */
type Terminal = Pick<NodeJS.Process, 'stdin' | 'stderr'>;

/** Questions on stderr: stdout may be kept for the result. A signal ends one. */
export function createPrompts(terminal: Terminal, signal: AbortSignal): Prompts {
  type Place = { output: NodeJS.WriteStream; signal: AbortSignal };
  type Ask<T> = (prompts: typeof import('@clack/prompts'), place: Place) => Promise<T>;
  const asked = async <T>(ask: Ask<T>) => {
    const prompts = await import('@clack/prompts');
    const leaving = new AbortController();
    const leave = () => leaving.abort();
    if (signal.aborted) leave();
    // Where the input ends, as with Ctrl-D, it is paused, and the question would stand for ever. An answer
    // pauses it too, but is here before that.
    let ending: NodeJS.Immediate | undefined;
    const end = () => {
      ending = setImmediate(leave);
    };
    terminal.stdin.once('pause', end);
    signal.addEventListener('abort', leave);
    try {
      const answer = await ask(prompts, { output: terminal.stderr, signal: leaving.signal });
      return typeof answer === 'symbol' ? undefined : (answer as Exclude<T, symbol>); // a symbol is what was left out
    } finally {
      clearImmediate(ending);
      terminal.stdin.off('pause', end);
      signal.removeEventListener('abort', leave);
    }
  };
  return {
    text: (message) => asked(({ text }, place) => text({ message, ...place })),
    secret: (message) => asked(({ password }, place) => password({ message, ...place })),
    confirm: async (message) => {
      // The library's confirmation prompt accepts a single key, such as the y in a word typed ahead.
      const answer = await asked(({ text }, place) => text({ message: `${message} [y/N]`, ...place }));
      return answer === undefined ? undefined : /^y(es)?$/i.test(answer.trim());
    },
  };
}
