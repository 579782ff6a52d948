import * as v from 'valibot';
import { orderedNouns } from '../contract/singular-nouns.ts';
import type { FileFormat } from '../files/durable-file.ts';
import { isStoredIdentity } from '../files/workspace-identity.ts';

export const manifestName = 'manifest.json';

export const StoredIdentity = v.custom<{ id: string } | { key_hash: string }>(isStoredIdentity);

export const RecordFile = v.object({
  records: v.number(),
  bytes: v.number(),
  /** In hexadecimal digits. */
  sha256: v.string(),
});
export type RecordFile = Readonly<v.InferOutput<typeof RecordFile>>;

/**
 * The records that could not be read: nouns that the service does not list, ids of lists whose entries it does not list,
 * and ids of recordings. The archive keeps their records of the previous backup.
 */
const UnreadRecords = v.object({
  nouns: v.array(v.string()),
  lists: v.array(v.string()),
  recordings: v.array(v.string()),
});
export type UnreadRecords = Readonly<v.InferOutput<typeof UnreadRecords>>;

const Manifest = v.looseObject({
  /** The version of the format. */
  kith_archive: v.literal(1),
  kith_version: v.string(),
  /** When the first and the last record were read. */
  started_at: v.pipe(v.string(), v.isoTimestamp()),
  completed_at: v.pipe(v.string(), v.isoTimestamp()),
  /** The base URL, the file, or the database without its password. */
  workspace: v.string(),
  identity: StoredIdentity,
  files: v.object(v.entriesFromList(orderedNouns, RecordFile)),
  unread: v.optional(UnreadRecords),
  /** The time after which the next backup lists the meetings that were updated, in seconds since 1970. */
  meetings_until: v.optional(v.number()),
  /** Ids of the recordings that were not done yet. */
  pending: v.optional(v.array(v.string())),
});

/** The description of an archive. It contains no key. */
export type Manifest = Readonly<v.InferOutput<typeof Manifest>>;

export const manifestFormat: FileFormat<typeof Manifest> = {
  what: 'archive manifest',
  version: 1,
  versionMember: 'kith_archive',
  schema: Manifest,
  suggestRepair: () => 'Use another archive.',
};
