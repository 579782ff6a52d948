import { request } from 'node:http';
import { expect, test } from 'vitest';
import { about, problem, server } from '../server.ts';

/** A body of the given number of bytes: a contact with a long name. */
const bodyOf = (bytes: number) =>
  JSON.stringify({ first_name: 'x'.repeat(bytes - '{"first_name":""}'.length) });

test('a body of 1 MiB is read, one byte more is 413', async () => {
  const { send } = await server();
  expect((await send('POST /v1/contacts', { body: bodyOf(1024 * 1024) })).status).toBe(201);
  expect(await send('POST /v1/contacts', { body: bodyOf(1024 * 1024 + 1) })).toEqual({
    status: 413,
    headers: problem,
    body: about(413, 'Content Too Large', 'A body has at most 1048576 bytes.'),
  });
});

test('a body that does not say its length is counted as it comes', async () => {
  const { url, keys } = await server();
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const sent = request(
      `${url}/v1/contacts`,
      {
        method: 'POST',
        headers: { authorization: `Bearer ${keys.writing.key}`, 'content-type': 'application/json' },
      },
      (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      },
    );
    sent.on('error', reject);
    sent.write(bodyOf(1024 * 1024));
    sent.end(' ');
  });
  expect(status).toBe(413);
});

test.each([
  ['my-id', 'my-id'],
  ['a1_B2.c3:d4-e5', 'a1_B2.c3:d4-e5'],
  ['x'.repeat(100), 'x'.repeat(100)],
  ['x'.repeat(101), 'made-here'],
  ['has space', 'made-here'],
  ['<script>', 'made-here'],
  ['', 'made-here'],
])('X-Request-Id "%s" is answered as "%s", with success and failure', async (given, id) => {
  const { send } = await server();
  const headers = { 'x-request-id': given };
  const answers = await Promise.all([
    send('GET /v1/contacts', { headers }),
    send('GET /v1/nothing', { headers }),
    send('GET /v1/contacts', { headers, key: '' }),
    send('GET /healthz', { headers, key: '' }),
  ]);
  expect(answers.map(({ headers }) => headers['x-request-id'])).toEqual([id, id, id, id]);
  expect(answers.map(({ body }) => body.request_id)).toEqual([undefined, id, id, undefined]);
});
