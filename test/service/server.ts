import { onTestFinished } from 'vitest';
import { createKey } from '../../src/service/http/keys.ts';
import type { HttpDeps } from '../../src/service/http/listener.ts';
import { type ServerTimeouts, startServer } from '../../src/service/http/server.ts';
import { start, workspace } from './service.ts';

export const plainly = { host: '127.0.0.1', port: 0, tls: undefined, behindProxy: false };

/** A real server on a loopback port with a key that may write and one that may not. */
export async function server(options: Partial<HttpDeps> = {}, timeouts?: ServerTimeouts) {
  const made = workspace();
  const { db, service } = made;
  const now = new Date(start);
  const keys = {
    writing: await createKey(db, { name: 'writing', readOnly: false }, now),
    reading: await createKey(db, { name: 'reading', readOnly: true }, now),
  };
  const log = (text: string) => {
    throw new Error(text);
  };
  const shell = { db, service, newId: () => 'made-here', version: '0.0.0', log };
  const { url, stop } = await startServer({ ...shell, ...options }, plainly, timeouts);
  onTestFinished(stop);

  /** `send('POST /v1/contacts', { body: '{}' })`; with the key that may write where it says nothing else. */
  const send = async (
    line: string,
    {
      body,
      headers = {},
      key = keys.writing.key,
    }: { body?: string; headers?: Record<string, string>; key?: string } = {},
  ) => {
    const [method = '', path = ''] = line.split(' ');
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(key && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body }),
    });
    const text = await answer.text();
    const shown = Object.fromEntries(
      ['content-type', 'location', 'allow', 'www-authenticate', 'x-request-id'].flatMap((name) => {
        const value = answer.headers.get(name);
        return value === null ? [] : [[name, value]];
      }),
    );
    return { status: answer.status, headers: shown, body: text === '' ? undefined : JSON.parse(text) };
  };
  return { ...made, keys, url, send };
}

const made = { 'x-request-id': 'made-here' };
export const json = { ...made, 'content-type': 'application/json' };
export const problem = { ...made, 'content-type': 'application/problem+json' };
export const about = (status: number, title: string, detail: string) => ({
  type: 'about:blank',
  title,
  status,
  detail,
  request_id: 'made-here',
});
