import { chmodSync, cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { listMigrations } from '../../src/service/db/migrations.ts';
import { type RunOptions, runProgram } from './binary.ts';
import { type CommandResult, createTemporaryFolder } from './kith.ts';

const findVersion = (engine: 'sqlite' | 'postgres') => listMigrations(engine).at(-1)?.version ?? 0;

/** The versions of the schemas that this program writes. */
export const schemaVersion = findVersion('sqlite');
export const postgresSchemaVersion = findVersion('postgres');

/** Returns a function that runs a copy of the built program that has one more migration. */
export function createNextVersion(
  migration: string,
): (args: readonly string[], options: RunOptions) => Promise<CommandResult> {
  const folder = createTemporaryFolder();
  for (const name of ['bin', 'dist']) cpSync(name, join(folder, name), { recursive: true });
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  writeFileSync(
    join(folder, `dist/migrations/sqlite-${String(schemaVersion + 1).padStart(3, '0')}.sql`),
    migration,
  );
  chmodSync(folder, 0o755); // some tests run it as another user
  return (args, options) => runProgram(process.execPath, [join(folder, 'bin/kith.js'), ...args], options);
}
