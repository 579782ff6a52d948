import { readdirSync } from 'node:fs';
import type { IndexFile } from '../../search/index/index-file.ts';
import type { NameComparison } from '../../search/lookup.ts';
import { resolveCacheFolder } from '../../settings/paths.ts';
import { normalizeEmail } from '../../values/domain.ts';
import { formatFullName } from '../../values/record-names.ts';
import type { Session } from '../command/context.ts';

/** The kinds of records whose names are in the search index, as the index names them. */
const indexedKinds = { contact: 'contacts', organization: 'organizations', event: 'meetings' } as const;

const isIndexed = (kind: string): kind is keyof typeof indexedKinds => Object.hasOwn(indexedKinds, kind);

/** Returns the names of records by id, and of contacts by email address; none without a fresh index. */
export async function readIndexedNames(
  session: Session,
  kind: string,
  ids: ReadonlySet<string>,
): Promise<readonly (readonly [id: string, name: string])[]> {
  const isEmail = kind === 'email';
  if (ids.size === 0 || !(isEmail || isIndexed(kind))) return [];
  const names = await withFreshIndex(session, async (index) => {
    const { readNamesByEmail, readTitles } = await import('../../search/lookup.ts');
    return isEmail ? readNamesByEmail(index, ids) : readTitles(index, indexedKinds[kind], ids);
  });
  return names ?? [];
}

/** Returns the contacts who have one of some email addresses; none without a fresh index. */
export async function readIndexedContacts(session: Session, emails: ReadonlySet<string>) {
  if (emails.size === 0) return [];
  const contacts = await withFreshIndex(session, async (index) => {
    const { readAttendee } = await import('../../search/action-items.ts');
    return Array.from(emails, (email) => readAttendee(index, normalizeEmail(email)));
  });
  return (contacts ?? []).flatMap(({ email, first_name, last_name, organization_id }) => {
    const name = formatFullName(first_name, last_name);
    return name === '' ? [] : [{ email, name, organizationId: organization_id ?? undefined }];
  });
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
