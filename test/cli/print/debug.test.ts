import { writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { formatExchange } from '../../../src/cli/print/format-exchange.ts';
import { authority, trusted } from '../../client/certificates.ts';
import { sendJson, startTestService } from '../../client/loopback.ts';
import { createEnv, runKith } from '../../support/binary.ts';
import { createMachine, createTemporaryFolder } from '../../support/kith.ts';

const key = 'key-for-tests';

const time = String.raw`\d+\.\d ms`;

test('--debug prints headers, sizes, times, retries with reasons and a curl command', async () => {
  const { url } = await startTestService((_, response, count) => {
    if (count === 0) return sendJson(response, 429, {}, { 'retry-after': '0' });
    return sendJson(response, 200, { data: [{ id: 'c1' }] }, { 'set-cookie': 'session=1', 'x-echo': key });
  });
  const env = { KITH_BASE_URL: url.replace('127.0.0.1', 'localhost'), KITH_API_KEY: key };
  const { err } = await createMachine()('contacts list --limit 1 --debug', { env });
  const lines = err.split('\n').map((line) => line.trim());
  const address = `${env.KITH_BASE_URL}/v1/contacts?first=1&after=0`;
  expect(lines).toEqual(
    expect.arrayContaining([
      `> GET ${address}`,
      '> authorization: [redacted]',
      '> accept: application/json',
      '< 429',
      'kith: GET /v1/contacts: 429',
      'kith: retry 1 of 4 in 0 ms: rate limited',
      '< set-cookie: [redacted]',
      '< x-echo: [key]',
      '< 22 bytes',
      expect.stringMatching(
        new RegExp(`^time: DNS ${time}, connect ${time}, first byte ${time}, total ${time}$`),
      ),
      expect.stringMatching(new RegExp(`^time: reused connection, first byte ${time}, total ${time}$`)),
      `curl -H "Authorization: Bearer $KITH_API_KEY" -H "Accept: application/json" '${address}'`,
      'kith: GET /v1/contacts: 200',
    ]),
  );
  expect(err).not.toContain(key);
});

test('--debug prints no curl command for a write, but the size of its body', async () => {
  const { url } = await startTestService((_, response) => sendJson(response, 201, { id: 'c1' }));
  const env = { KITH_BASE_URL: url, KITH_API_KEY: key };
  const { err } = await createMachine()('contacts create --first-name A --debug', { env });
  expect(err).toContain(`  > POST ${url}/v1/contacts\n`);
  expect(err).toContain('  > 18 bytes\n');
  expect(err).not.toContain('curl');
});

test('--debug prints the time of the TLS handshake', async () => {
  const server = createServer(trusted, (_, response) => sendJson(response, 200, { data: [] }));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const home = createTemporaryFolder();
  writeFileSync(join(home, 'authority.pem'), authority);
  const env = createEnv(home, {
    NODE_EXTRA_CA_CERTS: join(home, 'authority.pem'),
    KITH_BASE_URL: `https://127.0.0.1:${port}`,
    KITH_API_KEY: key,
  });
  const { code, err } = await runKith(['contacts', 'list', '--debug'], { env });
  expect(code).toBe(0);
  expect(err).toMatch(
    new RegExp(`^  time: connect ${time}, TLS ${time}, first byte ${time}, total ${time}$`, 'm'),
  );
});

test('--debug redacts the secrets in a query', async () => {
  const { url } = await startTestService((_, response) =>
    sendJson(response, 200, {}, { location: 'https://a.example/?sig=hidden-1&page=2&pass%77ord=hidden-6' }),
  );
  const env = { KITH_BASE_URL: url, KITH_API_KEY: key };
  const path = '/v1/x?token=hidden-2&a=1&api_key=hidden-3&X-Amz-Signature=hidden-4&pass%77ord=hidden-5&b=';
  const { err } = await createMachine()(['api', path, '--debug'], { env });
  expect(err).not.toContain('hidden');
  const redacted =
    'token=[redacted]&a=1&api_key=[redacted]&X-Amz-Signature=[redacted]&password=[redacted]&b=';
  expect(err).toContain(`  > GET ${url}/v1/x?${redacted}\n`);
  expect(err).toContain(`"Accept: application/json" '${url}/v1/x?${redacted}'\n`);
  expect(err).toContain('  < location: https://a.example/?sig=[redacted]&page=2&pass%77ord=[redacted]\n');
});

test('headers cannot control a terminal', () => {
  const text = formatExchange({
    method: 'GET',
    url: 'https://crm.example.com/v1/notes',
    request: { headers: { 'X-Api-Key': 'secret' }, bytes: 0 },
    response: { status: 200, headers: { a: '\u009b2J' }, bytes: undefined },
    timing: { firstByte: 1, total: 2, connection: undefined },
  });
  expect(text).toContain('  > X-Api-Key: [redacted]\n');
  expect(text).toContain('  < a: \\x9b2J\n  < too many bytes\n');
});
