import { setMaxListeners } from 'node:events';
import type { RecordObserver, RequestInterceptor } from '../client/client.ts';
import type { Transport } from '../client/delivery.ts';
import type { Exchange } from '../client/exchange.ts';
import { Failure, toFailure } from '../contract/errors.ts';
import type { WireRequest } from '../contract/grammar.ts';
import type { Prompts } from '../process/prompts.ts';
import { wrapParagraph } from '../render/text/paragraph.ts';
import { sanitize } from '../render/text/sanitize.ts';
import { isProfileUnused } from '../settings/connection.ts';
import { findNameCache } from '../settings/name-cache.ts';
import type { StoredSettings } from '../settings/settings.ts';
import { once } from '../values/concurrency.ts';
import type { AnyCommand, ParsedCommand } from './command/command.ts';
import type { Session } from './command/context.ts';
import {
  type Configuration,
  findConnection,
  openEffectiveSettings,
  resolveConnectionWithKey,
} from './connect/connection.ts';
import { createProfileNotice } from './connect/profile-notice.ts';
import { createKeyInUrlFailure, redactionMark, redactResponses } from './connect/secrets.ts';
import { type Preferences, resolvePreferences } from './connect/settings.ts';
import { findExposedKeys } from './doctor/exposed-keys.ts';
import type { Globals } from './flags/globals.ts';
import type { Activity } from './print/activity.ts';
import { observeRequests } from './print/observe-requests.ts';
import { PathIds } from './references/path-ids.ts';
import { SeenNames } from './references/seen-names.ts';
import type { Run } from './run-resources.ts';

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

/** What happens besides to the requests and the records of a client. */
interface ClientHooks {
  readonly interceptWrite?: RequestInterceptor;
  readonly onRecords?: RecordObserver;
}

/** The properties of a session's command. */
interface SessionCommand extends Pick<ParsedCommand, 'globals'> {
  readonly path?: readonly string[];
  readonly command: Pick<AnyCommand, 'isWrite' | 'isLocal' | 'hasOwnUndo'>;
}

