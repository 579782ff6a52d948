import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Route } from '../../src/contract/grammar.ts';
import { contract } from '../../src/contract/index.ts';
import { closeDatabase, openDatabase } from '../../src/service/database.ts';
import { createService } from '../../src/service/dispatch.ts';
import { createApp } from '../../src/service/http.ts';
import { ended, freshEnv } from '../binary.ts';
import { temporaryFolder } from '../kith.ts';
import { described } from './described.ts';

/** The document as a client fetches it, without a key. */
async function fetched(): Promise<Response> {
  const db = openDatabase(':memory:');
  onTestFinished(() => closeDatabase(db));
  const log = (text: string) => {
    throw new Error(text);
  };
  const service = createService({ db, now: () => new Date(), log });
  return createApp({ db, service, newId: () => 'id', log, version: '1.2.3' }).request('/openapi.json');
}

test('GET /openapi.json needs no key and is a valid document by the recommended rules', async () => {
  const answer = await fetched();
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json']);
  const folder = temporaryFolder();
  const file = join(folder, 'openapi.json');
  writeFileSync(file, await answer.text());
  const env = freshEnv(folder, { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' });
  const redocly = resolve('node_modules/@redocly/cli/bin/cli.js');
  const lint = [redocly, 'lint', '--extends', 'recommended', '--format', 'json', file];
  const { code, out, err } = await ended(process.execPath, lint, { env, cwd: folder });
  expect({ code, problems: JSON.parse(out || 'null')?.problems, err }).toEqual({
    code: 0,
    problems: [],
    err: expect.any(String), // Redocly says here how long it took
  });
});

test('every route of the contract is in the document, and no other', async () => {
  const { info, paths } = (await (await fetched()).json()) as {
    info: unknown;
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  const operations = Object.entries(paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([verb, { operationId }]) => `${verb} ${path} ${operationId}`),
  );
  const routes = Object.entries(contract).flatMap(([noun, resource]) =>
    Object.entries<Route>(resource).map(
      ([verb, { method, path }]) =>
        `${method.toLowerCase()} ${path.replace(/:(\w+)/g, '{$1}')} ${noun}.${verb}`,
    ),
  );
  expect(info).toMatchObject({ version: '1.2.3' });
  expect(operations.sort()).toEqual(routes.sort());
});

const problem = { type: 'about:blank', title: 'Not Found', status: 404, detail: 'None.' };

test.each([
  ['DELETE', '/v1/notes/x', 204, undefined, []],
  ['DELETE', '/v1/notes/x', 204, {}, ['There is a body.']],
  ['GET', '/v1/notes/x', 404, problem, []],
  ['GET', '/v1/notes/x', 404, { ...problem, title: 5 }, ['/title must be string']],
  ['GET', '/v1/notes/x', 409, problem, ['GET /v1/notes/{note_id} describes no 409.']],
  ['GET', '/v1/notes', 200, { data: [] }, [" must have required property 'pagination'"]],
  ['PUT', '/v1/notes/x', 405, problem, []],
  ['PUT', '/v1/notes/x', 200, problem, ['PUT /v1/notes/x is described nowhere.']],
  ['GET', '/elsewhere', 500, { ...problem, status: '500' }, ['/status must be number']],
])('the document judges an answer to %s %s with %i', (method, path, status, body, faults) => {
  expect(described()({ method, path, status, body })).toEqual(faults);
});
