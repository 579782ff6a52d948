import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';
import { Failure, getErrorMessage } from '../contract/errors.ts';
import { describeReadError } from '../files/disk-errors.ts';
import { isObject } from '../values/json-object.ts';

/** The hint with the settings that a project file may contain. */
export const allowedNames =
  'A project file can set only profile, format, limit, readonly, allow, max-writes and max-requests.';

/** The largest project file, in bytes. */
const maxSize = 65_536;

/** Reads a project file; undefined if it belongs to another user. @throws {Failure} usage if it is damaged */
export function readProjectFile(path: string): Readonly<Record<string, unknown>> | undefined {
  const content = readOwnFile(path);
  return content === undefined ? undefined : parseProject(path, content);
}

/** Reads a file of this user; undefined if it belongs to another user. @throws {Failure} usage if it cannot be read */
function readOwnFile(path: string): string | undefined {
  const fail = (reason: string) => new Failure('usage', `Cannot use ${path}: ${reason}.`);
  const user = process.getuid?.();
  const isForeign = ({ uid }: { readonly uid: number }) => user !== undefined && uid !== user;
  let file: number;
  try {
    // In a shared folder such as /tmp, another user may leave a file that cannot be opened, or a link to a file of this one.
    if (isForeign(lstatSync(path))) return undefined;
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    throw fail(describeReadError(error));
  }
  try {
    // The check uses the open file, so that nobody can replace the file before it is read.
    const stats = fstatSync(file);
    if (isForeign(stats)) return undefined;
    if (!stats.isFile()) throw fail('it is not a file');
    if (stats.size > maxSize) throw fail(`it is larger than ${maxSize / 1024} KB`);
    return readFileSync(file, 'utf8').replace(/^\ufeff/, '');
  } finally {
    closeSync(file);
  }
}

/** Parses the file. An error does not quote it, because someone may have put a key into it. */
function parseProject(path: string, content: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch (error) {
    const [, position] = /position (\d+)/.exec(getErrorMessage(error)) ?? [];
    const before = content.slice(0, position === undefined ? content.length : Number(position));
    throw new Failure('usage', `${path}, line ${before.split('\n').length}: not valid JSON.`, {
      hint: 'Example: {"profile": "work", "format": "json", "limit": 50}',
    });
  }
  if (isObject(value)) return value;
  throw new Failure('usage', `${path}: not a JSON object.`, { hint: allowedNames });
}
