import { resolve } from 'node:path';
import { Failure } from '../contract/errors.ts';
import {
  databaseUrlForm,
  findDatabasePassword,
  findUrlProblem,
  isDatabaseUrl,
} from '../values/database-url.ts';
import type { Environment } from './paths.ts';

/** The variable with the location of a workspace. */
export const databaseVariable = 'KITH_DATABASE_URL';

/**
 * Returns the location of a workspace: an unchanged PostgreSQL URL, or the absolute path of a file. `source` names the
 * flag or variable with the text.
 * @throws {Failure} usage for an invalid URL, which is not repeated
 */
export function parseDatabase(text: string, source: string): string {
  if (/^[\s"'`]+postgres(?:ql)?:/i.test(text))
    throw new Failure('usage', `${source}: the URL begins with a space or quotation mark.`, {
      hint: 'Remove it. Values in a file for docker --env-file have no quotation marks.',
    });
  if (!isDatabaseUrl(text)) {
    const [, scheme] = /^([a-z][a-z\d+.:-]+):\/\//i.exec(text) ?? [];
    if (scheme === undefined) return resolve(text);
    const hint = `Use the path of a workspace file, or a URL such as ${databaseUrlForm}`;
    throw new Failure('usage', `${source}: a ${scheme}:// URL is not supported.`, { hint });
  }
  const problem = findUrlProblem(text);
  if (problem === undefined) return text;
  const hint = `Use a URL such as ${databaseUrlForm}, with special characters escaped: %40 for @, %2F for /.`;
  throw new Failure('usage', `${source}: ${problem}.`, { hint });
}

/** The flags that select a workspace other than the one in the environment. */
export interface ConnectionFlags {
  readonly profile?: string | undefined;
  readonly baseUrl?: string | undefined;
}

/** Whether the environment names a database, and no flag selects another workspace. */
export function usesDatabaseVariable({ profile, baseUrl }: ConnectionFlags, env: Environment): boolean {
  return Boolean(env[databaseVariable]) && !profile && !baseUrl;
}

/** Returns the location in the environment, unless a flag selects another one. @throws {Failure} usage for an invalid URL */
export function readDatabase(flags: ConnectionFlags, env: Environment): string | undefined {
  return usesDatabaseVariable(flags, env)
    ? parseDatabase(env[databaseVariable] ?? '', databaseVariable)
    : undefined;
}

/** Whether a password can be redacted. A word such as `postgres` occurs elsewhere, where redacting would reveal it. */
export const isDistinctive = (password: string): boolean => /[^a-z]/i.test(password);

/** Returns the passwords of databases in the environment. */
export function readDatabasePasswords(env: Environment): string[] {
  return [env.PGPASSWORD ?? '', findDatabasePassword(env[databaseVariable] ?? '') ?? ''].filter(Boolean);
}
