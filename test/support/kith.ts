import { setMaxListeners } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, onTestFinished } from 'vitest';
import type { Context, Invocation, Runtime, Streams, Terminal } from '../../src/cli/command/context.ts';
import { listExitCodes } from '../../src/cli/command/exit-codes.ts';
import { parseCommandLine } from '../../src/cli/parse.ts';
import type { Clock } from '../../src/cli/progress/activity.ts';
import { run } from '../../src/cli/run.ts';
import { createRun } from '../../src/cli/run-resources.ts';
import { Failure, requireFailure } from '../../src/contract/errors.ts';
import type { LockHolder } from '../../src/files/lock.ts';
import { createServices } from '../../src/main.ts';
import { createPrograms } from '../../src/process/child-processes.ts';
import type { Prompts, TextRules } from '../../src/process/prompts.ts';
import type { OutputStream } from '../../src/process/streams.ts';
import { findLockFile } from '../../src/service/db/sqlite/lock-file.ts';
import type { StoredSettings } from '../../src/settings/settings.ts';
import { sleep } from '../../src/values/concurrency.ts';
import { checkHints } from './hints.ts';

/** The exit code and the output of a command. */
export interface CommandResult {
  code: number;
  out: string;
  err: string;
}

/** A text to save in the editor, or a function from the text that it shows; undefined deletes the file. */
export type EditorText = string | ((shown: string) => string | undefined | Promise<string | undefined>);

/** Answers a prompt when it opens. */
type Answer = (rules: TextRules) => string | Promise<boolean>;

/** The machine that a command runs on. */
export interface MachineOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** The chunks of stdin, instead of a text. */
  readonly stdinChunks?: AsyncIterable<Uint8Array>;
  /** Receives each text that is written to stdout. */
  readonly onOut?: (text: string) => void;
  /** Receives each text that is written to stderr. */
  readonly onErr?: (text: string) => void;
  /** The columns of the terminal; if omitted, stdout is a pipe. */
  readonly terminal?: number;
  /** The lines of the terminal. */
  readonly rows?: number;
  /** The answers to the prompts, in order; a missing one is Escape. In a picker, a value or a text to search for. */
  readonly answers?: readonly (string | boolean | readonly string[] | Answer)[];
  /** The text that the editor saves; one for each time that it opens, the last one for all others. */
  readonly editorText?: EditorText | readonly EditorText[];
  /** The exit code of the editor; if omitted, 0 if it saves a text. */
  readonly editorExitCode?: number;
  /** The time, or the clock, of the machine; if omitted, the real one. */
  readonly now?: Date | (() => Date);
  /** Replaces the waits before retries; if omitted, they take real time. */
  readonly sleep?: Runtime['sleep'];
  readonly signal?: AbortSignal;
  /** Ctrl-C is pressed when stderr contains this text. */
  readonly interruptAt?: string;
  /** Milliseconds to wait for a locked settings or workspace file. */
  readonly lockTimeout?: number;
  /** The clock of the progress line. If omitted, the line never appears. */
  readonly progressClock?: Clock;
  /** How the program was started. */
  readonly invocation?: Invocation;
}

/** Creates a folder that is removed when the test ends. */
export function createTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'kith-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Copies the sample workspace to a file that may be written. */
export function createSampleWorkspace(folder = createTemporaryFolder()): string {
  const file = join(folder, 'demo.sqlite');
  copyFileSync(inject('sample'), file);
  return file;
}

/** Creates a new workspace file, by a copy: creating the schema takes longer. */
export function createEmptyWorkspace(folder = createTemporaryFolder(), name = 'workspace.sqlite'): string {
  const file = join(folder, name);
  copyFileSync(inject('empty'), file);
  return file;
}

/** Returns a process that takes locks. */
export const createLockHolder = (pid = process.pid, now = () => new Date()): LockHolder => ({
  pid,
  host: () => 'test',
  isRunning: () => true,
  now,
  loadLockFile: async () => findLockFile(),
});

