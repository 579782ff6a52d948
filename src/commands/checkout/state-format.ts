import * as v from 'valibot';
import { orderedNouns } from '../../contract/singular-nouns.ts';
import type { FileFormat } from '../../files/durable-file.ts';
import { isStoredIdentity } from '../../files/workspace-identity.ts';
import { topFolders } from './places.ts';

/** A path relative to the working copy, in one of its folders. Other paths are not trusted. */
const Path = v.pipe(
  v.string(),
  v.regex(/^(?:contacts|organizations|lists|custom-fields|meetings)(?:\/[^./\\:\0][^/\\:\0]*)+$/),
);

const TrackedFile = v.object({
  noun: v.picklist(orderedNouns),
  id: v.string(),
  /** The list of an entry. */
  list_id: v.exactOptional(v.string()),
  /** The current path of the file. */
  file: Path,
  /** The path that kith chose. Differs from `file` if a person renamed the file. */
  place: Path,
  /** The hash of the content that kith wrote. */
  hash: v.string(),
  /** The text of the record that the content shows. Empty for a file that cannot be edited. */
  record: v.string(),
  /** The words in the content that name other records, by their ids. */
  words: v.record(v.string(), v.string()),
});
/** A file of a working copy, and the record that it was written from. */
export type TrackedFile = Readonly<v.InferOutput<typeof TrackedFile>>;

const Header = v.object({
  kith_checkout: v.literal(1),
  workspace: v.optional(v.string()),
  identity: v.optional(v.custom<{ id: string } | { key_hash: string }>(isStoredIdentity)),
});

export const stateFormat: FileFormat<typeof Header> = {
  what: 'state of the working copy',
  version: 1,
  versionMember: 'kith_checkout',
  schema: Header,
  suggestRepair: () =>
    'To start again, remove the file and run `kith workspace checkout`. Files that differ then count as edited.',
};

export const StateLine = v.union([
  /** A file that is about to be written. */
  v.object({ next: TrackedFile }),
  /** A file that was written, with its size in bytes, and its change time in milliseconds since 1970. */
  v.object({ written: v.string(), size: v.number(), changed: v.number() }),
  v.object({ removed: v.string() }),
  /** The file that a create of the change log belongs to. */
  v.object({ row: v.number(), file: Path }),
  /** All creates are complete: their rows are no longer needed. */
  v.object({ finished: v.literal(true) }),
  v.object({ only: v.array(v.picklist(topFolders)) }),
]);
export type StateLine = v.InferOutput<typeof StateLine>;

/** Parses the line of a file that was validated before. */
export const parseFileLine = (text: string): TrackedFile => JSON.parse(text).next;

export const toKey = ({ noun, id }: Pick<TrackedFile, 'noun' | 'id'>) => `${noun} ${id}`;
