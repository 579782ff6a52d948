import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Contact } from '../../../src/contract/contacts.ts';
import { startServer } from '../../../src/service/http/server.ts';
import { createPage } from '../../client/loopback.ts';
import { createProblem, json, plainOptions, problem, startTestServer } from '../server.ts';
import { openTestWorkspace, startTimes } from '../service.ts';

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

const missing = 'Missing API key: send the header "Authorization: Bearer KEY".';

test('returns 401 on every path for a missing or unknown key', async () => {
  const { send } = await startTestServer();
  for (const authorization of [
    undefined,
    '',
    'Basic a2l0aDpraXRo',
    'Bearer',
    'Bearer two words',
    'Bearer kith_x',
  ]) {
    const isUnknown = authorization === 'Bearer kith_x';
    const headers = authorization === undefined ? {} : { authorization };
    const challenge = isUnknown ? 'Bearer error="invalid_token"' : 'Bearer';
    for (const line of ['GET /v1/contacts', 'GET /v1/nothing', 'PUT /v1/contacts', 'GET /']) {
      expect({ authorization, ...(await send(line, { key: '', headers })) }).toEqual({
        authorization,
        status: 401,
        headers: { ...problem, 'www-authenticate': challenge },
        body: createProblem(401, 'Unauthorized', isUnknown ? 'Invalid API key.' : missing),
      });
    }
  }
});

test.each(['bearer', 'BEARER', 'Bearer  '])('accepts the scheme "%s" as Bearer', async (scheme) => {
  const { keys, send } = await startTestServer();
  const headers = { authorization: `${scheme} ${keys.writing.key}` };
  expect((await send('GET /v1/contacts', { key: '', headers })).status).toBe(200);
});

const isNoJson = expect.stringMatching(/^The body is not valid JSON: /);
const noUtf8 = Buffer.from('{"first_name":"\xff"}', 'latin1');
const needsType = 'Send the body as "Content-Type: application/json".';
const typed = (type: string, body = '{"first_name":"A"}') => ({ body, headers: { 'content-type': type } });

test.each<[line: string, options: object, status: number, title?: string, detail?: unknown]>([
  ['GET /healthz/', {}, 404, 'Not Found', 'Unknown path: /healthz/'],
  ['POST /openapi.json/', { body: '{}' }, 404, 'Not Found', 'Unknown path: /openapi.json/'],
  ['POST /v1/contacts', {}, 400, 'Bad Request', 'The body must be a JSON object.'],
  ['POST /v1/contacts', { body: '{"a":' }, 400, 'Bad Request', isNoJson],
  ['POST /v1/contacts', { body: noUtf8 }, 400, 'Bad Request', 'The body is incomplete or not UTF-8.'],
  [
    'POST /v1/contacts',
    typed('application/x-www-form-urlencoded', 'a=b'),
    415,
    'Unsupported Media Type',
    needsType,
  ],
  ['POST /v1/contacts', typed('text/plain'), 415, 'Unsupported Media Type', needsType],
  ['POST /v1/contacts', typed('application/jsonl'), 415, 'Unsupported Media Type', needsType],
  ['POST /v1/contacts', typed('application/json; charset=utf-8'), 201],
  ['POST /v1/contacts', typed('APPLICATION/JSON'), 201],
  ['POST /v1/contacts', typed('application/vnd.kith+json'), 201],
])('returns for %s with %j the status %i', async (line, options, status, title, detail) => {
  const { send } = await startTestServer();
  const response = await send(line, options);
  expect(response.status).toBe(status);
  if (title !== undefined)
    expect(response).toMatchObject({
      headers: problem,
      body: { title, status, detail, request_id: 'made-here' },
    });
});

test('a problem quotes at most 200 characters', async () => {
  const { send, sendOk } = await startTestServer();
  const list = { name: 'y'.repeat(5000), process: false, entry_type: 'Contact' };
  const { id } = await sendOk<{ id: string }>('POST /v1/lists', list);
  const long = 'x'.repeat(5000);
  const rows: readonly (readonly [status: number, line: string, header?: string])[] = [
    [404, 'GET /v1/LONG'],
    [404, 'GET /v1/contacts/LONG'],
    [404, `GET /v1/lists/${id}/entries/LONG`],
    [404, 'GET /v1/calendar_events/LONG'],
    [404, 'GET /v1/recordings/LONG'],
    [400, 'GET /v1/contacts/%LONG'],
    [400, 'GET /v1/contacts?LONG=1'],
    [400, 'GET /v1/contacts?first=LONG'],
    [400, 'GET /v1/contacts/x', 'if-match'],
    [405, 'POST /v1/contacts/LONG'],
    [415, 'POST /v1/contacts', 'content-encoding'],
  ];
  for (const [status, line, header] of rows) {
    const response = await send(line.replace('LONG', long), {
      ...(line.startsWith('POST') && { body: '{}' }),
      ...(header !== undefined && { headers: { [header]: long } }),
    });
    const quoted: string[] = response.body.detail.match(/[xy]{2,}/g);
    const isShort = quoted.every(({ length }) => length <= 200);
    expect([line, response.status, isShort]).toEqual([line, status, true]);
  }
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
