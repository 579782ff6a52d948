/** The folders of a working copy. */
export const topFolders = ['contacts', 'organizations', 'lists', 'custom-fields', 'meetings'] as const;
export type TopFolder = (typeof topFolders)[number];
