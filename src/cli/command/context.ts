import type { Client, ClientOptions, RequestInterceptor } from '../../client/client.ts';
import type { Transport } from '../../client/delivery.ts';
import type { ListStart } from '../../client/pagination.ts';
import type { TransportOptions } from '../../client/transport.ts';
import type { WireRequest } from '../../contract/grammar.ts';
import type { LockHolder } from '../../files/lock.ts';
import type { OutputFile } from '../../files/output-file.ts';
import type { createPrograms } from '../../process/child-processes.ts';
import type { Prompts } from '../../process/prompts.ts';
import type { Shutdown } from '../../process/signals.ts';
import type { InputStream, OutputStream } from '../../process/streams.ts';
import type { Tasks } from '../../process/worker/tasks.ts';
import type { createWorkspaces } from '../../service/workspace.ts';
import type { Connection } from '../../settings/connection.ts';
import type { Mirror } from '../../settings/mirror.ts';
import type { Environment } from '../../settings/paths.ts';
import type { Settings } from '../../settings/settings.ts';
import type { ContinuedLog, LogSubject } from '../../writes/log.ts';
import type { Recorder } from '../../writes/recorder.ts';
import type { NameCollector } from '../names/name-collector.ts';
import type { PathIds } from '../names/path-ids.ts';
import type { Activity, Clock } from '../progress/activity.ts';
import type { CommandInput, CommandTree, ParsedCommand } from './command.ts';
import type { CommandEffects } from './effects.ts';
import type { Globals } from './globals.ts';
import type { GuardName } from './guards.ts';

/** Returns the stream with another `write`. */
export function wrapOutput(stream: OutputStream, write: OutputStream['write']): OutputStream {
  return Object.assign(Object.create(stream), { write }); // a copy would open the stream to read its properties
}

