import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test as sqliteTest, test } from 'vitest';
import type { Route } from '../../../src/contract/grammar.ts';
import { contract } from '../../../src/contract/index.ts';
import { createEnv, runProgram } from '../../support/binary.ts';
import { createTemporaryFolder } from '../../support/kith.ts';
import { getResponseCheck } from '../response-check.ts';
import { startTestServer } from '../server.ts';

/** Fetches the document without a key. */
async function fetchDocument(): Promise<Response> {
  const { url } = await startTestServer({ version: '1.2.3' });
  return fetch(`${url}/openapi.json`);
}

sqliteTest('serves a valid document without a key, by the recommended rules of Redocly', async () => {
  const response = await fetchDocument();
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
  const folder = createTemporaryFolder();
  const file = join(folder, 'openapi.json');
  writeFileSync(file, await response.text());
  const env = createEnv(folder, { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' });
  const redocly = resolve('node_modules/@redocly/cli/bin/cli.js');
  const lint = [redocly, 'lint', '--extends', 'recommended', '--format', 'json', file];
  const { code, out, err } = await runProgram(process.execPath, lint, { env, cwd: folder });
  expect({ code, problems: JSON.parse(out || 'null')?.problems, err }).toEqual({
    code: 0,
    problems: [],
    err: expect.any(String), // Redocly prints its duration to stderr
  });
});

test('describes every route of the contract and no other', async () => {
  const { info, paths } = (await (await fetchDocument()).json()) as {
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

test('describes errors inside the service, and when to retry after temporary ones', async () => {
  const { paths } = (await (await fetchDocument()).json()) as {
    paths: Record<string, Record<string, { responses: Record<string, { headers?: object }> }>>;
  };
  for (const { responses } of Object.values(paths).flatMap((verbs) => Object.values(verbs))) {
    const withRetryAfter = Object.entries(responses).filter(
      ([, { headers = {} }]) => 'Retry-After' in headers,
    );
    expect([Object.keys(responses), withRetryAfter.map(([status]) => status)]).toEqual([
      expect.arrayContaining(['500']),
      ['429', '503'],
    ]);
  }
  expect(paths['/v1/notes']?.post?.responses[503]).toMatchObject({
    description: expect.stringContaining('with the code `unknown` and without `Retry-After`'),
  });
});

test('describes every status of a failed request, with its headers', async () => {
  const { paths } = (await (await fetchDocument()).json()) as {
    paths: Record<string, Record<string, { responses: Record<string, { headers?: object }> }>>;
  };
  const headersOf = (path: string, verb: string) =>
    Object.fromEntries(
      Object.entries(paths[path]?.[verb]?.responses ?? {}).flatMap(([status, { headers = {} }]) =>
        Number(status) >= 400 ? [[status, Object.keys(headers).join()]] : [],
      ),
    );
  const ofAll = {
    ...{ 400: '', 401: 'WWW-Authenticate', 405: 'Allow', 408: 'Connection', 417: '', 429: 'Retry-After' },
    ...{ 431: 'Connection', 500: '', 503: 'Retry-After', 507: '' },
  };
  const ofWrites = { 403: 'WWW-Authenticate', 413: 'Connection', 415: 'Accept-Encoding', 422: '' };
  expect([
    headersOf('/v1/contacts', 'get'),
    headersOf('/v1/contacts/{contact_id}', 'get'),
    headersOf('/v1/contacts', 'post'),
    headersOf('/v1/contacts/{contact_id}', 'patch'),
  ]).toEqual([
    ofAll,
    { ...ofAll, 404: '', 412: '' },
    { ...ofAll, ...ofWrites },
    { ...ofAll, ...ofWrites, 404: '', 412: '' },
  ]);
});

test('describes text limits in requests, but not in responses', async () => {
  const { info, paths, components } = (await (await fetchDocument()).json()) as Record<string, unknown>;
  expect(info).toMatchObject({
    description: expect.stringMatching(/262,144 bytes of UTF-8.* 4,194,304 bytes/),
  });
  expect(paths).toHaveProperty(
    ['/v1/notes', 'post', 'requestBody', 'content', 'application/json', 'schema', 'properties', 'body'],
    { type: 'string', maxLength: 262144 },
  );
  expect(JSON.stringify(components)).not.toContain('"maxLength":262144');
});

test('describes counts, cursors and cents as integers', async () => {
  const types: Record<string, unknown> = {};
  const collectStrings = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, part] of Object.entries(value)) {
      if (/^(end_cursor|total_count|\w+_cents)$/.test(key)) types[`${key} ${part.type}`] = true;
      collectStrings(part);
    }
  };
  collectStrings(await (await fetchDocument()).json());
  expect(Object.keys(types).sort()).toEqual([
    'end_cursor integer',
    'one_time_value_cents integer',
    'recurring_value_cents integer',
    'total_count integer',
  ]);
});

sqliteTest('describes the tag of a record, and the conditions of each request for one record', async () => {
  interface Operation {
    parameters: { in: string; name: string }[];
    responses: Record<string, { headers?: Record<string, unknown> }>;
  }
  const { paths } = (await (await fetchDocument()).json()) as {
    paths: Record<string, Record<string, Operation>>;
  };
  const operations = Object.entries(paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([verb, operation]) => ({ path, verb, ...operation })),
  );
  const hasTag = (path: string) => path.endsWith('}') && !path.includes('/recordings/');
  const counts = { read: 0, change: 0, none: 0 };
  for (const { path, verb, parameters, responses } of operations) {
    const isChange = verb === 'patch' || verb === 'delete';
    const kind = isChange ? 'change' : verb === 'get' && hasTag(path) ? 'read' : 'none';
    counts[kind] += 1;
    const names = parameters.flatMap((parameter) => (parameter.in === 'header' ? [parameter.name] : []));
    const statuses = ['304', '412'].filter((status) => status in responses);
    expect([path, verb, names, statuses]).toEqual([
      path,
      verb,
      kind === 'none' ? [] : ['If-Match', 'If-None-Match'],
      { read: ['304', '412'], change: ['412'], none: [] }[kind],
    ]);
  }
  expect(counts).toEqual({ read: 7, change: 14, none: 14 });
  const findTags = (path: string) =>
    Object.entries(paths[path] ?? {}).flatMap(([verb, { responses }]) =>
      Object.entries(responses).flatMap(([status, { headers }]) =>
        headers && 'ETag' in headers ? [`${verb} ${status}`] : [],
      ),
    );
  expect(findTags('/v1/contacts')).toEqual(['post 201']);
  expect(findTags('/v1/contacts/{contact_id}')).toEqual(['get 200', 'get 304', 'patch 200']);
  expect(findTags('/v1/contacts/{contact_id}/emails')).toEqual(['delete 200']);
  expect(findTags('/v1/lists/{list_id}/entries')).toEqual(['post 200', 'post 201']);
});

const problem = { type: 'about:blank', title: 'Not Found', status: 404, detail: 'None.' };

test.each([
  ['DELETE', '/v1/notes/x', 204, undefined, []],
  ['DELETE', '/v1/notes/x', 204, {}, ['The response has a body.']],
  ['GET', '/v1/notes/x', 404, problem, []],
  ['GET', '/v1/notes/x', 404, { ...problem, title: 5 }, ['/title must be string']],
  ['GET', '/v1/notes/x', 409, problem, ['GET /v1/notes/{note_id} describes no 409.']],
  ['GET', '/v1/notes', 200, { data: [] }, [" must have required property 'pagination'"]],
  ['PUT', '/v1/notes/x', 405, problem, []],
  ['PUT', '/v1/notes/x', 200, problem, ['PUT /v1/notes/x is not described.']],
  ['GET', '/elsewhere', 500, { ...problem, status: '500' }, ['/status must be integer']],
])('checks a response to %s %s with %i against the document', (method, path, status, body, errors) => {
  expect(getResponseCheck()({ method, path, status, body })).toEqual(errors);
});
