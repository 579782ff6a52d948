import type { Client } from '../client/client.ts';
import type { Transport } from '../client/delivery.ts';
import { safe } from '../output/safe.ts';
import { type Connection, connectionFor } from '../settings/connection.ts';
import { storedSettings } from '../settings/places.ts';
import { type Context, type Session, type Sink, through } from './context.ts';
import type { Globals } from './globals.ts';
import { preferencesOf } from './preferences.ts';

/** The milliseconds that all waiting between tries may last together. */
const maxWait = 60_000;

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
  const secrets = new Set<string>();
  const open: Transport[] = [];
  // A key that is shorter than this could be any word, and its removal would tell it.
  const keepSecret = (secret: string) => secret.length >= 8 && secrets.add(secret);
  keepSecret(context.env.KITH_API_KEY?.trim() ?? '');
  const guarded = (sink: Sink) =>
    through(sink, (text) =>
      sink.write([...secrets].reduce((rest, secret) => rest.replaceAll(secret, '[key]'), text)),
    );
  const stdout = guarded(context.stdout);
  const stderr = guarded(context.stderr);
  const isDebug = !['', '0', undefined].includes(context.env.KITH_DEBUG);

  const withGlobals = (globals: Globals): Session => {
    const preferences = once(async () =>
      preferencesOf(globals, await storedSettings(context.env, context.settings)),
    );
    const clientOver = async (transport: Transport): Promise<Client> => {
      open.push(transport);
      const trace = (line: string) => {
        if (globals.debug || isDebug) void stderr.write(`kith: ${line}\n`);
      };
      const patience = { retries: (await preferences()).retries, maxWait };
      const guardedTransport = globals.dryRun ? readOnly(transport) : transport;
      return context.clientOver({ transport: guardedTransport, patience, trace });
    };
    const http: Session['http'] = async ({ baseUrl, key }) => {
      keepSecret(key);
      return context.http({ baseUrl, key, timeout: (await preferences()).timeout * 1000 });
    };
    return {
      ...context,
      stdout,
      stderr,
      globals,
      preferences,
      keepSecret,
      programs: {
        ...context.programs,
        pager: async (command) => {
          const pager = await context.programs.pager(command);
          return { ...pager, sink: guarded(pager.sink) };
        },
      },
      http,
      clientOver,
      client: once(async () => {
        const found = await connection(context, globals);
        const transport =
          found.kind === 'local' ? (await context.workspace()).transport(found.database) : http(found);
        return clientOver(await transport);
      }),
      note: async (text) => {
        // A note may name what a service sent.
        if (!globals.quiet) await stderr.write(`kith: ${safe(text)}\n`);
      },
    };
  };
  return {
    stdout,
    stderr,
    isDebug,
    with: withGlobals,
    close: async () => {
      await Promise.all(open.map((transport) => transport.close()));
    },
  };
}

/** What is made on first use, and then kept. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
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

/** What the flags, the environment and the settings say to talk to. Throws `unauthorized`. */
export async function connection(
  context: Pick<Context, 'env' | 'settings'>,
  globals: Pick<Globals, 'profile' | 'baseUrl'>,
): Promise<Connection> {
  const settings = await storedSettings(context.env, context.settings);
  return connectionFor(globals, context.env, () => settings);
}

/** What tells the workspace in use from any other: its file, or its base URL and the key to it. A secret. */
export async function accessOf(session: Session): Promise<string> {
  const found = await connection(session, session.globals);
  return found.kind === 'local' ? found.database : `${found.baseUrl} ${found.key}`;
}

/** Whether the workspace is a file that this process itself writes. */
export async function isEmbedded(session: Session): Promise<boolean> {
  return (await connection(session, session.globals)).kind === 'local';
}

/** What the workspace in use is known by: its base URL or its file. Throws `unauthorized`. */
export async function workspaceOf(session: Session): Promise<string> {
  const found = await connection(session, session.globals);
  return found.kind === 'local' ? found.database : new URL(found.baseUrl).href;
}
