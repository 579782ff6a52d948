import fc from 'fast-check';
import Hashids from 'hashids';
import { expect, test } from 'vitest';
import { ids } from '../../../src/service/db/ids.ts';

const resources = [
  ['contact', ids.contact],
  ['organization', ids.organization],
  ['note', ids.note],
  ['custom field', ids.customField],
  ['list', ids.list],
  ['list field', ids.listField],
  ['entry', ids.entry],
  ['calendar event', ids.calendarEvent],
  ['recording', ids.recording],
  ['api key', ids.apiKey],
] as const;

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';

test.each(resources)('ids of a %s are those of hashids, and are read back', (name, { encode, decode }) => {
  const library = new Hashids(name, 6, alphabet);
  const same = (row: number) => {
    const id = library.encode(row);
    expect([encode(row), decode(id)]).toEqual([id, row]);
  };
  for (let row = 0; row < 2000; row += 1) same(row);
  fc.assert(fc.property(fc.maxSafeNat(), same));
  for (let power = 24; power < Number.MAX_SAFE_INTEGER; power *= 24) [power - 1, power, power + 1].map(same);
  same(Number.MAX_SAFE_INTEGER);
  expect(encode(-1)).toBe(library.encode(-1));
});

test('a text that is no id of the resource is none, whatever it is', () => {
  const library = new Hashids('contact', 6, alphabet);
  const rowOf = (id: string) => {
    if (!/^[a-z0-9]{6,20}$/.test(id)) return undefined;
    const [row, ...more] = library.decode(id);
    return typeof row === 'number' && more.length === 0 && library.encode(row) === id ? row : undefined;
  };
  const letter = fc.constantFrom(...alphabet);
  const changed = fc
    .tuple(fc.nat(5_000_000), fc.nat(5), letter)
    .map(([row, at, other]) => library.encode(row).slice(0, at) + other + library.encode(row).slice(at + 1));
  const any = fc.oneof(changed, fc.string({ unit: letter, maxLength: 22 }), fc.string({ maxLength: 8 }));
  let good = 0;
  const same = (id: string) => {
    const row = rowOf(id);
    if (row !== undefined) good += 1;
    expect(ids.contact.decode(id)).toBe(row);
  };
  fc.assert(fc.property(any, same), { numRuns: 5000 });
  expect(good).toBeGreaterThan(100);
  const id = ids.contact.encode(1);
  for (const other of [
    '',
    id.toUpperCase(),
    `${id}a`,
    id.slice(1),
    ids.note.encode(1),
    ids.contact.encode(2 ** 60),
  ]) {
    expect(ids.contact.decode(other)).toBeUndefined();
  }
});
