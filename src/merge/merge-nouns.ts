import type { PartyNoun } from '../contract/singular-nouns.ts';
import type { Write } from '../writes/nouns.ts';
import type { StoredRecord } from '../writes/values.ts';

/** The nouns whose records can be merged. */
export const mergeNouns = {
  contact: {
    /** The field with the texts that are unique in a workspace. */
    addresses: 'emails',
    addressType: 'email',
    /** Without this field, a record must have an address. */
    name: 'first_name',
    entryType: 'Contact',
  },
  organization: {
    addresses: 'domains',
    addressType: 'domain',
    name: 'name',
    entryType: 'Organization',
  },
} as const satisfies Readonly<Record<PartyNoun, object>>;

/** The ids of the record to keep, and of the other record, which is merged into it and deleted. */
export interface MergedIds {
  readonly noun: PartyNoun;
  readonly keep: string;
  readonly other: string;
}

/** A write of a merge. */
export interface MergeStep extends Write {
  /** The entries of the other record that a create copies. */
  readonly copies?: readonly StoredRecord[];
  /** Whether `deal_id` is an entry of the other record that an earlier step copies. */
  readonly awaitsDeal?: true;
}
