import { isAbsolute } from 'node:path';
import * as v from 'valibot';
import { Failure } from '../../contract/errors.ts';
import { type FileFormat, lockFile, readDocument, replaceDocument } from '../../files/durable-file.ts';
import type { LockHolder } from '../../files/lock.ts';
import { createSemaphore } from '../../values/concurrency.ts';
import { guardFileVariable, guardHint } from '../command/guards.ts';

const Count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** Numbers of writes and requests. */
const Counts = v.object({ write: Count, request: Count });
export type Counts = Readonly<v.InferOutput<typeof Counts>>;

/** A damaged file does not allow more writes. */
const format: FileFormat<typeof Counts> = {
  what: 'guard count file',
  version: 1,
  versionMember: 'version',
  schema: Counts,
  suggestRepair: () => guardHint,
  code: 'usage',
};

/** Replaces the counts with the result of `change`, which may throw instead. */
export type CountStore = (change: (counts: Counts) => Counts) => Promise<void>;

/** Opens the counts in a file, which several processes share. @throws {Failure} usage if the path is not absolute */
export function openCountFile(path: string, holder: LockHolder): CountStore {
  if (!isAbsolute(path))
    throw new Failure('usage', `${guardFileVariable} is ${path === '' ? 'empty' : 'not an absolute path'}.`);
  const run = createSemaphore(1);
  const replace = async (change: (counts: Counts) => Counts) => {
    const counts = readDocument(format, path) ?? { write: 0, request: 0 };
    await replaceDocument(format, path, change(counts));
  };
  return (change) => run(() => lockFile(format, path, holder, () => replace(change)));
}
