import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { WireRequest } from '../../../src/contract/grammar.ts';
import { openWorkspace } from '../../../src/service/db/open.ts';
import { createService } from '../../../src/service/dispatch.ts';
import { createTemporaryFolder } from '../../support/kith.ts';
import { createTestDatabase } from '../../support/test-database.ts';
import { isOnPostgres } from '../engines.ts';
import { now } from './records.ts';

/** Returns the location of a workspace of the test's engine that does not exist, or has no tables. */
export const createTarget = async (): Promise<string> =>
  isOnPostgres() ? createTestDatabase() : join(createTemporaryFolder(), 'restored.sqlite');

/** Opens a workspace until the test ends, with functions that send requests. The contract must describe the responses. */
export async function openRequests(location: string) {
  const db = await openWorkspace(location);
  onTestFinished(() => db.close());
  const log = (text: string) => {
    throw new Error(text);
  };
  const service = createService({ db, now, log, checksResponses: true });
  const send = (line: string, body?: unknown, options: Partial<WireRequest> = {}) => {
    const [, method = '', path = '', query = ''] = /^(\S+) ([^?]*)\??(.*)$/.exec(line) ?? [];
    return service({ method, path: `/v1/${path}`, query: [...new URLSearchParams(query)], body, ...options });
  };
  /** Returns the body of a successful response. */
  const read = async (line: string, body?: unknown) => {
    const response = await send(line, body);
    if (response.status >= 300) throw new Error(`${line}: ${JSON.stringify(response.body)}`);
    return response.body as { readonly id: string };
  };
  return { db, send, read };
}
