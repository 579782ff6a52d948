import { setMaxListeners } from 'node:events';
import type { Client, ClientOptions } from '../client/client.ts';
import type { Transport } from '../client/delivery.ts';
import type { TransportOptions } from '../client/transport.ts';
import { Failure } from '../contract/errors.ts';
import { sanitize } from '../render/sanitize.ts';
import { isProfileUnused, readMachineKeys } from '../settings/connection.ts';
import { openSettingsIfStored } from '../settings/paths.ts';
import type { StoredSettings } from '../settings/settings.ts';
import { once } from '../values/concurrency.ts';
import { createRedactor, type Redactor } from './connect/secrets.ts';
import { redactResponses } from './connect/without-secrets.ts';
import { type Configuration, resolveConnectionWithKey } from './connect/workspace-in-use.ts';
import { type Context, type OutputStream, type Session, wrapOutput } from './context.ts';
import { findExposedKeys } from './doctor/exposed-keys.ts';
import type { Globals } from './flags/globals.ts';
import { type Preferences, resolvePreferences } from './flags/preferences.ts';
import { longWork, yieldToSignals } from './jobs/long-work.ts';

/** What one run holds: streams that keep secrets, a client made on first use, and what is to be closed. */
export interface Run {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** KITH_DEBUG is set. */
  readonly isDebug: boolean;
  with(globals: Globals): Session;
  close(): Promise<void>;
}

/** What the sessions of a run share. */
interface Shared extends Pick<Run, 'stdout' | 'stderr' | 'isDebug'> {
  readonly context: Context;
  readonly secrets: Redactor;
  /** A stream that passes no secret on. */
  readonly guarded: (sink: OutputStream) => OutputStream;
  /** The transports that were opened, to be closed in the end. */
  readonly open: Set<Transport>;
  /** A signal that is aborted also where the run is over: what was begun for it is then to end. */
  readonly untilOver: (signal: AbortSignal) => AbortSignal;
}

/** A run on a context. */
export function createRun(context: Context): Run {
  const secrets = createRedactor(() => readMachineKeys(context.env));
  const guarded = (sink: OutputStream) =>
    wrapOutput(sink, async (text, encoding) => {
      if (text.length >= longWork.text) await yieldToSignals(context.signal);
      await sink.write(secrets.redact(text), encoding);
    });
  const stdout = guarded(context.stdout);
  const stderr = guarded(context.stderr);
  const isDebug = !['', '0', undefined].includes(context.env.KITH_DEBUG);
  let isOver = false;
  // Made on first use: to join signals takes a hundredth of a start.
  let over: AbortController | undefined;
  const untilOver = (signal: AbortSignal) => {
    over ??= new AbortController();
    if (isOver) over.abort();
    return eitherOf(signal, over.signal);
  };
  const shared: Shared = { context, secrets, guarded, stdout, stderr, isDebug, open: new Set(), untilOver };
  return {
    stdout,
    stderr,
    isDebug,
    with: (globals) => sessionOf(shared, globals),
    close: async () => {
      isOver = true;
      over?.abort();
      await Promise.all(Array.from(shared.open, (transport) => transport.close()));
    },
  };
}