/** Returns a process that writes settings. */
export const createSettingsWriter = (pid = process.pid): LockHolder => ({
  ...createLockHolder(pid),
  signal: new AbortController().signal,
});

/** Writes stored settings into a folder. */
export function writeStoredSettings(folder: string, stored: StoredSettings): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, 'config.json'), JSON.stringify(stored), { mode: 0o600 });
}

/** Splits a command line into words, with the quotes of a shell. */
export function splitWords(line: string): string[] {
  return Array.from(
    line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g),
    ([, ...parts]) => parts.find((part) => part !== undefined) ?? '',
  );
}

/** Returns a function that runs command lines in this process, on the real service, with the settings of a folder. */
export function createMachine(folder = createTemporaryFolder()) {
  return async (line: string | readonly string[], options: MachineOptions = {}): Promise<CommandResult> => {
    const output = { out: '', err: '' };
    const context = createContext(folder, options, output);
    const words = typeof line === 'string' ? splitWords(line) : line;
    const code = await run(words, context);
    await checkHints(`${output.out}\n${output.err}`, context);
    await checkExitCode(code, words, context);
    return { code, ...output };
  };
}

/** Checks that `kith commands --json` lists the exit code for the command. */
async function checkExitCode(code: number, words: readonly string[], context: Context): Promise<void> {
  if ([0, 1, 2, 130].includes(code)) return; // of every command
  const run = createRun(context);
  const parsed = await parseCommandLine(words, run)
    .catch((error: unknown) => void requireFailure(error))
    .finally(run.close);
  if (parsed)
    expect(listExitCodes(parsed.command), `${parsed.path.join(' ')} must declare the exit code`).toContain(
      code,
    );
}

/** Creates a context for one command line; its output is added to `printed`. */
export function createContext(
  folder: string,
  options: MachineOptions,
  output: { out: string; err: string },
): Context {
  const interrupt = new AbortController();
  const { signal = interrupt.signal, now: time = () => new Date() } = options;
  setMaxListeners(0, signal); // as the program does
  const streams = createStreams(options, output, interrupt);
  // Recording a write takes a request before it; the tests of `kith undo` turn it on.
  const env = { KITH_CONFIG_DIR: folder, KITH_UNDO: 'off', ...options.env };
  const now = typeof time === 'function' ? time : () => time;
  const runtime: Runtime = {
    env,
    signal,
    forcedExit: new Promise(() => {}),
    extendTimeouts: () => {},
    onHangup: () => {},
    now,
    sleep: options.sleep ?? sleep,
    lockHolder: createLockHolder(process.pid, now),
    lockTimeout: options.lockTimeout,
    progressClock: options.progressClock ?? stoppedClock,
    version: '0.0.0',
    userAgent: `kith/test node/${process.versions.node}`,
    getInvocation: () => options.invocation ?? invocation,
  };
  const log = (text: string) => void streams.stderr.write(`${text}\n`);
  const terminal = createTerminal(options, output, streams.stdout, env);
  return { streams, runtime, terminal, services: createServices(runtime, log, () => 0) };
}

const stoppedClock: Clock = { now: () => 0, schedule: () => () => {} };

const invocation = { node: '/usr/bin/node', script: '/opt/kith/bin/kith.js', folder: '/home/ada/work' };

function createStreams(
  { terminal, rows, interruptAt, onOut, onErr, stdin = '', stdinChunks }: MachineOptions,
  printed: { out: string; err: string },
  interrupt: AbortController,
): Streams {
  const isTerminal = terminal !== undefined;
  const output = (stream: 'out' | 'err') => ({
    isTerminal,
    columns: terminal,
    rows,
    write: async (text: string) => {
      printed[stream] += text;
      (stream === 'out' ? onOut : onErr)?.(text);
      if (interruptAt !== undefined && printed.err.includes(interruptAt)) interrupt.abort();
    },
  });
  const bytes = async function* () {
    if (stdinChunks) yield* stdinChunks;
    else yield Buffer.from(stdin);
  };
  const text = async (decode = (bytes: Buffer) => bytes.toString()) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of bytes()) chunks.push(chunk);
    return decode(Buffer.concat(chunks));
  };
  return {
    stdin: { isTerminal, text, bytes },
    stdout: output('out'),
    stderr: output('err'),
  };
}

