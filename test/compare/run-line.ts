import type { ChildProcess } from 'node:child_process';
import { runProgram } from '../support/binary.ts';
import type { CommandResult } from '../support/kith.ts';
import { ctrlC, ctrlD, runTerminalScript } from '../support/terminal.ts';
import { formatLine } from './chains.ts';
import type { CommandLine } from './test-lines.ts';

export interface LineOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

/** Seconds after which a line that hangs is killed. */
const timeLimit = 60;

/** Runs a line whose streams are pipes. */
export function runInPipe(line: CommandLine, { env, cwd }: LineOptions): Promise<CommandResult> {
  const program = line.words ? ['kith', ...line.words] : ['bash', '-c', formatLine(line)];
  return runProgram('timeout', [String(timeLimit), ...program], { env, cwd, stdin: line.stdin ?? '' });
}

/** Answers to the prompts of a line, in order; the last one cancels. */
const answers = ['y\r', '\r', ctrlC];

/** The symbols before prompts, from the library for prompts. A prompt waits if the last symbol is in `waiting`. */
const symbols = /[\u25c6\u25b2\u25c7\u25a0]/g;
const waiting = ['\u25c6', '\u25b2'];

/** Milliseconds without output before an answer is typed. `silences`: before Ctrl-D, then Ctrl-C, then SIGKILL. */
const pause = 150;
const silences = [3000, 15_000, 5000];

/** Runs a line in a terminal, and answers its prompts. */
export function runInTerminal(line: CommandLine, { env, cwd }: LineOptions): Promise<CommandResult> {
  return runTerminalScript(formatLine(line), { env, cwd, onStart: typeAnswers });
}

function typeAnswers(script: ChildProcess): void {
  const { stdin, stdout } = script;
  stdin?.on('error', () => {}); // the program may have ended
  let output = '';
  let answered = 0;
  let timer: NodeJS.Timeout | undefined;
  const ends = [() => stdin?.write(ctrlD), () => stdin?.write(ctrlC), () => script.kill('SIGKILL')];
  let ended = 0;
  const endInput = () => {
    ends[ended]?.();
    ended += 1;
    silence = setTimeout(endInput, silences[ended]);
  };
  let silence = setTimeout(endInput, silences[0]);
  const limit = setTimeout(() => script.kill('SIGKILL'), 1000 * timeLimit);
  const answer = () => {
    const shown = output.match(symbols)?.at(-1) ?? '';
    output = '';
    if (!waiting.includes(shown)) return;
    stdin?.write(answers[answered] ?? ctrlC);
    answered += 1;
  };
  stdout?.on('data', (text: string) => {
    output += text;
    clearTimeout(timer);
    clearTimeout(silence);
    timer = setTimeout(answer, pause);
    silence = setTimeout(endInput, silences[ended]);
  });
  script.on('close', () => {
    for (const one of [timer, silence, limit]) clearTimeout(one);
  });
}
