import { expect, onTestFinished } from 'vitest';
import type { ServedRequest, ServeOptions, ServerInfo } from '../../src/contract/workspace.ts';
import { createKey } from '../../src/service/http/keys.ts';
import { createWorkspaces } from '../../src/service/workspace.ts';
import { plainOptions } from './server.ts';
import { openTestWorkspace, startTime } from './service.ts';

/** Serves a new workspace with a key. See `serveLocation`. */
export async function serveTestWorkspace(options: Partial<ServeOptions> = {}) {
  const { db, location } = await openTestWorkspace();
  const { key, id: keyId } = await createKey(db, { name: 'test', readOnly: false }, new Date(startTime));
  return { ...(await serveLocation(location, key, options)), db, location, key, keyId };
}

/** Serves a workspace until the test ends, as `kith serve` does, and collects the log. */
export async function serveLocation(
  location: string,
  key: string,
  options: Partial<ServeOptions> = {},
  now = () => new Date(startTime),
) {
  const stop = new AbortController();
  const machine = { env: {}, now, newId: () => 'made-here', version: '0.0.0', log: () => {} };
  const messages: string[] = [];
  const requests: (ServedRequest & { readonly keyId: string | null })[] = [];
  const defaults = {
    ...plainOptions,
    ...{ region: undefined, perMinute: undefined, metricsPort: undefined, isLenient: false },
    log: {
      write: (level: string, text: string, id = '') => void messages.push([level, id, text].join(' ')),
      writeRequest: (request: ServedRequest, keyId: string | null) =>
        void requests.push({ ...request, keyId }),
    },
    signal: stop.signal,
  };
  const server = await new Promise<ServerInfo>((onListening, reject) => {
    const serverStart = createWorkspaces(machine).serve(location, { ...defaults, onListening, ...options });
    serverStart.catch(reject);
    onTestFinished(async () => {
      stop.abort();
      await Promise.allSettled([serverStart]); // a failure to start has been thrown
    });
  });
  /** Sends a request, by default with the key, and returns the status, the content type and the text of the response. */
  const send = async (line: string, body?: unknown, bearer = key) => {
    const [method = '', path = ''] = line.split(' ');
    const response = await fetch(new URL(path, server.url), {
      method,
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const type = response.headers.get('content-type');
    return { status: response.status, headers: response.headers, type, text: await response.text() };
  };
  return { ...server, messages, requests, send };
}

/** Fills the disk of a served workspace, and checks its responses, its log and its readiness. */
export async function expectUnreadyUntilWritten(
  { send, messages }: Awaited<ReturnType<typeof serveLocation>>,
  fillDisk: () => () => void,
) {
  const write = async () => (await send('POST /v1/contacts', { first_name: 'x'.repeat(20_000) })).status;
  const readReadiness = async () => {
    const { status, text } = await send('GET /readyz');
    return [status, JSON.parse(text).detail];
  };
  expect([await write(), await readReadiness(), messages]).toEqual([201, [200, undefined], []]);
  const release = fillDisk();
  const statuses: number[] = [];
  while (statuses.length < 200 && statuses.filter((status) => status === 507).length < 3)
    statuses.push(await write());
  expect([...new Set(statuses)].sort()).toEqual([201, 507]);
  const line = /^error made-here Cannot use the (database|workspace file): no space left on [^\n]*$/;
  expect(messages).toEqual(Array.from({ length: 3 }, () => expect.stringMatching(line)));
  const reason = expect.stringMatching(/^The last write failed\. Cannot use .*: no space left on .*\.$/);
  expect(await readReadiness()).toEqual([503, reason]);
  expect((await send('PATCH /v1/contacts/nobody', { first_name: 'A' })).status).toBe(404);
  expect([await readReadiness(), (await send('GET /v1/contacts?first=1')).status]).toEqual([
    [503, reason],
    200,
  ]);
  release();
  expect([await write(), await readReadiness()]).toEqual([201, [200, undefined]]);
}
