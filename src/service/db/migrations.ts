import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A step of the schema: a version, and a file of SQL. */
export interface Migration {
  readonly version: number;
  readonly path: string;
}

/** Returns the migrations of an engine, oldest first: files named by their version. The first one creates the schema. */
export function listMigrations(engine: 'sqlite' | 'postgres'): Migration[] {
  const folder = join(import.meta.dirname, 'migrations', engine);
  const names = readdirSync(folder).sort();
  return names.map((name) => ({ version: Number.parseInt(name, 10), path: join(folder, name) }));
}

/** Reads the SQL of a migration. */
export const readMigration = ({ path }: Migration): string => readFileSync(path, 'utf8');
