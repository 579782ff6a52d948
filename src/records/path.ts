/** A noun whose writes can be undone. */
export type Noun = 'contact' | 'organization' | 'note' | 'custom_field' | 'list' | 'entry';

/** The noun and the path parameters of a record. */
export interface RecordPath {
  readonly noun: Noun;
  /** The list of an entry. */
  readonly list_id?: string | undefined;
  readonly id?: string | undefined;
}

/** Returns a text that identifies a record. */
export const toPathKey = ({ noun, list_id, id }: RecordPath) => JSON.stringify([noun, list_id, id]);
