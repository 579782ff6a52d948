import { once } from 'node:events';
import { text as textOf } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { Agent, request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { Failure } from '../../../src/contract/errors.ts';
import type { ListenOptions } from '../../../src/contract/workspace.ts';
import { createKey } from '../../../src/service/http/keys.ts';
import { createRateLimit } from '../../../src/service/http/rate-limit.ts';
import { startServer } from '../../../src/service/http/server.ts';
import { expired, trusted } from '../../client/certificates.ts';
import { serveTestWorkspace } from '../serve.ts';
import { openTestWorkspace, startTime } from '../service.ts';

const loopback: ListenOptions = { host: '127.0.0.1', port: 0, tls: undefined, behindProxy: false };

/** Serves a workspace with a key. `perMinute` limits its requests by the clock of the workspace. */
async function startTestServer(listenOptions: Partial<ListenOptions>, perMinute?: number) {
  const { db, service, clock } = await openTestWorkspace();
  const now = () => new Date(clock.time);
  const { key } = await createKey(db, { name: 'test', readOnly: false }, now());
  const shell = { db, service, newId: () => 'test', log: () => {}, version: '0.0.0' };
  const limitedDeps =
    perMinute === undefined ? shell : { ...shell, rateLimit: createRateLimit(perMinute, now) };
  const { url, stop } = await startServer(limitedDeps, { ...loopback, ...listenOptions });
  onTestFinished(() => stop());
  const fetchStatus = async (bearer = key) => {
    const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
    onTestFinished(() => dispatcher.destroy());
    const { statusCode, headers, body } = await request(
      `${url.replace('0.0.0.0', '127.0.0.1')}/v1/contacts`,
      {
        dispatcher,
        headers: { authorization: `Bearer ${bearer}` },
      },
    );
    return { status: statusCode, retryAfter: headers['retry-after'], body: await body.json() };
  };
  return { db, url, clock, fetchStatus };
}

test('listens on any host behind a proxy', async () => {
  const { fetchStatus } = await startTestServer({ host: '0.0.0.0', behindProxy: true });
  expect((await fetchStatus()).status).toBe(200);
});

test('reloads the certificate without closing connections, and keeps the old one if the new one is broken', async () => {
  const files: { tls: ListenOptions['tls'] } = { tls: trusted };
  let failure: Failure | undefined;
  let reload = async () => {};
  const { url, messages } = await serveTestWorkspace({
    tls: trusted,
    readTls: async () => {
      if (failure) throw failure;
      return files.tls;
    },
    onReload: (load) => {
      reload = load;
    },
  });
  const connect = async () => {
    const socket = connectTls({
      port: Number(new URL(url).port),
      host: '127.0.0.1',
      rejectUnauthorized: false,
    });
    onTestFinished(() => void socket.destroy());
    await once(socket, 'secureConnect');
    return { socket, name: socket.getPeerCertificate().subject.CN };
  };
  const { socket, name: first } = await connect();
  files.tls = expired;
  await reload();
  const { name: second } = await connect();
  const brokenFiles: (typeof files.tls)[] = [
    { ...trusted, key: 'broken' },
    { ...trusted, cert: '' },
  ];
  for (const tls of brokenFiles) {
    files.tls = tls;
    await reload();
  }
  failure = new Failure('usage', 'Cannot read cert.pem: it does not exist.');
  await reload();
  const { name: third } = await connect();
  expect([first, second, third]).toEqual(['good', 'expired', 'expired']);
  socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  expect(await textOf(socket)).toMatch(/^HTTP\/1.1 200 /);
  expect(messages).toEqual([
    'info  Reloaded the TLS certificate and key.',
    expect.stringMatching(
      /^error {2}Cannot use the TLS certificate and key: .* The server keeps the old certificate and key\.$/,
    ),
    'error  Cannot use the TLS certificate and key: a file is empty. The server keeps the old certificate and key.',
    'error  Cannot read cert.pem: it does not exist. The server keeps the old certificate and key.',
  ]);
});

test.each([
  { cert: 'no', key: 'no' },
  { ...trusted, cert: '' },
  { ...trusted, key: '' },
])('refuses an invalid certificate or key', async (tls) => {
  await expect(startTestServer({ tls })).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringMatching(/^Cannot use the TLS certificate and key: /),
  });
});

test('limits the requests per key and minute, and returns Retry-After', async () => {
  const { db, clock, fetchStatus } = await startTestServer({}, 2);
  const { key: other } = await createKey(db, { name: 'other', readOnly: true }, new Date(startTime));
  clock.time = '2026-05-04T09:30:20.500Z';
  expect([
    (await fetchStatus()).status,
    (await fetchStatus()).status,
    (await fetchStatus(other)).status,
  ]).toEqual([200, 200, 200]);
  expect(await fetchStatus()).toEqual({
    status: 429,
    retryAfter: '40',
    body: {
      type: 'about:blank',
      title: 'Too Many Requests',
      status: 429,
      detail: 'Rate limited: too many requests with this key. Retry in 40 s.',
      request_id: 'test',
    },
  });
  expect((await fetchStatus('kith_wrong')).status).toBe(401);
  clock.time = '2026-05-04T09:31:00.000Z';
  expect((await fetchStatus()).status).toBe(200);
});
