import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import sql, { raw } from 'sql-template-tag';
import { expect } from 'vitest';
import { listTablesToCopy } from '../../src/service/copy/copy-tables.ts';
import type { OpenDatabase } from '../../src/service/db/database.ts';
import { openWorkspace } from '../../src/service/db/open.ts';
import { createService } from '../../src/service/dispatch.ts';
import { createKey, revokeKey } from '../../src/service/http/keys.ts';
import { startServer } from '../../src/service/http/server.ts';
import { countRuns, createEngineSample, isOnPostgres, test } from './engines.ts';
import { anyRequest, type GeneratedRequest } from './requests.ts';
import { failureStatuses, getResponseCheck } from './response-check.ts';
import { plainOptions } from './server.ts';

const isFullFuzz = process.env.KITH_FUZZ === '1';
const requestsInRun = 40;
const longRequests = process.env.KITH_LONG === '1' ? 2_000 : 200;
const runs = (isFullFuzz ? 200_000 : longRequests) / requestsInRun;

/** Returns a function for a text that changes with every row that is written, on SQLite even if it is rolled back. */
async function watchChanges(db: OpenDatabase): Promise<() => Promise<unknown>> {
  if (!isOnPostgres()) {
    await db.run(sql`pragma synchronous = off`); // no power cut is tested here
    return () => db.first(sql`select total_changes() as total`);
  }
  const tables = listTablesToCopy().map(({ name }) => `select ctid, xmin, '${name}' as name from ${name}`);
  return () =>
    db.first(sql`select count(*) as count, sum(hashtext(rows::text)) as hash
      from (${raw(tables.join(' union all '))}) as rows`);
}

/** The service over a copy of the sample, with a key of each kind. */
async function startSampleService() {
  const ends: (() => unknown)[] = [];
  const db = await openWorkspace(await createEngineSample((remove) => void ends.push(remove)));
  const changes = await watchChanges(db);
  const now = new Date('2026-05-04T09:30:00Z');
  const fullKey = await createKey(db, { name: 'full', readOnly: false }, now);
  const readOnly = await createKey(db, { name: 'read-only', readOnly: true }, now);
  const revokedKey = await createKey(db, { name: 'revoked', readOnly: false }, now);
  await revokeKey(db, revokedKey.id, now);
  const keys = { full: fullKey.key, 'read-only': readOnly.key, revoked: revokedKey.key };
  const logged: string[] = [];
  const log = (text: string) => void logged.push(text);
  const service = createService({ db, now: () => now, log, checksResponses: true });
  const { url, stop } = await startServer(
    { db, service, newId: () => 'an-id', log, version: '0.0.0' },
    plainOptions,
  );
  const agent = new Agent({ keepAlive: true });
  return {
    logged,
    async close() {
      agent.destroy();
      await stop();
      await db.close();
      for (const remove of ends) await remove();
    },
    changes,
    send({ method, path, authorization, headers, body }: GeneratedRequest): Promise<FuzzResponse> {
      const authorizationHeader =
        typeof authorization === 'string' ? `Bearer ${keys[authorization]}` : authorization.header;
      const all = {
        ...headers,
        ...(authorizationHeader !== undefined && { authorization: authorizationHeader }),
      };
      return new Promise((resolve, reject) => {
        const outgoing = request(url, { agent, method, path, headers: all }, (incoming) => {
          const { statusCode: status, headers } = incoming;
          textOf(incoming).then((text) => resolve({ status, headers, text }), reject);
        });
        outgoing.on('error', reject);
        outgoing.end(/^(get|head)$/i.test(method) ? undefined : body);
      });
    },
  };
}

interface FuzzResponse {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

const check = getResponseCheck();

/** Returns what is wrong with a response to any request. */
function findFaults(
  { method, path }: GeneratedRequest,
  { status = 0, headers, text }: FuzzResponse,
): unknown[] {
  const [pathname = ''] = path.split(/[?#]/); // the URL parser would normalize "/./"
  if (status === 200 && /^\/(healthz|openapi\.json)$/.test(pathname)) return [];
  const body = text === '' ? undefined : JSON.parse(text);
  const faults: unknown[] = check({ method: method.toUpperCase(), path: pathname, status, body });
  const expectThat = (isValid: boolean, name: string) => isValid || faults.push(`${status} without ${name}`);
  if (status < 400) return faults;
  expectThat(status < 500 && failureStatuses.has(status), 'a known status');
  expectThat(headers['content-type'] === 'application/problem+json', 'its content type');
  const challenge = { 401: /^Bearer( error="invalid_token")?$/, 403: /^Bearer error="insufficient_scope"$/ };
  const expected = challenge[status as keyof typeof challenge] ?? /^$/;
  expectThat(expected.test(headers['www-authenticate'] ?? ''), 'WWW-Authenticate');
  expectThat(status !== 405 || headers.allow !== undefined, 'Allow');
  if (/^head$/i.test(method)) return faults;
  expectThat(body.status === status && body.title !== '' && body.detail !== '', 'a whole problem');
  expectThat(body.request_id === headers['x-request-id'], 'its request id');
  expectThat((status === 422) === body.errors?.length > 0, 'errors');
  expectThat(
    (body.errors ?? []).every(({ pointer }: { pointer: string }) => /^#(\/.*)?$/.test(pointer)),
    'pointers',
  );
  return faults;
}

test('responds to random requests as documented, never with a 5xx, and a failed request changes nothing', {
  ...(isFullFuzz && { timeout: 3_600_000 }),
}, async () => {
  const sequences = fc.array(anyRequest, { minLength: requestsInRun, maxLength: requestsInRun, size: 'max' });
  await fc.assert(
    fc.asyncProperty(sequences, async (requests) => {
      const service = await startSampleService();
      try {
        for (const request of requests) {
          const before = await service.changes();
          const response = await service.send(request);
          const changed = !isDeepStrictEqual(await service.changes(), before);
          const faults = findFaults(request, response);
          if (changed && (response.status ?? 0) >= 300) faults.push('It changed something.');
          expect({ requests: request, faults, logged: service.logged }).toEqual({
            requests: request,
            faults: [],
            logged: [],
          });
        }
      } finally {
        await service.close();
      }
    }),
    { numRuns: countRuns(runs) },
  );
});
