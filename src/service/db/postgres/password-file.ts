import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { platform } from 'node:process';
import { Failure, getErrorCode } from '../../../contract/errors.ts';
import { createFileFailure } from '../../../files/disk-errors.ts';
import { quoteShellWord } from '../../../values/text.ts';

/** The server, database and user that a password is for. */
interface Account {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
}

interface PasswordSources {
  readonly password: string | undefined;
  readonly passfile: string | undefined;
  readonly home: string | undefined;
}

/**
 * Returns the password of the URL or of PGPASSWORD, or else from the password file. The library pgpass is unsuitable:
 * it reads the variables of the process, treats comments as entries, and prints warnings to stderr.
 * @throws {Failure} `failed` if there is no password, or if other users can read the file
 */
export async function findPassword(
  account: Account,
  { password, passfile, home }: PasswordSources,
): Promise<string> {
  if (password !== undefined) return password;
  const file = passfile ?? (home && join(home, platform === 'win32' ? 'postgresql/pgpass.conf' : '.pgpass'));
  const found = file ? findEntry(await readPasswordFile(file), account) : undefined;
  if (found !== undefined) return found;
  const { host, port, database, user } = account;
  throw new Failure('failed', `PostgreSQL at ${host} requires a password for the user "${user}".`, {
    hint: `Set PGPASSWORD, or add a line to ${file ?? '~/.pgpass'}: ${[host, port, database, user, 'PASSWORD'].join(':')}`,
  });
}

/** Returns the text of a password file; empty if it does not exist. */
async function readPasswordFile(path: string): Promise<string> {
  try {
    const { mode } = await stat(path);
    if (platform !== 'win32' && (mode & 0o077) > 0)
      throw new Failure('failed', `The password file ${path} is readable by other users.`, {
        hint: `Run: chmod 600 ${quoteShellWord(path)}`,
      });
    return await readFile(path, 'utf8');
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return '';
    throw createFileFailure('read', path, error);
  }
}

/** Returns the password of the first line that matches. A Unix socket also matches `localhost`. */
function findEntry(text: string, { host, port, database, user }: Account): string | undefined {
  const expectedFields = [host, String(port), database, user];
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith('#')) continue;
    // A backslash escapes a colon or backslash in a field.
    const fields = Array.from(line.matchAll(/((?:\\.|[^:\\])*)(?::|$)/g), ([, field = '']) =>
      field.replace(/\\(.)/g, '$1'),
    );
    const matches = expectedFields.every(
      (value, index) =>
        fields[index] === '*' ||
        fields[index] === value ||
        (index === 0 && value.startsWith('/') && fields[0] === 'localhost'),
    );
    if (matches && fields[4]) return fields[4];
  }
  return undefined;
}
