import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { connect as connectSecurely } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import type { Contact } from '../../../src/contract/contacts.ts';
import type { ListenOptions } from '../../../src/contract/workspace.ts';
import { createKey } from '../../../src/service/http/keys.ts';
import { startServer } from '../../../src/service/http/server.ts';
import { trusted } from '../../client/certificates.ts';
import { plainOptions } from '../server.ts';
import { openTestWorkspace, startTime } from '../service.ts';

/** Serves a workspace with a contact. `raw` sends lines over a socket and returns all data until the service closes it. */
async function serveContact(listenOptions: Partial<ListenOptions> = {}) {
  const { db, service, sendOk } = await openTestWorkspace();
  const { key } = await createKey(db, { name: 'test', readOnly: false }, new Date(startTime));
  const contact = await sendOk<Contact>('POST /v1/contacts', { first_name: '지우' });
  const log = (text: string) => {
    throw new Error(text);
  };
  const shell = { db, service, newId: () => 'made-here', log, version: '0.0.0' };
  const { url, stop } = await startServer(shell, { ...plainOptions, ...listenOptions });
  onTestFinished(() => stop());
  const { port } = new URL(url);
  const openSocket = (): Socket => {
    const options = { host: '127.0.0.1', port: Number(port), rejectUnauthorized: false };
    return listenOptions.tls ? connectSecurely(options) : connect(options);
  };
  const sendRaw = async (...lines: string[]) => {
    let all = '';
    const socket = openSocket();
    socket.write(lines.join('\r\n'));
    for await (const chunk of socket) all += chunk;
    return all.replaceAll(/^Date: .*\r\n/gm, '');
  };
  const path = `/v1/contacts/${contact.id}`;
  const get = (...headers: string[]) =>
    sendRaw(`GET ${path} HTTP/1.1`, 'Host: a', ...close, `Authorization: Bearer ${key}`, ...headers, '', '');
  return { contact, path, key, sendRaw, openSocket, get, stop };
}

const close = ['Connection: close'];

const readStatuses = (responses: string) => responses.match(/(?<=HTTP\/1\.1 )\d+/g);

test.each([
  ['without TLS', {}],
  ['with TLS', { tls: trusted }],
])('returns the same response to the same request, %s', async (_, listenOptions) => {
  const { get, contact } = await serveContact(listenOptions);
  const first = await get();
  expect(first).toContain(JSON.stringify(contact));
  expect(await get()).toBe(first);
});

test('makes a request id if there are two', async () => {
  const { get } = await serveContact();
  expect(await get('x-request-id: one', 'x-request-id: two')).toContain('x-request-id: made-here\r\n');
});

test.each([
  ['two keys', 401, ['Host: a', 'Authorization: Bearer KEY', 'Authorization: Bearer KEY']],
  ['an invalid host', 400, ['Host: a/v1', 'Authorization: Bearer KEY']],
  ['a host with a user', 400, ['Host: u@a', 'Authorization: Bearer KEY']],
  ['an unknown transfer coding', 400, ['Host: a', 'Authorization: Bearer KEY', 'Transfer-Encoding: gzip']],
])('refuses a request with %s', async (_, status, headers) => {
  const { sendRaw, path, key } = await serveContact();
  const user = ['Host: a', `Authorization: Bearer ${key}`, ...close, '', ''];
  await sendRaw(`GET http://u@a${path} HTTP/1.1`, ...user);
  // The target that would match the path if host and target were joined.
  const target = headers[0] === 'Host: a/v1' ? path.slice('/v1'.length) : path;
  const sent = headers.map((header) => header.replace('KEY', key));
  const response = await sendRaw(`GET ${target} HTTP/1.1`, ...sent, ...close, '', '');
  expect(readStatuses(response)).toEqual([String(status)]);
});

test('accepts any host name, even one that looks like an address', async () => {
  const { sendRaw, path, key } = await serveContact();
  for (const host of ['1.2.3.4.5', '256.256.256.256', 'xn--', 'a']) {
    for (const target of [path, `${path}?`, '/v1/contacts?first=1', '//?first=1']) {
      const lines = [`GET ${target} HTTP/1.1`, `Host: ${host}`, `Authorization: Bearer ${key}`];
      const response = await sendRaw(...lines, ...close, '', '');
      expect([host, target, readStatuses(response)]).toEqual([
        host,
        target,
        [target === '//?first=1' ? '404' : '200'],
      ]);
    }
  }
});

test('answers pipelined requests in order, also after one with a body', async () => {
  const { sendRaw, path, key, contact } = await serveContact();
  const heads = ['Host: a', `Authorization: Bearer ${key}`];
  const buildRequest = (line: string, ...rest: string[]) => [line, ...heads, ...rest].join('\r\n');
  const responses = await sendRaw(
    buildRequest(`GET ${path} HTTP/1.1`, 'Content-Length: 5', '', 'hello') +
      buildRequest(`GET ${path}/nothing HTTP/1.1`, '', '') +
      buildRequest(`GET ${path} HTTP/1.1`, ...close, '', ''),
  );
  expect(readStatuses(responses)).toEqual(['200', '404', '200']);
  expect(responses.split(JSON.stringify(contact))).toHaveLength(3);
});

test('a stopping service closes the connection with the response to the current request', async () => {
  const { openSocket, path, key, stop } = await serveContact();
  const socket = openSocket();
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n`);
  await wait(100); // for the service to have read it
  const stopResult = stop();
  let response = '';
  socket.write('\r\n');
  for await (const chunk of socket) response += chunk;
  expect(readStatuses(response)).toEqual(['200']);
  expect(response.toLowerCase()).toContain('\r\nconnection: close\r\n');
  await stopResult;
});
