import type { Exchange } from '../client/exchange.ts';
import { Failure, toFailure } from '../contract/errors.ts';
import type { Prompts } from '../process/prompts.ts';
import { wrapParagraph } from '../render/text/paragraph.ts';
import { sanitize } from '../render/text/sanitize.ts';
import { chooseWorkspace, identifyConnection, isProfileUnused } from '../settings/connection.ts';
import type { Mirror } from '../settings/mirror.ts';
import type { Environment } from '../settings/paths.ts';
import { redactResponses } from '../settings/redaction.ts';
import type { StoredSettings } from '../settings/settings.ts';
import { once } from '../values/concurrency.ts';
import type { ParsedCommand } from './command/command.ts';
import type {
  ClientFactory,
  Connections,
  Messages,
  Preferences,
  Runtime,
  Services,
  Session,
  Terminal,
  WorkspaceChoice,
} from './command/context.ts';
import { isRecordedBySession, isWrite, sendsRequests } from './command/effects.ts';
import type { Globals } from './command/globals.ts';
import {
  type Configuration,
  findConnection,
  openEffectiveSettings,
  resolveConnectionWithKey,
} from './connect/connection.ts';
import { findExposedKeys } from './connect/exposed-keys.ts';
import { createOfflineFailure, isOffline } from './connect/offline.ts';
import { createProfileNotice } from './connect/profile-notice.ts';
import { createKeyInUrlFailure } from './connect/secrets.ts';
import { resolvePreferences } from './connect/settings.ts';
import { createGuards } from './guards/guards.ts';
import { refuseOfflineWrites } from './guards/offline-writes.ts';
import { NameCollector } from './names/name-collector.ts';
import { PathIds } from './names/path-ids.ts';
import { parseCommandLine } from './parse.ts';
import type { Activity } from './progress/activity.ts';
import type { Run } from './run-resources.ts';
import { type ClientSettings, combineSignals, SessionClients } from './session-clients.ts';

/** Returns prompts that hide the activity while they wait for an answer. */
function pausePrompts(prompts: Prompts, activity: Activity): Prompts {
  return {
    text: (...args) => activity.pause(() => prompts.text(...args)),
    secret: (...args) => activity.pause(() => prompts.secret(...args)),
    confirm: (...args) => activity.pause(() => prompts.confirm(...args)),
    select: (...args) => activity.pause(() => prompts.select(...args)),
    search: (...args) => activity.pause(() => prompts.search(...args)),
    selectMany: (...args) => activity.pause(() => prompts.selectMany(...args)),
  };
}

/** Returns the run and the command for a session on another workspace. */
function moveToWorkspace(
  run: Run,
  parsed: Omit<ParsedCommand, 'missing'>,
  choice: WorkspaceChoice,
): [Run, Omit<ParsedCommand, 'missing'>] {
  const { runtime } = run.context;
  const [profile, database] = 'profile' in choice ? [choice.profile] : ['', choice.database];
  const env = chooseWorkspace(runtime.env, database);
  return [
    { ...run, context: { ...run.context, runtime: { ...runtime, env } } },
    { ...parsed, globals: { ...parsed.globals, profile, baseUrl: '' } },
  ];
}

