import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { authority, early, elsewhere, expired, selfSigned, trusted } from '../client/certificates.ts';
import { createEnv, runKith } from '../support/binary.ts';
import { createMachine, createTemporaryFolder } from '../support/kith.ts';

/** Starts a server on a loopback port until the test ends, and returns the port. */
async function listening(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

/** A service that speaks TLS; `keys` are the keys that it was sent. */
async function overTls(certificate: { key: string; cert: string }) {
  const keys: (string | undefined)[] = [];
  const state = { connections: 0 };
  const server = createTlsServer(certificate, ({ headers }, response) => {
    keys.push(headers.authorization);
    response.end('{"id":"a"}');
  });
  server.on('connection', () => {
    state.connections += 1;
  });
  return { port: await listening(server), keys, state };
}

/** Starts a proxy that connects every tunnel to one port, or responds with a status. `tunnels` has its requests. */
async function proxyTo(port: number, status = 200) {
  const tunnels: (string | undefined)[][] = [];
  const server = createServer((_, response) => response.writeHead(500).end());
  server.on('connect', ({ url, headers }, socket) => {
    tunnels.push([url, headers['proxy-authorization'], headers.authorization]);
    socket.on('error', () => {});
    if (status !== 200) return void socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    const way = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connected\r\n\r\n');
      way.pipe(socket);
      socket.pipe(way);
    });
    way.on('error', () => {});
    socket.on('close', () => way.destroy());
  });
  return { tunnels, port: await listening(server) };
}

const key = 'sk_live_0123456789abcdef';

const line = ['contacts', 'get', 'a', '--format', 'ndjson', '--retries', '0', '--timeout', '5'];

/** Gets a contact by the built program, which trusts our authority. */
function got(baseUrl: string, more: Readonly<Record<string, string>> = {}) {
  const home = createTemporaryFolder();
  const file = join(home, 'authority.pem');
  writeFileSync(file, authority);
  const env = createEnv(home, {
    KITH_BASE_URL: baseUrl,
    KITH_API_KEY: key,
    NODE_EXTRA_CA_CERTS: file,
    ...more,
  });
  return runKith(line, { env });
}

/** The same in this process, which has no additional CA certificates and also reads the proxy from the environment. */
function gotHere(baseUrl: string, proxies: Readonly<Record<string, string>> = {}) {
  const env = { KITH_BASE_URL: baseUrl, KITH_API_KEY: key, ...proxies };
  return createMachine()(line, { env });
}

/** The result in this process, which reaches the service and does not know its authority. */
const untrusted = { code: 1, out: '', err: expect.stringContaining('certificate') };
const success = { code: 0, out: '{"id":"a"}\n', err: '' };

test('trusts a certificate from your own authority in NODE_EXTRA_CA_CERTS', async () => {
  const { port, keys } = await overTls(trusted);
  expect(await got(`https://127.0.0.1:${port}`)).toEqual(success);
  expect(keys).toEqual([`Bearer ${key}`]);
});

const proxyUrl = (port: number) => `http://127.0.0.1:${port}`;

test('sends requests through HTTPS_PROXY, which does not see the key, and only the proxy sees its password', async () => {
  const { port, keys } = await overTls(trusted);
  const proxy = await proxyTo(port);
  const HTTPS_PROXY = `http://ada:s%40fe@127.0.0.1:${proxy.port}`;
  expect(await got('https://crm.example', { HTTPS_PROXY })).toEqual(success);
  expect(proxy.tunnels).toEqual([['crm.example:443', `Basic ${btoa('ada:s@fe')}`, undefined]]);
  expect(keys).toEqual([`Bearer ${key}`]);
});

