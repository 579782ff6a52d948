import type { Client, ClientOptions } from '../client/client.ts';
import type { Transport } from '../client/delivery.ts';
import type { TransportOptions } from '../client/transport.ts';
import type {
  RecordingChoice,
  RecordingFiles,
  RemovableRecording,
  ServeOptions,
  SkippedEvents,
  TextFile,
} from '../contract/workspace.ts';
import type { LockHolder } from '../files/lock.ts';
import type { Environment } from '../settings/paths.ts';
import type { Settings } from '../settings/settings.ts';
import type { Tasks } from '../worker/tasks.ts';
import type { Globals } from './flags/globals.ts';
import type { Preferences } from './flags/preferences.ts';

/** Where text goes. */
export interface OutputStream {
  readonly isTerminal: boolean;
  /** Columns of the terminal. */
  readonly columns: number | undefined;
  /** Its lines. */
  readonly rows: number | undefined;
  /**
   * Resolves when the text is written; rejects with `ClosedPipe` when the reader has closed the pipe. With `latin1`
   * each character is one byte.
   */
  write(text: string, encoding?: 'utf8' | 'latin1'): Promise<void>;
}

/** A stream whose texts go another way first. */
export function wrapOutput(sink: OutputStream, write: OutputStream['write']): OutputStream {
  return {
    get isTerminal() {
      return sink.isTerminal;
    },
    get columns() {
      return sink.columns;
    },
    get rows() {
      return sink.rows;
    },
    write,
  };
}

/** Where text comes from. */
export interface InputStream {
  readonly isTerminal: boolean;
  /** All of it, as UTF-8. */
  text(): Promise<string>;
  /** The same as it comes. */
  bytes(): AsyncIterable<Uint8Array>;
}

/** The reader of stdout has gone, as `head` does. */
export class ClosedPipeError extends Error {
  override readonly name = 'ClosedPipe';
}

/** An API key of the workspace in this machine. */
type KeyRecord = Readonly<Record<string, unknown>>;

/** What an import of a calendar did: its events, and how many it left out. */
export interface CalendarImportResult {
  readonly records: readonly Readonly<Record<string, unknown>>[];
  readonly skipped: Readonly<SkippedEvents>;
}

/** The service on a workspace file of this machine. `main` brings it in; the command line knows only this. */
export interface Workspace {
  /** The way into the workspace, without a port. */
  transport(database: string): Promise<Transport>;
  /** Makes the file where there is none; `demo` fills it with the sample. */
  create(
    database: string,
    options: { demo: boolean; region: string | undefined },
  ): Promise<{ filled: boolean }>;
  /** Returns the id stored in the file, which stays the same when the file is moved or copied. */
  identity(database: string): Promise<string>;
  /** SHA-256 of the API keys that may write, in hexadecimal. */
  writingKeyHashes(database: string): Promise<string[]>;
  /** Serves it over HTTP until the signal is aborted, then finishes what it has accepted. */
  serve(database: string, options: ServeOptions): Promise<void>;
  /** Brings the meetings of an iCalendar file in; those that are there already are updated. */
  importEvents(database: string, calendar: TextFile): Promise<CalendarImportResult>;
  /** Adds or updates a recording of a calendar event. */
  importRecording(
    database: string,
    event: string,
    files: RecordingFiles,
    choice: RecordingChoice,
  ): Promise<Readonly<Record<string, unknown>>>;
  findRecording(database: string, id: string): Promise<RemovableRecording>;
  removeRecording(database: string, id: string): Promise<void>;
  /** Copies it to a file; replaces an existing file only if `isReplacing`. */
  snapshot(
    database: string,
    file: string,
    isReplacing: boolean,
  ): Promise<{ readonly file: string; readonly workspace: string; readonly size: number }>;
  createKey(database: string, name: string, readOnly: boolean): Promise<KeyRecord>;
  listKeys(database: string): Promise<KeyRecord[]>;
  revokeKey(database: string, id: string): Promise<KeyRecord>;
}

/** How this program was started. */
export interface Invocation {
  /** The absolute path of Node. */
  readonly node: string;
  /** The real path of `bin/kith.js`. */
  readonly script: string;
  /** The folder that relative paths are in. */
  readonly folder: string;
}

