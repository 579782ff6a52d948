import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { type PostgresOptions, runQuery, startPostgres } from './postgres.ts';
import { createTestDatabase, requirePostgres } from './test-database.ts';

beforeEach(requirePostgres);

/** Starts a server that is removed when the test ends. */
async function startTestPostgres(options?: PostgresOptions) {
  const server = await startPostgres(options);
  onTestFinished(server.close);
  return server;
}

test('each test gets its own empty database', async () => {
  const [one, other] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  await runQuery(one, 'create table only_here (id integer)');
  const tables = "select count(*)::integer as tables from pg_tables where schemaname = 'public'";
  expect([await runQuery(one, tables), await runQuery(other, tables)]).toEqual([
    [{ tables: 1 }],
    [{ tables: 0 }],
  ]);
});

test('a server keeps its data over a restart and kill -9, and listens on a port if asked', async () => {
  const server = await startTestPostgres({ hasPort: true, settings: { work_mem: '1MB' } });
  await server.query('create table kept as select 1 as id');
  await server.restart();
  await server.stop('kill');
  await expect(server.query('select 1')).rejects.toThrow(/ECONNREFUSED|ECONNRESET|ENOENT/);
  await server.start();
  expect(await runQuery(server.url('postgres', '127.0.0.1'), 'select * from kept')).toEqual([{ id: 1 }]);
  expect(await server.query('show work_mem')).toEqual([{ work_mem: '1MB' }]);
});

test('a standby is read-only until it is promoted', async () => {
  const server = await startTestPostgres();
  await server.query('create table kept as select 1 as id');
  const standby = await server.startStandby();
  onTestFinished(standby.close);
  await expect(standby.query('insert into kept values (2)')).rejects.toThrow('read-only transaction');
  await standby.query('select pg_promote()');
  await standby.query('insert into kept values (2)');
  expect(await standby.query('select count(*)::integer from kept')).toEqual([{ count: 2 }]);
});

test('a server stops and removes its folder if the process that started it is killed', async () => {
  const script = `import { startPostgres } from '${import.meta.dirname}/postgres.ts';
    console.log((await startPostgres()).folder); setInterval(() => {}, 1000);`;
  const child = spawn('node', ['--import', 'tsx', '--input-type=module', '-e', script]);
  const folder = await new Promise<string>((resolve) => {
    child.stdout.once('data', (chunk) => resolve(String(chunk).trim()));
  });
  expect(existsSync(folder)).toBe(true);
  child.kill('SIGKILL');
  await expect.poll(() => existsSync(folder)).toBe(false);
});
