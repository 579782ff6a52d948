import type { Session } from '../context.ts';
import type { Candidate } from './kinds.ts';

/** The records that match a name or a domain. */
export interface NameMatches {
  readonly candidates: readonly Candidate[];
  /** The records with the closest names, if none matches. */
  readonly closest: readonly Candidate[];
}

/** What a session knows about references, by their kind and text. */
interface ReferenceCache {
  /** Ids, so that a command neither looks a reference up nor asks about it twice. */
  readonly ids: Map<string, Promise<string>>;
  /** Searches, so that the list is read once for all references of a command. */
  readonly searches: Map<string, () => Promise<(text: string) => NameMatches>>;
  /** The contacts that were read, by id, so that none is read again for its addresses. */
  readonly contacts: Map<string, Candidate>;
}

const caches = new WeakMap<Session, ReferenceCache>();

/** Returns the reference cache of a session. */
export function getReferenceCache(session: Session): ReferenceCache {
  const cache = caches.get(session) ?? { ids: new Map(), searches: new Map(), contacts: new Map() };
  caches.set(session, cache);
  return cache;
}
