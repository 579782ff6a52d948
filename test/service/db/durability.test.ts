import { once } from 'node:events';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import sql from 'sql-template-tag';
import { expect, onTestFinished, test } from 'vitest';
import type { Entry } from '../../../src/contract/entries.ts';
import type { Page } from '../../../src/contract/grammar.ts';
import { openDatabase } from '../../../src/service/db/database.ts';
import { createService } from '../../../src/service/dispatch.ts';
import { createKey } from '../../../src/service/http/keys.ts';
import { createEnv, runKith } from '../../support/binary.ts';
import { type CommandResult, createTemporaryFolder } from '../../support/kith.ts';

/** A workspace file with a key, a contact, and a process that takes the contact any number of times. */
async function workspaceFile() {
  const file = join(createTemporaryFolder(), 'workspace.sqlite');
  const db = openDatabase(file);
  const now = () => new Date();
  const { key } = await createKey(db, { name: 'test', readOnly: false }, now());
  const service = createService({ db, now, log: () => {} });
  const made = async (path: string, body: unknown) => {
    const answer = await service({ method: 'POST', path, query: [], body });
    return (answer.body as { id: string }).id;
  };
  const entryable_id = await made('/v1/contacts', { first_name: 'Ada' });
  const process = { name: 'Sales', process: true, identifier: 'S', duplicates_allowed: true };
  const list = await made('/v1/lists', { ...process, entry_type: 'Contact' });
  db.close();
  const path = `/v1/lists/${list}/entries`;
  return { file, key, path, body: JSON.stringify({ entryable_id, entryable_type: 'Contact' }) };
}

type Workspace = Awaited<ReturnType<typeof workspaceFile>>;

/** Serves a workspace in a process of its own, which ends with the test. */
async function served(workspace: Workspace) {
  const child = await new Promise<Serving>((ready, fail) => {
    const over = runKith(['serve', '--database', workspace.file, '--port', '0'], {
      env: createEnv(join(workspace.file, '..')),
      onStart: (child) => {
        const end = (signal: NodeJS.Signals) => {
          child.kill(signal);
          return over;
        };
        onTestFinished(async () => void (await end('SIGKILL')));
        child.stderr?.on('data', (text: string) => {
          const [url] = /http:\S+/.exec(text) ?? [];
          if (url) ready({ url, end });
        });
      },
    });
    over.then(({ code, err }) => fail(new Error(`serve ended with ${code}: ${err}`)));
  });
  return { ...child, ...client(child.url, workspace) };
}

interface Serving {
  readonly url: string;
  /** Sends a signal; gives how the process ended. */
  end(signal: NodeJS.Signals): Promise<CommandResult>;
}

function client(url: string, { key, path, body }: Workspace) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return {
    create: () => fetch(url + path, { method: 'POST', headers, body }),
    /** Sends the first part of a request's body; returns a function that sends the rest. */
    begin() {
      const begun = request(url + path, { method: 'POST', headers });
      begun.write(body.slice(0, 10));
      return async () => {
        begun.end(body.slice(10));
        const [{ statusCode }] = await once(begun, 'response');
        return statusCode as number;
      };
    },
    async entries() {
      const all: Entry[] = [];
      for (let more = true; more; ) {
        const answer = await fetch(`${url}${path}?first=500&after=${all.length}`, { headers });
        const { data, pagination } = (await answer.json()) as Page<Entry>;
        all.push(...data);
        more = pagination.has_next_page;
      }
      return all;
    },
  };
}

/** Creates entries, one after the other, until the process is gone; each that was answered with 201 is kept. */
async function writeOn({ create }: ReturnType<typeof client>, answered: Entry[]): Promise<void> {
  for (;;) {
    try {
      const answer = await create();
      expect(answer.status).toBe(201);
      answered.push((await answer.json()) as Entry);
    } catch (error) {
      if (error instanceof TypeError) return; // fetch throws it if there was no response
      throw error;
    }
  }
}

async function waitFor(isSo: () => boolean): Promise<void> {
  while (!isSo()) await wait(5);
}

const times = <T>(count: number, work: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => work(index));

/** The keys of `count` entries: unique, in order, without gaps. */
const keysTo = (count: number) => times(count, (index) => `S-${index + 1}`);
const keysOf = (entries: readonly Entry[]) => entries.map(({ key }) => key);

test('50 simultaneous clients get unique keys without gaps', async () => {
  const { create, entries } = await served(await workspaceFile());
  const answers = await Promise.all(
    times(50, async () => {
      const all: Response[] = [];
      for (let count = 0; count < 4; count += 1) all.push(await create());
      return all;
    }),
  );
  expect(answers.flat().map(({ status }) => status)).toEqual(times(200, () => 201));
  expect(keysOf(await entries())).toEqual(keysTo(200));
});

test('keeps every acknowledged write through ten kills with SIGKILL under load', async () => {
  const workspace = await workspaceFile();
  const answered: Entry[] = [];
  let server = await served(workspace);
  for (let round = 0; round < 10; round += 1) {
    const before = answered.length;
    const { end, ...writer } = server;
    const writers = times(8, () => writeOn(writer, answered));
    await waitFor(() => answered.length > before + 10 + 3 * round);
    await end('SIGKILL');
    await Promise.all(writers);

    const db = openDatabase(workspace.file);
    const rows = await db.all(sql`select * from pragma_integrity_check`);
    expect(rows).toEqual([{ integrity_check: 'ok' }]);
    db.close();
    server = await served(workspace);
    const stored = await server.entries();
    expect(keysOf(stored)).toEqual(keysTo(stored.length));
    const byKey = new Map(stored.map((entry) => [entry.key, entry]));
    expect(answered.map(({ key }) => byKey.get(key))).toEqual(answered);
  }
});

test('loses nothing if two processes write to one workspace', async () => {
  const workspace = await workspaceFile();
  const servers = await Promise.all(times(2, () => served(workspace)));
  const answers = await Promise.all(
    servers.flatMap(({ create }) =>
      times(10, async () => {
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
  const statuses = answers.flat();
  expect(statuses.filter((status) => status !== 201 && status !== 503)).toEqual([]);
  const made = statuses.filter((status) => status === 201).length;
  const [one, other] = await Promise.all(servers.map(({ entries }) => entries()));
  expect(keysOf(one ?? [])).toEqual(keysTo(made));
  expect(other).toEqual(one);
});

test('responds to accepted requests after SIGTERM, writes nothing else, and exits with 0', async () => {
  const workspace = await workspaceFile();
  const server = await served(workspace);
  const answered: Entry[] = [];
  const writers = times(8, () => writeOn(server, answered));
  const finish = server.begin();
  await waitFor(() => answered.length > 20);
  const over = server.end('SIGTERM');
  await wait(50);
  const late = await finish();
  const [{ code }] = await Promise.all([over, ...writers]);
  expect({ code, late }).toEqual({ code: 0, late: 201 });
  const stored = await (await served(workspace)).entries();
  expect(keysOf(stored)).toEqual(keysTo(answered.length + 1));
});
