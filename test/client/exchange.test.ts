import { getEventListeners, once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { Agent } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { SlowResponseError, sendRequest } from '../../src/client/exchange.ts';
import { startTestService } from './loopback.ts';

const createRequest = (origin: string) => ({ origin, path: '/v1/contacts', method: 'GET', headers: {} });

function createAgent(options: Agent.Options = {}): Agent {
  const agent = new Agent(options);
  onTestFinished(() => agent.destroy());
  return agent;
}

test('returns the status, each header as one text, and the bytes of the body', async () => {
  const { url } = await startTestService((_, response) => {
    response.writeHead(200, { 'set-cookie': ['a=1', 'b=2'], 'x-one': '1' });
    response.write('{"data"');
    setTimeout(() => response.end(':1}'), 20);
  });
  const signal = new AbortController().signal;
  const { status, headers, bytes } = await sendRequest(createAgent(), createRequest(url), 1000, signal);
  expect({ status, text: String(bytes) }).toEqual({ status: 200, text: '{"data":1}' });
  expect(headers).toMatchObject({ 'set-cookie': 'a=1,b=2', 'x-one': '1' });
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('a signal ends a running request with the reason of the signal and closes the connection', async () => {
  const controller = new AbortController();
  const reason = new Error('Interrupted.');
  const closeEvents: Promise<unknown>[] = [];
  const { url } = await startTestService((_, response) => {
    closeEvents.push(once(response, 'close'));
    controller.abort(reason);
  });
  await expect(sendRequest(createAgent(), createRequest(url), 5000, controller.signal)).rejects.toBe(reason);
  await Promise.all(closeEvents);
  expect(closeEvents).toHaveLength(1);
});

/** Starts a service that accepts connections but does not begin TLS. */
async function startSilentServer(onRequest: () => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    onRequest();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a signal ends waiting for a connection', async () => {
  const controller = new AbortController();
  const reason = new Error('Interrupted.');
  const url = await startSilentServer(() => controller.abort(reason));
  await expect(sendRequest(createAgent(), createRequest(url), 5000, controller.signal)).rejects.toBe(reason);
});

test('opens no connection if the signal is already aborted', async () => {
  let connections = 0;
  const url = await startSilentServer(() => {
    connections += 1;
  });
  const reason = new Error('Interrupted.');
  await expect(sendRequest(createAgent(), createRequest(url), 5000, AbortSignal.abort(reason))).rejects.toBe(
    reason,
  );
  expect(connections).toBe(0);
});

test('sends nothing over a connection that opens after the signal', async () => {
  const controller = new AbortController();
  const { url, requests } = await startTestService((_, response) => response.end('{}'));
  const { port } = new URL(url);
  const agent = createAgent({
    connect: (_, callback) => {
      controller.abort(new Error('Interrupted.'));
      const socket = connect(Number(port), '127.0.0.1', () => callback(null, socket));
    },
  });
  await expect(sendRequest(agent, createRequest(url), 5000, controller.signal)).rejects.toThrow(
    'Interrupted.',
  );
  await wait(100);
  expect(requests).toEqual([]);
});

test('times out if the service only sends 102 Processing', async () => {
  const { url } = await startTestService((_, response) => {
    const timer = setInterval(() => response.writeProcessing(), 20);
    response.on('close', () => clearInterval(timer));
  });
  const signal = new AbortController().signal;
  await expect(sendRequest(createAgent(), createRequest(url), 100, signal)).rejects.toThrow(
    SlowResponseError,
  );
});

test('reads a slow body to its end if it arrives fast enough', async () => {
  const { url } = await startTestService((_, response) => {
    let remaining = 40;
    const timer = setInterval(() => {
      response.write('x'.repeat(100));
      remaining -= 1;
      if (remaining > 0) return;
      clearInterval(timer);
      response.end();
    }, 10);
  });
  const { bytes } = await sendRequest(createAgent(), createRequest(url), 25, new AbortController().signal);
  expect(bytes).toHaveLength(4000);
});
