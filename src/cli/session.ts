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
import { type Secrets, secretsOf } from './connect/secrets.ts';
import { withoutSecrets } from './connect/without-secrets.ts';
import { type Configuration, connectionWithKey } from './connect/workspace-in-use.ts';
import { type Context, type Session, type Sink, through } from './context.ts';
import { findExposedKeys } from './doctor/exposed-keys.ts';
import type { Globals } from './flags/globals.ts';
import { type Preferences, preferencesOf } from './flags/preferences.ts';
import { longWork, yieldToSignals } from './jobs/long-work.ts';

/** What one run holds: streams that keep secrets, a client made on first use, and what is to be closed. */
export interface Run {
  readonly stdout: Sink;
  readonly stderr: Sink;
  /** KITH_DEBUG is set. */
  readonly isDebug: boolean;
  with(globals: Globals): Session;
  close(): Promise<void>;
}

/** What the sessions of a run share. */
interface Shared extends Pick<Run, 'stdout' | 'stderr' | 'isDebug'> {
  readonly context: Context;
  readonly secrets: Secrets;
  /** A stream that passes no secret on. */
  readonly guarded: (sink: Sink) => Sink;
  /** The transports that were opened, to be closed in the end. */
  readonly open: Set<Transport>;
  /** A signal that is aborted also where the run is over: what was begun for it is then to end. */
  readonly untilOver: (signal: AbortSignal) => AbortSignal;
}

/** A run on a context. */
export function runOn(context: Context): Run {
  const secrets = secretsOf(() => readMachineKeys(context.env));
  const guarded = (sink: Sink) =>
    through(sink, async (text, encoding) => {
      if (text.length >= longWork.text) await yieldToSignals(context.signal);
      await sink.write(secrets.hide(text), encoding);
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
  const http: Session['http'] = (target) => httpFrom(run, target, preferences);
  const transport = once(async () => {
    await warned();
    const used = await connectionWithKey(configuration, globals);
    return used.kind === 'local' ? (await context.workspace()).transport(used.database) : http(used);
  });
  const programs: Session['programs'] = {
    ...context.programs,
    pager: async (command) => {
      const pager = await context.programs.pager(command);
      return { ...pager, sink: run.guarded(pager.sink) };
    },
  };
  const until = (signal: AbortSignal): Session => {
    let ends: AbortSignal | undefined;
    const untilOver = () => {
      ends ??= run.untilOver(signal);
      return ends;
    };
    const clientOver: Session['clientOver'] = (over) =>
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
      http,
      clientOver,
      client: once(async () => clientOver(await transport())),
      aside: () => context.aside(untilOver()),
      until: (other) => until(eitherOf(signal, other)),
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
  secrets.keep(key);
  // A host name is shown, and looked up in public.
  if (secrets.hide(baseUrl) !== baseUrl) throw new Failure('usage', 'There is a key in the base URL.');
  const timeout = (await preferences()).timeout * 1000;
  return withoutSecrets(await context.http({ baseUrl, key, timeout }), secrets);
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
  return context.clientOver({
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
  return preferencesOf(globals, path, stored);
}
