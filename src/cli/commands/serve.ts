import { defineCommand, toTextResult } from '../command.ts';
import { databaseOptions, openWorkspaceFile, regionOption } from '../connect/database.ts';
import { readTextFile } from '../files.ts';
import { flag, integer, text, withDefault } from '../flags/options.ts';
import { conflicts, requires } from '../flags/rules.ts';

export const serve = defineCommand({
  name: 'serve',
  summary: 'Serve a local workspace over HTTP',
  description:
    'Serve a local workspace over HTTP. Clients authenticate with a key from `kith keys create`. ' +
    'Without TLS or a proxy, it listens on this machine only. SIGTERM or Ctrl-C stops it after the ' +
    'requests in progress. To copy a workspace while it is served, use `kith workspace snapshot`.',
  options: {
    ...databaseOptions,
    host: withDefault(text('Address to listen on', 'ADDRESS'), '127.0.0.1'),
    port: withDefault(
      integer('Port to listen on; 0 selects a free port', 'PORT', { min: 0, max: 65_535 }),
      4717,
    ),
    tlsCert: text('TLS certificate (PEM)', 'FILE', { completion: 'files' }),
    tlsKey: text('TLS private key (PEM)', 'FILE', { completion: 'files' }),
    behindProxy: flag('Allow plain HTTP on any address, behind a TLS proxy'),
    rateLimit: integer('Maximum requests per minute and key', 'N', { min: 1 }),
    lenient: flag(
      'Ignore unknown fields in request bodies; return the existing entry if a record is added again',
    ),
    region: regionOption,
  },
  rules: [requires('tlsCert', 'tlsKey'), requires('tlsKey', 'tlsCert'), conflicts('tlsCert', 'behindProxy')],
  output: 'text',
  isLocal: true,
  examples: ['serve', 'serve --demo --port 8080', 'serve --demo --rate-limit 60'],
  async run(session, { host, port, tlsCert, tlsKey, behindProxy, rateLimit, lenient, region, ...flags }) {
    const tls =
      tlsCert !== undefined && tlsKey !== undefined
        ? { cert: await readTextFile(tlsCert), key: await readTextFile(tlsKey) }
        : undefined;
    const { workspace, database } = await openWorkspaceFile(session, flags, region);
    await workspace.serve(database, {
      host,
      port,
      tls,
      behindProxy,
      region,
      perMinute: rateLimit,
      isLenient: lenient,
      signal: session.signal,
      onListening: (url, keys) => {
        void session.stderr.write(`kith: Serving ${database} on ${url}\n`);
        if (keys > 0) return;
        void session.note(
          `The workspace has no API key yet. Create one with: kith keys create NAME --database "${database}"`,
        );
      },
    });
    return toTextResult('', { stopped: true });
  },
});
