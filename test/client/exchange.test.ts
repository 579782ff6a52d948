import { getEventListeners, once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { Agent } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { SlowResponseError, sendRequest } from '../../src/client/exchange.ts';
import { startTestService } from './loopback.ts';

const to = (origin: string) => ({ origin, path: '/v1/contacts', method: 'GET', headers: {} });

function agentWith(options: Agent.Options = {}): Agent {
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
  const { status, headers, bytes } = await sendRequest(agentWith(), to(url), 1000, signal);
  expect({ status, text: String(bytes) }).toEqual({ status: 200, text: '{"data":1}' });
  expect(headers).toMatchObject({ 'set-cookie': 'a=1,b=2', 'x-one': '1' });
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('a signal ends a running request with the reason of the signal and closes the connection', async () => {
  const stopping = new AbortController();
  const reason = new Error('Interrupted.');
  const closed: Promise<unknown>[] = [];
  const { url } = await startTestService((_, response) => {
    closed.push(once(response, 'close'));
    stopping.abort(reason);
  });
  await expect(sendRequest(agentWith(), to(url), 5000, stopping.signal)).rejects.toBe(reason);
  await Promise.all(closed);
  expect(closed).toHaveLength(1);
});

/** Starts a service that accepts connections but does not begin TLS. */
async function silent(hear: () => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    hear();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a signal ends waiting for a connection', async () => {
  const stopping = new AbortController();
  const reason = new Error('Interrupted.');
  const url = await silent(() => stopping.abort(reason));
  await expect(sendRequest(agentWith(), to(url), 5000, stopping.signal)).rejects.toBe(reason);
});

test('opens no connection if the signal is already aborted', async () => {
  let connections = 0;
  const url = await silent(() => {
    connections += 1;
  });
  const reason = new Error('Interrupted.');
  await expect(sendRequest(agentWith(), to(url), 5000, AbortSignal.abort(reason))).rejects.toBe(reason);
  expect(connections).toBe(0);
});

test('sends nothing over a connection that opens after the signal', async () => {
  const stopping = new AbortController();
  const { url, requests } = await startTestService((_, response) => response.end('{}'));
  const { port } = new URL(url);
  const agent = agentWith({
    connect: (_, callback) => {
      stopping.abort(new Error('Interrupted.'));
      const socket = connect(Number(port), '127.0.0.1', () => callback(null, socket));
    },
  });
  await expect(sendRequest(agent, to(url), 5000, stopping.signal)).rejects.toThrow('Interrupted.');
  await wait(100);
  expect(requests).toEqual([]);
});

test('times out if the service only sends 102 Processing', async () => {
  const { url } = await startTestService((_, response) => {
    const timer = setInterval(() => response.writeProcessing(), 20);
    response.on('close', () => clearInterval(timer));
  });
  const signal = new AbortController().signal;
  await expect(sendRequest(agentWith(), to(url), 100, signal)).rejects.toThrow(SlowResponseError);
});

test('reads a slow body to its end if it arrives fast enough', async () => {
  const { url } = await startTestService((_, response) => {
    let left = 40;
    const timer = setInterval(() => {
      response.write('x'.repeat(100));
      left -= 1;
      if (left > 0) return;
      clearInterval(timer);
      response.end();
    }, 10);
  });
  const { bytes } = await sendRequest(agentWith(), to(url), 25, new AbortController().signal);
  expect(bytes).toHaveLength(4000);
});
