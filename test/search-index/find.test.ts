import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findRecords } from '../../src/search-index/find.ts';
import { createIndex } from '../../src/search-index/index-file.ts';
import { KindWriter } from '../../src/search-index/index-writer.ts';
import { parseQuery } from '../../src/search-index/query.ts';
import { createTemporaryFolder } from '../support/kith.ts';

test('finds the newest records, and those since a time, even after 10,000 earlier ones with the same word', async () => {
  const index = createIndex(join(createTemporaryFolder(), 'search.sqlite'), 'test');
  const sources = Array.from({ length: 10_001 }, (_, at) => ({
    id: `c${at}`,
    state: '',
    read: () => ({ title: 'Ada', about: [], details: [], at }),
  }));
  await new KindWriter(index, 'contacts', true).write(sources);
  const options = { words: parseQuery(['ada']), kinds: ['contacts'], limit: 25, now: new Date(0) } as const;
  const { matches, total } = findRecords(index, { ...options, since: 10_000 });
  const newest = findRecords(index, { ...options, since: undefined }).matches[0]?.id;
  index.close();
  expect(newest).toBe('c10000');
  expect({ ids: matches.map(({ id }) => id), total }).toEqual({ ids: ['c10000'], total: 1 });
});
