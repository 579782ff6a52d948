import type { LoggedCommand } from '../changes/log.ts';
import type { Write } from '../changes/nouns.ts';
import type { StoredRecord } from '../changes/values.ts';
import { readTexts } from '../values/field-values.ts';
import { foldName } from '../values/names.ts';

/** A write of a merge. */
export interface MergeStep extends Write {
  /** The write that returns the addresses to the other contact if the service refuses this one. */
  readonly restore?: Write;
}

/** The data that a merge needs to continue after an interruption. */
export interface StoredMerge {
  /** The id of the contact to keep. */
  readonly keep: string;
  /** The other contact before the merge, with all addresses that the merge has taken from it. */
  readonly other: StoredRecord & { readonly id: string };
  /** The ids of the entries that the contact to keep had. */
  readonly entries: readonly string[];
}

/** Returns the merge in a log; undefined if it is the log of another command. */
export function readStoredMerge({ merge, writes }: LoggedCommand): StoredMerge | undefined {
  if (!merge) return undefined;
  const other = merge.other as StoredMerge['other']; // as the service sent it, in the shape of the contract
  const removedEmails = writes.flatMap(({ action, id, body }) =>
    action === 'remove' && id === other.id ? readTexts(body.emails) : [],
  );
  const emails = [...new Set([...readTexts(other.emails), ...removedEmails])];
  return { keep: merge.keep, entries: merge.entries, other: { ...other, emails } };
}

/** Whether a text names the contact that was merged: by its id or by an email address, which it no longer has. */
export const isMergedContact = ({ other }: StoredMerge, text: string): boolean =>
  other.id === text || readTexts(other.emails).some((email) => foldName(email) === foldName(text));
