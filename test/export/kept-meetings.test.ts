import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MeetingIndex } from '../../src/export/kept-meetings.ts';
import { Journal } from '../../src/files/journal.ts';
import { temporaryFolder } from '../support/kith.ts';

/** Meetings on an empty ledger; `keep` adds a line, of which `title` tells it from the others. */
function keptIn(folder: string) {
  const path = join(folder, 'ledger');
  writeFileSync(path, '');
  const journal = new Journal(path);
  const kept = new MeetingIndex(journal);
  const keep = (id: string, title: string) =>
    kept.set(id, journal.append(JSON.stringify({ meeting: { id, title } })));
  return { kept, keep, close: () => journal.close() };
}

const told = (meetings: Iterable<{ readonly id: string; readonly title: string }>) =>
  Array.from(meetings, ({ id, title }) => [id, title]);

test('they are those that a Map would hold, whatever the ids are', () => {
  const folder = temporaryFolder();
  const id = fc.oneof(fc.constantFrom('', '\0', '\ud800', '\udc00', '__proto__', 'é'), fc.nat(9).map(String));
  const step = fc.record({ id, isKept: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), id, (steps, wanted) => {
      const { kept, keep, close } = keptIn(folder);
      const known = new Map<string, string>();
      for (const [index, { id, isKept }] of steps.entries()) {
        if (isKept) keep(id, `${index}`);
        else kept.delete(id);
        if (isKept) known.set(id, `${index}`);
        else known.delete(id);
        expect(kept.size).toBe(known.size);
      }
      const sorted = [...known].sort(([one], [other]) => (one < other ? -1 : 1));
      expect(told(kept.sorted())).toEqual(sorted);
      expect(new Set(told(kept.entries()).map(String))).toEqual(new Set([...known].map(String)));
      expect(told(kept.entries((id) => id === wanted))).toEqual(sorted.filter(([id]) => id === wanted));
      expect(kept.get(wanted)?.title).toBe(known.get(wanted));
      close();
    }),
  );
});

test('each comes as it is when its turn comes, and what is new since then does not', () => {
  const { kept, keep, close } = keptIn(temporaryFolder());
  for (const id of ['a', 'b', 'c']) keep(id, 'first');
  const came: unknown[] = [];
  for (const { id, title } of kept.entries()) {
    came.push([id, title]);
    if (id !== 'a') continue;
    kept.delete('b');
    keep('c', 'second');
    keep('d', 'first');
  }
  expect(came).toEqual([
    ['a', 'first'],
    ['c', 'second'],
  ]);
  close();
});
