import { readdirSync } from 'node:fs';
import type { NameKind } from '../../render/collect-references.ts';
import type { IndexFile } from '../../search/index/index-file.ts';
import type { NameComparison } from '../../search/lookup.ts';
import { resolveCacheFolder } from '../../settings/paths.ts';
import type { Session } from '../command/context.ts';

/** The kinds of records whose names are in the search index, as the index names them. */
const indexedKinds = { contact: 'contacts', organization: 'organizations', event: 'meetings' } as const;

const isIndexed = (kind: string): kind is keyof typeof indexedKinds => Object.hasOwn(indexedKinds, kind);

/** The name of a record, and the organization of a contact if its source has it. */
export interface RecordName {
  readonly name: string;
  readonly organizationId?: string | undefined;
}

/** Returns records by id, and contacts by email address with their organization; empty if there is no fresh index. */
export async function readIndexedNames(
  session: Session,
  kind: NameKind,
  ids: readonly string[],
): Promise<readonly (readonly [id: string, record: RecordName])[]> {
  const isEmail = kind === 'email';
  if (!(isEmail || isIndexed(kind))) return [];
  const names = await withFreshIndex(session, async (index) => {
    const { readContactsByEmail, readTitles } = await import('../../search/lookup.ts');
    if (isEmail) return readContactsByEmail(index, ids);
    return readTitles(index, indexedKinds[kind], ids).map(([id, name]) => [id, { name }] as const);
  });
  return names ?? [];
}

/** Returns the ids of records that may have a name or a domain; empty without a fresh index. */
export async function findIndexedIds(
  session: Session,
  kind: string,
  text: string,
  comparison: NameComparison,
): Promise<readonly string[]> {
  if (!isIndexed(kind)) return [];
  const ids = await withFreshIndex(session, async (index) => {
    const { findIdsByName } = await import('../../search/lookup.ts');
    return findIdsByName(index, indexedKinds[kind], text, comparison);
  });
  return ids ?? [];
}

/** Returns the entries that may have a key, with their lists; empty without a fresh index. */
export async function findIndexedEntries(session: Session, key: string) {
  const rows = await withFreshIndex(session, async (index) => {
    const { findEntriesByKey } = await import('../../search/lookup.ts');
    return findEntriesByKey(index, key);
  });
  return rows ?? [];
}

/** Runs work on the index of the workspace; undefined if it does not exist, is too old or cannot be used. */
async function withFreshIndex<T>(session: Session, work: (index: IndexFile) => Promise<T>) {
  // SQLite is loaded only if there is an index.
  if (!hasIndex(resolveCacheFolder(session.runtime.env))) return undefined;
  const { findSearchIndex } = await import('../connect/search-index.ts');
  const { UnusableIndexError } = await import('../../search/index/index-file.ts');
  const index = (await findSearchIndex(session)).openIfFresh();
  if (!index) return undefined;
  try {
    return await work(index);
  } catch (error) {
    if (error instanceof UnusableIndexError) return undefined;
    throw error;
  } finally {
    index.close();
  }
}

function hasIndex(folder: string): boolean {
  try {
    return readdirSync(folder).some((name) => name.startsWith('search-'));
  } catch {
    return false;
  }
}