/** Creates the session of a command with its global flags. */
export function createSession(
  run: Run,
  { path = [], command, globals }: SessionCommand,
  parseCommandLine: Session['parseCommandLine'],
): Session {
  const { terminal, runtime, services } = run.context;
  const { activity } = run;
  const isDebug = globals.debug || run.isDebug;
  const { stderr } = run.streams;
  if (!globals.quiet) activity.enable();
  const warn: Session['warn'] = (text) => {
    const width = stderr.isTerminal ? stderr.columns : undefined;
    return stderr.write(`kith: ${wrapParagraph(sanitize(text), width, 6)}\n`);
  };
  const note: Session['note'] = async (text) => {
    if (!globals.quiet) await warn(text);
  };
  const warnOfExposedKeys = once(async () => {
    if (globals.quiet) return;
    for (const { found, advice } of findExposedKeys(runtime.env)) await note(`${found}. ${advice}`);
  });
  const settings: Session['settings'] = async () => {
    await warnOfExposedKeys();
    return services.settings();
  };
  const configuration = { env: runtime.env, settings, findProjectFile: run.findProjectFile, note, globals };
  const profileNotice = createProfileNotice(configuration, globals, warn, command.isLocal === true);
  const preferences = once(() => readPreferences(globals, configuration, note));
  const createTransport: Session['createTransport'] = async ({ baseUrl, key }) => {
    if (key !== undefined) run.redactor.add(key);
    if (run.redactor.redact(baseUrl) !== baseUrl) throw createKeyInUrlFailure();
    const timeout = (await preferences()).timeout * 1000;
    const { formatExchange } = isDebug ? await import('./print/format-exchange.ts') : {};
    const inspect = formatExchange && ((exchange: Exchange) => void stderr.write(formatExchange(exchange)));
    const transport = await services.createTransport({ baseUrl, key, timeout, inspect });
    return redactResponses(transport, run.redactor.redact);
  };
  const openTransport = once(async () => {
    await warnOfExposedKeys();
    const connection = await resolveConnectionWithKey(configuration, globals);
    await names.open();
    return connection.kind === 'local'
      ? (await services.workspace()).transport(connection.database)
      : createTransport(connection);
  });
  const programs: Session['programs'] = async () => {
    const programs = await terminal.programs();
    const openPager = async (command: string) => {
      activity.close(); // nothing may be drawn over the pager
      const pager = await programs.openPager(command);
      return { ...pager, output: run.redactOutput(pager.output) };
    };
    const edit: typeof programs.edit = (...args) => activity.pause(() => programs.edit(...args));
    return { ...programs, openPager, edit };
  };
  const pathIds = new PathIds();
  const names = new SeenNames(runtime.env, pathIds, async () =>
    findNameCache(runtime.env, await findConnection(configuration, globals)),
  );
  run.onClose(() => names.close(stderr.isTerminal));
  const withSignal = (signal: AbortSignal, attempts?: number): Session => {
    let endSignal: AbortSignal | undefined;
    const getEndSignal = () => {
      endSignal ??= anySignal(signal, run.endSignal);
      return endSignal;
    };
    const createClient = async (transport: Transport, { interceptWrite, onRecords }: ClientHooks = {}) => {
      run.transports.add(transport);
      const { retries, maxWait, pageSize } = await preferences();
      return services.createClient({
        signal,
        getEndSignal,
        transport: checkWrites(transport, globals.dryRun ? refuseWrite : profileNotice.beforeWrite),
        retryPolicy: { retries: attempts === undefined ? retries : attempts - 1, maxWait: maxWait * 1000 },
        pageSize,
        intercept: (request, send) =>
          pathIds.send(request, (request) =>
            interceptWrite && request.method !== 'GET' ? interceptWrite(request, send) : send(request),
          ),
        observe: observeRequests(activity),
        onRecords,
        trace: (line) => void (isDebug && stderr.write(`kith: ${sanitize(line)}\n`)),
      });
    };
    const openDependencies = async (transport: Transport) => {
      // Responses are redacted already.
      const hasSecret = (text: string) => run.redactor.redact(text).includes(redactionMark);
      return { client: await createClient(transport), hasSecret };
    };
    const createRecordingClient: Session['createRecordingClient'] = async (subject, isByDefault) => {
      const transport = await openTransport();
      const openRecorder = once(async () => {
        const { openRecorder } = await import('./undo/recording.ts');
        return openRecorder(session, subject, await openDependencies(transport), isByDefault);
      });
      const interceptWrite: RequestInterceptor = async (request, send) => {
        const recorder = await openRecorder();
        return recorder ? recorder.intercept(request, () => send(request)) : send(request);
      };
      return createClient(transport, { interceptWrite, onRecords: names.add });
    };
    const createRecorder: Session['createRecorder'] = async (subject, interrupted) => {
      const { openRequiredRecorder } = await import('./undo/recording.ts');
      return openRequiredRecorder(
        session,
        subject,
        await openDependencies(await openTransport()),
        interrupted,
      );
    };
    const isRecorded = command.isWrite && !command.hasOwnUndo && !globals.dryRun;
    const session: Session = {
      ...run.streams,
      ...runtime,
      ...services,
      signal,
      activity,
      prompts: pausePrompts(terminal.prompts, activity),
      programs,
      globals,
      isWrite: command.isWrite === true,
      ...{ pathIds, names },
      settings,
      findProjectFile: run.findProjectFile,
      profileNotice,
      preferences,
      createTransport,
      createClient: (transport) => createClient(transport),
      createRecordingClient,
      createRecorder,
      client: once(async () =>
        isRecorded
          ? createRecordingClient({ command: path.join(' ') })
          : createClient(await openTransport(), { onRecords: names.add }),
      ),
      parseCommandLine,
      worker: () => services.worker(getEndSignal()),
      withSignal: (other, limit = attempts) => withSignal(anySignal(signal, other), limit),
      note,
      warn,
    };
    return session;
  };
  return withSignal(runtime.signal);
}

/** Converts anything that ended a run to a failure; after a signal, to the failure of that signal. */
export function toRunFailure(error: unknown, signal: AbortSignal): Failure {
  if (signal.aborted && signal.reason instanceof Failure) {
    // A failure with the same code may say more, such as where a text was saved.
    return error instanceof Failure && error.code === signal.reason.code ? error : signal.reason;
  }
  return error instanceof Failure ? error : toFailure(error);
}

function anySignal(one: AbortSignal, other: AbortSignal): AbortSignal {
  const signal = AbortSignal.any([one, other]);
  setMaxListeners(0, signal); // each pending request adds a listener
  return signal;
}

/** Returns a transport that calls `check` before each write. */
function checkWrites(transport: Transport, check: (request: WireRequest) => Promise<void>): Transport {
  return {
    ...transport,
    send: async (request, signal) => {
      if (request.method !== 'GET') await check(request);
      return transport.send(request, signal);
    },
  };
}

/** Protects --dry-run against a command that ignores the flag. */
async function refuseWrite({ method }: WireRequest): Promise<void> {
  throw new Error(`--dry-run would have sent a ${method}`);
}

/** Reads the preferences. Damaged settings are ignored if the flags and the environment name the workspace. */
async function readPreferences(
  globals: Globals,
  configuration: Configuration,
  note: Session['note'],
): Promise<Preferences> {
  const { path, read } = await openEffectiveSettings(configuration);
  let stored: StoredSettings;
  try {
    stored = read();
  } catch (error) {
    // A damaged project file is always an error.
    const isStored = error instanceof Failure && error.code !== 'usage';
    if (!isStored || !isProfileUnused(globals, configuration.env)) throw error;
    await note(`${error.message} The stored flag defaults are ignored.`);
    stored = { profiles: {} };
  }
  return resolvePreferences(globals, path, stored);
}