/** What this program runs on. */
interface Machine {
  /** The version of Node. */
  readonly nodeVersion: string;
  /** The version of SQLite. Throws `failed` where there is none. */
  readonly readSqliteVersion: () => Promise<string>;
  /** Throws `usage` where the environment names a proxy for a base URL that cannot be used. */
  readonly checkProxy: (baseUrl: string) => Promise<void>;
}

/** Everything that the command line may touch. */
export interface Context {
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Environment;
  /** Aborted by SIGINT and SIGTERM, with the `Failure` that the program then ends with. */
  readonly signal: AbortSignal;
  /** Rejects with that `Failure` where the work goes on and on after it. */
  readonly forcedExit: Promise<never>;
  readonly now: () => Date;
  /** This run, as it takes locks. */
  readonly lockHolder: LockHolder;
  readonly version: string;
  readonly userAgent: string;
  readonly settings: () => Promise<Settings>;
  readonly createTransport: (
    target: Pick<TransportOptions, 'baseUrl' | 'key' | 'timeout'>,
  ) => Promise<Transport>;
  readonly createClient: (
    wiring: Pick<ClientOptions, 'transport' | 'retryPolicy' | 'trace' | 'signal' | 'getEndSignal'>,
  ) => Promise<Client>;
  /** Throws `failed` where there is no SQLite. */
  readonly workspace: () => Promise<Workspace>;
  /** Work in one piece that may take for ever, by what was typed: the signal ends it all the same. */
  readonly worker: (signal: AbortSignal) => Promise<Tasks>;
  readonly prompts: Prompts;
  readonly programs: Programs;
  readonly machine: Machine;
  readonly getInvocation: () => Invocation;
  /** A completion script, by the name of its file. */
  readonly readCompletionScript: (file: string) => Promise<string>;
}

/** Questions to the person at the terminal; each gives undefined when the person cancels. */
export interface Prompts {
  readonly text: (question: string) => Promise<string | undefined>;
  /** Without echo. */
  readonly secret: (question: string) => Promise<string | undefined>;
  /** Yes or no; Enter alone is no. */
  readonly confirm: (question: string) => Promise<boolean | undefined>;
}

/** A pager that runs. `close` waits until the person has left it. */
export interface Pager {
  readonly output: OutputStream;
  readonly close: () => Promise<void>;
}

/** A program that nobody watches: it has no terminal, and of this process nothing but what stands here. */
interface UnattendedProgram {
  /** The path of the program, and its arguments. */
  readonly command: readonly string[];
  readonly env: Environment;
  readonly folder: string;
  /** They get what it prints, as it prints it. */
  readonly stdout: (text: string) => Promise<void>;
  readonly stderr: (text: string) => Promise<void>;
  /** Ends it, by SIGTERM. */
  readonly signal: AbortSignal;
}

/** Other programs. The commands at the terminal of this one are lines for a shell, as in `$PAGER`. */
export interface Programs {
  /** Shows what is written to it. */
  readonly openPager: (command: string) => Promise<Pager>;
  /** Lets the person edit a file; gives the exit code of the editor. */
  readonly edit: (command: string, file: string) => Promise<number>;
  /** Runs it as cron does; gives its exit code, that of a shell where a signal ended it. */
  readonly runUnattended: (program: UnattendedProgram) => Promise<number>;
}

/** What a command gets: the context, with what the global flags make of it. */
export interface Session extends Omit<Context, 'createClient' | 'createTransport' | 'worker'> {
  readonly globals: Globals;
  /** What the flags say, else the stored defaults, else ours. */
  readonly preferences: () => Promise<Preferences>;
  readonly createTransport: (target: Pick<TransportOptions, 'baseUrl' | 'key'>) => Promise<Transport>;
  /** Made on first use: help needs no key. */
  readonly client: () => Promise<Client>;
  /** A client for a transport that the settings do not know of yet. */
  readonly createClient: (transport: Transport) => Promise<Client>;
  readonly worker: () => Promise<Tasks>;
  /** The same session, whose work that signal ends too. */
  readonly withSignal: (signal: AbortSignal) => Session;
  /** A line for a person, on stderr; none with --quiet. */
  readonly note: (text: string) => Promise<void>;
  /** Writes a warning on stderr, also with --quiet. */
  readonly warn: (text: string) => Promise<void>;
}
