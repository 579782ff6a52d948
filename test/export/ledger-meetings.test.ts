import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LedgerMeetings } from '../../src/export/ledger.ts';
import { Journal } from '../../src/files/journal.ts';
import { temporaryFolder } from '../support/kith.ts';

/** Creates meetings on an empty ledger. `save` adds a line. */
function createMeetings(folder: string) {
  const path = join(folder, 'ledger');
  writeFileSync(path, '');
  const journal = new Journal(path);
  const meetings = new LedgerMeetings(journal);
  const save = (id: string, title: string) =>
    meetings.set(id, journal.append(JSON.stringify({ meeting: { id, title } })));
  return { meetings, save, close: () => journal.close() };
}

const toPairs = (meetings: Iterable<{ readonly id: string; readonly title: string }>) =>
  Array.from(meetings, ({ id, title }) => [id, title]);

test('holds the same meetings as a Map, for any ids', () => {
  const folder = temporaryFolder();
  const id = fc.oneof(fc.constantFrom('', '\0', '\ud800', '\udc00', '__proto__', 'é'), fc.nat(9).map(String));
  const step = fc.record({ id, isSaved: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), id, (steps, wanted) => {
      const { meetings, save, close } = createMeetings(folder);
      const expected = new Map<string, string>();
      for (const [index, { id, isSaved }] of steps.entries()) {
        if (isSaved) save(id, `${index}`);
        else meetings.delete(id);
        if (isSaved) expected.set(id, `${index}`);
        else expected.delete(id);
        expect(meetings.size).toBe(expected.size);
      }
      const sorted = [...expected].sort(([one], [other]) => (one < other ? -1 : 1));
      expect(toPairs(meetings.sorted())).toEqual(sorted);
      expect(new Set(toPairs(meetings.entries()).map(String))).toEqual(new Set([...expected].map(String)));
      expect(toPairs(meetings.entries((id) => id === wanted))).toEqual(
        sorted.filter(([id]) => id === wanted),
      );
      expect(meetings.get(wanted)?.title).toBe(expected.get(wanted));
      close();
    }),
  );
});

test('yields the current state of each meeting, without those added since the call', () => {
  const { meetings, save, close } = createMeetings(temporaryFolder());
  for (const id of ['a', 'b', 'c']) save(id, 'first');
  const read: unknown[] = [];
  for (const { id, title } of meetings.entries()) {
    read.push([id, title]);
    if (id !== 'a') continue;
    meetings.delete('b');
    save('c', 'second');
    save('d', 'first');
  }
  expect(read).toEqual([
    ['a', 'first'],
    ['c', 'second'],
  ]);
  close();
});
