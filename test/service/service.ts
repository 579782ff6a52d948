import { request } from 'undici';
import { expect, onTestFinished } from 'vitest';
import type { FieldError } from '../../src/contract/errors.ts';
import type { WireResponse } from '../../src/contract/grammar.ts';
import { type Database, openDatabase } from '../../src/service/db/database.ts';
import { type Caller, createService, type Service } from '../../src/service/dispatch.ts';
import { createKey } from '../../src/service/http/keys.ts';
import { startServer } from '../../src/service/http/server.ts';
import { createEmptyWorkspace } from '../support/kith.ts';
import { described } from './described.ts';

/** When the clock of a workspace begins. It stands still until a test sets it. */
export const start = '2026-05-04T09:30:00.000Z';
export const later = '2026-05-05T18:00:00.000Z';

/** The times of a record that was made at the start and not changed. */
export const fresh = { created_at: start, updated_at: start };

const undescribed = described();

/** Matches an id that the service chose. */
export const anId: string = expect.stringMatching(/^[a-z0-9]{6,}$/);

/** An id that no resource has given out. */
export const noId = 'zzzzzz';

/** Opens a workspace file, by default a new one, until the test ends, with the service on it. */
export function workspace(file = createEmptyWorkspace()) {
  const db = openDatabase(file);
  onTestFinished(() => db.close());
  const clock = { time: start };
  const service = createService({
    db,
    now: () => new Date(clock.time),
    // What goes to the log is a fault inside the service: the test ends with it.
    log: (text) => {
      throw new Error(text);
    },
    checksResponses: true,
  });

  const socket = process.env.KITH_TEST_WAY === 'socket' ? overSocket(db, service) : undefined;

  /** `call('GET /v1/contacts?first=2')`; every answer must be one that the OpenAPI document describes. */
  const call = async (line: string, body?: unknown, caller?: Caller): Promise<WireResponse> => {
    const [, method = '', path = '', query = ''] = /^(\S+) ([^?]*)\??(.*)$/.exec(line) ?? [];
    const request = { method, path, query: [...new URLSearchParams(query)], body };
    const answer = await (socket ? socket(line, body, caller) : service(request, caller));
    expect(undescribed({ method, path, status: answer.status, body: answer.body })).toEqual([]);
    return answer;
  };

  /** The body of an answer that must be a success, as the record that the test knows it to be. */
  const give = async <T>(line: string, body?: unknown): Promise<T> => {
    const answer = await call(line, body);
    if (answer.status >= 300) throw new Error(`${line} gave ${JSON.stringify(answer.body)}`);
    return answer.body as T;
  };

  /** What is wrong with a body, as `#/emails/0 taken`; the status where the answer is no 422. */
  const faults = async (line: string, body: unknown): Promise<string[]> => {
    const answer = await call(line, body);
    if (answer.status !== 422) return [`status ${answer.status}`];
    const { errors } = answer.body as { errors: FieldError[] };
    return errors.map(({ pointer, code }) => `${pointer} ${code}`);
  };

  return { db, service, clock, call, give, faults };
}

/** Calls over a real socket, with real keys; the answers without what only HTTP adds. */
function overSocket(db: Database, service: Service) {
  const shell = { db, service, newId: () => 'test', log: () => {}, version: '0.0.0' };
  const options = { host: '127.0.0.1', port: 0, tls: undefined, behindProxy: false };
  const serving = startServer(shell, options);
  onTestFinished(async () => (await serving).stop());
  const keys = new Map<boolean, Promise<string>>();
  const keyFor = (readOnly: boolean) => {
    const made =
      keys.get(readOnly) ?? createKey(db, { name: 'test', readOnly }, new Date()).then(({ key }) => key);
    keys.set(readOnly, made);
    return made;
  };
  return async (
    line: string,
    body?: unknown,
    { readOnly = false, requestId }: Caller = {},
  ): Promise<WireResponse> => {
    const [, method = 'GET', target = ''] = /^(\S+) (.*)$/.exec(line) ?? [];
    const answer = await request(`${(await serving).url}${target}`, {
      method: method as 'GET', // any word may be a method
      headers: {
        authorization: `Bearer ${await keyFor(readOnly)}`,
        ...(requestId !== undefined && { 'x-request-id': requestId }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.body.text();
    const headers: Record<string, string> = {};
    for (const name of ['content-type', 'allow', 'location', 'retry-after']) {
      const value = answer.headers[name];
      if (typeof value === 'string' && value !== 'application/json') headers[name] = value;
    }
    const value = text === '' ? undefined : JSON.parse(text);
    if (requestId === undefined && answer.statusCode >= 400) delete value.request_id;
    return { status: answer.statusCode, headers, body: value };
  };
}

/** The answer to one page that holds all there is. */
export function wholePage<T>(data: readonly T[]) {
  const pagination = { end_cursor: data.length, has_next_page: false, total_count: data.length };
  return { data, pagination };
}
