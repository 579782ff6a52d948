import { randomUUID } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { inject, onTestFinished } from 'vitest';
import type { Context } from '../src/cli/context.ts';
import { run } from '../src/cli/run.ts';
import { createClient } from '../src/client/client.ts';
import { httpTransport } from '../src/client/transport.ts';
import { workspaceOn } from '../src/service/workspace.ts';
import { openSettings } from '../src/settings/settings.ts';

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
  /** Columns of the terminal; without it, stdout is a pipe. */
  readonly terminal?: number;
  readonly signal?: AbortSignal;
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

/** The words of a command line, quoted as in a shell. */
export function words(line: string): string[] {
  return Array.from(line.matchAll(/"([^"]*)"|(\S+)/g), ([, quoted, plain]) => quoted ?? plain ?? '');
}

/** A machine with settings of its own; runs command lines in this process, on the real service. */
export function machine(folder = temporaryFolder()) {
  return async (line: string | readonly string[], setting: Setting = {}): Promise<Ended> => {
    const printed = { out: '', err: '' };
    const sink = (stream: 'out' | 'err') => ({
      isTerminal: setting.terminal !== undefined,
      columns: setting.terminal,
      write: async (text: string) => {
        printed[stream] += text;
      },
    });
    const env = { KITH_CONFIG_DIR: folder, ...setting.env };
    const signal = setting.signal ?? new AbortController().signal;
    const now = () => new Date();
    const userAgent = 'kith/test';
    const context: Context = {
      stdin: { isTerminal: setting.terminal !== undefined, text: async () => setting.stdin ?? '' },
      stdout: sink('out'),
      stderr: sink('err'),
      env,
      signal,
      now,
      version: '0.0.0',
      userAgent,
      settings: async () => openSettings(env),
      http: async (target) => httpTransport({ ...target, userAgent, calmEngine: false }),
      clientOver: async (wiring) =>
        createClient({
          ...wiring,
          signal,
          now,
          random: () => 0,
          sleep: (ms) => wait(ms, undefined, { signal }),
        }),
      workspace: async () =>
        workspaceOn({
          now,
          newId: randomUUID,
          version: '0.0.0',
          log: (text) => void context.stderr.write(`${text}\n`),
        }),
      ask: async () => undefined,
      askSecret: async () => undefined,
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
