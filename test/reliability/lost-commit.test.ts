import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { createEnv, createKey, startKithServe } from '../support/binary.ts';
import { createMachine, createTemporaryFolder } from '../support/kith.ts';
import { runQuery } from '../support/postgres.ts';
import { createTestDatabase, requirePostgres } from '../support/test-database.ts';

beforeEach(requirePostgres);

/**
 * Starts a proxy that closes a connection at its next COMMIT, before or after the server has carried it out. Returns the
 * URL of the database through the proxy, and a function that arms it.
 */
async function startCommitProxy(url: string) {
  const [, folder = '', port = '', name = ''] = /@([^:]*):(\d+)\/(.*)$/.exec(url) ?? [];
  let isArmed: 'before' | 'after' | undefined;
  const proxy = createServer((client) => {
    const server = connect(join(decodeURIComponent(folder), `.s.PGSQL.${port}`));
    const close = () => {
      client.destroy();
      server.destroy();
    };
    let isCommitting = false;
    client.on('close', close).on('error', close);
    server.on('close', close).on('error', close);
    client.on('data', (chunk) => {
      isCommitting = isArmed !== undefined && /^Q....commit\0/is.test(chunk.toString('latin1'));
      if (isCommitting && isArmed === 'before') return close();
      server.write(chunk);
    });
    server.on('data', (chunk) => (isCommitting ? close() : client.write(chunk)));
  });
  await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void proxy.close());
  const address = proxy.address();
  const listening = typeof address === 'object' && address ? address.port : 0;
  return {
    proxied: `postgres://postgres@127.0.0.1:${listening}/${name}`,
    arm: (when: 'before' | 'after') => {
      isArmed = when;
    },
  };
}

const outcomes = [
  ['before', 0],
  ['after', 1],
] as const;

const message =
  /^kith: The connection to the database was lost while the change was being committed\.(?: It may have been made\.)? The POST may have been processed\.\nhint: Check whether the change was made before you run the command again\.\n$/;

test.each([
  [
    'exits with 7 and writes once if the connection to PostgreSQL is lost during a commit',
    async (database: string) => ({ KITH_DATABASE_URL: database }),
  ],
  ['exits with 7 and writes once if kith serve loses its connection to PostgreSQL during a commit', serve],
])('%s', async (_, prepare) => {
  const kith = createMachine();
  const url = await createTestDatabase();
  const { proxied, arm } = await startCommitProxy(url);
  await kith('contacts list', { env: { KITH_DATABASE_URL: url } });
  const env = await prepare(proxied);
  for (const [when, count] of outcomes) {
    arm(when);
    expect(await kith('contacts create --first-name Ada', { env })).toEqual({
      code: 7,
      out: '',
      err: expect.stringMatching(message),
    });
    expect(await runQuery(url, 'select count(*)::integer as count from contact')).toEqual([{ count }]);
  }
});

/** Serves a database until the test ends, and returns the environment of a client. */
async function serve(database: string) {
  const key = await createKey(database);
  const { url } = await startKithServe(database, createEnv(createTemporaryFolder()));
  return { KITH_BASE_URL: url, KITH_API_KEY: key };
}
