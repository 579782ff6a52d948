import { Failure } from '../contract/errors.ts';
import type { Search } from './search-prompt.ts';

/** The streams for prompts. Reading the property `stdin` opens it. */
type Terminal = Pick<NodeJS.Process, 'stdin' | 'stderr' | 'on' | 'off'>;

/** One of the choices of a prompt; the hint is shown while it is selected. */
export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly hint?: string;
}

/** The initial content of a text prompt, and the answers that it accepts. */
export interface TextRules {
  /** The text that can be edited, or accepted with Enter. */
  readonly initialValue?: string;
  /** Shown while nothing is typed. */
  readonly placeholder?: string;
  /** Returns why the answer is not accepted; the person can then correct it. */
  readonly validate?: (answer: string) => string | undefined;
}

/** Maximum number of choices on the screen; the others are reached by scrolling. */
const maxChoices = 10;

/** Questions to the person at the terminal. @throws {Failure} interrupted if the person cancels one with Ctrl-C or Escape */
export type Prompts = ReturnType<typeof createPrompts>;

/** Creates prompts on stderr, because stdout is for the result. The signal cancels a prompt. */
export function createPrompts(terminal: Terminal, signal: AbortSignal) {
  const prompt = <T>(ask: Ask<T>) => askAtTerminal(terminal, signal, ask);
  return {
    text: (message: string, rules: TextRules = {}) =>
      prompt(({ text }, options) => text({ message, ...toClack(rules), ...options })),
    /** Asks without echo. */
    secret: (message: string, rules: Pick<TextRules, 'validate'> = {}) =>
      prompt(({ password }, options) => password({ message, ...toClack(rules), ...options })),
    /** Asks for yes or no; Enter alone means no. */
    confirm: async (message: string) => {
      // The confirm prompt of the library accepts a single key, such as the y of a word typed ahead.
      const answer = await prompt(({ text }, options) => text({ message: `${message} [y/N]`, ...options }));
      return /^y(es)?$/i.test(answer.trim());
    },
    /** Asks for one of several choices; returns its value. */
    select: (message: string, choices: readonly Choice[]) =>
      prompt(({ select }, options) =>
        select({ message, options: [...choices], maxItems: maxChoices, ...options }),
      ),
    /** Asks for one of many choices, found by typing; returns its value. @throws what reading the choices throws */
    search: (search: Search) =>
      prompt(async (clack, options) => {
        const { askSearch } = await import('./search-prompt.ts');
        return askSearch(clack, search, { maxItems: maxChoices, ...options });
      }),
    /** Asks for any number of choices; returns their values in the order of the choices. */
    selectMany: (message: string, choices: readonly Choice[]) =>
      prompt(({ multiselect }, options) =>
        multiselect({ message, options: [...choices], maxItems: maxChoices, required: false, ...options }),
      ),
  };
}

type PromptOptions = { output: NodeJS.WriteStream; signal: AbortSignal };
type Ask<T> = (prompts: typeof import('@clack/prompts'), options: PromptOptions) => Promise<T>;

/** Asks one question, until it is answered, cancelled, or the input ends. */
async function askAtTerminal<T>(
  terminal: Terminal,
  signal: AbortSignal,
  ask: Ask<T>,
): Promise<Exclude<T, symbol>> {
  const prompts = await import('@clack/prompts');
  const cancelling = new AbortController();
  const cancel = () => cancelling.abort();
  if (signal.aborted) cancel();
  // The end of the input (Ctrl-D) only pauses stdin, and the prompt would wait forever. An answer pauses it too,
  // but arrives first.
  let pending: NodeJS.Immediate | undefined;
  const onPause = () => {
    pending ??= setImmediate(cancel);
  };
  // After Ctrl-Z, the library pauses stdin when the program continues.
  const onContinue = () => {
    pending = setImmediate(() => {
      pending = undefined;
      terminal.stdin.resume();
    });
  };
  terminal.stdin.on('pause', onPause);
  terminal.on('SIGCONT', onContinue);
  signal.addEventListener('abort', cancel);
  try {
    const answer = await ask(prompts, { output: terminal.stderr, signal: cancelling.signal });
    if (typeof answer === 'symbol') throw new Failure('interrupted', 'Interrupted.');
    return answer as Exclude<T, symbol>;
  } finally {
    clearImmediate(pending);
    terminal.stdin.off('pause', onPause);
    terminal.off('SIGCONT', onContinue);
    terminal.stdin.pause(); // the library does not know that it was resumed
    signal.removeEventListener('abort', cancel);
  }
}

const toClack = ({ validate, ...rules }: TextRules) => ({
  ...rules,
  ...(validate && { validate: (answer: string | undefined) => validate(answer ?? '') }),
});
