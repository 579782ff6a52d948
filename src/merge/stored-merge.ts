import { getRecordName } from '../changes/bodies.ts';
import type { LoggedCommand, LoggedWrite } from '../changes/log.ts';
import type { Write } from '../changes/nouns.ts';
import type { StoredRecord, Values } from '../changes/values.ts';
import { isSameValue } from '../contract/field-types.ts';
import { readTexts } from '../values/field-values.ts';
import { foldName } from '../values/names.ts';
import { type CopiedNoun, type MergeNoun, mergeNouns } from './merge-nouns.ts';

/** A write of a merge. */
export interface MergeStep extends Write {
  /** The write that returns the addresses to the other record if the service refuses this one. */
  readonly restore?: Write;
  /** The entries or the note of the other record that a create copies. */
  readonly copies?: readonly StoredRecord[];
  /** Whether `deal_id` is an entry of the other record that an earlier step copies. */
  readonly awaitsDeal?: true;
}

/** The data that a merge needs to continue after an interruption. */
export interface StoredMerge {
  readonly noun: MergeNoun;
  /** The id of the record to keep. */
  readonly keep: string;
  /** The other record before the merge, with all addresses that the merge has taken from it. */
  readonly other: StoredRecord & { readonly id: string };
  /** The ids of the entries and the notes that the record to keep had. */
  readonly entries: readonly string[];
  readonly notes: readonly string[];
  /** The copies of entries and notes, by the ids of the originals. */
  readonly copies: ReadonlyMap<string, LoggedCopy>;
  /** The ids of the originals whose copies may exist although the log does not name them; undefined for any original. */
  readonly lostCopies: ReadonlySet<string> | undefined;
  /** The entries and notes that the merge has deleted after it copied or combined them. */
  readonly deleted: Readonly<Record<CopiedNoun, readonly StoredRecord[]>>;
}

/** A copy that a merge has made. */
export interface LoggedCopy {
  readonly id: string;
  /** The body of the request that created it. */
  readonly body: Values;
}

/** Returns the merge in a log; undefined if it is the log of another command. */
export function readStoredMerge({ merge, writes }: LoggedCommand): StoredMerge | undefined {
  if (!merge) return undefined;
  const { noun, keep, entries, notes } = merge;
  const other = merge.other as StoredMerge['other']; // as the service sent it, in the shape of the contract
  const { addresses } = mergeNouns[noun];
  const removedTexts = writes.flatMap(({ action, id, body }) =>
    action === 'remove' && id === other.id ? readTexts(body[addresses]) : [],
  );
  const listDeleted = (copiedNoun: CopiedNoun) =>
    writes.flatMap(({ noun, action, before }) =>
      noun === copiedNoun && action === 'delete' && before ? [before as StoredRecord] : [],
    );
  const texts = [...new Set([...readTexts(other[addresses]), ...removedTexts])];
  const copies = writes.flatMap(({ copies = [], body, after }) =>
    after ? copies.map((id) => [id, { id: String(after.id), body }] as const) : [],
  );
  return {
    noun,
    keep,
    entries,
    notes,
    copies: new Map(copies),
    lostCopies: listLostCopies(writes),
    deleted: { entry: listDeleted('entry'), note: listDeleted('note') },
    other: { ...other, [addresses]: texts },
  };
}

/** Lists the originals of copies whose responses were lost. The logs of earlier builds do not name originals. */
function listLostCopies(writes: readonly LoggedWrite[]): ReadonlySet<string> | undefined {
  const creates = writes.filter(({ action }) => action === 'create');
  if (creates.some(({ copies }) => !copies)) return undefined;
  return new Set(creates.flatMap(({ copies = [], after }) => (after ? [] : copies)));
}

/** Whether a text names the merged record, by its id or by an address that it had before the merge. */
export function isMergedRecord({ noun, other }: StoredMerge, text: string): boolean {
  const { addresses, addressType } = mergeNouns[noun];
  return other.id === text || readTexts(other[addresses]).some((own) => isSameValue(own, text, addressType));
}

/** Whether a text is the name of the merged record. Another record may have the same name. */
export const isMergedName = ({ noun, other }: StoredMerge, text: string): boolean =>
  foldName(getRecordName(noun, other) ?? '') === foldName(text);
