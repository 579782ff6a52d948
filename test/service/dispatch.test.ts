import sql from 'sql-template-tag';
import { expect, test as sqliteTest, test } from 'vitest';
import { contract } from '../../src/contract/index.ts';
import { createService, respondToError } from '../../src/service/dispatch.ts';
import { openTestWorkspace, unknownId } from './service.ts';

const problem = { 'content-type': 'application/problem+json' };

test.each([
  [404, 'Not Found', 'GET /v1/nothing', 'Unknown path: /v1/nothing'],
  [404, 'Not Found', 'GET /v1/contacts/', 'Unknown path: /v1/contacts/'],
  [404, 'Not Found', 'GET /v2/contacts', 'Unknown path: /v2/contacts'],
  [404, 'Not Found', 'GET /', 'Unknown path: /'],
  [404, 'Not Found', 'GET /v1/recordings', 'Unknown path: /v1/recordings'],
  [404, 'Not Found', `GET /v1/contacts/${unknownId}`, `No contact has the id "${unknownId}".`],
  [404, 'Not Found', 'GET /v1/contacts/A%20b%2Fc', 'No contact has the id "A b/c".'],
  [404, 'Not Found', 'GET /v1/contacts/1', 'No contact has the id "1".'],
  [404, 'Not Found', `GET /v1/organizations/${unknownId}`, `No organization has the id "${unknownId}".`],
  [404, 'Not Found', `GET /v1/notes/${unknownId}`, `No note has the id "${unknownId}".`],
  [404, 'Not Found', `GET /v1/custom_fields/${unknownId}`, `No custom field has the id "${unknownId}".`],
  [404, 'Not Found', `GET /v1/lists/${unknownId}`, `No list or process has the id "${unknownId}".`],
  [404, 'Not Found', `GET /v1/calendar_events/${unknownId}`, `No calendar event has the id "${unknownId}".`],
  [404, 'Not Found', `GET /v1/recordings/${unknownId}`, `No recording has the id "${unknownId}".`],
  [400, 'Bad Request', 'GET /v1/contacts/%E0%A4', 'The path has an invalid escape: %E0%A4'],
])('%i %s: %s', async (status, title, line, detail) => {
  const { call } = await openTestWorkspace();
  expect(await call(line)).toEqual({
    status,
    headers: problem,
    body: { type: 'about:blank', title, status, detail },
  });
});

test.each([
  ['PUT /v1/contacts', 'GET, POST'],
  ['DELETE /v1/contacts', 'GET, POST'],
  ['POST /v1/contacts/abcdef', 'GET, PATCH, DELETE'],
  ['GET /v1/contacts/abcdef/emails', 'DELETE'],
  ['POST /v1/organizations/abcdef/domains', 'DELETE'],
  ['POST /v1/calendar_events', 'GET'],
  ['DELETE /v1/recordings/abcdef', 'GET'],
  ['PUT /v1/lists/abcdef/entries/abcdef', 'GET, PATCH, DELETE'],
])('returns 405 for %s; %s is allowed', async (line, allow) => {
  const { call } = await openTestWorkspace();
  const [method, path] = line.split(' ');
  expect(await call(line, {})).toEqual({
    status: 405,
    headers: { ...problem, allow },
    body: {
      type: 'about:blank',
      title: 'Method Not Allowed',
      status: 405,
      detail: `${path} takes ${allow}, not ${method}.`,
    },
  });
});

const routes = Object.values(contract).flatMap((resource) => Object.values(resource));

test.each(routes.map(({ method, path }) => [method, path.replace(/:\w+/g, unknownId)]))(
  'refuses %s %s with a read-only key if and only if it writes',
  async (method, path) => {
    const { call } = await openTestWorkspace();
    const { status } = await call(`${method} ${path}`, method === 'GET' ? undefined : {}, { readOnly: true });
    expect(status === 403).toBe(method !== 'GET');
  },
);

test('a failed response has the id of its request', async () => {
  const { call } = await openTestWorkspace();
  expect(await call('POST /v1/contacts', {}, { readOnly: true, requestId: 'r-1' })).toEqual({
    status: 403,
    headers: { ...problem, 'www-authenticate': 'Bearer error="insufficient_scope"' },
    body: {
      type: 'about:blank',
      title: 'Forbidden',
      status: 403,
      detail: 'This API key is read-only.',
      request_id: 'r-1',
    },
  });
});

test('an internal error goes only to the log', async () => {
  const logged: string[] = [];
  const { db, sendOk } = await openTestWorkspace();
  await sendOk('POST /v1/contacts', { first_name: 'Ada' });
  const service = createService({ db, now: () => new Date(0), log: (text) => logged.push(text) });
  await db.run(sql`alter table contact rename to lost`);
  expect(await service({ method: 'GET', path: '/v1/contacts', query: [] }, { requestId: 'r-1' })).toEqual({
    status: 500,
    headers: problem,
    body: {
      type: 'about:blank',
      title: 'Internal Server Error',
      status: 500,
      detail: 'Something went wrong inside the service.',
      request_id: 'r-1',
    },
  });
  expect(logged).toEqual([expect.stringMatching(/no such table: contact|relation "contact" does not exist/)]);
});

sqliteTest.each([5, 261, 517])('maps the SQLite error %i to 503, which may be retried', async (errcode) => {
  const error = Object.assign(new Error('database is locked'), { errcode });
  const { db } = await openTestWorkspace();
  const { status, headers } = respondToError(error, { db, log: () => {} }, undefined);
  expect([status, headers['retry-after']]).toEqual([503, '1']);
});
