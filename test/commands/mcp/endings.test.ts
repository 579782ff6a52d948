import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { sendJson, startTestService } from '../../client/loopback.ts';
import { createEnv, createSignedInHome, launcher, runShell } from '../../support/binary.ts';
import { createMachine, createTemporaryFolder } from '../../support/kith.ts';
import { connectInProcess, connectToProcess } from './agent.ts';

/** The messages of a client that calls a tool. */
function createCallLines(name: string, values: object): string[] {
  const clientInfo = { name: 'x', version: '1' };
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
  return [
    { jsonrpc: '2.0', id: 1, method: 'initialize', params },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name, arguments: values } },
  ].map((message) => `${JSON.stringify(message)}\n`);
}

test('finishes running calls after stdin is closed and reports invalid messages', async () => {
  const { env, home } = createSignedInHome();
  const [hello, ready, call] = createCallLines('records_list', { noun: 'contacts' });
  writeFileSync(join(home, 'in'), `${hello}${ready}no message\n${call}`);
  const { code, out, err } = await runShell('kith mcp < in', { env, cwd: home });
  expect(
    out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).id),
  ).toEqual([1, null, 2]);
  expect({ code, err }).toEqual({
    code: 0,
    err: 'kith: Invalid message from the MCP client: The message is not valid JSON.\n',
  });
});

test('SIGTERM stops the server', async () => {
  const { env } = createSignedInHome();
  const { spawn } = await import('node:child_process');
  const child = spawn(process.execPath, [launcher, 'mcp'], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.write('no message\n');
  await once(child.stderr, 'data');
  child.kill('SIGTERM');
  expect(await once(child, 'close')).toEqual([143, null]);
});

/** Starts a service that never responds. */
async function startSilentService() {
  const closedRequests: string[] = [];
  const { requests, env } = await startTestService(({ method }, response) => {
    response.on('close', () => closedRequests.push(method));
  });
  return { env, requests, closedRequests };
}

test.each([
  ['records_list', { noun: 'contacts' }],
  ['records_create', { noun: 'contacts', first_name: 'Ada' }],
])('a cancelled %s aborts its request', async (name, values) => {
  const { env, requests, closedRequests } = await startSilentService();
  const { client } = await connectInProcess(createMachine(), env, '--allow-write');
  const controller = new AbortController();
  const params = { name, arguments: values };
  const response = client.callTool(params, { signal: controller.signal });
  await expect.poll(() => requests.length).toBe(1);
  controller.abort('enough');
  await expect(response).rejects.toThrow('enough');
  await expect.poll(() => closedRequests).toHaveLength(1);
  expect((await client.listTools()).tools.length).toBeGreaterThan(10);
  expect(requests).toHaveLength(1);
});

test.each([
  ['records_list', { noun: 'contacts' }],
  ['records_create', { noun: 'contacts', first_name: 'Ada' }],
])('%s without a response is interrupted soon after stdin is closed', async (name, values) => {
  const { env, requests } = await startSilentService();
  const stdin = createCallLines(name, values).join('');
  const { code, out, err } = await createMachine()('mcp --allow-write', { env, stdin });
  const responses = out.trim().split('\n');
  expect({ code, err, requests: requests.length }).toEqual({ code: 0, err: '', requests: 1 });
  expect(JSON.parse(responses.at(-1) ?? '')).toMatchObject({
    id: 2,
    result: {
      isError: true,
      content: [{ text: expect.stringContaining('\ninterrupted: Stdin was closed') }],
    },
  });
});

test('a cancelled search stops, and the next one gets a response', async () => {
  const words = [{ text: 'a'.repeat(40), start_offset: 0, end_offset: 1 }];
  const transcript = [{ participant: { name: 'Ada' }, words }];
  const { url, requests } = await startTestService(({ url }, response) =>
    sendJson(response, 200, {
      data: url.includes('/recordings/')
        ? { id: 'r', status: 'done', transcript }
        : [{ id: 'e', title: 'Talk', recordings: [{ id: 'r', status: 'done' }] }],
    }),
  );
  // In a process: the expression would run in the thread of the tests.
  const env = { ...createEnv(createTemporaryFolder()), KITH_BASE_URL: url, KITH_API_KEY: 'a-key' };
  const { client, call } = await connectToProcess(env);
  const controller = new AbortController();
  const params = { name: 'events_grep', arguments: { pattern: '(a+)+b', regex: true } };
  const response = client.callTool(params, { signal: controller.signal });
  await expect.poll(() => requests.length).toBe(2);
  await wait(200);
  controller.abort('enough');
  await expect(response).rejects.toThrow('enough');
  expect((await call('events_grep', { pattern: '^a+$', regex: true })).text).toContain('"speaker":"Ada"');
});

test('--json is a usage error', async () => {
  const { code, out, err } = await createMachine()('mcp --json');
  expect({ code, out, message: JSON.parse(err).error.message }).toEqual({
    code: 2,
    out: '',
    message: 'This command does not accept --json.',
  });
});
