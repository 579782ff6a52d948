import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { connect as connectSecurely } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import type { Contact } from '../../../src/contract/contacts.ts';
import type { ListenOptions } from '../../../src/contract/workspace.ts';
import type { Service } from '../../../src/service/dispatch.ts';
import { createKey } from '../../../src/service/http/keys.ts';
import { startServer } from '../../../src/service/http/server.ts';
import { trusted } from '../../client/certificates.ts';
import { plainly } from '../server.ts';
import { start, workspace } from '../service.ts';

/**
 * A served workspace with a contact; `raw` sends what is to go over the wire, and gives all that comes until the service
 * closes: who closes first may get no answer.
 */
async function served(listening: Partial<ListenOptions> = {}) {
  const { db, service, give } = workspace();
  const { key } = await createKey(db, { name: 'test', readOnly: false }, new Date(start));
  const contact = await give<Contact>('POST /v1/contacts', { first_name: '지우' });
  const reached: string[] = [];
  const counted: Service = (request, caller) => {
    reached.push(request.path);
    return service(request, caller);
  };
  const log = (text: string) => {
    throw new Error(text);
  };
  const shell = { db, service: counted, newId: () => 'made-here', log, version: '0.0.0' };
  const { url, stop } = await startServer(shell, { ...plainly, ...listening });
  onTestFinished(stop);
  const { port } = new URL(url);
  const open = (): Socket => {
    const options = { host: '127.0.0.1', port: Number(port), rejectUnauthorized: false };
    return listening.tls ? connectSecurely(options) : connect(options);
  };
  const raw = async (...lines: string[]) => {
    let all = '';
    const socket = open();
    socket.write(lines.join('\r\n'));
    for await (const chunk of socket) all += chunk;
    return all.replaceAll(/^Date: .*\r\n/gm, '');
  };
  const path = `/v1/contacts/${contact.id}`;
  const get = (...headers: string[]) =>
    raw(`GET ${path} HTTP/1.1`, 'Host: a', ...close, `Authorization: Bearer ${key}`, ...headers, '', '');
  return { contact, path, key, raw, open, get, stop, reached };
}

const close = ['Connection: close'];

const statusesOf = (answers: string) => answers.match(/(?<=HTTP\/1\.1 )\d+/g);

/** An answer as its lines, in no order: that of its headers says nothing. */
const linesOf = (answer: string) => answer.split('\r\n').sort();

test.each([
  ['without TLS', {}],
  ['with TLS', { tls: trusted }],
])('an answer that is known is the same but for the order of its headers, %s', async (_, listening) => {
  const { get, reached, contact } = await served(listening);
  const first = await get();
  expect(first).toContain(JSON.stringify(contact));
  expect(linesOf(await get())).toEqual(linesOf(first));
  expect(reached).toHaveLength(1);
});

test.each([
  ['x-request-id: mine'],
  ['x-request-id: not fit'],
  ['x-request-id:'],
  ['x-request-id: one', 'x-request-id: two'],
  [`x-request-id: ${'a'.repeat(101)}`],
])('the header "%s" says the same of an answer that is known', async (...headers) => {
  const { get, reached } = await served();
  const first = await get(...headers);
  expect(linesOf(await get(...headers))).toEqual(linesOf(first));
  expect(reached).toHaveLength(1);
});

test.each([
  ['no key', 401, ['Host: a']],
  ['a key that is not known', 401, ['Host: a', 'Authorization: Bearer kith_wrong']],
  ['another scheme', 401, ['Host: a', 'Authorization: Basic KEY']],
  ['two keys', 401, ['Host: a', 'Authorization: Bearer KEY', 'Authorization: Bearer KEY']],
  ['no host', 400, ['Authorization: Bearer KEY']],
  ['a host that is none', 400, ['Host: a/v1', 'Authorization: Bearer KEY']],
  ['a host with a user', 400, ['Host: u@a', 'Authorization: Bearer KEY']],
  ['a coding that is none', 400, ['Host: a', 'Authorization: Bearer KEY', 'Transfer-Encoding: gzip']],
])('%s is refused, whatever is known', async (_, status, headers) => {
  const { raw, get, path, key } = await served();
  await get();
  await raw(`GET http://u@a${path} HTTP/1.1`, 'Host: a', `Authorization: Bearer ${key}`, ...close, '', '');
  // What a host with a path would name, if both were read as one text.
  const target = headers[0] === 'Host: a/v1' ? path.slice('/v1'.length) : path;
  const shown = headers.map((header) => header.replace('KEY', key));
  expect(statusesOf(await raw(`GET ${target} HTTP/1.1`, ...shown, ...close, '', ''))).toEqual([
    String(status),
  ]);
});

test('a host that looks like an address and is none is as good as another', async () => {
  const { raw, path, key } = await served();
  for (const host of ['1.2.3.4.5', '256.256.256.256', 'xn--', 'a']) {
    for (const target of [path, `${path}?`, '/v1/contacts?first=1', '//?first=1']) {
      const lines = [`GET ${target} HTTP/1.1`, `Host: ${host}`, `Authorization: Bearer ${key}`];
      const answer = await raw(...lines, ...close, '', '');
      expect([host, target, statusesOf(answer)]).toEqual([
        host,
        target,
        [target === '//?first=1' ? '404' : '200'],
      ]);
    }
  }
});

test('requests that come all at once, one with a body, are answered in their order', async () => {
  const { raw, get, path, key, contact } = await served();
  await get();
  const heads = ['Host: a', `Authorization: Bearer ${key}`];
  const asked = (line: string, ...rest: string[]) => [line, ...heads, ...rest].join('\r\n');
  const answers = await raw(
    asked(`GET ${path} HTTP/1.1`, 'Content-Length: 5', '', 'hello') +
      asked(`GET ${path}/nothing HTTP/1.1`, '', '') +
      asked(`GET ${path} HTTP/1.1`, ...close, '', ''),
  );
  expect(statusesOf(answers)).toEqual(['200', '404', '200']);
  expect(answers.split(JSON.stringify(contact))).toHaveLength(3);
});

test('a service that stops closes a connection with the answer that is under way', async () => {
  const { open, get, path, key, stop } = await served();
  await get();
  const socket = open();
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n`);
  await wait(100); // for the service to have read it
  const stopped = stop();
  let answer = '';
  socket.write('\r\n');
  for await (const chunk of socket) answer += chunk;
  expect(statusesOf(answer)).toEqual(['200']);
  expect(answer.toLowerCase()).toContain('\r\nconnection: close\r\n');
  await stopped;
});
