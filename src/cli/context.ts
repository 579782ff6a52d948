import type { Client, ClientOptions } from '../client/client.ts';
import type { Transport } from '../client/delivery.ts';
import type { TransportOptions } from '../client/transport.ts';
import type { LockHolder } from '../files/lock.ts';
import type { createWorkspaces } from '../service/workspace.ts';
import type { Environment } from '../settings/paths.ts';
import type { Settings } from '../settings/settings.ts';
import type { Tasks } from '../worker/tasks.ts';
import type { Globals } from './flags/globals.ts';
import type { Preferences } from './flags/preferences.ts';

/** A stream for text. */
export interface OutputStream {
  readonly isTerminal: boolean;
  /** Width of the terminal in characters. */
  readonly columns: number | undefined;
  /** Height of the terminal in lines. */
  readonly rows: number | undefined;
  /**
   * Resolves when the text is written; rejects with `ClosedPipe` when the reader has closed the pipe. With `latin1`
   * each character is one byte.
   */
  write(text: string, encoding?: 'utf8' | 'latin1'): Promise<void>;
}

/** Returns the stream with another `write`. */
export function wrapOutput(stream: OutputStream, write: OutputStream['write']): OutputStream {
  return Object.assign(Object.create(stream), { write }); // a copy would open the stream to read its properties
}

/** A stream to read from. */
export interface InputStream {
  readonly isTerminal: boolean;
  /** Reads it to the end, as UTF-8. */
  text(): Promise<string>;
  /** Reads it in chunks. */
  bytes(): AsyncIterable<Uint8Array>;
}

/** The reader of stdout closed the pipe, as `head` does. */
export class ClosedPipeError extends Error {
  override readonly name = 'ClosedPipeError';
}

/** The embedded service on workspace files. */
export type Workspace = ReturnType<typeof createWorkspaces>;

/** How the program was started. */
export interface Invocation {
  /** The absolute path of Node. */
  readonly node: string;
  /** The real path of `bin/kith.js`. */
  readonly script: string;
  /** The current folder. */
  readonly folder: string;
}

/** The standard streams. */
export interface Streams {
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
}

/** This process and its environment. */
export interface Runtime {
  readonly env: Environment;
  /** Aborted by SIGINT and SIGTERM, with the `Failure` that then ends the program. */
  readonly signal: AbortSignal;
  /** Rejects with that `Failure` if the work does not stop soon after it. */
  readonly forcedExit: Promise<never>;
  readonly now: () => Date;
  /** Identifies this process in lock files. */
  readonly lockHolder: LockHolder;
  readonly version: string;
  readonly userAgent: string;
  readonly getInvocation: () => Invocation;
}

/** The person at the terminal: prompts and the programs that they use. */
export interface Terminal {
  readonly prompts: Prompts;
  readonly programs: () => Promise<Programs>;
}

/** The other layers of the program; each is loaded on first use. */
export interface Services {
  readonly settings: () => Promise<Settings>;
  readonly createTransport: (
    target: Pick<TransportOptions, 'baseUrl' | 'key' | 'timeout'>,
  ) => Promise<Transport>;
  readonly createClient: (
    options: Pick<ClientOptions, 'transport' | 'retryPolicy' | 'trace' | 'signal' | 'getEndSignal'>,
  ) => Promise<Client>;
  /** @throws {Failure} failed if there is no SQLite */
  readonly workspace: () => Promise<Workspace>;
  /** Returns tasks whose duration depends on the input, such as jq; the signal ends them at any point. */
  readonly worker: (signal: AbortSignal) => Promise<Tasks>;
  /** What `doctor` checks of the platform. */
  readonly machine: {
    readonly nodeVersion: string;
    /** @throws {Failure} failed if there is no SQLite */
    readonly readSqliteVersion: () => Promise<string>;
    /** @throws {Failure} usage if the proxy that the environment names for a base URL cannot be used */
    readonly checkProxy: (baseUrl: string) => Promise<void>;
  };
  /** Reads a file of the package, such as `docs/export.md`. */
  readonly readPackageFile: (path: string) => Promise<string>;
}

/** Everything outside the command line that it may use. */
export interface Context {
  readonly streams: Streams;
  readonly runtime: Runtime;
  readonly terminal: Terminal;
  readonly services: Services;
}

/** Questions to the person at the terminal; each returns undefined if the person cancels. */
export interface Prompts {
  readonly text: (question: string) => Promise<string | undefined>;
  /** Asks without echo. */
  readonly secret: (question: string) => Promise<string | undefined>;
  /** Asks for yes or no; Enter alone means no. */
  readonly confirm: (question: string) => Promise<boolean | undefined>;
}

/** A running pager. `close` waits until the person quits it. */
export interface Pager {
  readonly output: OutputStream;
  readonly close: () => Promise<void>;
}

/** Child processes. `openPager` and `edit` take a shell command, as in `$PAGER`. */
export interface Programs {
  readonly openPager: (command: string) => Promise<Pager>;
  /** Opens a file in an editor and returns its exit code. */
  readonly edit: (command: string, file: string) => Promise<number>;
  /** Runs a program as cron does and returns its exit code; that of a shell if a signal ended it. */
  readonly runUnattended: (program: {
    /** The path of the program and its arguments. */
    readonly command: readonly string[];
    readonly env: Environment;
    readonly folder: string;
    /** Receive its output as it is printed. */
    readonly stdout: (text: string) => Promise<void>;
    readonly stderr: (text: string) => Promise<void>;
    /** Ends it with SIGTERM. */
    readonly signal: AbortSignal;
  }) => Promise<number>;
}

/** What a command gets: the context, configured by the global flags. */
export interface Session
  extends Streams,
    Runtime,
    Terminal,
    Omit<Services, 'createClient' | 'createTransport' | 'worker'> {
  readonly globals: Globals;
  /** Returns the values of the flags, else the stored defaults, else the built-in defaults. */
  readonly preferences: () => Promise<Preferences>;
  readonly createTransport: (target: Pick<TransportOptions, 'baseUrl' | 'key'>) => Promise<Transport>;
  /** Returns the client of the workspace in use, created on first use: help needs no key. */
  readonly client: () => Promise<Client>;
  /** Creates a client for a workspace that is not in the settings. */
  readonly createClient: (transport: Transport) => Promise<Client>;
  readonly worker: () => Promise<Tasks>;
  /** Returns the same session, whose work `signal` also ends. */
  readonly withSignal: (signal: AbortSignal) => Session;
  /** Writes a note on stderr; nothing with --quiet. */
  readonly note: (text: string) => Promise<void>;
  /** Writes a warning on stderr, also with --quiet. */
  readonly warn: (text: string) => Promise<void>;
}
