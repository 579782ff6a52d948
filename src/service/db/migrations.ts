import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../contract/errors.ts';

/** A step of the schema: a version, and a file of SQL. */
export interface Migration {
  readonly version: number;
  readonly path: string;
}

type Engine = 'sqlite' | 'postgres';

const cache = new Map<Engine, readonly Migration[]>();

/**
 * Returns the migrations of an engine, oldest first: files such as `sqlite-009.sql`. The first one creates the schema.
 * The folder is read once: a newer version of kith may be installed over a running server.
 */
export function listMigrations(engine: Engine): readonly Migration[] {
  const cached = cache.get(engine);
  if (cached) return cached;
  const folder = join(import.meta.dirname, 'migrations');
  const start = `${engine}-`;
  const names = readdirSync(folder).filter((name) => name.startsWith(start));
  const migrations = names.sort().map((name) => {
    const version = Number.parseInt(name.slice(start.length), 10);
    return { version, path: join(folder, name) };
  });
  cache.set(engine, migrations);
  return migrations;
}

export const readMigration = ({ path }: Migration): string => readFileSync(path, 'utf8');

/** @throws {Failure} `unavailable` unless the schema of an open database has the latest version of its engine */
export function checkSchemaVersion(engine: Engine, version: number | undefined): void {
  const supported = listMigrations(engine).at(-1)?.version;
  if (version === supported) return;
  const message = `The workspace has schema version ${version ?? 'unknown'}, but this server supports version ${supported}.`;
  throw new Failure('unavailable', `${message} Update kith on the server and restart it.`, {
    headers: { 'retry-after': '1' },
  });
}
