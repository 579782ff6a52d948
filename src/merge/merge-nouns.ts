/** The nouns whose records can be merged. */
export const mergeNouns = {
  contact: {
    collection: 'contacts',
    /** The field with the texts that are unique in a workspace. */
    addresses: 'emails',
    addressType: 'email',
    /** Without this field, a record must have an address. */
    name: 'first_name',
    entryType: 'Contact',
  },
  organization: {
    collection: 'organizations',
    addresses: 'domains',
    addressType: 'domain',
    name: 'name',
    entryType: 'Organization',
  },
} as const;

export type MergeNoun = keyof typeof mergeNouns;

/** Two records that become one: the ids of the one that stays, and of the other. */
export interface MergedIds {
  readonly noun: MergeNoun;
  readonly keep: string;
  readonly other: string;
}

/** The nouns whose records are copied, because the interface cannot move them. */
export type CopiedNoun = 'entry' | 'note';