/** Creates the session of a command with its global flags. */
export function createSession(run: Run, parsed: Omit<ParsedCommand, 'missing'>): Session {
  const { words, path, command, input, globals } = parsed;
  const { activity } = run;
  const { runtime, services, terminal } = run.context;
  if (!globals.quiet) activity.enable();
  const messages = createMessages(run, parsed);
  const warnOfEnvironment = once(async () =>
    globals.quiet ? undefined : noteEnvironment(runtime.env, messages.note),
  );
  const settings: Services['settings'] = () => warnOfEnvironment().then(services.settings);
  const configuration = { runtime, services: { ...services, settings }, globals, messages };
  const setGuards = createGuards(configuration, runtime);
  const guards = refuseOfflineWrites(setGuards, configuration);
  const preferences = once(() => readPreferences(configuration));
  const profileNotice = createProfileNotice(configuration, messages.warn, !sendsRequests(command));
  const isDebug = globals.debug || run.isDebug;
  const names = new NameCollector(async () => ({
    env: runtime.env,
    workspace: identifyConnection(await findConnection(configuration)),
  }));
  run.onClose(() => names.close(run.streams.stderr.isTerminal));
  const connections = {
    resolve: once(() => resolveConnectionWithKey(configuration)),
    openMirror: createMirrorOpener(configuration),
    createTransport: createTransportFactory(run, preferences, { globals, isDebug }),
  };
  const openTransport = once(async () => {
    await warnOfEnvironment();
    const mirror = await connections.openMirror();
    // A mirror needs no key, which may be in the keychain.
    const place = mirror ?? (await connections.resolve());
    await names.open();
    if ('baseUrl' in place) return connections.createTransport(place);
    const workspace = await services.workspace();
    return 'readAt' in place
      ? workspace.mirrorTransport(place.files.database, place.readAt)
      : workspace.transport(place.database);
  });
  const common: CommonProperties = {
    streams: { ...run.streams, openFile: run.openFile, redact: run.redactor.redact },
    runtime,
    terminal: {
      prompts: pausePrompts(terminal.prompts, activity),
      programs: () => openPrograms(run),
      activity,
      requestConsent: undefined,
    },
    services: { ...services, settings, ...createCommandLineServices(run, globals) },
    messages: { ...messages, profileNotice },
    call: { isWrite: isWrite(command, input), commandLine: { words, path, command, input } },
    references: { pathIds: new PathIds(), names },
    ...{ globals, preferences, guards, connections },
    forWorkspace: (choice) => createSession(...moveToWorkspace(run, parsed, choice)),
  };
  const createClient = chooseClient(parsed);
  return buildSession({ common, run, isDebug, createClient, openTransport }, runtime.signal);
}

/** Creates the services that parse and run other command lines. A run takes the global flags of this command line. */
const createCommandLineServices = (run: Run, globals: Globals) => ({
  parseCommandLine: (words: readonly string[]) => parseCommandLine(words, run),
  async runCommandLine(words: readonly string[]): Promise<void> {
    const parsed = await parseCommandLine(words, run);
    if (!parsed) return;
    const { runCommand } = await import('./run.ts');
    await runCommand(parsed, createSession(run, { ...parsed, globals }));
  },
});

/** Returns the function that creates the client of a command, which records its writes if a session does that. */
function chooseClient({
  path,
  command,
  globals,
}: Pick<ParsedCommand, 'path' | 'command' | 'globals'>): ClientFactory {
  const isRecorded = isRecordedBySession(command) && !globals.dryRun;
  return ({ connections }) =>
    isRecorded
      ? connections.createRecordingClient({ command: path.join(' ') })
      : connections.createInterceptedClient();
}

/** The properties that all sessions of a command share, whatever signal ends their work. */
type CommonProperties = Omit<Session, 'signal' | 'services' | 'client' | 'connections' | 'derive'> & {
  readonly services: Omit<Session['services'], 'worker'>;
  readonly connections: Pick<Connections, 'resolve' | 'openMirror' | 'createTransport'>;
};

interface SessionParts extends ClientSettings {
  readonly common: CommonProperties;
  readonly createClient: ClientFactory;
}

/** Builds a session whose work `signal` ends. `attempts`: per request; if omitted, as the flags say. */
function buildSession(parts: SessionParts, signal: AbortSignal, attempts?: number): Session {
  const { common, createClient, run } = parts;
  const clients = new SessionClients(() => session, parts, attempts);
  const session: Session = {
    ...common,
    signal,
    services: { ...common.services, worker: () => run.context.services.worker(clients.getEndSignal()) },
    client: once(() => createClient(session)),
    connections: Object.assign(clients, common.connections),
    derive: ({
      signal: extraSignal,
      ownSignal,
      client = createClient,
      attempts: limit = attempts,
      ...changes
    }) => {
      const references = changes.call ? { ...common.references, pathIds: new PathIds() } : common.references;
      return buildSession(
        {
          ...parts,
          common: { ...common, references, ...changes },
          createClient: client,
          ...(ownSignal && { stopSignal: signal }),
        },
        ownSignal ?? (extraSignal ? combineSignals(signal, extraSignal) : signal),
        limit,
      );
    },
  };
  return session;
}

/** Notes keys that other users may read, and an unknown TZ, for which Node silently uses UTC. */
async function noteEnvironment(env: Environment, note: Messages['note']): Promise<void> {
  for (const { found, advice } of findExposedKeys(env)) await note(`${found}. ${advice}`);
  const { TZ = '' } = env;
  if (/\d/.test(TZ) && !(await import('../values/dates.ts')).isTimeZone(TZ))
    await note(`TZ=${TZ} is not a known time zone; kith uses UTC. Use a name such as TZ=Europe/Berlin.`);
}

