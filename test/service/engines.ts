import { rmSync } from 'node:fs';
import sql from 'sql-template-tag';
import { inject, onTestFinished, test as plainTest, type TestOptions } from 'vitest';
import { copyWorkspace } from '../../src/service/copy/copy-rows.ts';
import type { OpenDatabase } from '../../src/service/db/database.ts';
import { openWorkspace, withWorkspace } from '../../src/service/db/open.ts';
import { createSampleWorkspace } from '../support/kith.ts';
import { findPostgres, runQuery } from '../support/postgres.ts';
import { countRuns as countAllRuns } from '../support/rounds.ts';
import { createTestDatabase } from '../support/test-database.ts';

let isPostgresTest = false;

/** Whether the test that runs now is the one for PostgreSQL. */
export const isOnPostgres = () => isPostgresTest;

const isLong = process.env.KITH_LONG === '1';

/** Returns how often a property is checked: less often on PostgreSQL, where each run takes a database. */
export const countRuns = (all: number) =>
  isPostgresTest ? Math.ceil(all / (isLong ? 8 : 24)) : countAllRuns(all);

type RegisterTest = (title: string, ...rest: unknown[]) => void;

/** Returns a function that registers a test twice: for SQLite and for PostgreSQL. */
function onBothEngines(register: RegisterTest, skip: RegisterTest): RegisterTest {
  const isSkipped = findPostgres() === undefined && !inject('isCi');
  return (title, ...rest) => {
    register(title, ...rest);
    if (process.env.KITH_TEST_WAY === 'socket') return; // requests over a socket do not depend on the engine
    if (isSkipped) return skip(`${title} (PostgreSQL is not installed)`, ...rest);
    const parts = rest.map((part) => (typeof part === 'function' ? runOnPostgres(part) : part));
    register(`${title} (PostgreSQL)`, ...parts);
  };
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

/** Runs on SQLite, and with KITH_LONG=1 on PostgreSQL too: for rules of the service whose check takes seconds. */
export const slowTest = isLong ? test : (plainTest as ContractTest);

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

/** The name of a workspace with the sample. */
let sampleTemplate: Promise<string> | undefined;

/** Returns the location of a workspace with the sample, of the test's engine. `onEnd` receives the function that removes it. */
export async function createEngineSample(
  onEnd: (remove: () => void | Promise<void>) => void = onTestFinished,
): Promise<string> {
  if (isPostgresTest) return createPostgresSample(onEnd);
  const file = createSampleWorkspace();
  onEnd(() => rmSync(file));
  return file;
}

/** Returns the location of a workspace with the sample on PostgreSQL. */
export async function createPostgresSample(
  onEnd: (remove: () => void | Promise<void>) => void,
): Promise<string> {
  sampleTemplate ??= createTemplate(copySample);
  return createTestDatabase(onEnd, await sampleTemplate);
}

/** Copies the sample from its file: filling it in takes ten times longer. */
async function copySample(db: OpenDatabase, location: string): Promise<void> {
  const file = inject('sample');
  await withWorkspace(file, (sample) => copyWorkspace({ db: sample, location: file }, { db, location }));
}

/** The server removes the databases. */
const keepDatabase = () => {};

async function createPostgresWorkspace(): Promise<PostgresWorkspace> {
  template ??= createTemplate((_, location) => runQuery(location, emptyFunction));
  const location = await createTestDatabase(keepDatabase, await template);
  return { db: await openWorkspace(location), location };
}

/** Creates a workspace, prepares it, and returns the name of its database. */
async function createTemplate(
  prepare: (db: OpenDatabase, location: string) => Promise<unknown>,
): Promise<string> {
  const location = await createTestDatabase(keepDatabase);
  const db = await openWorkspace(location);
  await prepare(db, location);
  await db.close();
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
      update public.workspace set region = %L, region_chosen = false, sample = false, identity = gen_random_uuid();
      set local session_replication_role = origin;
    end', body, 'US'));
end $$`;
