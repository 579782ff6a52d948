import { onTestFinished } from 'vitest';
import { createKey } from '../../src/service/http/keys.ts';
import type { HttpDeps } from '../../src/service/http/responder.ts';
import { startServer } from '../../src/service/http/server.ts';
import { openTestWorkspace, startTime } from './service.ts';

export const plainOptions = { host: '127.0.0.1', port: 0, tls: undefined, behindProxy: false };

type ServerTimeouts = Parameters<typeof startServer>[2];

/** Starts a real server on a loopback port, with a read-write key and a read-only key. */
export async function startTestServer(options: Partial<HttpDeps> = {}, timeouts?: ServerTimeouts) {
  const workspace = await openTestWorkspace();
  const { db, service } = workspace;
  const now = new Date(startTime);
  const keys = {
    writing: await createKey(db, { name: 'writing', readOnly: false }, now),
    reading: await createKey(db, { name: 'reading', readOnly: true }, now),
  };
  const log = (text: string) => {
    throw new Error(text);
  };
  const shell = { db, service, newId: () => 'made-here', version: '0.0.0', log };
  const { url, stop } = await startServer({ ...shell, ...options }, plainOptions, timeouts);
  onTestFinished(() => stop());

  /** Sends a request, such as `send('POST /v1/contacts', { body: '{}' })`; by default with the read-write key. */
  const send = async (
    line: string,
    {
      body,
      headers = {},
      key = keys.writing.key,
    }: { body?: string | Buffer; headers?: Record<string, string>; key?: string } = {},
  ) => {
    const [method = '', path = ''] = line.split(' ');
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(key && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body }),
    });
    const text = await response.text();
    const shownHeaders = Object.fromEntries(
      ['content-type', 'location', 'allow', 'www-authenticate', 'x-request-id'].flatMap((name) => {
        const value = response.headers.get(name);
        return value === null ? [] : [[name, value]];
      }),
    );
    return {
      status: response.status,
      headers: shownHeaders,
      body: text === '' ? undefined : JSON.parse(text),
    };
  };
  return { ...workspace, keys, url, stop, send };
}

const workspace = { 'x-request-id': 'made-here' };
export const json = { ...workspace, 'content-type': 'application/json' };
export const problem = { ...workspace, 'content-type': 'application/problem+json' };
export const createProblem = (status: number, title: string, detail: string) => ({
  type: 'about:blank',
  title,
  status,
  detail,
  request_id: 'made-here',
});
