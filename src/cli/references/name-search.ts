import { sanitizeLine } from '../../render/text/sanitize.ts';
import { once } from '../../values/concurrency.ts';
import { createClosestNames, type ReferenceKind } from '../../values/names.ts';
import type { Session } from '../context.ts';
import { withProgress } from '../print/progress.ts';
import { type Candidate, kinds } from './kinds.ts';
import { getReferenceCache, type NameMatches } from './reference-cache.ts';

/** Lets the references of a command share one search, which reads the list only once. */
export function shareNameSearch(session: Session, kind: ReferenceKind, texts: readonly string[]): void {
  const search = once(() => searchNames(session, kind, texts));
  const { searches } = getReferenceCache(session);
  for (const text of texts) searches.set(`${kind} ${text}`, search);
}

/** Finds the records with a name or a domain. If the text is the id of a record, returns only that record. */
export async function findByName(session: Session, kind: ReferenceKind, text: string): Promise<NameMatches> {
  const shared = getReferenceCache(session).searches.get(`${kind} ${text}`);
  const find = await (shared ? shared() : searchNames(session, kind, [text]));
  return find(text);
}

/** Reads the list for names, because the API has no lookup for them. */
async function searchNames(session: Session, kind: ReferenceKind, texts: readonly string[]) {
  const { list, command } = kinds[kind];
  const { add, isComplete, find } = createMatcher(kind, texts);
  const { pageSize } = await session.preferences();
  const client = await session.client();
  const subject = texts.length === 1 ? `"${texts[0]}"` : `${texts.length} names`;
  return withProgress(session, async (update) => {
    let count = 0;
    for await (const { candidates, total } of list(session, client, pageSize)) {
      for (const candidate of candidates) add(candidate);
      if (isComplete()) break;
      count += candidates.length;
      update(`Searching ${count}${total ? ` of ${total}` : ''} ${command} for ${sanitizeLine(subject)}`);
    }
    return find;
  });
}

/** Compares candidates with references. */
function createMatcher(kind: ReferenceKind, texts: readonly string[]) {
  const byId = new Map<string, Candidate>();
  const byKey = new Map<string, Candidate[]>();
  const readKeys = (text: string) => kinds[kind].readKeys(text);
  for (const text of texts) for (const key of readKeys(text)) byKey.set(key, []);
  const ids = new Set(texts);
  const [only = '', ...others] = texts;
  // Comparing every name with many references takes long.
  const closest = others.length === 0 ? createClosestNames<Candidate>(only) : undefined;
  let hasMatch = false;
  return {
    add: (candidate: Candidate) => {
      if (ids.has(candidate.id)) byId.set(candidate.id, candidate);
      for (const key of candidate.keys) byKey.get(key)?.push(candidate);
      hasMatch ||= candidate.keys.some((key) => byKey.has(key));
      if (!hasMatch) closest?.add(candidate.keys, candidate);
    },
    /** Whether the ids of all references have been found. */
    isComplete: () => byId.size === ids.size,
    find: (text: string): NameMatches => {
      const record = byId.get(text);
      const candidates = record
        ? [record]
        : [...new Set(readKeys(text).flatMap((key) => byKey.get(key) ?? []))];
      return { candidates, closest: candidates.length === 0 ? (closest?.list() ?? []) : [] };
    },
  };
}