/** Returns an answer. @throws {Failure} interrupted if there is none */
function requireAnswer<T>(answer: T | undefined): T {
  if (answer === undefined) throw new Failure('interrupted', 'Interrupted.');
  return answer;
}

function createTerminal(
  { answers = [], editorText, editorExitCode = editorText === undefined ? 1 : 0 }: MachineOptions,
  output: { out: string; err: string },
  stdout: OutputStream,
  env: NodeJS.ProcessEnv,
): Terminal {
  const remaining = [...answers];
  const editorTexts = editorText === undefined ? [] : [editorText].flat();
  const response = async (question: string, rules: TextRules = {}) => {
    output.err += `${question}\n`;
    for (;;) {
      const next = remaining.shift();
      const answer = typeof next === 'function' ? await next(rules) : next;
      const error = typeof answer === 'string' ? rules.validate?.(answer) : undefined;
      if (error === undefined) return requireAnswer(answer);
      output.err += `${error}\n`;
    }
  };
  const select: Prompts['select'] = async (question, choices) => {
    output.err += `${[question, ...choices.map(({ label, hint }) => `${label} (${hint})`)].join('\n')}\n`;
    return requireAnswer(remaining.shift()) as string; // the id of a choice
  };
  /** Answers with the first choice that has the value or matches the text, and reads no more choices then. */
  const search: Prompts['search'] = async ({ message, initialText, batches }) => {
    const answer = remaining.shift();
    const lines: string[] = [];
    let found: string | undefined;
    for await (const choices of batches) {
      for (const { format } of choices) {
        const { label, hint } = format(stdout.columns ?? 80);
        lines.push(`${label} (${hint})\n`);
      }
      if (typeof answer !== 'string') continue;
      found = (
        choices.find(({ value }) => value === answer) ?? choices.find(({ matches }) => matches(answer))
      )?.value;
      if (found !== undefined) break;
    }
    const prefilled = initialText === undefined ? '' : ` [${initialText}]`;
    output.err += `${message()}${prefilled}\n${lines.join('')}`;
    return requireAnswer(found);
  };
  const selectMany = select as unknown as Prompts['selectMany']; // the answer is then a list of values
  const prompts = {
    text: response,
    secret: response,
    confirm: response,
    select,
    search,
    selectMany,
  } as Prompts; // the test knows the prompts
  // Without PATH in `env`, there are no programs.
  const { hasProgram, runUnattended, safeEnv } = createPrograms(env, new Set());
  return {
    prompts,
    programs: async () => ({
      edit: async (command, file) => {
        output.err += `(${command})\n`;
        const next = editorTexts.length > 1 ? editorTexts.shift() : editorTexts[0];
        const text = typeof next === 'function' ? await next(readFileSync(file, 'utf8')) : next;
        if (text !== undefined) writeFileSync(file, text);
        else if (next !== undefined) rmSync(file);
        return editorExitCode;
      },
      openPager: async (command) => {
        output.out += `(${command})`;
        return { output: { ...stdout, isTerminal: true }, close: async () => {} };
      },
      hasProgram,
      runUnattended,
      safeEnv,
    }),
  };
}

/** Returns a machine that is signed in to a copy of the sample workspace. */
export function createDemoMachine(folder = createTemporaryFolder()) {
  return createSignedInMachine(folder, 'demo', createSampleWorkspace(folder));
}

/** Returns a machine that is signed in to a new workspace file. */
export function createLocalMachine(folder: string, name?: string) {
  return createSignedInMachine(folder, 'local', createEmptyWorkspace(folder, name));
}

/** Signs in as `auth login --local` does, which takes more than ten times as long. */
function createSignedInMachine(folder: string, profile: string, database: string) {
  writeStoredSettings(folder, { active: profile, profiles: { [profile]: { database } } });
  return createMachine(folder);
}
