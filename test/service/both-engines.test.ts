import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import type { WireRequest } from '../../src/contract/grammar.ts';
import { openWorkspace } from '../../src/service/db/open.ts';
import { createService } from '../../src/service/dispatch.ts';
import { createSampleWorkspace } from '../support/kith.ts';
import { countRounds, seed } from '../support/rounds.ts';
import { requirePostgres } from '../support/test-database.ts';
import { createPostgresSample } from './engines.ts';
import { anyRequest, type GeneratedRequest } from './requests.ts';

beforeEach(requirePostgres);

/** Returns a request as the service gets it from the HTTP server, which refuses a body that is not JSON or nested deeply. */
function toWireRequest({ method, path, body = '' }: GeneratedRequest): WireRequest[] {
  const [pathname = '', query = ''] = path.split('?');
  const request = { method, path: pathname, query: [...new URLSearchParams(query)] };
  if (method === 'GET' || body === '') return [request];
  try {
    return /(\[|\{"a":){100}/.test(body) ? [] : [{ ...request, body: JSON.parse(body) }];
  } catch {
    return [];
  }
}

/** The requests to one copy of the sample. Later ones would find most of its records deleted. */
const requestsInRound = 100;

test('random requests get the same responses on SQLite and PostgreSQL', {
  timeout: 1_800_000,
}, async () => {
  let time = Date.UTC(2026, 4, 4);
  const log: string[] = [];
  for (const round of countRounds(4, 300)) {
    const ends: (() => unknown)[] = [];
    const open = async (location: string) => {
      const db = await openWorkspace(location);
      ends.unshift(() => db.close());
      const options = { now: () => new Date(time), log: (text: string) => void log.push(text) };
      return createService({ db, ...options, checksResponses: true });
    };
    const services = [
      await open(createSampleWorkspace()),
      await open(await createPostgresSample((remove) => void ends.push(remove))),
    ];
    const requests = fc.sample(anyRequest, { seed: seed + round, numRuns: requestsInRound });
    for (const request of requests.flatMap(toWireRequest)) {
      const [onSqlite, onPostgres] = await Promise.all(services.map((service) => service(request)));
      if (log.length > 0 || !isDeepStrictEqual(onSqlite, onPostgres))
        expect({ seed, round, request, log, response: onPostgres }).toEqual({
          ...{ seed, round, request, log: [], response: onSqlite },
        });
      time += 1000;
    }
    for (const end of ends) await end();
  }
});
