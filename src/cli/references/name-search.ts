import type { ReferenceKind } from '../../contract/singular-nouns.ts';
import { repeatIfChanged, requireUnchanged } from '../../records/read-all.ts';
import { sanitizeLine } from '../../render/text/sanitize.ts';
import { createNameMatcher } from '../../search/query.ts';
import { once } from '../../values/concurrency.ts';
import { readTexts } from '../../values/field-values.ts';
import { createClosestNames } from '../../values/names.ts';
import type { Session } from '../command/context.ts';
import { withProgress } from '../progress/progress.ts';
import { type Candidate, kinds } from './reference-kinds.ts';

/** The records that match a name or a domain. */
export interface NameMatches {
  readonly exact: readonly Candidate[];
  /** The records whose name matches in part, if no record matches exactly. */
  readonly partial: readonly Candidate[];
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
  /** The meetings that were read, by id, so that none is read again for its recordings. */
  readonly meetings: Map<string, Candidate>;
  /** The time zone of the days that name meetings; if undefined, that of this machine. */
  zone: string | undefined;
}

const caches = new WeakMap<Session, ReferenceCache>();

export function getReferenceCache(session: Session): ReferenceCache {
  const cache: ReferenceCache = caches.get(session) ?? {
    ids: new Map(),
    searches: new Map(),
    contacts: new Map(),
    meetings: new Map(),
    zone: undefined,
  };
  caches.set(session, cache);
  return cache;
}

/** Returns the email addresses of a contact. @throws {Failure} not_found */
export async function readContactEmails(session: Session, id: string): Promise<readonly string[]> {
  const { emails } =
    getReferenceCache(session).contacts.get(id) ?? (await kinds.contact.read(await session.client(), id));
  return readTexts(emails);
}

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
