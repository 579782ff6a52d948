import { request } from 'node:http';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { expect, onTestFinished, test } from 'vitest';
import { Failure } from '../../../src/contract/errors.ts';
import { sendJson, startTestService } from '../../client/loopback.ts';
import { createEnv, createSignedInHome, runKith } from '../../support/binary.ts';
import { createDemoMachine, createMachine, createTemporaryFolder } from '../../support/kith.ts';
import { connectClient, type Person } from './agent.ts';

const key = 'a-key-of-at-least-20-characters';

/** Starts `kith mcp --http` in this process until the test ends. `stop` sends SIGTERM and returns the result. */
async function startServer(
  kith: ReturnType<typeof createMachine>,
  env: Record<string, string> = {},
  ...flags: string[]
) {
  const stopping = new AbortController();
  let err = '';
  const args = ['mcp', '--http', '--port', '0', ...flags];
  const onErr = (text: string) => {
    err += text;
  };
  const running = kith(args, { env: { KITH_MCP_KEY: key, ...env }, signal: stopping.signal, onErr });
  const stop = () => {
    stopping.abort(new Failure('terminated', 'Terminated.'));
    return running;
  };
  onTestFinished(async () => void (await stop()));
  await expect.poll(() => err).toContain('/mcp');
  const url = new URL(/http:\S+\/mcp/.exec(err)?.[0] ?? '');
  return { url, stop, readErrors: () => err };
}

const createTransport = (url: URL, bearer = key, headers = {}) =>
  new StreamableHTTPClientTransport(url, {
    requestInit: { headers: { authorization: `Bearer ${bearer}`, ...headers } },
  });

const connect = (url: URL, person?: Person) => connectClient(createTransport(url) as Transport, person);

test('serves several clients at once, each with its own session', async () => {
  const { url } = await startServer(createDemoMachine());
  const transports = [createTransport(url), createTransport(url)];
  const agents = await Promise.all(transports.map((transport) => connectClient(transport as Transport)));
  const results = await Promise.all(
    agents.map(({ call }) => call('records_get', { noun: 'contacts', id: '0rlnky' })),
  );
  for (const { structured, marker } of results) {
    expect(structured.records).toMatchObject([{ id: '0rlnky' }]);
    expect(marker).toBeDefined();
  }
  expect(new Set(transports.map(({ sessionId }) => sessionId)).size).toBe(2);
  expect(transports[0]?.protocolVersion).toBe('2025-11-25');
});

test('asks the user of a client, and reports progress, in the stream of the call', async () => {
  const questions: string[] = [];
  const person: Person = (message) => {
    questions.push(message);
    return { action: 'decline' };
  };
  const { url } = await startServer(createDemoMachine(), {}, '--allow-write');
  const { client } = await connect(url, person);
  const updates: number[] = [];
  const params = { name: 'records_delete', arguments: { noun: 'contacts', id: ['0rlnky'] } };
  const result = await client.callTool(params, undefined, {
    onprogress: ({ progress }) => void updates.push(progress),
  });
  expect(result).toMatchObject({ isError: true, structuredContent: { error: { code: 'cancelled' } } });
  expect(questions).toHaveLength(1);
  expect(updates.length).toBeGreaterThan(0);
});

test('DELETE ends a session and the calls that run in it', async () => {
  const closed: string[] = [];
  const { url: service, requests } = await startTestService(({ url }, response) => {
    response.on('close', () => closed.push(url));
  });
  const { url } = await startServer(createMachine(), { KITH_BASE_URL: service, KITH_API_KEY: 'a-key' });
  const transport = createTransport(url);
  const { client } = await connectClient(transport as Transport);
  const call = client.callTool({ name: 'records_get', arguments: { noun: 'notes', id: 'n1' } });
  call.catch(() => {});
  await expect.poll(() => requests.length).toBe(1);
  const { sessionId = '' } = transport;
  await transport.terminateSession();
  await expect.poll(() => closed).toHaveLength(1);
  expect(await send(url, 'POST', { 'mcp-session-id': sessionId }, listTools)).toMatchObject({ status: 404 });
});

