import { type IndexFile, resolveIndexFile, UnusableIndexError } from '../../search/index/index-file.ts';
import { SearchIndex } from '../../search/refresh.ts';
import { identifyConnection } from '../../settings/connection.ts';
import { resolveCacheFolder } from '../../settings/paths.ts';
import { isDatabaseUrl } from '../../values/database-url.ts';
import type { Session } from '../command/context.ts';
import { withProgress } from '../progress/progress.ts';
import { findConnection } from './connection.ts';

/** @throws {Failure} unauthorized */
export async function findSearchIndex(session: Session): Promise<SearchIndex> {
  const { client, signal } = session;
  const { lockHolder, now, env } = session.runtime;
  const connection = await findConnection(session);
  const mirror = await session.connections.openMirror();
  const isHosted = connection.kind === 'hosted';
  const workspace = {
    path: resolveIndexFile(resolveCacheFolder(env), identifyConnection(connection)),
    file: isHosted || isDatabaseUrl(connection.database) ? undefined : connection.database,
    hasTexts: isHosted,
    mirroredAt: mirror?.readAt,
  };
  return new SearchIndex(workspace, {
    ...{ lockHolder, signal, now, note: session.messages.note },
    client: () => {
      session.references.names.collectAll();
      return client();
    },
    withProgress: (work) => withProgress(session, work),
  });
}

/** Yields the results of reading an index that is up to date. Rebuilds the index if it turns out to be damaged. */
export async function* readIndex<T>(
  session: Session,
  maxAge: number | undefined,
  read: (index: IndexFile) => Iterable<T> | AsyncIterable<T>,
): AsyncGenerator<T> {
  const searchIndex = await findSearchIndex(session);
  for (let attempt = 1, count = 0; ; attempt += 1) {
    const index = await searchIndex.openFresh(maxAge);
    try {
      for await (const result of read(index)) {
        count += 1;
        yield result;
      }
      return;
    } catch (error) {
      if (!(error instanceof UnusableIndexError) || attempt > 1 || count > 0) throw error;
      searchIndex.remove();
    } finally {
      index.close();
    }
  }
}
