import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Contact } from '../../../src/contract/contacts.ts';
import { revokeKey } from '../../../src/service/http/keys.ts';
import { startServer } from '../../../src/service/http/server.ts';
import { createProblem, json, plainOptions, problem, startTestServer } from '../server.ts';
import { createPage, openTestWorkspace, startTime, startTimes } from '../service.ts';

test('creates a contact, returns it at its Location, and deletes it', async () => {
  const { send } = await startTestServer();
  const created = await send('POST /v1/contacts', { body: '{"first_name":"지우"}' });
  const record = {
    id: created.body.id,
    first_name: '지우',
    last_name: null,
    emails: [],
    phone_numbers: [],
    organization_id: null,
    custom_fields: {},
    ...startTimes,
  };
  const location = `/v1/contacts/${record.id}`;
  expect(created).toEqual({ status: 201, headers: { ...json, location }, body: record });
  expect(await send(`GET ${location}`)).toEqual({ status: 200, headers: json, body: record });
  expect(await send('GET /v1/contacts')).toEqual({ status: 200, headers: json, body: createPage([record]) });
  expect(await send(`DELETE ${location}`)).toEqual({
    status: 204,
    headers: { 'x-request-id': 'made-here' },
    body: undefined,
  });
});

test('reads the body of a DELETE', async () => {
  const { sendOk, send } = await startTestServer();
  const contact = await sendOk<Contact>('POST /v1/contacts', {
    first_name: 'A',
    emails: ['a@b.co', 'c@d.co'],
  });
  const body = JSON.stringify({ emails: ['a@b.co'] });
  expect(await send(`DELETE /v1/contacts/${contact.id}/emails`, { body })).toEqual({
    status: 200,
    headers: json,
    body: { ...contact, emails: ['c@d.co'] },
  });
});

test.each([
  [undefined, 'Missing API key: send the header "Authorization: Bearer KEY".'],
  ['', 'Missing API key: send the header "Authorization: Bearer KEY".'],
  ['Basic a2l0aDpraXRo', 'Missing API key: send the header "Authorization: Bearer KEY".'],
  ['Bearer', 'Missing API key: send the header "Authorization: Bearer KEY".'],
  ['Bearer two words', 'Missing API key: send the header "Authorization: Bearer KEY".'],
  ['Bearer kith_unknown', 'Invalid API key.', 'Bearer error="invalid_token"'],
])(
  'returns 401 on every path for Authorization "%s"',
  async (authorization, detail, challenge = 'Bearer') => {
    const { send } = await startTestServer();
    const headers = authorization === undefined ? {} : { authorization };
    for (const line of ['GET /v1/contacts', 'GET /v1/nothing', 'PUT /v1/contacts', 'GET /']) {
      expect(await send(line, { key: '', headers })).toEqual({
        status: 401,
        headers: { ...problem, 'www-authenticate': challenge },
        body: createProblem(401, 'Unauthorized', detail),
      });
    }
  },
);

test.each(['bearer', 'BEARER', 'Bearer  '])('accepts the scheme "%s" as Bearer', async (scheme) => {
  const { keys, send } = await startTestServer();
  const headers = { authorization: `${scheme} ${keys.writing.key}` };
  expect((await send('GET /v1/contacts', { key: '', headers })).status).toBe(200);
});

test('refuses a revoked key at once on an open connection', async () => {
  const { db, keys, send } = await startTestServer();
  const { key, id } = keys.reading;
  expect((await send('GET /v1/contacts', { key })).status).toBe(200);
  await revokeKey(db, id, new Date(startTime));
  expect(await send('GET /v1/contacts', { key })).toMatchObject({
    status: 401,
    headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
  });
  expect((await send('GET /v1/contacts')).status).toBe(200);
});

test('lets a read-only key read but not write', async () => {
  const { keys, send } = await startTestServer();
  const { key } = keys.reading;
  expect(await send('GET /v1/contacts', { key })).toEqual({
    status: 200,
    headers: json,
    body: createPage([]),
  });
  expect(await send('POST /v1/contacts', { key, body: '{"first_name":"A"}' })).toEqual({
    status: 403,
    headers: { ...problem, 'www-authenticate': 'Bearer error="insufficient_scope"' },
    body: createProblem(403, 'Forbidden', 'This API key is read-only.'),
  });
  expect((await send('GET /v1/contacts')).body).toEqual(createPage([]));
});

