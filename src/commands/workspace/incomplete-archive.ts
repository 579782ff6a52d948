import type { Archive } from '../../archive/archive.ts';
import { toRecordFile } from '../../archive/archive-nouns.ts';
import { Failure } from '../../contract/errors.ts';
import { orderedNouns } from '../../contract/singular-nouns.ts';
import { joinNames } from '../../values/text.ts';
import { createUnreadFailure } from './backup.ts';

/** Names the files that are damaged, or the records that a backup could not read; undefined if the archive has all records. */
export function findIncompleteness(archive: Archive): Failure | undefined {
  const damaged = listDamagedFiles(archive);
  if (damaged.length === 0) return createUnreadFailure(archive.manifest.unread);
  return new Failure(
    'partial',
    `The archive was changed or is damaged: ${joinNames(damaged)} has another SHA-256 sum. kith copies only the readable records.`,
    { hint: 'Check it: kith workspace verify ARCHIVE' },
  );
}

/** @throws {Failure} failed if a file of an archive is damaged, so that comparing it would mislead */
export function checkIntact(archive: Archive): void {
  const damaged = listDamagedFiles(archive);
  if (damaged.length === 0) return;
  throw new Failure(
    'failed',
    `The archive ${archive.folder} was changed or is damaged: ${joinNames(damaged)} has another SHA-256 sum.`,
    { hint: 'Check it: kith workspace verify ARCHIVE' },
  );
}

const listDamagedFiles = (archive: Archive) =>
  orderedNouns.filter((noun) => !archive.isIntact(noun)).map(toRecordFile);
