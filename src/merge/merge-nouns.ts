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

/** The ids of the record to keep, and of the other record, which is merged into it and deleted. */
export interface MergedIds {
  readonly noun: MergeNoun;
  readonly keep: string;
  readonly other: string;
}

/** The nouns whose records are copied, because the API cannot move them. */
export type CopiedNoun = 'entry' | 'note';