function sessionOf(run: Shared, globals: Globals): Session {
  const { context, stdout, stderr } = run;
  const warn: Session['warn'] = async (text) => {
    // A note may name what a service sent.
    await stderr.write(`kith: ${sanitize(text)}\n`);
  };
  const note: Session['note'] = async (text) => {
    if (!globals.quiet) await warn(text);
  };
  const warned = once(async () => {
    if (globals.quiet) return;
    for (const { found, advice } of findExposedKeys(context.env)) await note(`${found}. ${advice}`);
  });
  const settings: Session['settings'] = async () => {
    await warned();
    return context.settings();
  };
  const configuration = { env: context.env, settings };
  const preferences = once(() => preferred(globals, configuration, note));
  const http: Session['createTransport'] = (target) => httpFrom(run, target, preferences);
  const transport = once(async () => {
    await warned();
    const used = await resolveConnectionWithKey(configuration, globals);
    return used.kind === 'local' ? (await context.workspace()).transport(used.database) : http(used);
  });
  const programs: Session['programs'] = {
    ...context.programs,
    openPager: async (command) => {
      const pager = await context.programs.openPager(command);
      return { ...pager, output: run.guarded(pager.output) };
    },
  };
  const until = (signal: AbortSignal): Session => {
    let ends: AbortSignal | undefined;
    const untilOver = () => {
      ends ??= run.untilOver(signal);
      return ends;
    };
    const clientOver: Session['createClient'] = (over) =>
      clientFrom(run, globals, over, preferences, { signal, getEndSignal: untilOver });
    return {
      ...context,
      signal,
      stdout,
      stderr,
      globals,
      settings,
      preferences,
      programs,
      createTransport: http,
      createClient: clientOver,
      client: once(async () => clientOver(await transport())),
      worker: () => context.worker(untilOver()),
      withSignal: (other) => until(eitherOf(signal, other)),
      note,
      warn,
    };
  };
  return until(context.signal);
}

/** A signal that is aborted when one of two is. */
function eitherOf(one: AbortSignal, other: AbortSignal): AbortSignal {
  const either = AbortSignal.any([one, other]);
  setMaxListeners(0, either); // each request under way listens
  return either;
}

/** A transport to a service. Throws `usage` for a key in the base URL. */
async function httpFrom(
  { context, secrets }: Shared,
  { baseUrl, key }: Pick<TransportOptions, 'baseUrl' | 'key'>,
  preferences: Session['preferences'],
): Promise<Transport> {
  secrets.add(key);
  // A host name is shown, and looked up in public.
  if (secrets.redact(baseUrl) !== baseUrl) throw new Failure('usage', 'There is a key in the base URL.');
  const timeout = (await preferences()).timeout * 1000;
  return redactResponses(await context.createTransport({ baseUrl, key, timeout }), secrets);
}

/** A client that tells its requests where that is wanted, and writes nothing with --dry-run. */
async function clientFrom(
  { context, stderr, isDebug, open }: Shared,
  globals: Globals,
  transport: Transport,
  preferences: Session['preferences'],
  { signal, getEndSignal: untilOver }: Pick<ClientOptions, 'signal' | 'getEndSignal'>,
): Promise<Client> {
  open.add(transport);
  const trace = (line: string) => {
    // It names what was typed, and what a certificate says.
    if (globals.debug || isDebug) void stderr.write(`kith: ${sanitize(line)}\n`);
  };
  const { retries, maxWait } = await preferences();
  return context.createClient({
    transport: globals.dryRun ? readOnly(transport) : transport,
    retryPolicy: { retries, maxWait: maxWait * 1000 },
    trace,
    signal,
    getEndSignal: untilOver,
  });
}

/** A transport for --dry-run: should a command forget what it promises, nothing is written all the same. */
function readOnly(transport: Transport): Transport {
  return {
    ...transport,
    send: (request, signal) => {
      if (request.method !== 'GET') throw new Error(`--dry-run would have sent a ${request.method}`);
      return transport.send(request, signal);
    },
  };
}

/** The preferences. Where all that a run needs is in its environment, it does without settings that are damaged. */
async function preferred(
  globals: Globals,
  configuration: Configuration,
  note: Session['note'],
): Promise<Preferences> {
  const { path, read } = await openSettingsIfStored(configuration.env, configuration.settings);
  let stored: StoredSettings;
  try {
    stored = read();
  } catch (error) {
    if (!(error instanceof Failure) || !isProfileUnused(globals, configuration.env)) throw error;
    await note(`${error.message} The defaults in it are not used.`);
    stored = { profiles: {} };
  }
  return resolvePreferences(globals, path, stored);
}
