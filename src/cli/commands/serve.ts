import { command } from '../command.ts';
import { databaseFor, databaseOptions } from '../database.ts';
import { text, whole, withDefault } from '../options.ts';

export const serve = command({
  name: 'serve',
  summary: 'Serve a workspace of this machine over HTTP',
  description:
    'Serve a workspace of this machine over HTTP, on a loopback address. Clients send a key that `kith keys ' +
    'create` made. SIGTERM or Ctrl-C stops it when what it has accepted is done.',
  options: {
    ...databaseOptions,
    host: withDefault(text('Loopback address to listen on', 'ADDRESS'), '127.0.0.1'),
    port: withDefault(whole('Port to listen on; 0: any that is free', 'PORT', { min: 0, max: 65_535 }), 4717),
  },
  examples: ['serve', 'serve --demo --port 8080'],
  async run(session, { host, port, ...given }) {
    const database = await databaseFor(session, given);
    const workspace = await session.workspace();
    if (given.demo) await workspace.create(database, { demo: true, region: undefined });
    const where =
      given.demo && given.database === undefined
        ? ' --demo'
        : given.database
          ? ` --database ${given.database}`
          : '';
    await workspace.serve(database, {
      host,
      port,
      signal: session.signal,
      onListening: (url, keys) => {
        void session.stderr.write(`kith: Serving ${database} on ${url}\n`);
        if (keys === 0) void session.note(`It has no key yet; make one with: kith keys create NAME${where}`);
      },
    });
    return { kind: 'text', text: '', json: { stopped: true } };
  },
});
