import type { SingularNoun } from '../contract/singular-nouns.ts';

/** The noun and the path parameters of a record. */
export interface RecordPath {
  readonly noun: SingularNoun;
  /** The list of an entry. */
  readonly list_id?: string | undefined;
  readonly id?: string | undefined;
}

/** Returns a text that identifies a record. */
export const toPathKey = ({ noun, list_id, id }: RecordPath) => JSON.stringify([noun, list_id, id]);
