import type { ReferenceKind } from '../../contract/singular-nouns.ts';
import { repeatIfChanged, requireUnchanged } from '../../records/read-all.ts';
import { sanitizeLine } from '../../render/text/sanitize.ts';
import { createNameMatcher } from '../../search/query.ts';
import { once } from '../../values/concurrency.ts';
import { createClosestNames } from '../../values/names.ts';
import type { Session } from '../command/context.ts';
import { withProgress } from '../progress/progress.ts';
import { getReferenceCache, toKey } from './reference-cache.ts';
import { type Candidate, kinds } from './reference-kinds.ts';

/** The records that match a name or a domain. */
export interface NameMatches {
  readonly exact: readonly Candidate[];
  /** The records whose name matches in part, if no record matches exactly. */
  readonly partial: readonly Candidate[];
  /** The records with the closest names, if none matches. */
  readonly closest: readonly Candidate[];
}

/** Reads a record, unless a reference of the command has named it. @throws {Failure} not_found */
export async function readCandidate(session: Session, kind: ReferenceKind, id: string): Promise<Candidate> {
  return (
    getReferenceCache(session).records.get(toKey(kind, id)) ?? kinds[kind].read(await session.client(), id)
  );
}

/** Lets the references of a command share one search, which reads the list only once. */
export function shareNameSearch(session: Session, kind: ReferenceKind, texts: readonly string[]): void {
  const search = once(() => searchNames(session, kind, texts));
  const { searches } = getReferenceCache(session);
  for (const text of texts) searches.set(toKey(kind, text), search);
}

/** Finds the records with a name or a domain. If the text is the id of a record, returns only that record. */
export async function findByName(session: Session, kind: ReferenceKind, text: string): Promise<NameMatches> {
  const shared = getReferenceCache(session).searches.get(toKey(kind, text));
  const find = await (shared ? shared() : searchNames(session, kind, [text]));
  return find(text);
}

/** Reads the list for names, because the API has no lookup for them. */
async function searchNames(session: Session, kind: ReferenceKind, texts: readonly string[]) {
  const { list, command } = kinds[kind];
  const client = await session.client();
  const subject = texts.length === 1 ? `"${texts[0]}"` : `${texts.length} names`;
  return withProgress(session, (update) =>
    repeatIfChanged(async () => {
      const { add, isComplete, find } = createMatcher(kind, texts);
      let count = 0;
      for await (const { candidates, total } of requireUnchanged(list(client))) {
        for (const candidate of candidates) add(candidate);
        if (isComplete()) break;
        count += candidates.length;
        update(`Searching ${count}${total ? ` of ${total}` : ''} ${command} for ${sanitizeLine(subject)}`);
      }
      return find;
    }),
  );
}

/** Maximum number of references whose parts are compared with each name, which takes long. */
const maxPartial = 20;

function createMatcher(kind: ReferenceKind, texts: readonly string[]) {
  const byId = new Map<string, Candidate>();
  const byKey = new Map<string, Candidate[]>();
  const matchers = new Map(
    texts.map((text) => {
      const keys = kinds[kind].readKeys(text);
      for (const key of keys) byKey.set(key, []);
      const hasPart = texts.length > maxPartial ? () => false : createNameMatcher(text);
      return [text, { keys, hasPart, partial: [] as Candidate[] }];
    }),
  );
  const ids = new Set(texts);
  const [only = '', ...others] = texts;
  // Comparing every name with many references takes long.
  const closest = others.length === 0 ? createClosestNames<Candidate>(only) : undefined;
  let hasMatch = false;
  return {
    add: (candidate: Candidate) => {
      if (ids.has(candidate.id)) byId.set(candidate.id, candidate);
      for (const key of candidate.keys) byKey.get(key)?.push(candidate);
      for (const { keys, hasPart, partial } of matchers.values()) {
        hasMatch ||= keys.some((key) => byKey.get(key)?.length);
        if (!(closest && hasMatch) && candidate.texts.some(hasPart)) partial.push(candidate);
      }
      if (!hasMatch) closest?.add(candidate.names, candidate);
    },
    /** Whether the ids of all references have been found. */
    isComplete: () => byId.size === ids.size,
    find: (text: string): NameMatches => {
      const { keys = [], partial = [] } = matchers.get(text) ?? {};
      const record = byId.get(text);
      const exact = record ? [record] : [...new Set(keys.flatMap((key) => byKey.get(key) ?? []))];
      if (exact.length > 0) return { exact, partial: [], closest: [] };
      return { exact, partial, closest: partial.length === 0 ? (closest?.list() ?? []) : [] };
    },
  };
}