test.each<[title: string, name: string, value: (port: number) => string, sent: string | undefined]>([
  ['HTTPS_PROXY with a slash', 'HTTPS_PROXY', (port) => `${proxyUrl(port)}/`, undefined],
  ['https_proxy, even without a scheme', 'https_proxy', (port) => `127.0.0.1:${port}`, undefined],
  ['HTTP_PROXY for https if it is the only proxy', 'HTTP_PROXY', proxyUrl, undefined],
  [
    'a proxy URL with a path and an unescaped % in the password',
    'HTTPS_PROXY',
    (port) => `http://ada:50%zz@127.0.0.1:${port}/path?x`,
    `Basic ${btoa('ada:50%zz')}`,
  ],
])('uses %s', async (_, name, value, sent) => {
  const { port } = await overTls(trusted);
  const proxy = await proxyTo(port);
  expect(await gotHere('https://crm.example', { [name]: value(proxy.port) })).toEqual(untrusted);
  expect(proxy.tunnels).toEqual([['crm.example:443', sent, undefined]]);
});

test.each(['crm.example,127.0.0.1', '*', '10.0.0.0/8, 127.0.0.0/8'])(
  'connects without a proxy to hosts and networks that NO_PROXY lists: %s',
  async (NO_PROXY) => {
    const { port, state } = await overTls(trusted);
    const proxy = await proxyTo(1, 500);
    const HTTPS_PROXY = `http://127.0.0.1:${proxy.port}`;
    expect(await gotHere(`https://127.0.0.1:${port}`, { HTTPS_PROXY, NO_PROXY })).toEqual(untrusted);
    expect([proxy.tunnels, state.connections]).toEqual([[], 1]);
  },
);

test('uses the proxy for hosts that NO_PROXY does not list', async () => {
  const { port } = await overTls(trusted);
  const proxy = await proxyTo(port);
  const proxies = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`, NO_PROXY: '10.0.0.0/8' };
  expect(await gotHere(`https://127.0.0.1:${port}`, proxies)).toEqual(untrusted);
  expect(proxy.tunnels).toEqual([[`127.0.0.1:${port}`, undefined, undefined]]);
});

test('connects over plain HTTP to this machine without a proxy', async () => {
  const port = await listening(createServer((_, response) => response.end('{"id":"a"}')));
  const proxy = await proxyTo(1, 500);
  const HTTP_PROXY = `http://127.0.0.1:${proxy.port}`;
  expect(await gotHere(`http://127.0.0.1:${port}`, { HTTP_PROXY, HTTPS_PROXY: HTTP_PROXY })).toEqual(success);
  expect(proxy.tunnels).toEqual([]);
});

test.each<[title: string, status: number, code: number, message: string, hint: string]>([
  [
    'shows how to pass a password if the proxy requires one (exit code 1)',
    407,
    1,
    'the proxy requires a user name and a password (407)',
    'Set them in the proxy URL: HTTPS_PROXY=http://USER:PASSWORD@HOST:PORT',
  ],
  [
    'reports that the proxy denied access without its user name or password (exit code 1)',
    403,
    1,
    'the proxy denied access (403)',
    'HTTPS_PROXY sets the proxy http://127.0.0.1:PORT. To bypass it for a host, add the host to NO_PROXY.',
  ],
  [
    'exits with 75 if the proxy responds with 502',
    502,
    75,
    'the proxy responded with 502',
    'HTTPS_PROXY sets the proxy http://127.0.0.1:PORT. To bypass it for a host, add the host to NO_PROXY.',
  ],
])('%s', async (_, status, code, message, hint) => {
  const proxy = await proxyTo(1, status);
  const ended = await gotHere('https://crm.example', {
    HTTPS_PROXY: `http://ada:secret@127.0.0.1:${proxy.port}`,
  });
  expect({ ...ended, err: ended.err.replace(`${proxy.port}`, 'PORT') }).toEqual({
    code,
    out: '',
    err: `kith: Cannot reach https://crm.example: ${message}.\nhint: ${hint}\n`,
  });
});

