import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { type Behavior, sendJson, startTestService } from '../client/loopback.ts';
import { createEnv, createKey, startKithServe } from '../support/binary.ts';
import { createMachine, createTemporaryFolder } from '../support/kith.ts';
import { runQuery } from '../support/postgres.ts';
import { countRuns } from '../support/rounds.ts';
import { createTestDatabase, requirePostgres } from '../support/test-database.ts';

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
  /^kith: The connection to the database was lost while the change was being committed\.(?: It may have been made\.)? The POST may have been processed\.\nhint: kith contacts list --where 'name = "Ada"' --sort -created_at --limit 5\n$/;

test.for([
  [
    'exits with 7 and writes once if the connection to PostgreSQL is lost during a commit',
    async (database: string) => ({ KITH_DATABASE_URL: database }),
  ],
  ['exits with 7 and writes once if kith serve loses its connection to PostgreSQL during a commit', serve],
] as const)('%s', async ([, prepare], context) => {
  requirePostgres(context);
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

test('creates a key once if the connection to PostgreSQL is lost during the commit', async () => {
  const kith = createMachine();
  const url = await createTestDatabase();
  const { proxied, arm } = await startCommitProxy(url);
  await kith('contacts list', { env: { KITH_DATABASE_URL: url } });
  for (const [when, count] of outcomes) {
    arm(when);
    expect(await kith(`keys create cron --database ${proxied}`)).toMatchObject({ code: 7, out: '' });
    expect(await runQuery(url, 'select count(*)::integer as count from api_key')).toEqual([{ count }]);
  }
});

/** Serves a database until the test ends, and returns the environment of a client. */
async function serve(database: string) {
  const key = await createKey(database);
  const { url } = await startKithServe(database, createEnv(createTemporaryFolder()));
  return { KITH_BASE_URL: url, KITH_API_KEY: key };
}

const page = '<!DOCTYPE html><title>Bad gateway</title>';

/** The outcomes of a request: whether it is carried out, and the response. */
const failureKinds: Readonly<Record<string, { readonly isDone: boolean; readonly output: Behavior }>> = {
  'well done': { isDone: true, output: (_, response) => sendJson(response, 201, { id: 'a' }) },
  'done, and reset': { isDone: true, output: (_, { req }) => req.socket.resetAndDestroy() },
  'done, and 500': { isDone: true, output: (_, response) => sendJson(response, 500) },
  'done, and 504': { isDone: true, output: (_, response) => sendJson(response, 504, page) },
  'done, and a page of HTML': { isDone: true, output: (_, response) => void response.end(page) },
  'done, and half an answer': { isDone: true, output: (_, response) => void response.end('{"id":') },
  'not done, and reset': { isDone: false, output: (_, { req }) => req.socket.resetAndDestroy() },
  'not done, and 502': { isDone: false, output: (_, response) => sendJson(response, 502) },
  'not done, and 503': { isDone: false, output: (_, response) => sendJson(response, 503) },
  '429': { isDone: false, output: (_, response) => sendJson(response, 429) },
  '503 with Retry-After': {
    isDone: false,
    output: (_, response) => sendJson(response, 503, undefined, { 'retry-after': '0' }),
  },
  '422': { isDone: false, output: (_, response) => sendJson(response, 422, { error: 'No.' }) },
  redirect: { isDone: false, output: (_, response) => void response.writeHead(307, { location: '/' }).end() },
};

/** Returns how often a write may have been carried out: once for exit code 0, unknown for 7, otherwise never. */
const allowedCounts = (code: number): readonly number[] => (code === 0 ? [1] : code === 7 ? [0, 1] : [0]);

test('writes at most once during any sequence of resets, errors and broken responses, and exits with 7 if the outcome is unknown', async () => {
  const course = fc.array(fc.constantFrom(...Object.keys(failureKinds)), { minLength: 1, maxLength: 6 });
  let remaining: string[] = [];
  let last = '';
  let executedCount = 0;
  const { env } = await startTestService((requests, response, count) => {
    last = remaining.shift() ?? last;
    const { isDone, output } = failureKinds[last] ?? {};
    if (isDone) executedCount += 1;
    output?.(requests, response, count);
  });
  await fc.assert(
    fc.asyncProperty(course, async (failures) => {
      remaining = [...failures];
      executedCount = 0;
      const { code } = await createMachine()('contacts create --first-name Ada --retries 4', {
        env,
      });
      expect(allowedCounts(code)).toContain(executedCount);
    }),
    { numRuns: countRuns(150) },
  );
});
