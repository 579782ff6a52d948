import { command, said } from '../command.ts';
import { databaseOptions, regionOption, workspaceFor } from '../connect/database.ts';
import { fileText } from '../files.ts';
import { flag, text, whole, withDefault } from '../flags/options.ts';
import { needs, notBoth } from '../flags/rules.ts';

export const serve = command({
  name: 'serve',
  summary: 'Serve a workspace of this machine over HTTP',
  description:
    'Serve a workspace of this machine over HTTP. Clients send a key that `kith keys create` made. Without TLS ' +
    'or a proxy it listens on this machine only. SIGTERM or Ctrl-C stops it when what it has accepted is done. ' +
    'To copy a workspace while it is served, use `kith workspace snapshot`.',
  options: {
    ...databaseOptions,
    host: withDefault(text('Address to listen on', 'ADDRESS'), '127.0.0.1'),
    port: withDefault(whole('Port to listen on; 0: any that is free', 'PORT', { min: 0, max: 65_535 }), 4717),
    tlsCert: text('Certificate, as PEM', 'FILE', { completes: 'files' }),
    tlsKey: text('Its key, as PEM', 'FILE', { completes: 'files' }),
    behindProxy: flag('A proxy does TLS: plain HTTP on any address'),
    rateLimit: whole('Requests that a key may send in a minute', 'N', { min: 1 }),
    lenient: flag(
      'Ignore unknown fields in request bodies; return the existing entry if a record is added again',
    ),
    region: regionOption,
  },
  rules: [needs('tlsCert', 'tlsKey'), needs('tlsKey', 'tlsCert'), notBoth('tlsCert', 'behindProxy')],
  answers: 'text',
  local: true,
  examples: ['serve', 'serve --demo --port 8080', 'serve --demo --rate-limit 60'],
  async run(session, { host, port, tlsCert, tlsKey, behindProxy, rateLimit, lenient, region, ...given }) {
    const tls =
      tlsCert !== undefined && tlsKey !== undefined
        ? { cert: await fileText(tlsCert), key: await fileText(tlsKey) }
        : undefined;
    const { workspace, database } = await workspaceFor(session, given, region);
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
        void session.note(`It has no key yet; make one with: kith keys create NAME --database "${database}"`);
      },
    });
    return said('', { stopped: true });
  },
});