test('exits with 75, even after a write, if the proxy closes the connection before anything is sent', async () => {
  const server = createServer();
  server.on('connect', (_, socket) => socket.destroy());
  const HTTPS_PROXY = `http://127.0.0.1:${await listening(server)}`;
  const env = { KITH_BASE_URL: 'https://crm.example', KITH_API_KEY: key, HTTPS_PROXY };
  const writing = ['contacts', 'create', '--first-name', 'Ada', '--retries', '1', '--timeout', '5'];
  expect(await createMachine()(writing, { env })).toEqual({
    code: 75,
    out: '',
    err: expect.stringMatching(
      /^kith: Cannot reach https:\/\/crm\.example: .*\.\nhint: HTTPS_PROXY sets the proxy/,
    ),
  });
});

test('exits with 75 and names the proxy, without its password, if nothing listens at its address', async () => {
  expect(await gotHere('https://crm.example', { HTTPS_PROXY: 'http://ada:secret@127.0.0.1:9' })).toEqual({
    code: 75,
    out: '',
    err:
      'kith: Cannot reach https://crm.example: connection refused.\n' +
      'hint: HTTPS_PROXY sets the proxy http://127.0.0.1:9. To bypass it for a host, add the host to NO_PROXY.\n',
  });
});

test.each(['socks5://127.0.0.1:1080', 'http://', 'ftp://ada:secret@proxy'])(
  'exits with 2 if HTTPS_PROXY is not an http or https URL: %s',
  async (HTTPS_PROXY) => {
    expect(await gotHere('https://crm.example', { HTTPS_PROXY })).toEqual({
      code: 2,
      out: '',
      err:
        'kith: HTTPS_PROXY is not a valid proxy URL.\n' +
        'hint: Example: export HTTPS_PROXY=http://proxy.example.com:3128\n',
    });
  },
);

const unknown =
  'If you trust it, put the certificate of its authority into a file and set NODE_EXTRA_CA_CERTS=FILE.';

type Certificate = Parameters<typeof overTls>[0];

test.each<
  [title: string, get: typeof got | typeof gotHere, certificate: Certificate, message: string, hint: string]
>([
  [
    'has expired',
    got,
    expired,
    'has expired (CERT_HAS_EXPIRED)',
    'Check the clock of this machine. If it is right, the service must renew its certificate.',
  ],
  [
    'is not valid yet',
    got,
    early,
    'is not valid yet (CERT_NOT_YET_VALID)',
    'Check the clock of this machine.',
  ],
  [
    'is for another host',
    got,
    elsewhere,
    'is for another host (ERR_TLS_CERT_ALTNAME_INVALID)',
    'Check the host name in --base-url.',
  ],
  ['is self-signed', gotHere, selfSigned, 'is self-signed (DEPTH_ZERO_SELF_SIGNED_CERT)', unknown],
  [
    'is from an unknown authority',
    gotHere,
    trusted,
    'is signed by an unknown authority (UNABLE_TO_VERIFY_LEAF_SIGNATURE)',
    unknown,
  ],
])('sends nothing, and exits with 1, if a certificate %s', async (_, get, certificate, message, hint) => {
  const { port, keys } = await overTls(certificate);
  const url = `https://127.0.0.1:${port}`;
  const err = `kith: The certificate of ${url} ${message}.\nhint: ${hint}\n`;
  expect(await get(url)).toEqual({ code: 1, out: '', err });
  expect(keys).toEqual([]);
});

test('reports an https URL whose port speaks plain HTTP (exit code 1)', async () => {
  const port = await listening(createServer((_, response) => response.end('{"id":"a"}')));
  const ended = await gotHere(`https://127.0.0.1:${port}`);
  expect(ended).toMatchObject({ code: 1, out: '' });
  expect(ended.err).toMatch(
    /^kith: TLS handshake with \S+ failed \(\w+\)\.\nhint: Check that --base-url has the right port: this one may not serve HTTPS\.\n$/,
  );
});
