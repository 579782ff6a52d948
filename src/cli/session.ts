import { setMaxListeners } from 'node:events';
import type { Client } from '../client/client.ts';
import type { Transport } from '../client/delivery.ts';
import { Failure } from '../contract/errors.ts';
import { safe } from '../output/safe.ts';
import { type Connection, connectionFor, type Found, needsNoProfile } from '../settings/connection.ts';
import { storedSettings } from '../settings/places.ts';
import { keysOfMachine } from '../settings/stored-keys.ts';
import { type Context, type Session, type Sink, through } from './context.ts';
import type { Globals } from './globals.ts';
import { keptOut } from './kept-out.ts';
import { looseFiles } from './loose-files.ts';
import { type Preferences, preferencesOf } from './preferences.ts';
import { secretsOf } from './secrets.ts';
import { long, turn } from './turn.ts';

/** What one run holds: streams that keep secrets, a client made on first use, and what is to be closed. */
export interface Run {
  readonly stdout: Sink;
  readonly stderr: Sink;
  /** KITH_DEBUG is set. */
  readonly isDebug: boolean;
  with(globals: Globals): Session;
  close(): Promise<void>;
}

/** A run on a context. */
export function startRun(context: Context): Run {
  const secrets = secretsOf(() => keysOfMachine(context.env));
  const open = new Set<Transport>();
  const guarded = (sink: Sink) =>
    through(sink, async (text) => {
      if (text.length >= long.text) await turn(context.signal);
      await sink.write(secrets.hide(text));
    });
  const stdout = guarded(context.stdout);
  const stderr = guarded(context.stderr);
  const isDebug = !['', '0', undefined].includes(context.env.KITH_DEBUG);

  const withGlobals = (globals: Globals): Session => {
    const note: Session['note'] = async (text) => {
      // A note may name what a service sent.
      if (!globals.quiet) await stderr.write(`kith: ${safe(text)}\n`);
    };
    const warned = once(async () => {
      if (globals.quiet) return;
      for (const { found, advice } of looseFiles(context.env)) await note(`${found}; ${advice}`);
    });
    const settings: Session['settings'] = async () => {
      await warned();
      return context.settings();
    };
    const place = { env: context.env, settings };
    const preferences = once(() => preferred(globals, place, note));
    const clientOver = async (transport: Transport, signal: AbortSignal): Promise<Client> => {
      open.add(transport);
      const trace = (line: string) => {
        // It names what was typed, and what a certificate says.
        if (globals.debug || isDebug) void stderr.write(`kith: ${safe(line)}\n`);
      };
      const { retries, maxWait } = await preferences();
      const patience = { retries, maxWait: maxWait * 1000 };
      const guardedTransport = globals.dryRun ? readOnly(transport) : transport;
      return context.clientOver({ transport: guardedTransport, patience, trace, signal });
    };
    const http: Session['http'] = async ({ baseUrl, key }) => {
      secrets.keep(key);
      // A host name is shown, and looked up in public.
      if (secrets.hide(baseUrl) !== baseUrl) throw new Failure('usage', 'There is a key in the base URL.');
      const timeout = (await preferences()).timeout * 1000;
      return keptOut(await context.http({ baseUrl, key, timeout }), secrets);
    };
    const transport = once(async () => {
      await warned();
      const found = await connection(place, globals);
      return found.kind === 'local' ? (await context.workspace()).transport(found.database) : http(found);
    });
    const until = (signal: AbortSignal): Session => ({
      ...context,
      signal,
      stdout,
      stderr,
      globals,
      settings,
      preferences,
      programs: {
        ...context.programs,
        pager: async (command) => {
          const pager = await context.programs.pager(command);
          return { ...pager, sink: guarded(pager.sink) };
        },
      },
      http,
      clientOver: (transport) => clientOver(transport, signal),
      client: once(async () => clientOver(await transport(), signal)),
      aside: () => context.aside(signal),
      until: (other) => {
        const either = AbortSignal.any([signal, other]);
        setMaxListeners(0, either); // each request under way listens
        return until(either);
      },
      note,
    });
    return until(context.signal);
  };
  return {
    stdout,
    stderr,
    isDebug,
    with: withGlobals,
    close: async () => {
      await Promise.all(Array.from(open, (transport) => transport.close()));
    },
  };
}

/** What is made on first use, and then kept; a failure is not, as a run may go on for days. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error) => {
      made = undefined;
      throw error;
    });
    return made;
  };
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

type Place = Pick<Context, 'env' | 'settings'>;

/** The preferences. Where all that a run needs is in its environment, it does without settings that are damaged. */
async function preferred(globals: Globals, place: Place, note: Session['note']): Promise<Preferences> {
  const settings = await storedSettings(place.env, place.settings);
  try {
    settings.read();
  } catch (error) {
    if (!(error instanceof Failure) || !needsNoProfile(globals, place.env)) throw error;
    await note(`${error.message} The defaults in it are not used.`);
    return preferencesOf(globals, { ...settings, read: () => ({ profiles: {} }) });
  }
  return preferencesOf(globals, settings);
}

/** What the flags, the environment and the settings say to talk to. Throws `unauthorized`. */
export async function found(
  { env, settings }: Place,
  globals: Pick<Globals, 'profile' | 'baseUrl'>,
): Promise<Found> {
  const stored = await storedSettings(env, settings);
  return connectionFor(globals, env, () => stored);
}

/** The same, with the key; one in the keychain is asked for. Throws `unauthorized`. */
async function connection(place: Place, globals: Pick<Globals, 'profile' | 'baseUrl'>): Promise<Connection> {
  const where = await found(place, globals);
  if (!('keychain' in where)) return where;
  const { keyIn } = await import('../settings/keychain.ts');
  const { keychain, ...hosted } = where;
  return { ...hosted, key: await keyIn(keychain, hosted.profile ?? '') };
}

/** What tells the workspace in use from any other: its file, or its base URL and the key to it. A secret. */
export async function accessOf(session: Session): Promise<string> {
  const used = await connection(session, session.globals);
  return used.kind === 'local' ? used.database : `${used.baseUrl} ${used.key}`;
}

/** Whether the workspace is a file that this process itself writes. */
export async function isEmbedded(session: Session): Promise<boolean> {
  return (await found(session, session.globals)).kind === 'local';
}

/** What the workspace in use is known by: its base URL or its file. Throws `unauthorized`. */
export async function workspaceOf(session: Session): Promise<string> {
  const used = await found(session, session.globals);
  return used.kind === 'local' ? used.database : new URL(used.baseUrl).href;
}
