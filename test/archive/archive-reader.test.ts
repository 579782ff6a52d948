import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Archive } from '../../src/archive/archive.ts';
import { createArchiveReader } from '../../src/archive/archive-reader.ts';
import { createServiceReader, type WorkspaceReader } from '../../src/archive/read-workspace.ts';
import { createIndex } from '../../src/search/index/index-file.ts';
import { updateIndex } from '../../src/search/index/update.ts';
import { createTestClient } from '../client/loopback.ts';
import { createRecords, startArchiveMachine } from './archive-service.ts';

/** Returns the rows of an index that is built from a reader. */
async function readIndex(path: string, reader: WorkspaceReader) {
  const index = createIndex(path);
  const now = () => new Date('2026-06-02T00:00:00Z');
  const { signal } = new AbortController();
  const update = { reader, index, now, signal, isFull: false, hasTexts: true, fingerprint: undefined };
  const { changes, skippedIds } = await updateIndex({ ...update, onProgress: () => {} });
  const rows = index.prepare('select id, parent, title, place, stamp from record order by n').all();
  index.close();
  return { changes, skippedIds, rows };
}

test('builds the same search index from an archive as from its service', async () => {
  const records = createRecords(60);
  records.recordings.delete('r5');
  const { kith, archive, url, home, responses } = await startArchiveMachine(records);
  responses.set('/v1/lists/l2/', 403);
  expect((await kith(`workspace backup ${archive}`)).code).toBe(6);
  const opened = Archive.open(archive);
  const fromArchive = await readIndex(join(home, 'archive.sqlite'), createArchiveReader(opened));
  opened.close();
  const reader = createServiceReader(createTestClient(url).client);
  const fromService = await readIndex(join(home, 'service.sqlite'), reader);
  expect(fromArchive).toEqual(fromService);
  expect(fromArchive).toMatchObject({
    changes: 65,
    skippedIds: { lists: new Set(['l2']), recordings: new Set(['r5']) },
  });
});
