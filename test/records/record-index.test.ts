import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RecordIndex } from '../../src/records/record-index.ts';

interface TaggedRecord {
  readonly id: string;
  readonly tags: string;
  readonly emails?: readonly string[];
  readonly more?: unknown;
}

/** Returns an index whose records have the words of their `tags` as keys. */
const createIndex = () => new RecordIndex<TaggedRecord>(({ tags }) => tags.split(' '));

test('finds a record by its id and by each of its keys', () => {
  const index = createIndex();
  const record = { id: 'r1', tags: 'a b', more: { 한: ['é'] } };
  index.put(record);
  expect(['a', 'b', 'c'].map((key) => index.find(key))).toEqual([[record], [record], []]);
  expect([index.get('r1'), index.get('r2'), index.has('a'), index.has('c')]).toEqual([
    record,
    undefined,
    true,
    false,
  ]);
});

test('replaces the record with the same id, also under keys that it no longer has', () => {
  const index = createIndex();
  index.put({ id: 'r1', tags: 'a b' });
  index.put({ id: 'r2', tags: 'a' });
  index.put({ id: 'r1', tags: 'b c' });
  expect(index.find('a')).toEqual([{ id: 'r2', tags: 'a' }]);
  expect(['b', 'c'].map((key) => index.find(key))).toEqual(Array(2).fill([{ id: 'r1', tags: 'b c' }]));
});

test('finds at most ten records with a key that many have, the latest ones', () => {
  const index = createIndex();
  for (let at = 0; at < 20; at += 1) index.put({ id: `r${at}`, tags: at % 2 === 0 ? 'all even' : 'all' });
  const ids = index.findSome('all').map(({ id }) => id);
  expect(ids).toEqual(Array.from({ length: 10 }, (_, at) => `r${at + 10}`));
  expect(index.findSome('all', ({ tags }) => tags === 'all even')).toEqual(index.find('even'));
});

test('does not change a stored record when the caller changes its own', () => {
  const index = createIndex();
  const record = { id: 'r1', tags: 'a', emails: ['a@x.example'] };
  index.put(record);
  record.emails.push('b@x.example');
  expect(index.get('r1')).toEqual({ id: 'r1', tags: 'a', emails: ['a@x.example'] });
});

const record = fc.record({
  id: fc.constantFrom('1', '2', '3', '4', '5', '6'),
  tags: fc.array(fc.constantFrom(...'abcdefgh'), { maxLength: 4 }).map((tags) => tags.join(' ')),
});

test('finds the same records as a search of all of them', () => {
  fc.assert(
    fc.property(fc.array(record, { maxLength: 60 }), (records) => {
      const index = createIndex();
      const latestRecords = new Map<string, TaggedRecord>();
      for (const one of records) {
        index.put(one);
        latestRecords.set(one.id, one);
      }
      for (const tag of 'abcdefgh') {
        const readIds = (all: readonly TaggedRecord[]) => all.map(({ id }) => id).sort();
        const expected = [...latestRecords.values()].filter(({ tags }) => tags.split(' ').includes(tag));
        expect(readIds(index.find(tag))).toEqual(readIds(expected));
        expect(index.has(tag)).toBe(expected.length > 0);
      }
    }),
  );
});