/** Creates functions that write warnings, and notes unless --quiet is set. A run that prints JSON collects both. */
function createMessages(
  { streams: { stderr }, warnings, ...run }: Run,
  { globals: { quiet }, command: { output } }: Pick<ParsedCommand, 'globals' | 'command'>,
): Omit<Messages, 'profileNotice'> {
  const printsJson = () => !output.protocol && run.printsJson();
  const warn: Messages['warn'] = async (text) => {
    if (printsJson()) return void warnings.push(text);
    const width = stderr.isTerminal ? stderr.columns : undefined;
    await stderr.write(`kith: ${wrapParagraph(sanitize(text), width, 6)}\n`);
  };
  const note: Messages['note'] = async (text) => (quiet && !printsJson() ? undefined : warn(text));
  return { note, warn, warnings, printsJson };
}

/** The flags, settings and environment that select the workspace of a session, and its messages. */
interface SessionConfiguration extends Configuration {
  readonly runtime: Runtime;
  readonly messages: Omit<Messages, 'profileNotice'>;
}

/** Returns the function that opens the mirror of the workspace in use once, and notes its age. */
function createMirrorOpener(configuration: SessionConfiguration): Connections['openMirror'] {
  const { runtime, messages, globals } = configuration;
  return once(async (): Promise<Mirror | undefined> => {
    if (!isOffline(globals, runtime.env)) return undefined;
    const connection = await findConnection(configuration);
    if (connection.kind === 'local') return undefined;
    const { describeMirror, requireMirror } = await import('../settings/mirror.ts');
    const mirror = requireMirror(runtime.env, connection);
    await messages.note(describeMirror(mirror, runtime.now()));
    return mirror;
  });
}

/** Returns the function that creates transports whose responses are redacted. */
function createTransportFactory(
  { redactor, context, streams }: Run,
  preferences: Session['preferences'],
  { globals, isDebug }: { readonly globals: Globals; readonly isDebug: boolean },
): Connections['createTransport'] {
  return async ({ baseUrl, key }) => {
    if (isOffline(globals, context.runtime.env))
      throw createOfflineFailure(`Offline: no request is sent to ${new URL(baseUrl).host}.`, globals);
    if (key !== undefined) redactor.add(key);
    if (redactor.redact(baseUrl) !== baseUrl) throw createKeyInUrlFailure();
    const timeout = (await preferences()).timeout * 1000;
    const { formatExchange } = isDebug ? await import('./print/format-exchange.ts') : {};
    const inspect =
      formatExchange && ((exchange: Exchange) => void streams.stderr.write(formatExchange(exchange)));
    const transport = await context.services.createTransport({ baseUrl, key, timeout, inspect });
    return redactResponses(transport, redactor.redact);
  };
}

/** Opens the programs of the terminal, which hide the activity. */
async function openPrograms({ context, activity, redactOutput }: Run): ReturnType<Terminal['programs']> {
  const programs = await context.terminal.programs();
  const openPager = async (command: string) => {
    activity.close(); // nothing may be drawn over the pager
    const pager = await programs.openPager(command);
    return { ...pager, output: redactOutput(pager.output) };
  };
  const edit: typeof programs.edit = (...args) => activity.pause(() => programs.edit(...args));
  return { ...programs, openPager, edit };
}

/** Converts anything that ended a run to a failure; after a signal, to the failure of that signal. */
export function toRunFailure(error: unknown, signal: AbortSignal): Failure {
  if (signal.aborted && signal.reason instanceof Failure) {
    // A failure with the same code may say more, such as where a text was saved.
    return error instanceof Failure && error.code === signal.reason.code ? error : signal.reason;
  }
  return error instanceof Failure ? error : toFailure(error);
}

/** Reads the preferences. Damaged settings are ignored if the flags and the environment name the workspace. */
async function readPreferences(configuration: SessionConfiguration): Promise<Preferences> {
  const { runtime, messages, globals } = configuration;
  const { path, read } = await openEffectiveSettings(configuration);
  let stored: StoredSettings;
  try {
    stored = read();
  } catch (error) {
    // A damaged project file is always an error.
    const isStored = error instanceof Failure && error.code !== 'usage';
    if (!isStored || !isProfileUnused(globals, runtime.env)) throw error;
    await messages.note(`${error.message} The stored flag defaults are ignored.`);
    stored = { profiles: {} };
  }
  return resolvePreferences(globals, path, stored);
}
