import sql from 'sql-template-tag';
import { expect, test } from 'vitest';
import { contract } from '../../src/contract/index.ts';
import { createService, respondToError } from '../../src/service/dispatch.ts';
import { openTestWorkspace, unknownId } from './service.ts';

const problem = { 'content-type': 'application/problem+json' };

/** The response with a problem. */
const createProblem = (status: number, title: string, detail: string, headers: object = {}) => ({
  status,
  headers: { ...problem, ...headers },
  body: { type: 'about:blank', title, status, detail },
});

const routes = Object.values(contract).flatMap((resource) => Object.values(resource));
const toPath = (path: string) => path.replace(/:\w+/g, unknownId);
const needsBody = (line: string) => /^(POST|PUT|PATCH) |\/(emails|domains)$/.test(line);

/** What the error calls a record of a collection that does not exist. */
const labels: Readonly<Record<string, string>> = {
  contacts: 'contact',
  organizations: 'organization',
  notes: 'note',
  custom_fields: 'custom field',
  lists: 'list or process',
  calendar_events: 'calendar event',
  recordings: 'recording',
};

test.each(routes.filter(({ path }) => path.includes(':')).map(({ method, path }) => [method, toPath(path)]))(
  '%s %s names the record that does not exist',
  async (method, path) => {
    const { call } = await openTestWorkspace();
    const detail = `No ${labels[path.split('/')[2] ?? '']} has the id "${unknownId}".`;
    const line = `${method} ${path}`;
    expect(await call(line, needsBody(line) ? {} : undefined)).toEqual(
      createProblem(404, 'Not Found', detail),
    );
  },
);

test.each([
  ['GET /v1/nothing', 404, 'Not Found', 'Unknown path: /v1/nothing'],
  ['GET /v1/contacts/', 404, 'Not Found', 'Unknown path: /v1/contacts/'],
  ['GET /v2/contacts', 404, 'Not Found', 'Unknown path: /v2/contacts'],
  ['GET /', 404, 'Not Found', 'Unknown path: /'],
  ['GET /v1/recordings', 404, 'Not Found', 'Unknown path: /v1/recordings'],
  ['GET /v1/contacts/A%20b%2Fc', 404, 'Not Found', 'No contact has the id "A b/c".'],
  ['GET /v1/contacts/1', 404, 'Not Found', 'No contact has the id "1".'],
  ['GET /v1/contacts/%E0%A4', 400, 'Bad Request', 'The path has an invalid escape: %E0%A4'],
])('%s returns %i', async (line, status, title, detail) => {
  const { call } = await openTestWorkspace();
  expect(await call(line)).toEqual(createProblem(status, title, detail));
});

test.each([...new Set(routes.map(({ path }) => path))])(
  '%s takes only the methods of the contract, of which a read-only key may only GET',
  async (path) => {
    const { call } = await openTestWorkspace();
    const allowed: string[] = routes.filter((route) => route.path === path).map(({ method }) => method);
    const allow = ['GET', 'POST', 'PATCH', 'DELETE'].filter((method) => allowed.includes(method)).join(', ');
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      const line = `${method} ${toPath(path)}`;
      const body = needsBody(line) ? {} : undefined;
      if (allowed.includes(method)) {
        const { status } = await call(line, body, { readOnly: true });
        expect([method, status === 403]).toEqual([method, method !== 'GET']);
      } else {
        const detail = `${toPath(path)} takes ${allow}, not ${method}.`;
        expect(await call(line, body)).toEqual(createProblem(405, 'Method Not Allowed', detail, { allow }));
      }
    }
  },
);

test('a failed response has the id of its request', async () => {
  const { call } = await openTestWorkspace();
  const expected = createProblem(403, 'Forbidden', 'This API key is read-only.', {
    'www-authenticate': 'Bearer error="insufficient_scope"',
  });
  expect(await call('POST /v1/contacts', {}, { readOnly: true, requestId: 'r-1' })).toEqual({
    ...expected,
    body: { ...expected.body, request_id: 'r-1' },
  });
});

test('an internal error goes only to the log', async () => {
  const logged: string[] = [];
  const { db, sendOk } = await openTestWorkspace();
  await sendOk('POST /v1/contacts', { first_name: 'Ada' });
  const service = createService({ db, now: () => new Date(0), log: (text) => logged.push(text) });
  await db.run(sql`alter table contact rename to lost`);
  expect(await service({ method: 'GET', path: '/v1/contacts', query: [] })).toEqual(
    createProblem(500, 'Internal Server Error', 'Something went wrong inside the service.'),
  );
  expect(logged).toEqual([expect.stringMatching(/no such table: contact/)]);
});

test.each([5, 261, 517])('maps the SQLite error %i to 503, which may be retried', async (errcode) => {
  const error = Object.assign(new Error('database is locked'), { errcode });
  const { db } = await openTestWorkspace();
  const { status, headers } = respondToError(error, { db, log: () => {} }, undefined);
  expect([status, headers['retry-after']]).toEqual([503, '1']);
});
