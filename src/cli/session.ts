import type { Client } from '../client/client.ts';
import type { Transport } from '../client/delivery.ts';
import { type Connection, connectionFor } from '../settings/connection.ts';
import type { Context, Globals, Session, Sink } from './context.ts';

/** The milliseconds that all waiting between tries may last together. */
const maxWait = 60_000;

/** What one run holds: streams that keep secrets, a client made on first use, and what is to be closed. */
export interface Run {
  readonly stdout: Sink;
  readonly stderr: Sink;
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
  const guarded = (sink: Sink): Sink => ({
    isTerminal: sink.isTerminal,
    columns: sink.columns,
    write: (text) =>
      sink.write([...secrets].reduce((rest, secret) => rest.replaceAll(secret, '[key]'), text)),
  });
  const stdout = guarded(context.stdout);
  const stderr = guarded(context.stderr);

  const withGlobals = (globals: Globals): Session => {
    const { retries, quiet, debug } = globals;
    const clientOver = (transport: Transport): Promise<Client> => {
      open.push(transport);
      const trace = (line: string) => {
        if (debug) void stderr.write(`kith: ${line}\n`);
      };
      return context.clientOver({ transport, patience: { retries, maxWait }, trace });
    };
    let client: Promise<Client> | undefined;
    return {
      ...context,
      stdout,
      stderr,
      globals,
      keepSecret,
      clientOver,
      client: () => {
        client ??= connection(context, globals).then(async (found) => {
          if (found.kind === 'hosted') keepSecret(found.key);
          return clientOver(await transportTo(found, context, globals));
        });
        return client;
      },
      note: async (text) => {
        if (!quiet) await stderr.write(`kith: ${text}\n`);
      },
    };
  };
  return {
    stdout,
    stderr,
    with: withGlobals,
    close: async () => {
      await Promise.all(open.map((transport) => transport.close()));
    },
  };
}

/** What the flags, the environment and the settings say to talk to. Throws `unauthorized`. */
export async function connection(
  context: Pick<Context, 'env' | 'settings'>,
  globals: Globals,
): Promise<Connection> {
  const settings = await context.settings();
  return connectionFor(globals, context.env, () => settings);
}

async function transportTo(found: Connection, context: Context, globals: Globals): Promise<Transport> {
  if (found.kind === 'local') return (await context.workspace()).transport(found.database);
  return context.http({ baseUrl: found.baseUrl, key: found.key, timeout: globals.timeout * 1000 });
}
