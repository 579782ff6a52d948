import { chmodSync, cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type RunOptions, runProgram } from './binary.ts';
import { type CommandResult, createTemporaryFolder } from './kith.ts';

/** The version of the schema that this program writes. */
export const schemaVersion = 6;

/** Returns a function that runs a copy of the built program that has one more migration. */
export function createNextVersion(
  migration: string,
): (args: readonly string[], options: RunOptions) => Promise<CommandResult> {
  const folder = createTemporaryFolder();
  for (const name of ['bin', 'dist']) cpSync(name, join(folder, name), { recursive: true });
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, `dist/migrations/sqlite/00${schemaVersion + 1}.sql`), migration);
  chmodSync(folder, 0o755); // some tests run it as another user
  return (args, options) => runProgram(process.execPath, [join(folder, 'bin/kith.js'), ...args], options);
}
