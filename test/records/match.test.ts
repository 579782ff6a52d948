import { expect, test } from 'vitest';
import type { WritableNoun } from '../../src/contract/singular-nouns.ts';
import { haveOtherNames, listIndexKeys, listMatchSteps, listNameKeys } from '../../src/records/match.ts';

interface Values {
  readonly [name: string]: unknown;
}

/** Returns the field by which a record matches a stored one; undefined if it does not match. */
function findMatchingField(noun: WritableNoun, stored: Values, values: Values): string | undefined {
  const keys = listIndexKeys(noun, stored);
  return listMatchSteps(noun, values).find((step) => step.keys.some((key) => keys.includes(key)))?.field;
}

test.each<[WritableNoun, string, Values, Values]>([
  ['contacts', 'email', { emails: ['ADA@bücher.example'] }, { emails: [' ada@xn--bcher-kva.example'] }],
  ['contacts', 'email', { emails: ['re\u0301mi@a.example'] }, { emails: 'R\u00e9mi@a.example' }],
  ['contacts', 'phone', { phone_numbers: ['+14155550123'] }, { phone_numbers: ['(415) 555-0123 x12'] }],
  [
    'contacts',
    'name',
    { first_name: 'Ada', last_name: 'Lovelace' },
    { first_name: 'LOVELACE', last_name: 'ada' },
  ],
  ['contacts', 'name', { first_name: '지우', last_name: '김' }, { first_name: '김 지우' }],
  ['organizations', 'domain', { domains: ['acme.example'] }, { domains: ['https://www.Acme.example/about'] }],
  ['organizations', 'domain', { domains: ['xn--bcher-kva.example'] }, { domains: ['bücher.example'] }],
  ['organizations', 'name', { name: 'Ａcme  GmbH' }, { name: 'acme gmbh', domains: ['acme.example'] }],
  ['organizations', 'name', { name: 'Acme', domains: ['acme.example'] }, { name: 'ACME' }],
  ['lists', 'name', { name: 'Re\u0301seau' }, { name: 'R\u00e9seau ' }],
  ['customFields', 'name', { name: 'Tier' }, { name: 'tier' }],
  [
    'entries',
    'record',
    { list_id: 'l', entryable_type: 'Contact', entryable_id: 'c' },
    { entryable_id: 'c', entryable_type: 'Contact', list_id: 'l' },
  ],
  [
    'notes',
    'text',
    { organization_id: 'o', body: 'one\r\ntwo ' },
    { organization_id: 'o', body: 'one\ntwo' },
  ],
])('matches %s by %s: %j, %j', (noun, field, stored, values) => {
  expect(findMatchingField(noun, stored, values)).toBe(field);
});

test.each<[WritableNoun, Values, Values]>([
  [
    'contacts',
    { first_name: 'Ada', emails: ['ada@a.example'] },
    { first_name: 'Ada', emails: ['ada@b.example'] },
  ],
  ['contacts', { first_name: 'Ada', organization_id: 'a' }, { first_name: 'Ada', organization_id: 'b' }],
  ['contacts', {}, {}],
  ['organizations', { name: 'Acme', domains: ['a.example'] }, { name: 'Acme', domains: ['b.example'] }],
  ['organizations', { name: '' }, { name: ' ' }],
  ['organizations', { name: 'Résumé' }, { name: 'Resume' }],
  ['notes', { organization_id: 'o', body: 'one' }, { organization_id: 'p', body: 'one' }],
])('does not match %s: %j, %j', (noun, stored, values) => {
  expect(findMatchingField(noun, stored, values)).toBeUndefined();
});

test('a text names an organization by a domain, a URL or a name', () => {
  const keys = listIndexKeys('organizations', { name: 'Acme', domains: ['acme.example'] });
  const isNamed = (text: string) => listNameKeys('organizations', text).some((key) => keys.includes(key));
  expect(['ACME', 'https://www.acme.example/', 'acme', 'acme.com', ''].map(isNamed)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});

test.each([
  ['Ada Lovelace', 'Ada Byron', true],
  ['Ada Lovelace', 'Mina Lovelace', true],
  ['Ada Lovelace', ' Lovelace', false],
  ['Ada ', 'ada Lovelace', false],
  ['Ada ', ' Lovelace', true],
  ['Ada Lovelace', 'Lovelace Ada', false],
  ['Ada Lovelace', ' ', false],
])('whether the names "%s" and "%s" are those of two persons: %s', (left, right, expected) => {
  const [one, other] = [left, right].map((name) => {
    const [first_name, last_name] = name.split(' ');
    return { first_name, last_name };
  });
  expect(haveOtherNames(one ?? {}, other ?? {})).toBe(expected);
});
