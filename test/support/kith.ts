import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { inject, onTestFinished } from 'vitest';
import type { Context, Invocation, Prompts } from '../../src/cli/context.ts';
import { run } from '../../src/cli/run.ts';
import { createClient } from '../../src/client/client.ts';
import { findProxy } from '../../src/client/proxy.ts';
import { createHttpTransport } from '../../src/client/transport.ts';
import type { LockHolder } from '../../src/files/lock.ts';
import { createPrograms } from '../../src/process/child-processes.ts';
import { readSqliteVersion } from '../../src/service/db/engine.ts';
import { findLockFile } from '../../src/service/db/lock-file.ts';
import { createWorkspaces } from '../../src/service/workspace.ts';
import type { StoredSettings } from '../../src/settings/settings.ts';
import { openSettings, type SettingsWriter } from '../../src/settings/settings.ts';
import { tasks } from '../../src/worker/tasks.ts';

/** How a command line ended, and what it printed. */
export interface Ended {
  code: number;
  out: string;
  err: string;
}

/** What a test says about the machine that a command line runs on. */
export interface Setting {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** What comes on stdin bit by bit, in the place of a text. */
  readonly coming?: AsyncIterable<Uint8Array>;
  /** Is given what is written to stdout, as it goes. */
  readonly onOut?: (text: string) => void;
  /** Columns of the terminal; without it, stdout is a pipe. */
  readonly terminal?: number;
  /** Its lines. */
  readonly rows?: number;
  /** What the person answers to each question, in turn; without any, every question is left with Escape. */
  readonly answers?: readonly (string | boolean)[];
  /** What the person makes of a file in the editor. */
  readonly typed?: string;
  /** The exit code of the editor; without it, 0 where the person typed anything. */
  readonly editorEnds?: number;
  /** The clock of the machine; without it, the real one. */
  readonly now?: Date;
  readonly signal?: AbortSignal;
  /** What the person waits for on stderr before pressing Ctrl-C. */
  readonly until?: string;
  /** How the program was started, where that is to be done again. */
  readonly invocation?: Invocation;
}

/** A folder that is gone when the test is over. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'kith-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A copy of the sample workspace that may be written. */
export function sampleWorkspace(folder = temporaryFolder()): string {
  const file = join(folder, 'demo.sqlite');
  copyFileSync(inject('sample'), file);
  return file;
}

/** A new workspace, in a file: to make the schema takes four times as long as to copy it. */
export function emptyWorkspace(folder = temporaryFolder()): string {
  const file = join(folder, 'workspace.sqlite');
  copyFileSync(inject('empty'), file);
  return file;
}

/** A run that takes locks. */
export const lockHolder = (pid = process.pid, now = () => new Date()): LockHolder => ({
  pid,
  host: () => 'test',
  isRunning: () => true,
  now,
  loadLockFile: async () => findLockFile(),
});

/** A run that writes settings. */
export const writer = (pid = process.pid): SettingsWriter => ({
  ...lockHolder(pid),
  signal: new AbortController().signal,
});

/** Puts settings into a folder, as a run before has left them. */
export function store(folder: string, stored: StoredSettings): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, 'config.json'), JSON.stringify(stored), { mode: 0o600 });
}

/** The words of a command line, quoted as in a shell. */
export function words(line: string): string[] {
  return Array.from(
    line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g),
    ([, ...parts]) => parts.find((part) => part !== undefined) ?? '',
  );
}

/** A machine with settings of its own; runs command lines in this process, on the real service. */
export function machine(folder = temporaryFolder()) {
  return async (line: string | readonly string[], setting: Setting = {}): Promise<Ended> => {
    const printed = { out: '', err: '' };
    const person = new AbortController();
    const sink = (stream: 'out' | 'err') => ({
      isTerminal: setting.terminal !== undefined,
      columns: setting.terminal,
      rows: setting.rows,
      write: async (text: string) => {
        printed[stream] += text;
        if (stream === 'out') setting.onOut?.(text);
        if (setting.until !== undefined && printed.err.includes(setting.until)) person.abort();
      },
    });
    const answers = [...(setting.answers ?? [])];
    const answer = async (question: string) => {
      printed.err += `${question}\n`;
      return answers.shift();
    };
    const env = { KITH_CONFIG_DIR: folder, ...setting.env };
    const signal = setting.signal ?? person.signal;
    setMaxListeners(0, signal); // as the program does
    const now = () => setting.now ?? new Date();
    const userAgent = `kith/test node/${process.versions.node}`;
    const holder = lockHolder(process.pid, now);
    const context: Context = {
      stdin: {
        isTerminal: setting.terminal !== undefined,
        text: async () => setting.stdin ?? '',
        bytes: async function* () {
          if (setting.coming) yield* setting.coming;
          else yield Buffer.from(setting.stdin ?? '');
        },
      },
      stdout: sink('out'),
      stderr: sink('err'),
      env,
      signal,
      forcedExit: new Promise(() => {}),
      now,
      lockHolder: holder,
      version: '0.0.0',
      userAgent,
      settings: async () => openSettings(env, { ...holder, signal }),
      createTransport: async (target) =>
        createHttpTransport({ ...target, userAgent, withoutWasmTiering: false, proxies: env }),
      createClient: async (wiring) =>
        createClient({
          ...wiring,
          now,
          random: () => 0,
          sleep: (ms) => wait(ms, undefined, { signal: wiring.getEndSignal() }),
        }),
      workspace: async () =>
        createWorkspaces({
          now,
          newId: randomUUID,
          version: '0.0.0',
          log: (text) => void context.stderr.write(`${text}\n`),
        }),
      worker: async () => tasks,
      prompts: { text: answer, secret: answer, confirm: answer } as Prompts, // the test knows what is asked
      programs: {
        edit: async (command, file) => {
          printed.err += `(${command})\n`;
          if (setting.typed !== undefined) writeFileSync(file, setting.typed);
          return setting.editorEnds ?? (setting.typed === undefined ? 1 : 0);
        },
        openPager: async (command) => {
          printed.out += `(${command})`;
          return { output: { ...sink('out'), isTerminal: true }, close: async () => {} };
        },
        runUnattended: createPrograms(env, new Set()).runUnattended,
      },
      machine: {
        nodeVersion: process.versions.node,
        readSqliteVersion: async () => readSqliteVersion(),
        checkProxy: async (url) => void findProxy(new URL(url), env),
      },
      getInvocation: () =>
        setting.invocation ?? {
          node: '/usr/bin/node',
          script: '/opt/kith/bin/kith.js',
          folder: '/home/ada/work',
        },
      readCompletionScript: (file) => readFile(join('completions', file), 'utf8'),
    };
    const code = await run(typeof line === 'string' ? words(line) : line, context);
    return { code, ...printed };
  };
}

/** A machine that is signed in to a copy of the sample workspace. */
export async function demoMachine() {
  const folder = temporaryFolder();
  const kith = machine(folder);
  await kith(['auth', 'login', '--local', '--demo', '--database', sampleWorkspace(folder)]);
  return kith;
}
