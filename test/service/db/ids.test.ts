import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ids } from '../../../src/service/db/ids.ts';

const rows = [0, 1, 2, 41, 99, 100, 12_345, 6_000_000, 2 ** 40, Number.MAX_SAFE_INTEGER];

/** The ids of these rows. They must never change: scripts, exports and reports contain them. */
const expected = {
  contact: 'okxdr2 0rlnky v49o47 6rqexr jrpzm4 okxzz4 rdpnvr xqldod wq638o6qyn 18zdp12q8wpv7',
  organization: 'zpgmpy rl16pk 5043ln 2pq7k0 603d2p zpgvvp le1ekp g79mrm 6rwo59wr41 r49x8j5v478mq',
  note: 'mdqr57 j5ek5n x5145e 957nz2 gdkv72 mdqvv2 56plm2 qxzr6r 97oqe0o7mv 3exvy1wle4yz3',
  customField: 'vj837p 6j1vjg 57y8l2 pj0evl y7681j vj8yyl 79zm8j 8g03k3 4wmxy3mw2k wog9vd36o8vw4',
  list: 'p1qmy4 4y3m1d myk7xo nxpm2x vy78g1 p1q44y 1wde5y q8emnm v54wgm4537 d0ejz2o60wzg9',
  listField: '16n86w zqeogo m63ngp l6x926 ygvz96 16nnn6 6wmdvg np7828 0m07d80mvw me7ojrn0e9j38',
  entry: '3jq8jm kyzl70 1ypxjg r7k9qj m7gnwj 3jq66y jwz0wj qre898 22n5r8n2qo l3gwoq093zonk',
  calendarEvent: 'zn5j0e 3ngwr1 ynx4rg lryq40 p0pjx0 zn5llr 0meymn 5ygjej 669v7x9651 wgvpm2edgom14',
  recording: 'gwx8z1 xk95wj 3wjdwv vwy5gk xze1gk gwx33w zno8rw xld8x8 l14e6p415q 20m3xylv06x4n',
  apiKey: '591erd vry524 w2md2l g2ge89 yrk4z9 591662 rwyvq9 154eqe qex6zoxe4q x7eg1kox781vj',
} as const satisfies Readonly<Record<keyof typeof ids, string>>;

test.each(Object.keys(ids) as (keyof typeof ids)[])('the ids of %s do not change', (resource) => {
  expect(rows.map(ids[resource].encode).join(' ')).toBe(expected[resource]);
  expect(expected[resource].split(' ').map(ids[resource].decode)).toEqual(rows);
});

test('any row number can be encoded and decoded', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), (row) => {
      expect(ids.contact.decode(ids.contact.encode(row))).toBe(row);
    }),
  );
  expect(ids.contact.encode(-1)).toBe('');
});

test('does not decode a text that is not an id of the resource', () => {
  const letter = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz0123456789');
  const changedIds = fc
    .tuple(fc.nat(5_000_000), fc.nat(5), letter)
    .map(
      ([row, index, other]) =>
        ids.contact.encode(row).slice(0, index) + other + ids.contact.encode(row).slice(index + 1),
    );
  const any = fc.oneof(changedIds, fc.string({ unit: letter, maxLength: 22 }), fc.string({ maxLength: 8 }));
  let decoded = 0;
  const check = (id: string) => {
    const row = ids.contact.decode(id);
    if (row === undefined) return;
    decoded += 1;
    expect(ids.contact.encode(row)).toBe(id);
  };
  fc.assert(fc.property(any, check), { numRuns: 5000 });
  expect(decoded).toBeGreaterThan(100);
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
