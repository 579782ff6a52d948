import type { ReferenceKind } from '../contract/singular-nouns.ts';

/** The owner of a name: a record by its id, or a person by an email address. */
export type NameKind = ReferenceKind | 'email';

/** A record or person that a table shows by name. */
export interface Reference {
  readonly kind: NameKind;
  /** The id, or the address of an email. */
  readonly id: string;
}

/** Returns the name of a record or person, or else its id or address. */
export type GetName = (kind: NameKind, id: string) => string;

/** Collects the references whose names a function requests. */
export function collectReferences(read: (getName: GetName) => unknown): Reference[] {
  const references: Reference[] = [];
  read((kind, id) => {
    references.push({ kind, id });
    return id;
  });
  return references;
}
