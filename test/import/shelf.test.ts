import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { idKey, openShelf } from '../../src/import/shelf.ts';
import { type Fields, plain } from '../../src/render/fields.ts';

let count = 0;

/** A shelf whose records are found by the words of their `tags`. */
function shelf() {
  count += 1;
  const name = `test-shelf-${process.pid}-${count}`;
  const opened = openShelf(name, ({ tags }) => plain(tags).split(' '));
  onTestFinished(() => opened.close());
  return { ...opened, name };
}

test('a record is found by its id and by each of its keys', () => {
  const { put, under } = shelf();
  const one = { id: 'r1', tags: 'a b', more: { 한: ['é'] } };
  put(one);
  expect(['a', 'b', idKey('r1'), 'c'].map(under)).toEqual([[one], [one], [one], []]);
});

test('a record that is put in again takes the place of the older one, also under keys that it no longer has', () => {
  const { put, under } = shelf();
  put({ id: 'r1', tags: 'a b' });
  put({ id: 'r2', tags: 'a' });
  put({ id: 'r1', tags: 'b c' });
  expect(under('a')).toEqual([{ id: 'r2', tags: 'a' }]);
  expect(['b', 'c', idKey('r1')].map(under)).toEqual(Array(3).fill([{ id: 'r1', tags: 'b c' }]));
});

const record = fc.record({
  id: fc.constantFrom('1', '2', '3', '4', '5', '6'),
  tags: fc.array(fc.constantFrom(...'abcdefgh'), { maxLength: 4 }).map((tags) => tags.join(' ')),
});

test('whatever is put in, it is found as in a map', () => {
  fc.assert(
    fc.property(fc.array(record, { maxLength: 60 }), (records) => {
      const { put, under } = shelf();
      const latest = new Map<string, Fields>();
      for (const one of records) {
        put(one);
        latest.set(one.id, one);
      }
      for (const tag of 'abcdefgh') {
        const ids = (found: readonly Fields[]) => found.map(({ id }) => plain(id)).sort();
        const wanted = [...latest.values()].filter(({ tags }) => plain(tags).split(' ').includes(tag));
        expect(ids(under(tag))).toEqual(ids(wanted));
      }
    }),
  );
});

test('its table grows: of 20,000 records each is found', () => {
  const { put, under } = shelf();
  for (let at = 0; at < 20_000; at += 1) put({ id: `r${at}`, tags: `t${at} all${at % 5000}` });
  for (let at = 0; at < 20_000; at += 997) {
    expect(under(`t${at}`)).toEqual([{ id: `r${at}`, tags: `t${at} all${at % 5000}` }]);
    expect(under(`all${at % 5000}`)).toHaveLength(4);
  }
});

test('its file has no name', () => {
  const { put, name } = shelf();
  put({ id: 'r1', tags: '' });
  expect(readdirSync(tmpdir()).filter((file) => file.includes(name))).toEqual([]);
});

// Two ids and two tags of which each pair has the same 32 bits of MD5.
test('of keys that have the same hash each finds its own records', () => {
  const { put, under } = shelf();
  const [one, other] = [
    { id: 'r45343', tags: 't82656' },
    { id: 'r67823', tags: 't108050' },
  ];
  put(one);
  put(other);
  expect([one, other].map(({ id }) => under(idKey(id)))).toEqual([[one], [other]]);
  expect([one, other].map(({ tags }) => under(tags))).toEqual([[one], [other]]);
});

// The hash of its key is that of the last slot: what was put in again stands in the first ones.
test('a record that was put in again is still the later one when the table has grown', () => {
  const { put, under } = shelf();
  for (const tags of ['a', 'b', 'c']) put({ id: 'r717', tags });
  for (let at = 0; at < 600; at += 1) put({ id: `other${at}`, tags: `other${at}` });
  expect(under(idKey('r717'))).toEqual([{ id: 'r717', tags: 'c' }]);
});

test('a file that somebody put in its place is not written', () => {
  const name = `test-shelf-${process.pid}-taken`;
  const path = join(tmpdir(), `${name}.kith-tmp`);
  writeFileSync(path, 'theirs');
  onTestFinished(() => rmSync(path, { force: true }));
  expect(() => openShelf(name, () => [])).toThrow('EEXIST');
  expect(readFileSync(path, 'utf8')).toBe('theirs');
});
