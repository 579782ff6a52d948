import { getEventListeners, once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { Agent } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { SlowResponseError, sendRequest } from '../../src/client/exchange.ts';
import { loopback } from './loopback.ts';

const to = (origin: string) => ({ origin, path: '/v1/contacts', method: 'GET', headers: {} });

function agentWith(options: Agent.Options = {}): Agent {
  const agent = new Agent(options);
  onTestFinished(() => agent.destroy());
  return agent;
}

test('an answer: its status, its headers as one text each, the bytes of its body', async () => {
  const { url } = await loopback((_, response) => {
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

test('a signal ends a request that is under way, with its own reason, and its connection', async () => {
  const stopping = new AbortController();
  const reason = new Error('Interrupted.');
  const closed: Promise<unknown>[] = [];
  const { url } = await loopback((_, response) => {
    closed.push(once(response, 'close'));
    stopping.abort(reason);
  });
  await expect(sendRequest(agentWith(), to(url), 5000, stopping.signal)).rejects.toBe(reason);
  await Promise.all(closed);
  expect(closed).toHaveLength(1);
});

/** A service that takes connections, and is silent where TLS has to begin. */
async function silent(hear: () => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    hear();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a signal ends the waiting for a connection', async () => {
  const stopping = new AbortController();
  const reason = new Error('Interrupted.');
  const url = await silent(() => stopping.abort(reason));
  await expect(sendRequest(agentWith(), to(url), 5000, stopping.signal)).rejects.toBe(reason);
});

test('with a signal that was given before nothing is begun', async () => {
  let connections = 0;
  const url = await silent(() => {
    connections += 1;
  });
  const reason = new Error('Interrupted.');
  await expect(sendRequest(agentWith(), to(url), 5000, AbortSignal.abort(reason))).rejects.toBe(reason);
  expect(connections).toBe(0);
});

test('nothing is sent over a connection that is there only after the signal', async () => {
  const stopping = new AbortController();
  const { url, seen } = await loopback((_, response) => response.end('{}'));
  const { port } = new URL(url);
  const agent = agentWith({
    connect: (_, callback) => {
      stopping.abort(new Error('Interrupted.'));
      const socket = connect(Number(port), '127.0.0.1', () => callback(null, socket));
    },
  });
  await expect(sendRequest(agent, to(url), 5000, stopping.signal)).rejects.toThrow('Interrupted.');
  await wait(100);
  expect(seen).toEqual([]);
});

test('a service that says again and again that it is at work is given up', async () => {
  const { url } = await loopback((_, response) => {
    const timer = setInterval(() => response.writeProcessing(), 20);
    response.on('close', () => clearInterval(timer));
  });
  const signal = new AbortController().signal;
  await expect(sendRequest(agentWith(), to(url), 100, signal)).rejects.toThrow(SlowResponseError);
});

test('a body that takes long is read to its end as long as it brings enough', async () => {
  const { url } = await loopback((_, response) => {
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
