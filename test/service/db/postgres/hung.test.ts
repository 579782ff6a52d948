import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import sql from 'sql-template-tag';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { openWorkspace } from '../../../../src/service/db/open.ts';
import type { Service } from '../../../../src/service/dispatch.ts';
import { findPostgres, type PostgresServer, startPostgres } from '../../../support/postgres.ts';
import { requirePostgres } from '../../../support/test-database.ts';
import { createContact, listContacts, openService } from './writers.ts';

let server: PostgresServer;

beforeAll(async () => {
  if (findPostgres() !== undefined) server = await startPostgres({ hasPort: true });
});
afterAll(() => server?.close());
beforeEach(requirePostgres);

/**
 * Starts a proxy whose `setCut` drops everything that arrives, as a broken network does, or forwards it again. After
 * `forget`, open connections stay silent forever, as behind a firewall that has forgotten them, but new ones work. `fail`
 * also refuses new ones, as a failed host does, until the function that it returns is called.
 */
async function startNetwork() {
  let isCut = false;
  let failures = 0;
  const sockets = new Set<Socket>();
  const forward = (from: Socket, to: Socket) => {
    const host = failures;
    const isConnected = () => !isCut && host === failures;
    sockets.add(from);
    from.on('data', (bytes) => isConnected() && void to.write(bytes));
    from.on('error', () => {}).on('close', () => isConnected() && void to.destroy());
  };
  const proxy = createServer((client) => {
    const upstream = connect(server.port ?? 0, '127.0.0.1');
    forward(client, upstream);
    forward(upstream, client);
  });
  const listen = (port: number) =>
    new Promise<void>((resolve) => void proxy.listen(port, '127.0.0.1', resolve));
  await listen(0);
  onTestFinished(() => {
    proxy.close();
    for (const socket of sockets) socket.destroy();
  });
  const { port } = proxy.address() as AddressInfo;
  return {
    port,
    setCut: (value: boolean) => {
      isCut = value;
    },
    forget: () => {
      failures += 1;
    },
    fail: () => {
      failures += 1;
      proxy.close();
      return () => listen(port);
    },
  };
}

/** Opens the service on a new database. */
async function openNewDatabase(
  name: string,
  port: unknown,
  connectTimeout: number,
  statementTimeout = 1,
): Promise<Service> {
  await server.query(`create database ${name}`);
  const url = `postgres://postgres@127.0.0.1:${port}/${name}?connect_timeout=${connectTimeout}`;
  return openService(url, { poolSize: connections, statementTimeout });
}

const connections = 3;

/** Sends reads and as many writes at the same time, and returns their statuses without duplicates. */
async function sendTogether(service: Service, name: string, count: number): Promise<number[]> {
  const requests = Array.from({ length: count }, () => [listContacts(service), createContact(service, name)]);
  const responses = await Promise.all(requests.flat());
  return [...new Set(responses.map(({ status }) => status))].sort();
}

/** Returns the names of the stored contacts, without duplicates. */
const listNames = async (database: string) =>
  (await server.query('select distinct first_name as name from contact', database)).map(({ name }) => name);

test('requests get 503 after the statement timeout while the server hangs, and succeed after it resumes', async () => {
  const service = await openNewDatabase('hung', server.port, 30);
  expect(await sendTogether(service, 'Ada', 2 * connections)).toEqual([200, 201]);
  const backends = await server.query(
    "select pid from pg_stat_activity where datname = 'hung' and backend_type = 'client backend'",
  );
  expect(backends).toHaveLength(connections);
  const [main] = readFileSync(join(server.data, 'postmaster.pid'), 'utf8').split('\n');
  const signal = (name: NodeJS.Signals) => {
    for (const pid of [main, ...backends.map(({ pid }) => pid)]) process.kill(Number(pid), name);
  };
  signal('SIGSTOP');
  onTestFinished(() => void process.kill(Number(main), 'SIGCONT')); // it ends the backends
  const start = performance.now();
  expect(await sendTogether(service, 'Grace', 1)).toEqual([503]);
  expect(performance.now() - start).toBeLessThan(20_000); // no second attempt, which would wait for a connection
  signal('SIGCONT');
  expect(await sendTogether(service, 'Linus', connections)).toEqual([200, 201]);
  expect((await listNames('hung')).sort()).toEqual(['Ada', 'Linus']);
});

/** They wait for seconds, so they run at the same time. */
const networks: Readonly<Record<string, () => Promise<void>>> = {
  'requests get 503 after the statement timeout while the network is down, and succeed later': async () => {
    const network = await startNetwork();
    const service = await openNewDatabase('cut', network.port, 1);
    expect(await sendTogether(service, 'Ada', 2 * connections)).toEqual([200, 201]);
    network.setCut(true);
    expect(await sendTogether(service, 'on open connections', 1)).toEqual([503]);
    expect(await sendTogether(service, 'without a connection', connections)).toEqual([503]);
    network.setCut(false);
    expect(await sendTogether(service, 'Linus', connections)).toEqual([200, 201]);
    expect((await listNames('cut')).sort()).toEqual(['Ada', 'Linus']);
  },
  'retries requests without a response as soon as a failed host is replaced': async () => {
    const network = await startNetwork();
    const service = await openNewDatabase('replaced', network.port, 10, 30);
    expect(await sendTogether(service, 'Ada', 2 * connections)).toEqual([200, 201]);
    const replace = network.fail();
    const statuses = sendTogether(service, 'Grace', 2 * connections); // more than there are connections
    await wait(2000);
    await replace();
    expect(await statuses).toEqual([200, 201]);
    expect(await sendTogether(service, 'Linus', 2 * connections)).toEqual([200, 201]);
    expect((await listNames('replaced')).sort()).toEqual(['Ada', 'Grace', 'Linus']);
  },
  'retries requests on new connections within 2 s after a firewall has forgotten the open ones': async () => {
    const network = await startNetwork();
    const service = await openNewDatabase('forgotten', network.port, 10, 30);
    expect(await sendTogether(service, 'Ada', 2 * connections)).toEqual([200, 201]);
    network.forget();
    const start = performance.now();
    expect(await sendTogether(service, 'Grace', 2 * connections)).toEqual([200, 201]);
    expect(performance.now() - start).toBeLessThan(2000);
    expect((await listNames('forgotten')).sort()).toEqual(['Ada', 'Grace']);
  },
  'does not close connections with a long statement, or a transaction that pauses': async () => {
    await server.query('create database slow');
    const db = await openWorkspace(server.url('slow', '127.0.0.1'), { poolSize: connections });
    onTestFinished(() => db.close());
    const getPid = sql`select pg_backend_pid() as pid`;
    const [, pids] = await Promise.all([
      db.all(sql`select pg_sleep(3)`),
      db.transaction(async (part) => {
        const before = await part.all(getPid);
        await wait(3000);
        return [before, await part.all(getPid)];
      }),
    ]);
    expect(pids[1]).toEqual(pids[0]);
    expect(db.readPool?.()).toEqual({ open: 2, idle: 2, waiting: 0 });
  },
};

test('requests continue after broken networks, and connections that only wait stay open', async () => {
  const results = await Promise.allSettled(Object.values(networks).map((run) => run()));
  for (const result of results) if (result.status === 'rejected') throw result.reason;
});
