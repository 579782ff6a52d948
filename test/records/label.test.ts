import { expect, test } from 'vitest';
import { ReferenceWords } from '../../src/commands/checkout/reference-words.ts';
import { getLabel } from '../../src/records/label.ts';

const phone_numbers = ['+821055501234'];
const emails = ['info@x.example'];

test.each([
  ['contacts', { first_name: '서연', last_name: '김', emails }, '김서연'],
  ['contacts', { first_name: null, last_name: null, emails, phone_numbers }, 'info@x.example'],
  ['contacts', { phone_numbers }, '+821055501234'],
  ['contacts', { emails: [{ email: 'info@x.example' }] }, 'info@x.example'],
  ['contacts', {}, ''],
  ['organizations', { name: 'Hanbit', domains: ['hanbit.example'] }, 'Hanbit'],
  ['organizations', { name: '', domains: ['hanbit.example'] }, 'hanbit.example'],
  ['customFields', { name: 'Tier' }, 'Tier'],
  ['lists', { name: 'Sales pipeline' }, 'Sales pipeline'],
  ['entries', { key: 'DEAL-7', status: 'Won' }, 'DEAL-7'],
  ['entries', { key: null }, ''],
  ['notes', { body: 'Called' }, 'Called'],
  ['events', { title: 'Kickoff' }, 'Kickoff'],
] as const)('the label of a record of %s %j is %j', (noun, record, label) => {
  expect(getLabel(noun, record)).toBe(label);
});

test('a pushed contact without a name has the same name as in the next checkout: its address before its number', () => {
  const words = new ReferenceWords();
  words.addRecord('contacts', { id: 'c1', emails, phone_numbers });
  words.addRecord('organizations', { id: 'o1', name: 'Hanbit', domains: [] });
  expect(words.find('contact', 'c1')).toEqual({ word: 'info@x.example', name: 'info@x.example' });
  expect(words.find('organization', 'o1')).toEqual({ word: 'Hanbit', name: 'Hanbit' });
});