/** The standard streams. */
export interface Streams {
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
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

/** This process and its environment. */
export interface Runtime extends Shutdown {
  readonly env: Environment;
  readonly now: () => Date;
  /** Waits before a retry. @throws if the signal ends it */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Identifies this process in lock files. */
  readonly lockHolder: LockHolder;
  /** Milliseconds to wait for a locked settings or workspace file; if omitted, 10 s and 4 s. */
  readonly lockTimeout?: number | undefined;
  /** The clock of the progress line. Default: real time. */
  readonly progressClock?: Clock | undefined;
  readonly version: string;
  readonly userAgent: string;
  readonly getInvocation: () => Invocation;
}

/** The terminal: prompts, and programs such as the pager and the editor. */
export interface Terminal {
  readonly prompts: Prompts;
  readonly programs: () => Promise<ReturnType<typeof createPrograms>>;
}

/** The other layers of the program. Each is loaded on first use. */
export interface Services {
  readonly tree: CommandTree;
  readonly settings: () => Promise<Settings>;
  readonly createTransport: (
    target: Pick<TransportOptions, 'baseUrl' | 'key' | 'timeout' | 'inspect'>,
  ) => Promise<Transport>;
  readonly createClient: (options: Omit<ClientOptions, 'sleep' | 'now' | 'random'>) => Promise<Client>;
  /** @throws {Failure} failed if SQLite is missing */
  readonly workspace: () => Promise<Workspace>;
  /** Returns tasks whose duration depends on the input, such as jq; the signal ends them at any point. */
  readonly worker: (signal: AbortSignal) => Promise<Tasks>;
  /** The build and the platform, for `version` and `doctor`. */
  readonly machine: {
    /** The commit of the build, if it is known. */
    readonly commit: string | undefined;
    readonly nodeVersion: string;
    /** The operating system and the processor as Node names them: `linux`, `x64`. */
    readonly platform: string;
    readonly architecture: string;
    /** @throws {Failure} failed if SQLite is missing */
    readonly readSqliteVersion: () => Promise<string>;
    /** @throws {Failure} usage if the proxy that the environment names for a base URL cannot be used */
    readonly checkProxy: (baseUrl: string) => Promise<void>;
  };
  /** Reads a file of the package, such as `docs/export.md`. */
  readonly readPackageFile: (path: string) => Promise<string>;
}

/** The resources that a command line may use. */
export interface Context {
  readonly streams: Streams;
  readonly runtime: Runtime;
  readonly terminal: Terminal;
  readonly services: Services;
}

/** Where a list begins: at an offset in the list of the service, or after a number of records of the result. */
export type ListPosition = ListStart & { readonly isInResult: boolean };

type OpenedFile = { readonly output: OutputStream } & Pick<OutputFile, 'commit' | 'discard'>;

/** A question before records are deleted, merged or reverted. */
export interface Question {
  readonly text: string;
  /** The text to type, such as the name of the list to delete. If omitted, the answer is yes or no. */
  readonly answer?: string;
  /** The lines that precede the question, such as a plan. */
  readonly lines?: readonly string[];
  /** Everything that the answer is about: the planned writes, and the records as they were read. */
  readonly seen?: unknown;
}

/**
 * Asks a question. `token`: identifies the question and everything that the answer is about. Returns whether the user has
 * answered this question before. @throws {Failure} cancelled if the answer is no
 */
export type ConsentRequest = (question: Question, token: string) => Promise<boolean>;

/** A workspace by its profile, or by its file or PostgreSQL URL. */
export type WorkspaceChoice = { readonly profile: string } | { readonly database: string };

export interface Admission {
  /** Receives the status of the response, if there is a response. */
  readonly done: (status: number) => Promise<void>;
}

/** A guard in force, for `kith auth status` and `kith config list`. */
export interface EffectiveGuard {
  readonly name: GuardName;
  readonly value: string;
  /** All places that set it. */
  readonly from: string;
}

/**
 * The limits on the writes and requests of a run. All guards apply together, so that no guard can loosen another. The
 * counts cover the whole run, such as the life of an MCP server, or all runs with the same KITH_GUARD_FILE.
 */
export interface Guards {
  /** Lists the guards in force. @throws {Failure} usage if one is invalid */
  readonly list: () => Promise<readonly EffectiveGuard[]>;
  /** Refuses a command that writes, before it sends any request. @throws {Failure} blocked */
  readonly checkCommand: (
    command: CommandEffects,
    input: CommandInput,
    words: readonly string[] | undefined,
  ) => Promise<void>;
  /** Admits one attempt of a request. @throws {Failure} blocked, or limit_reached */
  readonly admit: (request: WireRequest) => Promise<Admission>;
}

/** Names the profile of a project file before a command writes: in its question, or on stderr. */
export interface ProfileNotice {
  /** Returns the notice; undefined if no project file has chosen the profile. */
  readonly describe: () => Promise<string | undefined>;
  /** Returns the text before a question about a write; empty if no project file has chosen the profile. */
  readonly readQuestionPrefix: () => Promise<string>;
  /** Writes the notice on stderr, also with --quiet, unless a question has named the profile. */
  readonly beforeWrite: () => Promise<void>;
}

/** Values that flags set, with stored and built-in defaults. `timeout` and `maxWait`: in seconds. */
export type Preferences = Readonly<Record<'limit' | 'pageSize' | 'timeout' | 'retries' | 'maxWait', number>>;

/** The streams of a command. Keys of this machine are redacted in their output. */
interface RedactedStreams extends Streams {
  /**
   * Opens a file for output in addition to stdout. `mode`: the mode of a new file. `commit` replaces the file; `discard`
   * leaves it unchanged.
   */
  readonly openFile: (path: string, mode?: number) => Promise<OpenedFile>;
  /** Returns a text without the keys. The responses are redacted already. */
  readonly redact: (text: string) => string;
}

/** The terminal that a command shares with the progress line. */
interface SharedTerminal extends Terminal {
  /** The line on stderr that shows what the command is doing. */
  readonly activity: Pick<Activity, 'begin' | 'now' | 'pause'>;
  /** Asks the user of an MCP client for confirmation; undefined if only a person at the terminal can be asked. */
  readonly requestConsent: ConsentRequest | undefined;
}

/** The messages of a command to the user, apart from its result. A run that prints JSON collects them in `warnings`. */
export interface Messages {
  /** Writes a note on stderr, except with --quiet. */
  readonly note: (text: string) => Promise<void>;
  /** Writes a warning on stderr, also with --quiet. */
  readonly warn: (text: string) => Promise<void>;
  readonly profileNotice: ProfileNotice;
  /** The notes and warnings of a run that prints JSON, so far. Any other run leaves the list empty. */
  readonly warnings: string[];
  /** Whether stderr gets one JSON object if the command fails, and nothing else. */
  readonly printsJson: () => boolean;
}

interface SessionServices extends Omit<Services, 'createClient' | 'createTransport' | 'worker'> {
  readonly worker: () => Promise<Tasks>;
  /** Parses another command line; undefined if it only prints help. @throws {Failure} usage */
  readonly parseCommandLine: (words: readonly string[]) => Promise<ParsedCommand | undefined>;
  /** Runs another command line with the global flags of this one, and prints its result. @throws {Failure} as that command does */
  readonly runCommandLine: (words: readonly string[]) => Promise<void>;
}

/** How a command is called. */
interface Call {
  /** The command line that was typed; undefined in the call of an MCP tool. */
  readonly commandLine: Pick<ParsedCommand, 'words' | 'path' | 'command' | 'input'> | undefined;
  /** Whether the command writes records. It then uses no cached name. */
  readonly isWrite: boolean;
  /** Whether to skip updates that would change nothing. Each other update then takes one more request. */
  readonly skipsUnchanged?: true;
  /** Where a list continues with --after, or with the cursor of a tool. */
  readonly start?: ListPosition;
}

/** The ids and names of the records in the input and the responses of a run. */
interface References {
  /** The words of the command line that are sent as ids. */
  readonly pathIds: PathIds;
  /** The names in the responses of the run, and the name cache. */
  readonly names: NameCollector;
}

/** The connections of a session. Their clients end with its signal. */
export interface Connections {
  /** Returns the connection to the workspace in use with its key, which is read once: it may be in a pipe. */
  readonly resolve: () => Promise<Connection>;
  /**
   * Opens the mirror that a run with --offline reads instead of the service, and notes its age once. Undefined without
   * --offline, and for a local workspace. @throws {Failure} offline if there is no mirror
   */
  readonly openMirror: () => Promise<Mirror | undefined>;
  readonly createTransport: (target: Pick<TransportOptions, 'baseUrl' | 'key'>) => Promise<Transport>;
  /** Creates a client for a workspace that is not in the settings. */
  createClient(transport: Transport): Promise<Client>;
  /**
   * Creates a client of the workspace in use whose writes are recorded as one command for `kith undo`. `isByDefault`:
   * whether to record them if the setting is `auto`. If omitted, only at a terminal.
   */
  createRecordingClient(subject: LogSubject, isByDefault?: boolean): Promise<Client>;
  /** Creates a client of the workspace in use that passes each write to an interceptor; if omitted, it records no writes. */
  createInterceptedClient(interceptWrite?: RequestInterceptor): Promise<Client>;
  /**
   * Creates a recorder whose log is needed to continue the command. `interruptedCommand`: the interrupted run to
   * continue.
   */
  createRecorder(subject: LogSubject, interruptedCommand?: ContinuedLog): Promise<Recorder>;
}

/** Creates the client of a session. */
export type ClientFactory = (session: Session) => Promise<Client>;

/** How a session differs from the one that it is derived from. */
interface SessionChanges
  extends Partial<Pick<Session, 'globals' | 'call' | 'streams' | 'messages' | 'terminal' | 'preferences'>> {
  /** Also ends the work. */
  readonly signal?: AbortSignal;
  /** The only signal that ends the work: a signal of the process lets requests finish. */
  readonly ownSignal?: AbortSignal;
  /** Creates the client of the session, and of the sessions derived from it. */
  readonly client?: ClientFactory;
  /** Attempts per request. */
  readonly attempts?: number;
}

/** Everything that a command uses while it runs, configured by the global flags. */
export interface Session {
  readonly streams: RedactedStreams;
  readonly runtime: Omit<Runtime, 'signal'>;
  readonly terminal: SharedTerminal;
  readonly services: SessionServices;
  readonly messages: Messages;
  /** Ends the work of the command. */
  readonly signal: AbortSignal;
  readonly globals: Globals;
  readonly call: Call;
  /** Returns the values of the flags, or else the stored or built-in defaults. */
  readonly preferences: () => Promise<Preferences>;
  /** The limits on the writes and requests of the run. */
  readonly guards: Guards;
  readonly references: References;
  /** Returns the client of the workspace in use. Created on first use, because help needs no key. */
  readonly client: () => Promise<Client>;
  readonly connections: Connections;
  /**
   * Returns a session of the same command with its own clients. With another `call`, it resolves the words of the command
   * line again.
   */
  readonly derive: (changes: SessionChanges) => Session;
  /** Returns a session of the same command for another workspace, with the guards and change log of that workspace. */
  readonly forWorkspace: (choice: WorkspaceChoice) => Session;
}
