/** What a name belongs to: a record by its id, or a person by an email address. */
export type NameKind = 'contact' | 'organization' | 'list' | 'email';

/** A record or person that a table shows by name. */
export interface Reference {
  readonly kind: NameKind;
  /** The id, or the address of an email. */
  readonly id: string;
}

/** Returns the name of a record or person; the id or address if the name is not known. */
export type GetName = (kind: NameKind, id: string) => string;
