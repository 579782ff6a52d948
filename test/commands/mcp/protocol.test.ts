import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/values/json-object.ts';
import { sendJson, sendPage, startTestService } from '../../client/loopback.ts';
import { createDemoMachine, createMachine } from '../../support/kith.ts';
import { connectInProcess, connectPinned, newestRevision } from './agent.ts';

test('negotiates the current revision of the protocol and offers its features', async () => {
  const { client } = await connectInProcess(createDemoMachine(), {});
  expect(client.getServerVersion()).toMatchObject({ name: 'kith' });
  expect(client.getServerCapabilities()).toEqual({ tools: {}, resources: {}, completions: {} });
  expect(client.getNegotiatedProtocolVersion()).toBe('2025-11-25');
});

test('serves a client that is pinned to the newest revision', async () => {
  const { client, call } = await connectPinned(createDemoMachine(), {}, undefined, '--allow-write');
  expect(client.getNegotiatedProtocolVersion()).toBe(newestRevision);
  expect(client.getServerCapabilities()).toEqual({ tools: {}, resources: {}, completions: {} });
  expect((await call('records_get', { noun: 'contacts', id: '0rlnky' })).isError).toBe(false);
  expect((await client.listResources()).resources.length).toBeGreaterThan(0);
  const uri = 'kith://contacts/nobody';
  await expect(client.readResource({ uri })).rejects.toMatchObject({ code: -32602 });
  // Without forms, the agent gets a token.
  const refused = await call('records_delete', { noun: 'contacts', id: ['0rlnky'] });
  expect(refused).toMatchObject({ isError: true, notes: [expect.stringContaining('`confirm`: "')] });
});

/** Starts a service with 500 contacts. */
const startLongList = () =>
  startTestService(({ url }, response) =>
    sendPage(response, url, { length: 500, at: (index) => ({ id: `c${index}` }) }),
  );

test('reports progress with a progress token', async () => {
  const { env } = await startLongList();
  const { client } = await connectInProcess(createMachine(), env);
  const updates: { progress: number; message?: string | undefined }[] = [];
  const params = { name: 'records_list', arguments: { noun: 'contacts', where: 'id = c499' } };
  await client.callTool(params, { onprogress: (update) => void updates.push(update) });
  expect(updates[0]).toMatchObject({ progress: 1, message: expect.stringMatching(/^Loading contacts/) });
  const counts = updates.map(({ progress }) => progress);
  expect(counts).toEqual([...new Set(counts)].toSorted((a, b) => a - b));
});

test('of two calls at once, only the cancelled one ends', async () => {
  const release: (() => void)[] = [];
  const { requests, env } = await startTestService(({ url }, response) => {
    release.push(() => sendJson(response, 200, { id: url.split('/').at(-1) }));
  });
  const { client } = await connectInProcess(createMachine(), env);
  const cancelling = new AbortController();
  const get = (id: string, signal?: AbortSignal) =>
    client.callTool(
      { name: 'records_get', arguments: { noun: 'notes', id } },
      {
        ...(signal && { signal }),
      },
    );
  const cancelled = get('n1', cancelling.signal);
  const other = get('n2');
  await expect.poll(() => requests.length).toBe(2);
  cancelling.abort('enough');
  await expect(cancelled).rejects.toThrow('enough');
  for (const respond of release) respond();
  expect((await other).structuredContent).toMatchObject({ records: [{ id: 'n2' }] });
});

test('a failure that may pass is retryable', async () => {
  const { env } = await startTestService((_, response) =>
    sendJson(response, 503, { error: 'busy' }, { 'retry-after': '7' }),
  );
  const { call } = await connectInProcess(createMachine(), env, '--retries', '0');
  const { structured } = await call('records_get', { noun: 'notes', id: 'n1' });
  expect(structured.error).toMatchObject({ code: 'unavailable', retryable: true });
  expect(structured.error).not.toHaveProperty('exit_code');
});

/** Returns the line of a request. */
const createLine = (method: string, rest: object = {}) =>
  JSON.stringify({ jsonrpc: '2.0', id: 7, method, ...rest });

const hello = createLine('initialize', {
  id: 0,
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
});

/** Sends lines to a server on stdin, and closes it after one message for each. Returns the messages. */
async function exchange(kith: ReturnType<typeof createMachine>, command: string, lines: readonly string[]) {
  const stdinChunks = new PassThrough();
  let out = '';
  const onOut = (text: string) => {
    out += text;
    if (out.split('\n').length > lines.length) stdinChunks.end();
  };
  stdinChunks.write([...lines, ''].join('\n'));
  const { code, err } = await kith(command, { stdinChunks, onOut });
  const messages: { id: unknown; result?: JsonObject }[] = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return { code, err, messages };
}

