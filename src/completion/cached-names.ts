import { isTrustedIndex, resolveIndexFile } from '../search/index/index-file.ts';
import { findByPattern } from '../search/lookup.ts';
import { getWorkspaceKey, type ResolvedConnection } from '../settings/connection.ts';
import { identifyKey } from '../settings/key-identity.ts';
import { fieldCache, listCache } from '../settings/name-cache.ts';
import { type Environment, resolveCacheFolder } from '../settings/paths.ts';
import { isEmail } from '../values/domain.ts';
import { openForReading } from './sqlite-file.ts';
import {
  type Candidate,
  createStartPattern,
  maxRecords,
  type NamedKind,
  startsWith,
  type WorkspaceNames,
} from './workspace.ts';

const isAddress = { contacts: isEmail, organizations: (line: string) => /^[^\s:]+\.[^\s:]+$/.test(line) };

/** Returns the names of a workspace that is not on this machine, from its search index and the caches. */
export function createCachedNames(env: Environment, connection: ResolvedConnection): WorkspaceNames {
  const key = getWorkspaceKey(connection);
  return {
    find: (kind, start) =>
      findInIndex(resolveIndexFile(resolveCacheFolder(env), key), connection, kind, start),
    lists: () => listCache.read(env, key),
    customFields: () => fieldCache.read(env, key),
    close() {},
  };
}

function findInIndex(
  path: string,
  connection: ResolvedConnection,
  kind: NamedKind,
  start: string,
): Candidate[] {
  const sqlite = isTrustedIndex(path) ? openForReading(path) : undefined;
  if (!sqlite) return [];
  try {
    const rows = findByPattern(
      sqlite,
      identifyKey(connection),
      kind,
      createStartPattern(start),
      2 * maxRecords,
    );
    return rows.flatMap(({ name, texts: [line = ''] }) => {
      const address = isAddress[kind](line) ? line : '';
      const candidates = [
        { text: name, description: address },
        { text: address, description: name },
      ];
      return candidates.filter(({ text }) => startsWith(text, start)).slice(0, start === '' ? 1 : 2);
    });
  } finally {
    sqlite.close();
  }
}
