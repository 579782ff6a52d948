import { expect, test } from 'vitest';
import { organizations as routes } from '../../src/contract/organizations.ts';
import { createRecordNormalizer } from '../../src/contract/received.ts';
import { findPairs } from '../../src/duplicates/find-pairs.ts';
import { createOrganizationRules, toComparedOrganization } from '../../src/duplicates/organizations.ts';

const signal = new AbortController().signal;
const toOrganization = createRecordNormalizer(routes.get);

/** Returns the pairs that kith finds among organizations, each given by its name and its domains. */
async function findAll(...organizations: readonly (readonly [name: string | null, ...domains: string[]])[]) {
  const compared = organizations.map(([name, ...domains]) =>
    toComparedOrganization(toOrganization({ id: 'o', name, domains })),
  );
  const pairs = await findPairs(compared, createOrganizationRules(compared), { minScore: 0, signal });
  return pairs.map(({ score, reasons }) => [score, ...reasons]);
}

test.each([
  ['acme.example', 'www.acme.example', 95],
  ['https://Acme.example/about', 'acme.example', 95],
  ['acme.example', 'shop.acme.example', 80],
  ['eu.acme.co.kr', 'us.acme.co.kr', 60],
])('finds %s and %s', async (one, other, score) => {
  expect(await findAll([null, one], [null, other])).toEqual([[score, 'same domain']]);
});

test.each([
  ['Acme', 'ACME, Inc.', 85, 'same name'],
  ['한빛물류', '(주) 한빛 물류', 85, 'same name'],
  ['주식회사한빛물류', '㈜한빛물류', 85, 'same name'],
  ['株式会社コールドチェーン', 'ｺｰﾙﾄﾞﾁｪｰﾝ', 85, 'same name'],
  ['Tidewater S.A.', 'Tidewater SA', 85, 'same name'],
  ['شركة النور', 'النور', 85, 'same name'],
  ['Johnson & Moreau', 'Johnson and Moreau', 85, 'same name'],
  ['Tidewater Labs', 'Tidewatre Labs', 60, 'similar name'],
])('finds %s and %s', async (one, other, ...expected) => {
  expect(await findAll([one, 'one.example'], [other, 'two.example'])).toEqual([expected]);
});

test.each([
  ['two companies of one country', [null, 'acme.co.kr'], [null, 'hanbit.co.kr']],
  ['public mail providers', [null, 'gmail.com'], [null, 'www.gmail.com']],
  ['empty names', ['', 'one.example'], [' - ', 'two.example']],
  ['Korean names with another syllable', ['한빛물류'], ['한빛물산']],
  ['names with another digit', ['Customer 10001'], ['Customer 10002']],
] as const)('finds no pair in %s', async (_, one, other) => {
  expect(await findAll([...one], [...other])).toEqual([]);
});

test('a domain with subdomains of more than 10 organizations is no evidence', async () => {
  const tenants = Array.from({ length: 11 }, (_, index) => [null, `t${index}.hosting.example`] as const);
  expect(await findAll(...tenants.slice(1))).toHaveLength(45);
  expect(await findAll(...tenants, [null, 'hosting.example'])).toEqual([]);
  expect(await findAll(...tenants, [null, 't3.hosting.example'])).toEqual([[95, 'same domain']]);
});

test('several reasons raise the score', async () => {
  const pairs = await findAll(
    ['Acme', 'acme.example'],
    ['Acme Ltd', 'eu.acme.example'],
    ['Hanbit', 'h.example'],
  );
  expect(pairs).toEqual([[97, 'same domain', 'same name']]);
});
