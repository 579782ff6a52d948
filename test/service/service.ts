import { copyFileSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { expect, onTestFinished } from 'vitest';
import type { FieldError } from '../../src/contract/errors.ts';
import type { WireResponse } from '../../src/contract/grammar.ts';
import type { OpenDatabase } from '../../src/service/db/database.ts';
import { openWorkspace } from '../../src/service/db/open.ts';
import { copyDatabase } from '../../src/service/db/sqlite/copy-database.ts';
import { type Caller, createService, type Service } from '../../src/service/dispatch.ts';
import { createKey } from '../../src/service/http/keys.ts';
import { startServer } from '../../src/service/http/server.ts';
import { loadSqlite } from '../../src/sqlite/engine.ts';
import { createEmptyWorkspace, createTemporaryFolder } from '../support/kith.ts';
import { isOnPostgres, openPostgresWorkspace } from './engines.ts';
import { getResponseCheck } from './response-check.ts';

/** The initial time of a workspace. It changes only when a test sets the clock. */
export const startTime = '2026-05-04T09:30:00.000Z';
export const laterTime = '2026-05-05T18:00:00.000Z';

/** The times of a record that was created at the initial time and not changed. */
export const startTimes = { created_at: startTime, updated_at: startTime };

const checkResponse = getResponseCheck();

/** Matches an id that the service chose. */
export const anyId: string = expect.stringMatching(/^[a-z0-9]{6,}$/);

/** An id that does not exist. */
export const unknownId = 'zzzzzz';

/** An open workspace with functions that send requests to it. */
export type TestWorkspace = Awaited<ReturnType<typeof openTestWorkspace>>;

/** Opens a workspace file, by default a new workspace of the test's engine, until the test ends, with the service on it. */
export async function openTestWorkspace(path?: string) {
  const { db, location } =
    path === undefined && isOnPostgres() ? await openPostgresWorkspace() : await openFile(path);
  const clock = { time: startTime };
  const service = createService({
    db,
    now: () => new Date(clock.time),
    // The service logs only internal errors: they fail the test.
    log: (text) => {
      throw new Error(text);
    },
    checksResponses: true,
  });

  const socket = process.env.KITH_TEST_WAY === 'socket' ? createSocketCaller(db, service) : undefined;

  /**
   * Sends a request, such as `call('GET /v1/contacts?first=2')`. The OpenAPI document must describe the response. Without
   * its entity tag, of which `entity-tags.test.ts` has the tests.
   */
  const call = async (line: string, body?: unknown, caller?: Caller): Promise<WireResponse> => {
    const [, method = '', path = '', query = ''] = /^(\S+) ([^?]*)\??(.*)$/.exec(line) ?? [];
    const request = { method, path, query: [...new URLSearchParams(query)], body };
    const response = await (socket ? socket(line, body, caller) : service(request, caller));
    const errors = checkResponse({ method, path, status: response.status, body: response.body });
    if (errors.length > 0) expect(errors).toEqual([]); // an `expect` for each response takes longer than most requests
    const { etag: _, ...headers } = response.headers;
    return { status: response.status, headers, body: response.body };
  };

  /** Sends a request that must succeed, and returns the body of the response. */
  const sendOk = async <T>(line: string, body?: unknown): Promise<T> => {
    const response = await call(line, body);
    if (response.status >= 300) throw new Error(`${line} gave ${JSON.stringify(response.body)}`);
    return response.body as T;
  };

  /** Creates a record, and returns its id. */
  const create = async (path: string, body: object): Promise<string> =>
    (await sendOk<{ id: string }>(`POST /v1/${path}`, body)).id;

  /** Returns the field errors of a request, such as `#/emails/0 taken`; the status if it is not 422. */
  const findFieldErrors = async (line: string, body: unknown): Promise<string[]> => {
    const response = await call(line, body);
    if (response.status !== 422) return [`status ${response.status}`];
    const { errors } = response.body as { errors: FieldError[] };
    return errors.map(({ pointer, code }) => `${pointer} ${code}`);
  };

  return { db, location, service, clock, call, sendOk, create, findFieldErrors };
}

/** Opens a workspace file, by default a new one, until the test ends. */
async function openFile(location = createEmptyWorkspace()) {
  const db = await openWorkspace(location);
  onTestFinished(() => db.close());
  return { db, location };
}

/** Copies a workspace file that is in use. */
export function copyWorkspaceFile(from: string, to: string): void {
  const sqlite = new (loadSqlite())(from, { readOnly: true });
  try {
    copyDatabase(sqlite, from, to);
  } finally {
    sqlite.close();
  }
}

/**
 * Returns a function that creates workspace files with the same records. `fill` writes them once in each worker, by
 * default to an empty workspace; its result comes with each file.
 */
export function createFilledWorkspaces<T>(
  fill: (workspace: TestWorkspace) => Promise<T>,
  createFile = () => createEmptyWorkspace(),
) {
  let first: Promise<{ file: string; filled: T }> | undefined;
  const fillFirst = async () => {
    const workspace = await openTestWorkspace(createFile());
    workspace.clock.time = new Date().toISOString();
    const filled = await fill(workspace);
    const file = join(mkdtempSync(join(tmpdir(), 'kith-filled-')), 'workspace.sqlite');
    copyWorkspaceFile(workspace.location, file);
    return { file, filled };
  };
  return async () => {
    first ??= fillFirst();
    const { file, filled } = await first;
    const copy = join(createTemporaryFolder(), 'workspace.sqlite');
    copyFileSync(file, copy);
    return { file: copy, filled };
  };
}

/** Returns a caller that uses a real socket and real keys. It removes headers that only HTTP adds. */
function createSocketCaller(db: OpenDatabase, service: Service) {
  const shell = { db, service, newId: () => 'test', log: () => {}, version: '0.0.0' };
  const options = { host: '127.0.0.1', port: 0, tls: undefined, behindProxy: false };
  const serverStart = startServer(shell, options);
  onTestFinished(async () => (await serverStart).stop());
  const keys = new Map<boolean, Promise<string>>();
  const getKey = (readOnly: boolean) => {
    const keyPromise =
      keys.get(readOnly) ?? createKey(db, { name: 'test', readOnly }, new Date()).then(({ key }) => key);
    keys.set(readOnly, keyPromise);
    return keyPromise;
  };
  return async (
    line: string,
    body?: unknown,
    { readOnly = false, requestId }: Caller = {},
  ): Promise<WireResponse> => {
    const [, method = 'GET', target = ''] = /^(\S+) (.*)$/.exec(line) ?? [];
    const response = await request(`${(await serverStart).url}${target}`, {
      method: method as 'GET', // tests send any method
      headers: {
        authorization: `Bearer ${await getKey(readOnly)}`,
        ...(requestId !== undefined && { 'x-request-id': requestId }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.body.text();
    const headers: Record<string, string> = {};
    for (const name of ['content-type', 'allow', 'location', 'retry-after', 'www-authenticate']) {
      const value = response.headers[name];
      if (typeof value === 'string' && value !== 'application/json') headers[name] = value;
    }
    const value = text === '' ? undefined : JSON.parse(text);
    if (requestId === undefined && response.statusCode >= 400) delete value.request_id;
    return { status: response.statusCode, headers, body: value };
  };
}
