import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openLedger } from '../../src/export/ledger.ts';
import { defaultPermissions } from '../../src/files/permissions.ts';
import { createTemporaryFolder } from '../support/kith.ts';

/** Opens the ledger of a new folder. */
async function openNew() {
  const ledger = await openLedger(createTemporaryFolder(), {}, defaultPermissions);
  const emptyMeeting = { updated_at: '', made: '', layout: '', files: [], recordings: [] };
  return Object.assign(ledger, {
    add: (id: string, title: string) => ledger.save({ meeting: { id, title, ...emptyMeeting } }),
    remove: (id: string) => ledger.save({ forgotten: id }),
  });
}

const toPairs = (meetings: Iterable<{ readonly id: string; readonly title: string }>) =>
  Array.from(meetings, ({ id, title }) => [id, title]);

test('holds the same meetings as a Map, for any ids', async () => {
  const id = fc.oneof(fc.constantFrom('', '\0', '\ud800', '\udc00', '__proto__', 'é'), fc.nat(9).map(String));
  const step = fc.record({ id, isSaved: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), id, async (steps, chosen) => {
      const ledger = await openNew();
      const expected = new Map<string, string>();
      for (const [index, { id, isSaved }] of steps.entries()) {
        if (isSaved) ledger.add(id, `${index}`);
        else ledger.remove(id);
        if (isSaved) expected.set(id, `${index}`);
        else expected.delete(id);
        expect(ledger.size).toBe(expected.size);
      }
      expect(new Set(toPairs(ledger.meetings()).map(String))).toEqual(new Set([...expected].map(String)));
      expect(toPairs(ledger.meetings((id) => id === chosen))).toEqual(
        [...expected].filter(([id]) => id === chosen),
      );
      expect(ledger.getMeeting(chosen)?.title).toBe(expected.get(chosen));
      ledger.close();
    }),
  );
});

test('yields the current state of each meeting, without those added since the call', async () => {
  const ledger = await openNew();
  for (const id of ['a', 'b', 'c']) ledger.add(id, 'first');
  const read: unknown[] = [];
  for (const { id, title } of ledger.meetings()) {
    read.push([id, title]);
    if (id !== 'a') continue;
    ledger.remove('b');
    ledger.add('c', 'second');
    ledger.add('d', 'first');
  }
  expect(read).toEqual([
    ['a', 'first'],
    ['c', 'second'],
  ]);
  ledger.close();
});