test.each([
  ['GET /v1/nothing', {}, 404, 'Not Found', 'Unknown path: /v1/nothing'],
  ['GET /v1/contacts/zzzzzz', {}, 404, 'Not Found', 'No contact has the id "zzzzzz".'],
  [
    'GET /v1/contacts?page=2',
    {},
    400,
    'Bad Request',
    'Unknown query parameter "page". Valid parameters: first, after, email, phone_number.',
  ],
  ['GET /v1/contacts/%E0%A4', {}, 400, 'Bad Request', 'The path has an invalid escape: %E0%A4'],
  ['POST /v1/contacts', { body: '[]' }, 400, 'Bad Request', 'The body must be a JSON object.'],
  ['POST /v1/contacts', {}, 400, 'Bad Request', 'The body must be a JSON object.'],
  [
    'POST /v1/contacts',
    { body: '{"a":' },
    400,
    'Bad Request',
    expect.stringMatching(/^The body is not valid JSON: /),
  ],
  [
    'POST /v1/contacts',
    { body: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    415,
    'Unsupported Media Type',
    'Send the body as "Content-Type: application/json".',
  ],
  [
    'POST /v1/contacts',
    { body: '{}', headers: { 'content-type': 'text/plain' } },
    415,
    'Unsupported Media Type',
    'Send the body as "Content-Type: application/json".',
  ],
  [
    'POST /v1/contacts',
    { body: '{}', headers: { 'content-type': 'application/jsonl' } },
    415,
    'Unsupported Media Type',
    'Send the body as "Content-Type: application/json".',
  ],
])('returns for %s with %j the status %i', async (line, options, status, title, detail) => {
  const { send } = await startTestServer();
  expect(await send(line, options)).toEqual({
    status,
    headers: problem,
    body: createProblem(status, title, detail),
  });
});

test.each([
  'application/json',
  'application/json; charset=utf-8',
  'APPLICATION/JSON',
  'application/vnd.kith+json',
])('reads a body of type %s', async (type) => {
  const { send } = await startTestServer();
  const response = await send('POST /v1/contacts', {
    body: '{"first_name":"A"}',
    headers: { 'content-type': type },
  });
  expect(response.status).toBe(201);
});

test.each<[status: number, line: string, header?: string]>([
  [404, 'GET /v1/LONG'],
  [404, 'GET /v1/contacts/LONG'],
  [404, 'GET /v1/lists/LONG/entries'],
  [404, 'GET /v1/lists/LIST/entries/LONG'],
  [404, 'GET /v1/calendar_events/LONG'],
  [404, 'GET /v1/recordings/LONG'],
  [400, 'GET /v1/contacts/%LONG'],
  [400, 'GET /v1/contacts?LONG=1'],
  [400, 'GET /v1/contacts?first=LONG'],
  [400, 'GET /v1/contacts/x', 'if-match'],
  [405, 'POST /v1/contacts/LONG'],
  [415, 'POST /v1/contacts', 'content-encoding'],
])('a response with %i quotes at most 200 characters: %s %s', async (status, line, header) => {
  const { send, sendOk } = await startTestServer();
  const list = { name: 'y'.repeat(5000), process: false, entry_type: 'Contact' };
  const { id } = await sendOk<{ id: string }>('POST /v1/lists', list);
  const long = 'x'.repeat(5000);
  const response = await send(line.replace('LONG', long).replace('LIST', id), {
    ...(line.startsWith('POST') && { body: '{}' }),
    ...(header !== undefined && { headers: { [header]: long } }),
  });
  const quoted: string[] = response.body.detail.match(/[xy]{2,}/g);
  expect([response.status, quoted.every(({ length }) => length <= 200)]).toEqual([status, true]);
});

test('returns 405 with Allow for a method that a path does not support', async () => {
  const { send } = await startTestServer();
  expect(await send('PUT /v1/contacts', { body: '{}' })).toEqual({
    status: 405,
    headers: { ...problem, allow: 'GET, POST' },
    body: createProblem(405, 'Method Not Allowed', '/v1/contacts takes GET, POST, not PUT.'),
  });
});

test('serves /healthz and the OpenAPI document without a key', async () => {
  const { send } = await startTestServer();
  expect(await send('GET /healthz', { key: '' })).toEqual({
    status: 200,
    headers: json,
    body: { status: 'ok' },
  });
  expect(await send('GET /openapi.json', { key: '' })).toMatchObject({
    status: 200,
    headers: json,
    body: { openapi: expect.stringMatching(/^3\.1\./) },
  });
});

test('responds to HEAD like to GET, without the body', async () => {
  const { send } = await startTestServer();
  expect(await send('HEAD /v1/contacts')).toEqual({ status: 200, headers: json, body: undefined });
  expect(await send('HEAD /v1/contacts/zzzzzz')).toEqual({ status: 404, headers: problem, body: undefined });
  expect((await send('HEAD /v1/contacts', { key: '' })).status).toBe(401);
});

test('decodes the query', async () => {
  const { sendOk, send } = await startTestServer();
  const contact = await sendOk<Contact>('POST /v1/contacts', {
    emails: ['a+b@example.com'],
    phone_numbers: ['+82 10-5550-1234'],
  });
  for (const query of ['email=a%2Bb@example.com', 'phone_number=%2B82+10-5550-1234']) {
    expect((await send(`GET /v1/contacts?${query}`)).body).toEqual(createPage([contact]));
  }
});

test.each(['0.0.0.0', '192.168.1.1', '::', 'example.com'])(
  'refuses to listen on %s without TLS',
  async (host) => {
    const { db, service } = await openTestWorkspace();
    const shell = { db, service, newId: () => '', log: () => {}, version: '0.0.0' };
    await expect(startServer(shell, { ...plainOptions, host })).rejects.toMatchObject({
      code: 'usage',
      message: `Refusing to listen on ${host} without TLS: API keys would be sent unencrypted.`,
    });
  },
);

test('names a port that is in use', async () => {
  const { db, service, url } = await startTestServer();
  const port = Number(new URL(url).port);
  const shell = { db, service, newId: () => '', log: () => {}, version: '0.0.0' };
  await expect(startServer(shell, { ...plainOptions, port })).rejects.toMatchObject({
    code: 'failed',
    message: `Cannot listen on 127.0.0.1:${port}: EADDRINUSE.`,
  });
});

test('completes received requests while it stops, even if they take longer than the arrival timeout', async () => {
  let start = () => {};
  const hasStarted = new Promise<void>((resolve) => {
    start = resolve;
  });
  const service = async () => {
    start();
    await wait(600);
    return { status: 200, headers: {}, body: { id: 'slow' } };
  };
  const { send, stop } = await startTestServer({ service });
  const response = send('GET /v1/contacts');
  await hasStarted;
  const stopped = stop();
  expect(await response).toMatchObject({ status: 200, body: { id: 'slow' } });
  await stopped;
});