/** Sends lines to a new server, and returns its responses to them. */
async function sendLines(...lines: string[]) {
  const { code, err, messages } = await exchange(createDemoMachine(), 'mcp', [hello, ...lines]);
  return { code, err, responses: messages.filter(({ id }) => id !== 0) };
}

const refuse = (code: number, message: string, id: unknown = 7) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
});

test.each([
  ['no message', refuse(-32700, 'The message is not valid JSON.', null)],
  ['{"id": 7}', refuse(-32600, 'The message is not a JSON-RPC 2.0 message.')],
  ['[]', refuse(-32600, 'The message is not a JSON-RPC 2.0 message.', null)],
  [`"${'x'.repeat(11_000_000)}"`, refuse(-32600, 'The message is larger than 10 MB.', null)],
  [createLine('tools/call', { params: 5 }), refuse(-32600, 'The message is not a JSON-RPC 2.0 message.')],
  [
    createLine('tools/call', { params: null }),
    refuse(-32602, 'params.name of tools/call is missing or invalid.'),
  ],
  [
    createLine('tools/call', { params: { name: 5 } }),
    refuse(-32602, 'params.name of tools/call is missing or invalid.'),
  ],
  [
    createLine('initialize', { params: { protocolVersion: 5 } }),
    refuse(-32602, 'params.protocolVersion of initialize is missing or invalid.'),
  ],
  [createLine('other'), refuse(-32601, 'Method not found')],
])('answers an invalid message with an error, and continues', async (line, response) => {
  const { code, responses } = await sendLines(line, createLine('ping', { id: 8 }));
  expect({ code, responses }).toEqual({
    code: 0,
    responses: expect.arrayContaining([response, { jsonrpc: '2.0', id: 8, result: {} }]),
  });
});

test.each([
  ['tools/list', { params: null }],
  ['resources/list', { params: { cursor: '' } }],
  ['tools/list', { params: { cursor: null } }],
  ['tools/call', { params: { name: 'actions_list', arguments: null } }],
  ['tools/call', { params: { name: 'records_list', arguments: { noun: 'lists', cursor: '', where: null } } }],
])('an empty cursor and null are omitted values of %s: %j', async (method, rest) => {
  const { responses } = await sendLines(createLine(method, rest));
  expect(responses).toEqual([{ jsonrpc: '2.0', id: 7, result: expect.any(Object) }]);
  expect(responses[0]?.result).not.toMatchObject({ isError: true });
});

test('the newest revision has no initialize', async () => {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': newestRevision,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const line = createLine('initialize', { params: { _meta } });
  const { messages } = await exchange(createDemoMachine(), 'mcp', [line]);
  expect(messages).toMatchObject([{ error: { code: -32601 } }]);
});

test('answers requests of the newest revision, each without an earlier one', async () => {
  const kith = createDemoMachine();
  const send = async (method: string, params: object = {}) => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': newestRevision,
      'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
    };
    const line = createLine(method, { params: { _meta, ...params } });
    const { messages } = await exchange(kith, 'mcp --allow-write', [line]);
    return messages[0]?.result ?? {};
  };
  const fixed = { resultType: 'complete', ttlMs: 300_000, cacheScope: 'private' };
  expect(await send('server/discover')).toMatchObject({ ...fixed, supportedVersions: [newestRevision] });
  expect(await send('tools/list')).toMatchObject(fixed);
  expect(await send('resources/list')).toMatchObject({ ...fixed, ttlMs: 0 });
  const call = { name: 'records_delete', arguments: { noun: 'contacts', id: ['0rlnky'] } };
  const question = await send('tools/call', call);
  expect(question).toMatchObject({
    resultType: 'input_required',
    requestState: expect.stringMatching(/^\w{16}$/),
    inputRequests: {
      consent: {
        method: 'elicitation/create',
        params: { message: expect.stringMatching(/^Delete contact/) },
      },
    },
  });
  const inputResponses = { consent: { action: 'accept', content: { confirm: true } } };
  // Neither an answer with an invented state nor a state without an answer confirms.
  for (const part of [
    { inputResponses, requestState: 'x' },
    { inputResponses },
    { requestState: question.requestState },
  ])
    expect((await send('tools/call', { ...call, ...part })).resultType).toBe('input_required');
  expect((await kith('contacts get 0rlnky')).code).toBe(0);
  const { requestState } = question;
  const deleted = await send('tools/call', { ...call, inputResponses, requestState });
  expect(deleted).toMatchObject({ resultType: 'complete', isError: false });
});
