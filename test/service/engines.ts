import sql from 'sql-template-tag';
import { inject, onTestFinished, test as plainTest, type TestOptions } from 'vitest';
import type { OpenDatabase } from '../../src/service/db/database.ts';
import { openWorkspace } from '../../src/service/db/open.ts';
import { findPostgres, runQuery } from '../support/postgres.ts';
import { createTestDatabase } from '../support/test-database.ts';

let isPostgresTest = false;

/** Whether the test that runs now is the one for PostgreSQL. */
export const isOnPostgres = () => isPostgresTest;

/** Returns how often a property is checked: less often on PostgreSQL, where each run takes a database. */
export const countRuns = (runs: number) => (isPostgresTest ? Math.ceil(runs / 8) : runs);

type RegisterTest = (title: string, ...rest: unknown[]) => void;

/** Returns a function that registers a test twice: for SQLite and for PostgreSQL. */
function onBothEngines(register: RegisterTest, skip: RegisterTest): RegisterTest {
  const isSkipped = findPostgres() === undefined && !inject('isCi');
  return (title, ...rest) => {
    register(title, ...rest);
    if (isSqliteOnly) return;
    if (isSkipped) return skip(`${title} (PostgreSQL is not installed)`, ...rest);
    const parts = rest.map((part) => (typeof part === 'function' ? runOnPostgres(part) : part));
    register(`${title} (PostgreSQL)`, ...parts);
  };
}

let isSqliteOnly = false;

/** Loads tests of the contract that shall run on SQLite only. */
export async function loadForSqlite(load: () => Promise<unknown>): Promise<void> {
  isSqliteOnly = true;
  try {
    await load();
  } finally {
    isSqliteOnly = false;
  }
}

/** Returns the function of a test on PostgreSQL. The tests of a file run one after the other. */
const runOnPostgres =
  (run: CallableFunction) =>
  async (...args: unknown[]) => {
    isPostgresTest = true;
    try {
      await run(...args);
    } finally {
      isPostgresTest = false;
    }
  };

interface ContractTest extends Pick<typeof plainTest, 'each'> {
  (title: string, run: () => unknown): void;
  (title: string, options: TestOptions, run: () => unknown): void;
}

/**
 * The `test` of the contract: it runs on SQLite and on PostgreSQL. `openTestWorkspace` and what is built on it open a
 * workspace of the engine.
 */
export const test = Object.assign(onBothEngines(plainTest as RegisterTest, plainTest.skip as RegisterTest), {
  each: (cases: readonly unknown[]) =>
    onBothEngines(plainTest.each(cases) as RegisterTest, plainTest.skip.each(cases) as RegisterTest),
}) as ContractTest;

/** The workspaces of this worker that no test uses. */
const freeWorkspaces: PostgresWorkspace[] = [];

interface PostgresWorkspace {
  readonly db: OpenDatabase;
  readonly location: string;
}

/** Opens an empty workspace on PostgreSQL until the test ends. The next test takes it over. */
export async function openPostgresWorkspace(): Promise<PostgresWorkspace> {
  const workspace = (await takeFreeWorkspace()) ?? (await createPostgresWorkspace());
  onTestFinished(() => void freeWorkspaces.push(workspace));
  return workspace;
}

async function takeFreeWorkspace(): Promise<PostgresWorkspace | undefined> {
  const workspace = freeWorkspaces.pop();
  try {
    await workspace?.db.first(sql`select kith_test.empty()`);
    await workspace?.db.checkSchema();
    return workspace;
  } catch {
    // The last test has closed it or changed its schema.
    return takeFreeWorkspace();
  }
}

/** The name of an empty workspace of this worker, for copies: creating the schema takes longer. */
let template: Promise<string> | undefined;

/** The server removes the databases. */
const keepDatabase = () => {};

async function createPostgresWorkspace(): Promise<PostgresWorkspace> {
  template ??= createTemplate();
  const location = await createTestDatabase(keepDatabase, await template);
  return { db: await openWorkspace(location), location };
}

async function createTemplate(): Promise<string> {
  const location = await createTestDatabase(keepDatabase);
  await (await openWorkspace(location)).close();
  await runQuery(location, emptyFunction);
  return location.replace(/.*\//, '');
}

/**
 * Deletes the rows of all tables, without triggers and checks, which takes a millisecond. TRUNCATE takes ten. It fails if
 * a test has changed the schema.
 */
const emptyFunction = `create schema kith_test;
do $$
declare
  body text;
begin
  select string_agg(format('delete from public.%I;', tablename), ' ') into body from pg_tables
    where schemaname = 'public' and tablename not in ('kith_migration', 'workspace');
  select body || string_agg(format('perform setval(%L, 1, false);', format('public.%I', sequencename)), ' ') into body
    from pg_sequences where schemaname = 'public';
  execute format('create function kith_test.empty() returns void language plpgsql as %L', format(
    'begin
      set local session_replication_role = replica;
      %s
      update public.workspace set region = %L, sample = false, identity = gen_random_uuid();
      set local session_replication_role = origin;
    end', body, 'US'));
end $$`;