const listTools = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });

/** Sends a request with the headers that every client sends. */
function send(url: URL, method: string, headers: Record<string, string>, body = '') {
  return new Promise<{ status: number | undefined; text: string; headers: NodeJS.Dict<string | string[]> }>(
    (resolve, reject) => {
      const accept = 'application/json, text/event-stream';
      const all = { 'content-type': 'application/json', accept, authorization: `Bearer ${key}`, ...headers };
      const outgoing = request(url, { method, headers: all }, (incoming) => {
        let text = '';
        incoming.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        incoming.on('end', () => resolve({ status: incoming.statusCode, text, headers: incoming.headers }));
      });
      outgoing.on('error', reject).end(body);
    },
  );
}

test('refuses wrong keys, hosts, origins, paths, sessions and methods before anything is read', async () => {
  const { url } = await startServer(createDemoMachine(), {}, '--allow-origin', 'https://app.example');
  const cases: [
    status: number,
    method: string,
    headers: Record<string, string>,
    path?: string,
    body?: string,
  ][] = [
    [401, 'POST', { authorization: '' }],
    [401, 'POST', { authorization: 'Bearer wrong' }],
    [401, 'POST', { authorization: `Bearer ${key}x` }],
    [403, 'POST', { host: 'evil.example' }],
    [403, 'POST', { host: '127.0.0.1.evil.example' }],
    [403, 'POST', { origin: 'https://evil.example' }],
    [403, 'POST', { origin: 'null' }],
    [404, 'POST', {}, '/other'],
    [404, 'POST', { 'mcp-session-id': 'unknown' }],
    [400, 'POST', {}],
    [400, 'POST', {}, '/mcp', 'no message'],
    [400, 'GET', {}],
    [405, 'PUT', {}],
  ];
  for (const [status, method, headers, path, body = listTools] of cases) {
    const target = path === undefined ? url : new URL(path, url);
    expect
      .soft([method, headers, (await send(target, method, headers, body)).status])
      .toEqual([method, headers, status]);
  }
  for (const origin of ['https://app.example', 'http://localhost:3000']) {
    const { status, headers } = await send(url, 'OPTIONS', { origin, authorization: '' });
    expect([status, headers['access-control-allow-origin']]).toEqual([204, origin]);
  }
  expect((await send(url, 'POST', { host: 'app.example' }, listTools)).status).toBe(400);
  expect((await send(url, 'POST', {}, 'x'.repeat(5_000_000))).status).toBe(413);
  const invalid = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 5 } });
  const { status, text } = await send(url, 'POST', {}, invalid);
  const message = 'params.name of tools/call is missing or invalid.';
  expect({ status, ...JSON.parse(text) }).toEqual({
    ...{ status: 200, jsonrpc: '2.0', id: 7 },
    error: { code: -32602, message },
  });
});

test('responds to a client after another client has disconnected during a call', async () => {
  const { url: service, requests } = await startTestService(({ url }, response) => {
    if (!url.endsWith('/slow')) sendJson(response, 200, { id: 'n2' });
  });
  const { url } = await startServer(createMachine(), { KITH_BASE_URL: service, KITH_API_KEY: 'a-key' });
  const lost = await connect(url);
  lost.call('records_get', { noun: 'notes', id: 'slow' }).catch(() => {});
  await expect.poll(() => requests.length).toBe(1);
  await lost.client.close();
  const { call } = await connect(url);
  expect((await call('records_get', { noun: 'notes', id: 'n2' })).isError).toBe(false);
});

