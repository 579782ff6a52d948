import { expect, test } from 'vitest';
import { nameStatusFolders, Places, readPlace } from '../../../src/commands/checkout/places.ts';

const contact = (id: string, title: string) =>
  ({ noun: 'contacts', id, folder: 'contacts', title, suffix: '.yaml' }) as const;

test('gives the second record of a name its id, and keeps both paths', () => {
  const places = new Places(() => false);
  expect(places.choose('contacts a1', contact('a1', 'Ada'), undefined)).toBe('contacts/ada.yaml');
  expect(places.choose('contacts b2', contact('b2', 'ADA'), undefined)).toBe('contacts/ada-b2.yaml');
  const later = new Places(() => false);
  later.reserve('contacts b2', 'contacts/ada-b2.yaml');
  expect(later.choose('contacts b2', contact('b2', 'ADA'), 'contacts/ada-b2.yaml')).toBe(
    'contacts/ada-b2.yaml',
  );
});

test.each([
  ['ids that differ only in case', 'aB', 'Ab'],
  ['ids with characters of paths', '../x', '../y'],
  ['long ids', `${'x'.repeat(300)}1`, `${'x'.repeat(300)}2`],
])('%s give different paths in the folder', (_, first, second) => {
  const places = new Places(() => false);
  const paths = [first, second].map((id) => places.choose(`contacts ${id}`, contact(id, '...'), undefined));
  expect(new Set(paths.map((path) => path.toLowerCase())).size).toBe(2);
  for (const path of paths) expect(path).toMatch(/^contacts\/contact-[^/\\:]{1,200}\.yaml$/);
});

test('does not use the path of a foreign file, in upper or lower case', () => {
  const places = new Places((path) => path.toLowerCase() === 'contacts/ada.yaml');
  expect(places.choose('contacts a1', contact('a1', 'Ada'), undefined)).toBe('contacts/ada-a1.yaml');
});

test('names the folders of statuses that are equal, reserved or only symbols', () => {
  expect([...nameStatusFolders(['Won!', 'won', 'CON', '✓', 'In progress'])]).toEqual([
    ['Won!', 'won'],
    ['won', 'won-2'],
    ['CON', 'con-3'],
    ['✓', 'status-4'],
    ['In progress', 'in-progress'],
  ]);
});

test.each([
  ['contacts/ada.yml', { noun: 'contacts' }],
  ['contacts/a/ada.yaml', undefined],
  ['contacts/a:b.yaml', undefined],
  ['organizations/acme/notes/call.md', { noun: 'notes', folder: 'acme' }],
  ['lists/deals/list.yaml', { noun: 'lists', folder: 'deals' }],
  ['lists/deals/won/acme.yaml', { noun: 'entries', folder: 'deals', status: 'won' }],
  ['lists/deals/won/acme.md', undefined],
  ['custom-fields/deal/tier.yaml', { noun: 'customFields', model: 'deal' }],
])('reads what %s stands for', (path, place) => {
  expect(readPlace(path)).toEqual(place);
});
