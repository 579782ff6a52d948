import { once } from 'node:events';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import sql from 'sql-template-tag';
import { expect, onTestFinished, test } from 'vitest';
import type { Entry } from '../../../../src/contract/entries.ts';
import type { Page } from '../../../../src/contract/grammar.ts';
import { openDatabase } from '../../../../src/service/db/sqlite/open-workspace.ts';
import { createService } from '../../../../src/service/dispatch.ts';
import { createKey } from '../../../../src/service/http/keys.ts';
import { createEnv, runKith } from '../../../support/binary.ts';
import { type CommandResult, createTemporaryFolder } from '../../../support/kith.ts';
import { countRounds } from '../../../support/rounds.ts';

/** A workspace file with a key, a contact, and a process that takes the contact any number of times. */
async function createWorkspaceFile() {
  const file = join(createTemporaryFolder(), 'workspace.sqlite');
  const db = openDatabase(file);
  const now = () => new Date();
  const { key } = await createKey(db, { name: 'test', readOnly: false }, now());
  const service = createService({ db, now, log: () => {} });
  const createRecord = async (path: string, body: unknown) => {
    const response = await service({ method: 'POST', path, query: [], body });
    return (response.body as { id: string }).id;
  };
  const entryable_id = await createRecord('/v1/contacts', { first_name: 'Ada' });
  const process = { name: 'Sales', process: true, identifier: 'S', duplicates_allowed: true };
  const list = await createRecord('/v1/lists', { ...process, entry_type: 'Contact' });
  db.close();
  const path = `/v1/lists/${list}/entries`;
  return { file, key, path, body: JSON.stringify({ entryable_id, entryable_type: 'Contact' }) };
}

type Workspace = Awaited<ReturnType<typeof createWorkspaceFile>>;

/** Serves a workspace in a process of its own, which ends with the test. */
async function startServer(workspace: Workspace) {
  const child = await new Promise<ServerHandle>((ready, fail) => {
    const exit = runKith(['serve', '--database', workspace.file, '--port', '0'], {
      env: createEnv(join(workspace.file, '..')),
      onStart: (child) => {
        const end = (signal: NodeJS.Signals) => {
          child.kill(signal);
          return exit;
        };
        onTestFinished(async () => void (await end('SIGKILL')));
        child.stderr?.on('data', (text: string) => {
          const [url] = /http:\S+/.exec(text) ?? [];
          if (url) ready({ url, end });
        });
      },
    });
    exit.then(({ code, err }) => fail(new Error(`serve ended with ${code}: ${err}`)));
  });
  return { ...child, ...createEntryClient(child.url, workspace) };
}

interface ServerHandle {
  readonly url: string;
  /** Sends a signal. Returns the exit code of the process. */
  end(signal: NodeJS.Signals): Promise<CommandResult>;
}

function createEntryClient(url: string, { key, path, body }: Workspace) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return {
    create: () => fetch(url + path, { method: 'POST', headers, body }),
    /** Sends the first part of a request's body; returns a function that sends the rest. */
    begin() {
      const openRequest = request(url + path, { method: 'POST', headers });
      openRequest.write(body.slice(0, 10));
      return async () => {
        openRequest.end(body.slice(10));
        const [{ statusCode }] = await once(openRequest, 'response');
        return statusCode as number;
      };
    },
    async entries() {
      const all: Entry[] = [];
      for (let more = true; more; ) {
        const response = await fetch(`${url}${path}?first=500&after=${all.length}`, { headers });
        const { data, pagination } = (await response.json()) as Page<Entry>;
        all.push(...data);
        more = pagination.has_next_page;
      }
      return all;
    },
  };
}

/** Creates entries sequentially until the process ends. Records those that returned 201. */
async function writeUntilClosed(
  { create }: ReturnType<typeof createEntryClient>,
  confirmed: Entry[],
): Promise<void> {
  for (;;) {
    try {
      const response = await create();
      expect(response.status).toBe(201);
      confirmed.push((await response.json()) as Entry);
    } catch (error) {
      if (error instanceof TypeError) return; // fetch throws it if there was no response
      throw error;
    }
  }
}

async function waitUntil(condition: () => boolean): Promise<void> {
  while (!condition()) await wait(5);
}

const repeat = <T>(count: number, task: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => task(index));

/** The keys of `count` entries: unique, in order, without gaps. */
const createKeys = (count: number) => repeat(count, (index) => `S-${index + 1}`);
const readKeys = (entries: readonly Entry[]) => entries.map(({ key }) => key);

test('keeps every acknowledged write through kills with SIGKILL under load', async () => {
  const workspace = await createWorkspaceFile();
  const confirmed: Entry[] = [];
  let server = await startServer(workspace);
  for (const round of countRounds(1, 20)) {
    const before = confirmed.length;
    const { end, ...writer } = server;
    const writers = repeat(8, () => writeUntilClosed(writer, confirmed));
    await waitUntil(() => confirmed.length > before + 10 + 3 * round);
    await end('SIGKILL');
    await Promise.all(writers);

    const db = openDatabase(workspace.file);
    const rows = await db.all(sql`select * from pragma_integrity_check`);
    expect(rows).toEqual([{ integrity_check: 'ok' }]);
    db.close();
    server = await startServer(workspace);
    const stored = await server.entries();
    expect(readKeys(stored)).toEqual(createKeys(stored.length));
    const byKey = new Map(stored.map((entry) => [entry.key, entry]));
    expect(confirmed.map(({ key }) => byKey.get(key))).toEqual(confirmed);
  }
});

test('loses nothing if two processes write to one workspace', async () => {
  const workspace = await createWorkspaceFile();
  const servers = await Promise.all(repeat(2, () => startServer(workspace)));
  const responses = await Promise.all(
    servers.flatMap(({ create }) =>
      repeat(10, async () => {
        const statuses: number[] = [];
        for (let count = 0; count < 10; count += 1) {
          const { status, headers } = await create();
          statuses.push(status);
          if (status === 503) expect(headers.get('retry-after')).toMatch(/^\d+$/);
        }
        return statuses;
      }),
    ),
  );
  const statuses = responses.flat();
  expect(statuses.filter((status) => status !== 201 && status !== 503)).toEqual([]);
  const createdCount = statuses.filter((status) => status === 201).length;
  const [one, other] = await Promise.all(servers.map(({ entries }) => entries()));
  expect(readKeys(one ?? [])).toEqual(createKeys(createdCount));
  expect(other).toEqual(one);
});

test('responds to accepted requests after SIGTERM, writes nothing else, and exits with 0', async () => {
  const workspace = await createWorkspaceFile();
  const server = await startServer(workspace);
  const confirmed: Entry[] = [];
  const writers = repeat(8, () => writeUntilClosed(server, confirmed));
  const finish = server.begin();
  await waitUntil(() => confirmed.length > 20);
  const exit = server.end('SIGTERM');
  await wait(50);
  const lateResponse = await finish();
  const [{ code }] = await Promise.all([exit, ...writers]);
  expect({ code, late: lateResponse }).toEqual({ code: 0, late: 201 });
  const stored = await (await startServer(workspace)).entries();
  expect(readKeys(stored)).toEqual(createKeys(confirmed.length + 1));
});