test('closes the session that has been idle longest if there are too many', async () => {
  const { url } = await startServer(createDemoMachine());
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
  const hello = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  const ids: string[] = [];
  for (let count = 0; count < 65; count += 1)
    ids.push(String((await send(url, 'POST', {}, hello)).headers['mcp-session-id']));
  const statuses = [0, 1, 64].map((index) =>
    send(url, 'POST', { 'mcp-session-id': ids[index] ?? '' }, listTools),
  );
  expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual([404, 200, 200]);
});

test('a signal ends running calls with a response, and then the server', async () => {
  const { url: service, requests } = await startTestService(() => {});
  const { url, stop } = await startServer(createMachine(), { KITH_BASE_URL: service, KITH_API_KEY: 'a-key' });
  const { call } = await connect(url);
  const result = call('records_get', { noun: 'notes', id: 'n1' });
  await expect.poll(() => requests.length).toBe(1);
  const stopped = stop();
  expect((await result).structured.error).toMatchObject({ code: 'terminated' });
  expect((await stopped).code).toBe(0);
  await expect(send(url, 'POST', {}, listTools)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test('prints a new key once if the environment has none', async () => {
  const { url, readErrors } = await startServer(createDemoMachine(), { KITH_MCP_KEY: '' });
  const [, bearer = ''] = /Authorization: Bearer (kith_mcp_\S{43})\n/.exec(readErrors()) ?? [];
  const { call } = await connectClient(createTransport(url, bearer) as Transport);
  expect((await call('records_get', { noun: 'contacts', id: '0rlnky' })).isError).toBe(false);
  const client = new Client({ name: 'test', version: '1' });
  await expect(client.connect(createTransport(url, `${bearer}x`) as Transport)).rejects.toThrow();
});

test('redacts the API key of the service in each message', async () => {
  const apiKey = 'sk_live_0123456789abcdef';
  const { url } = await startServer(createMachine(), {
    KITH_BASE_URL: 'http://127.0.0.1:9',
    KITH_API_KEY: apiKey,
  });
  const { call } = await connect(url);
  const { text, structured } = await call('records_get', { noun: 'notes', id: 'x', [apiKey]: 1 });
  expect(text).toContain('Unknown parameter "[key]"');
  expect(JSON.stringify(structured)).not.toContain(apiKey);
});

test.each([
  [
    '--host 0.0.0.0',
    {},
    'kith: Refusing to listen on 0.0.0.0 without TLS: the key would be sent unencrypted.',
  ],
  ['--allow-origin app.example', {}, 'kith: --allow-origin: "app.example" is not an origin.'],
  ['', { KITH_MCP_KEY: 'short' }, 'kith: KITH_MCP_KEY must have at least 20 characters, without spaces.'],
])('`kith mcp --http %s` is a usage error', async (flags, env, message) => {
  const { code, err } = await createMachine()(`mcp --http ${flags}`, { env });
  expect([code, err.slice(0, message.length)]).toEqual([2, message]);
});

test('the built program serves over HTTP until SIGTERM', async () => {
  const { env } = createSignedInHome({ KITH_MCP_KEY: key });
  let checked = false;
  const { code } = await runKith(['mcp', '--http', '--port', '0'], {
    env,
    onStart: (child) => {
      child.stderr?.on('data', async (text: string) => {
        const [url] = /http:\S+/.exec(text) ?? [];
        if (url === undefined) return;
        const transport = createTransport(new URL(url));
        const client = new Client({ name: 'test', version: '1' });
        await client.connect(transport as Transport);
        checked = (await client.listTools()).tools.length > 0;
        await client.close();
        child.kill('SIGTERM');
      });
    },
  });
  expect({ code, checked }).toEqual({ code: 0, checked: true });
});

test('the server on stdin does not load HTTP', async () => {
  const env = createEnv(createTemporaryFolder(), { NODE_DEBUG: 'module', NODE_DISABLE_COMPILE_CACHE: '1' });
  const { err } = await runKith(['mcp'], { env, stdin: '' });
  expect(err).toMatch(/server-\w+/);
  expect(err).not.toMatch(/dist\/(streamableHttp|http-)/);
});
