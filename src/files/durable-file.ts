import { isUtf8 } from 'node:buffer';
import { existsSync } from 'node:fs';
import { dirname, extname } from 'node:path';
import * as v from 'valibot';
import { Failure, type FailureCode } from '../contract/errors.ts';
import { isObject, type JsonObject } from '../values/json-object.ts';
import { renameFile, syncFolder, writeFileAtomically } from './atomic-write.ts';
import { accessFile } from './disk-errors.ts';
import type { Journal } from './journal.ts';
import { type LockHolder, withLock } from './lock.ts';
import { privatePermissions, setMode } from './permissions.ts';
import { readFileIfExists } from './read-file.ts';

/** A format of durable files: JSON documents, or journals whose first line is a header. */
export interface FileFormat<S extends v.GenericSchema> {
  /** The noun of the file in messages: `export ledger`. */
  readonly what: string;
  readonly version: number;
  /** The member with the version. A file without this member has version 1. */
  readonly versionMember: string;
  /** The schema of the document or the header in the current version. */
  readonly schema: S;
  /** Converts a document or a header of an earlier version. */
  readonly upgrade?: (content: JsonObject, version: number) => JsonObject;
  /** Returns the hint about a damaged file. */
  readonly suggestRepair?: (path: string) => string;
  /** The code of the failure for a damaged or newer file; if omitted, `failed`. */
  readonly code?: FailureCode;
}

/** The members of a format that errors need. */
export type FileDescription = Omit<FileFormat<v.GenericSchema>, 'schema' | 'upgrade'>;

/** A file that this version of kith cannot use. Nothing may replace the file of a newer version. `reason`: of a damaged file. */
export class FormatFailure extends Failure {
  readonly problem: 'damaged' | 'newer';

  constructor(
    problem: 'damaged' | 'newer',
    { what, code = 'failed', suggestRepair }: FileDescription,
    path: string,
    reason = '',
  ) {
    const isNewer = problem === 'newer';
    const message = isNewer ? 'was written by a newer version of kith' : `is damaged: ${reason}`;
    super(code, `The ${what} ${path} ${message}.`, {
      hint: isNewer ? 'Update kith.' : suggestRepair?.(path),
    });
    this.problem = problem;
  }
}

/** Whether an error says that a newer version of kith wrote a file. */
export const isNewerFailure = (error: unknown) => error instanceof FormatFailure && error.problem === 'newer';

/**
 * Parses a document, or the header of a journal. `part`: the subject of the error, which never quotes the file, because
 * the file may contain keys. @throws {FormatFailure} if it is damaged, or if a newer version of kith wrote it
 */
export function parseContent<S extends v.GenericSchema>(
  format: FileFormat<S>,
  path: string,
  content: string | Buffer,
  part = 'it',
): v.InferOutput<S> {
  const fail = (reason: string) => new FormatFailure('damaged', format, path, reason);
  if (content.length === 0) throw fail(`${part} is empty`);
  if (typeof content !== 'string' && !isUtf8(content)) throw fail(`${part} is not UTF-8`);
  let json: unknown;
  try {
    // Some editors write a byte order mark.
    json = JSON.parse(content.toString().replace(/^\ufeff/, ''));
  } catch {
    throw fail(`${part} is not JSON`);
  }
  if (!isObject(json)) throw fail(`${part} is not an object`);
  // The version comes first: a newer schema may differ in everything else.
  const version = readVersion(format, path, json);
  const isOlder = version < format.version;
  const current = isOlder && format.upgrade ? format.upgrade(json, version) : json;
  const { success, output, issues } = v.safeParse(format.schema, current);
  if (success) return output;
  throw fail(`${v.getDotPath(issues[0]) ?? part} is invalid`);
}

/** Returns the version of a document or a header. @throws {FormatFailure} if a newer version of kith wrote it */
export function readVersion(format: FileDescription, path: string, json: JsonObject): number {
  const { [format.versionMember]: version } = json;
  if (typeof version !== 'number') return 1;
  if (version > format.version) throw new FormatFailure('newer', format, path);
  return version;
}

/** Reads a document; undefined if it does not exist. @throws {Failure} failed if it cannot be read, or cannot be used */
export function readDocument<S extends v.GenericSchema>(
  format: FileFormat<S>,
  path: string,
): v.InferOutput<S> | undefined {
  const bytes = accessFile('read', path, () => readFileIfExists(path));
  return bytes && parseContent(format, path, bytes);
}

/**
 * Replaces a document that only its owner may read. The new document survives a power failure. `indent`: spaces for each
 * level; if omitted, the document is one line.
 * @throws {Failure} failed if it cannot be written, or if a newer version of kith wrote the current one
 */
export async function replaceDocument<S extends v.GenericSchema>(
  format: FileFormat<S>,
  path: string,
  document: v.InferInput<S>,
  indent?: number,
): Promise<void> {
  requireReplaceable(format, path);
  const { file, folder } = privatePermissions;
  await writeFileAtomically(path, [`${JSON.stringify(document, undefined, indent)}\n`], file, folder);
  await syncFolder(dirname(path));
}

/** @throws {Failure} failed if a newer version of kith wrote the file, or if it cannot be read */
export function requireReplaceable<S extends v.GenericSchema>(format: FileFormat<S>, path: string): void {
  try {
    readDocument(format, path);
  } catch (error) {
    if (!(error instanceof FormatFailure) || error.problem === 'newer') throw error;
  }
}

/** Parses the header of a journal. @throws {FormatFailure} like `parseContent` */
export function readHeader<S extends v.GenericSchema>(
  format: FileFormat<S>,
  path: string,
  journal: Journal,
): v.InferOutput<S> {
  const text = journal.readFirstLine();
  if (text !== undefined) return parseContent(format, path, text, 'its first line');
  throw new FormatFailure('damaged', format, path, 'its first line is incomplete');
}

/** Parses a line after the header of a journal; undefined if the line is damaged. */
export function parseLine<S extends v.GenericSchema>(schema: S, text: string): v.InferOutput<S> | undefined {
  try {
    const { success, output } = v.safeParse(schema, JSON.parse(text));
    return success ? output : undefined;
  } catch {
    return undefined;
  }
}

/** Renames a damaged file and returns its new path: `config.damaged-20261120T100000Z.json`. */
export async function moveDamagedFile(path: string, now: Date, mode: number): Promise<string> {
  const newPath = nameDamagedFile(path, now);
  setMode(path, mode); // the file may contain keys
  renameFile(path, newPath);
  await syncFolder(dirname(path));
  return newPath;
}

function nameDamagedFile(path: string, now: Date): string {
  const extension = extname(path);
  const when = now.toISOString().replace(/[-:]|\.\d+/g, '');
  const stem = `${path.slice(0, path.length - extension.length)}.damaged-${when}`;
  let name = `${stem}${extension}`;
  for (let count = 2; existsSync(name); count += 1) name = `${stem}-${count}${extension}`;
  return name;
}

/** Milliseconds to wait for another process that changes a file. */
const changeTimeout = 10_000;

/** Runs work while no other process changes a file. @throws {Failure} busy if another process keeps it locked */
export const lockFile = <T>(
  { what }: FileDescription,
  path: string,
  holder: LockHolder,
  work: () => Promise<T>,
  timeout = changeTimeout,
): Promise<T> =>
  withLock({ path: `${path}.lock`, work: `is changing the ${what} ${path}` }, holder, work, timeout);
