import { request } from 'node:http';
import { expect, test } from 'vitest';
import { createProblem, problem, startTestServer } from '../server.ts';

/** Builds a body of a number of bytes: a contact, and spaces. */
const buildBody = (bytes: number) => '{"first_name":"Ada"}'.padEnd(bytes);

test('accepts a body of 1 MiB and returns 413 for one byte more', async () => {
  const { send } = await startTestServer();
  expect((await send('POST /v1/contacts', { body: buildBody(1024 * 1024) })).status).toBe(201);
  expect(await send('POST /v1/contacts', { body: buildBody(1024 * 1024 + 1) })).toEqual({
    status: 413,
    headers: problem,
    body: createProblem(413, 'Content Too Large', 'The body must have at most 1048576 bytes.'),
  });
});

test('returns 413 for a large body without Content-Length', async () => {
  const { url, keys } = await startTestServer();
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const outgoing = request(
      `${url}/v1/contacts`,
      {
        method: 'POST',
        headers: { authorization: `Bearer ${keys.writing.key}`, 'content-type': 'application/json' },
      },
      (response) => {
        response.resume();
        resolve(response.statusCode);
      },
    );
    outgoing.on('error', reject);
    outgoing.write(buildBody(1024 * 1024));
    outgoing.end(' ');
  });
  expect(status).toBe(413);
});

test('returns 415 for a compressed body, and accepts the encoding identity', async () => {
  const { send } = await startTestServer();
  const create = (encoding: string) =>
    send('POST /v1/contacts', { body: '{"first_name":"Ada"}', headers: { 'content-encoding': encoding } });
  expect((await create('Identity')).status).toBe(201);
  const detail = 'Content-Encoding: "gzip" is not supported. Send the body uncompressed.';
  expect(await create('gzip')).toEqual({
    status: 415,
    headers: problem,
    body: createProblem(415, 'Unsupported Media Type', detail),
  });
});

test('responds with the X-Request-Id of the request if it is short and plain, on success and failure', async () => {
  const { send } = await startTestServer();
  const plain = ['my-id', 'a1_B2.c3:d4-e5', 'x'.repeat(100)];
  for (const sent of [...plain, 'x'.repeat(101), 'has space', '<script>', '']) {
    const headers = { 'x-request-id': sent };
    const responses = await Promise.all([
      send('GET /v1/contacts', { headers }),
      send('GET /v1/nothing', { headers }),
      send('GET /v1/contacts', { headers, key: '' }),
      send('GET /healthz', { headers, key: '' }),
    ]);
    const id = plain.includes(sent) ? sent : 'made-here';
    expect(responses.map(({ headers }) => headers['x-request-id'])).toEqual([id, id, id, id]);
    expect(responses.map(({ body }) => body.request_id)).toEqual([undefined, id, id, undefined]);
  }
});
