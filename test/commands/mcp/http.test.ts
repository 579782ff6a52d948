import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { Failure } from '../../../src/contract/errors.ts';
import { sendJson, startTestService } from '../../client/loopback.ts';
import { createEnv, createSignedInHome, runKith } from '../../support/binary.ts';
import { createDemoMachine, createMachine, createTemporaryFolder } from '../../support/kith.ts';
import { connectClient, newestRevision, type Person, revisions } from './agent.ts';

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

const connect = (url: URL, person?: Person, revision?: string) =>
  connectClient(createTransport(url), person, revision);

test.each(revisions)('serves several clients of revision %s at once', async (revision) => {
  const { url } = await startServer(createDemoMachine());
  const agents = await Promise.all([1, 2].map(() => connect(url, undefined, revision)));
  const results = await Promise.all(
    agents.map(({ call }) => call('records_get', { noun: 'contacts', id: '0rlnky' })),
  );
  for (const { structured, marker } of results) {
    expect(structured.records).toMatchObject([{ id: '0rlnky' }]);
    expect(marker).toBeDefined();
  }
  expect(agents[0]?.client.getNegotiatedProtocolVersion()).toBe(revision ?? '2025-11-25');
});

const deletion = { name: 'records_delete', arguments: { noun: 'contacts', id: ['0rlnky'] } };

test('asks the user of a client, and reports progress, in the stream of the call', async () => {
  const questions: string[] = [];
  const person: Person = (message) => {
    questions.push(message);
    return { action: 'decline' };
  };
  const { url } = await startServer(createDemoMachine(), {}, '--allow-write');
  const { client } = await connect(url, person, newestRevision);
  const updates: number[] = [];
  const result = await client.callTool(deletion, {
    onprogress: ({ progress }) => void updates.push(progress),
  });
  expect(result).toMatchObject({ isError: true, structuredContent: { error: { code: 'cancelled' } } });
  expect(questions).toHaveLength(1);
  expect(updates.length).toBeGreaterThan(0);
});

test('gives a client of an earlier revision a token, and reports progress', async () => {
  const { url } = await startServer(createDemoMachine(), {}, '--allow-write');
  const { client, callConfirmed } = await connect(url, () => ({ action: 'decline' }));
  const updates: number[] = [];
  await client.callTool(deletion, { onprogress: ({ progress }) => void updates.push(progress) });
  expect(updates.length).toBeGreaterThan(0);
  expect((await callConfirmed(deletion.name, deletion.arguments)).isError).toBe(false);
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

test('refuses wrong keys, hosts, origins, paths and methods before anything is read', async () => {
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
    [400, 'POST', {}, '/mcp', 'no message'],
    [400, 'POST', {}, '/mcp', ''],
    [415, 'POST', { 'content-type': 'text/plain' }],
    [400, 'POST', { 'mcp-protocol-version': newestRevision }],
    [405, 'GET', {}, '/mcp', ''],
    [405, 'PUT', {}],
    [405, 'DELETE', { 'mcp-session-id': 'unknown' }, '/mcp', ''],
    [200, 'POST', { 'mcp-session-id': 'unknown' }],
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
  expect((await send(url, 'POST', { host: 'app.example' }, listTools)).status).toBe(200);
  expect((await send(url, 'POST', {}, 'x'.repeat(5_000_000))).status).toBe(413);
  const invalid = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 5 } });
  const { status, text } = await send(url, 'POST', {}, invalid);
  const message = 'params.name of tools/call is missing or invalid.';
  expect({ status, ...JSON.parse(text) }).toEqual({
    ...{ status: 200, jsonrpc: '2.0', id: 7 },
    error: { code: -32602, message },
  });
});

test('a client that disconnects or cancels ends its call, and other clients are served', async () => {
  const closed: string[] = [];
  const { url: service, requests } = await startTestService(({ url }, response) => {
    response.on('close', () => closed.push(url));
    if (!url.endsWith('/slow')) sendJson(response, 200, { id: 'n2' });
  });
  const { url } = await startServer(createMachine(), { KITH_BASE_URL: service, KITH_API_KEY: 'a-key' });
  const lost = await connect(url);
  lost.call('records_get', { noun: 'notes', id: 'slow' }).catch(() => {});
  await expect.poll(() => requests.length).toBe(1);
  await lost.client.close();
  await expect.poll(() => closed).toHaveLength(1);
  const { client } = await connect(url, undefined, newestRevision);
  const cancelling = new AbortController();
  const params = { name: 'records_get', arguments: { noun: 'notes', id: 'slow' } };
  const cancelled = client.callTool(params, { signal: cancelling.signal });
  await expect.poll(() => requests.length).toBe(2);
  cancelling.abort('enough');
  await expect(cancelled).rejects.toThrow('enough');
  await expect.poll(() => closed).toHaveLength(2);
  const { call } = await connect(url);
  expect((await call('records_get', { noun: 'notes', id: 'n2' })).isError).toBe(false);
});

test.each(revisions)(
  'a signal ends calls of revision %s with a response, and the server',
  async (revision) => {
    const { url: service, requests } = await startTestService(() => {});
    const { url, stop } = await startServer(createMachine(), {
      KITH_BASE_URL: service,
      KITH_API_KEY: 'a-key',
    });
    const { call } = await connect(url, undefined, revision);
    const result = call('records_get', { noun: 'notes', id: 'n1' });
    await expect.poll(() => requests.length).toBe(1);
    const stopped = stop();
    expect((await result).structured.error).toMatchObject({ code: 'terminated' });
    expect((await stopped).code).toBe(0);
    await expect(send(url, 'POST', {}, listTools)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  },
);

test('prints a new key once if the environment has none', async () => {
  const { url, readErrors } = await startServer(createDemoMachine(), { KITH_MCP_KEY: '' });
  const [, bearer = ''] = /Authorization: Bearer (kith_mcp_\S{43})\n/.exec(readErrors()) ?? [];
  const { call } = await connectClient(createTransport(url, bearer));
  expect((await call('records_get', { noun: 'contacts', id: '0rlnky' })).isError).toBe(false);
  const client = new Client({ name: 'test', version: '1' });
  await expect(client.connect(createTransport(url, `${bearer}x`))).rejects.toThrow();
});

test.each(revisions)('redacts the API key in each message of revision %s', async (revision) => {
  const apiKey = 'sk_live_0123456789abcdef';
  const { url } = await startServer(createMachine(), {
    KITH_BASE_URL: 'http://127.0.0.1:9',
    KITH_API_KEY: apiKey,
  });
  const { call } = await connect(url, undefined, revision);
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
        await client.connect(transport);
        checked = (await client.listTools()).tools.length > 0;
        await client.close();
        child.kill('SIGTERM');
      });
    },
  });
  expect({ code, checked }).toEqual({ code: 0, checked: true });
});

test('only the server loads its library, and the server on stdin does not load HTTP', async () => {
  const env = createEnv(createTemporaryFolder(), { NODE_DEBUG: 'module', NODE_DISABLE_COMPILE_CACHE: '1' });
  const [library = ''] = readdirSync('dist').filter(
    (name) => name.startsWith('server-') && readFileSync(join('dist', name), 'utf8').includes('tools/call'),
  );
  const { err } = await runKith(['mcp'], { env, stdin: '' });
  expect(err).toContain(library);
  expect(err).not.toMatch(/dist\/(streamableHttp|http-)/);
  expect((await runKith(['contacts', 'list'], { env })).err).not.toContain(library);
});
