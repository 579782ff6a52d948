import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startTestService } from '../client/loopback.ts';
import { createEnv, runShell } from '../support/binary.ts';
import { createMachine, createTemporaryFolder } from '../support/kith.ts';

const everyByte = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
const manyBytes = Buffer.concat(Array.from({ length: 800 }, () => everyByte));
const key = 'key-for-tests';

/** Starts a service that responds with bytes. */
async function startByteService(bytes: Buffer, headers: Readonly<Record<string, string>> = {}) {
  const { url } = await startTestService((_, response) => response.writeHead(200, headers).end(bytes));
  return { KITH_BASE_URL: url, KITH_API_KEY: key };
}

test.each([
  ['every byte', everyByte],
  ['200 KB of them', manyBytes],
  ['Latin-1 JSON', Buffer.from('{"name":"André"}', 'latin1')],
  ['UTF-8 with a byte order mark', Buffer.from('\ufeff{"name":"지우 😀"}\n')],
  ['JSON in its own spelling', Buffer.from('{ "n": 1.10,\r\n "é": "\\u00e9" }')],
  ['nothing', Buffer.alloc(0)],
])('api passes %s through a pipe byte for byte', async (_, bytes) => {
  const folder = createTemporaryFolder();
  const env = createEnv(folder, await startByteService(bytes));
  const { code, out, err } = await runShell('kith api /v1/files/f1 | base64 -w0', { env });
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(Buffer.from(out, 'base64').equals(bytes)).toBe(true);
});

test('api writes 200 KB of every byte into a file', async () => {
  const folder = createTemporaryFolder();
  const env = createEnv(folder, await startByteService(manyBytes));
  await runShell('kith api /v1/files/f1 > body', { env, cwd: folder });
  expect(readFileSync(join(folder, 'body')).equals(manyBytes)).toBe(true);
});

test('api redacts the key in a body that is not UTF-8', async () => {
  const env = await startByteService(Buffer.from(`\xff${key}\xfe`, 'latin1'));
  expect((await createMachine()('api /v1/files/f1', { env })).out).toBe('\xff[key]\xfe');
});

test('api sanitizes a body that is not UTF-8 in a terminal', async () => {
  const env = await startByteService(Buffer.from('Andr\xe9\x1b[2J', 'latin1'));
  expect(await createMachine()('api /v1/files/f1', { env, terminal: 80 })).toEqual({
    code: 0,
    out: 'Andr\ufffd\\x1b[2J\n',
    err: '',
  });
});

test.each(['--json', '--jq .', '--format ndjson', '--paginate'])(
  'api %s refuses a body that is not UTF-8',
  async (flags) => {
    const env = await startByteService(Buffer.from('["\xe9"]', 'latin1'));
    expect(await createMachine()(`api /v1/contacts ${flags}`, { env })).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('The response is not UTF-8.'),
    });
  },
);
