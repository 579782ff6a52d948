import type { FieldName, ListName } from '../settings/name-cache.ts';

/** The kinds of records whose names are completed. */
export type NamedKind = 'contacts' | 'organizations';

/** A text that names a record, and what distinguishes the record from others. */
export interface Candidate {
  readonly text: string;
  readonly description?: string;
}

/** The names in a workspace. */
export interface WorkspaceNames {
  /** Finds names and addresses that begin with a text, without regard to case: at most `maxRecords` of each. */
  readonly find: (kind: NamedKind, start: string) => readonly Candidate[];
  readonly lists: () => readonly ListName[];
  readonly customFields: () => readonly FieldName[];
  readonly close: () => void;
}

/** Maximum number of names, and of addresses, that are offered. */
export const maxRecords = 50;

/** Returns the pattern of LIKE for the texts that begin with a text. Its escape character is a backslash. */
export const createStartPattern = (start: string): string => `${start.replaceAll(/[\\%_]/g, '\\$&')}%`;

/** Whether a text begins with another one, without regard to case. */
export const startsWith = (text: string, start: string): boolean =>
  text.toLowerCase().startsWith(start.toLowerCase());
