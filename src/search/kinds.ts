/** The kinds of indexed records, in the order of the results. */
export const kinds = ['contacts', 'organizations', 'entries', 'notes', 'meetings'] as const;
export type Kind = (typeof kinds)[number];
