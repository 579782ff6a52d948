import type { ReferenceKind } from '../../contract/singular-nouns.ts';
import type { Session } from '../command/context.ts';
import type { NameMatches } from './name-search.ts';
import type { Candidate } from './reference-kinds.ts';

/** What a session knows about records. The keys are the kind and the text of a reference, or the kind and the id. */
interface ReferenceCache {
  /** Ids, so that a command neither looks a reference up nor asks about it twice. */
  readonly ids: Map<string, Promise<string>>;
  /** Searches, so that the list is read once for all references of a command. */
  readonly searches: Map<string, () => Promise<(text: string) => NameMatches>>;
  /** The records that references named, so that none is read again for its name, addresses or recordings. */
  readonly records: Map<string, Candidate>;
  /** The organizations that the command creates before its own record, by the typed name; the ids, once they exist. */
  readonly newOrganizations: Map<string, string | undefined>;
  /** The time zone of the days that name meetings; if undefined, that of this machine. */
  zone: string | undefined;
}

const caches = new WeakMap<Session, ReferenceCache>();

export const toKey = (kind: ReferenceKind, text: string) => `${kind} ${text}`;

export function getReferenceCache(session: Session): ReferenceCache {
  const cache = caches.get(session) ?? {
    ids: new Map(),
    searches: new Map(),
    records: new Map(),
    newOrganizations: new Map(),
    zone: undefined,
  };
  caches.set(session, cache);
  return cache;
}
