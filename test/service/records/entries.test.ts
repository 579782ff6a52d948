import { expect } from 'vitest';
import type { Entry } from '../../../src/contract/entries.ts';
import { createBoardWorkspace } from '../board-workspace.ts';
import { test } from '../engines.ts';

test.each([
  ['a regular list', true, 'regular', ['#/entryable_id taken']],
  ['a process without duplicates', false, 'deals', ['#/entryable_id taken']],
  ['a process with duplicates', true, 'deals', ['status 201']],
] as const)('adding the same record twice to %s', async (_, duplicates_allowed, where, expected) => {
  const lists = await createBoardWorkspace({ duplicates_allowed });
  await lists.sendOk(`POST ${lists[where]}`, lists.ada);
  expect(await lists.findFieldErrors(`POST ${lists[where]}`, lists.ada)).toEqual(expected);
});

test('numbers keys from 1 in each process and never reuses them', async () => {
  const { sendOk, deals, firmDeals, ada, acme } = await createBoardWorkspace();
  const created = async (path: string, target: object) => sendOk<Entry>(`POST ${path}`, target);
  const first = await created(deals, ada);
  const second = await created(deals, ada);
  await sendOk(`DELETE ${deals}/${second.id}`);
  const third = await created(deals, ada);
  const elsewhere = await created(firmDeals, acme);
  expect([first, second, third, elsewhere].map(({ key }) => key)).toEqual([
    'DEAL-1',
    'DEAL-2',
    'DEAL-3',
    'DEAL-1',
  ]);
});

test('a rejected entry uses no key', async () => {
  const { findFieldErrors, sendOk, deals, ada } = await createBoardWorkspace();
  await findFieldErrors(`POST ${deals}`, { ...ada, status: 'No' });
  expect((await sendOk<Entry>(`POST ${deals}`, ada)).key).toBe('DEAL-1');
});

test.each(['GET', 'PATCH', 'DELETE'])('%s returns 404 for an entry of another list', async (method) => {
  const { call, sendOk, deals, regular, ada } = await createBoardWorkspace();
  const entry = await sendOk<Entry>(`POST ${deals}`, ada);
  const body = method === 'PATCH' ? {} : undefined;
  expect((await call(`${method} ${regular}/${entry.id}`, body)).status).toBe(404);
  expect(await sendOk(`GET ${deals}/${entry.id}`)).toEqual(entry);
});

test('an entry of an organization may name a contact', async () => {
  const { sendOk, firmDeals, acme, contact } = await createBoardWorkspace();
  const entry = await sendOk<Entry>(`POST ${firmDeals}`, { ...acme, contact_id: contact.id });
  expect(entry).toMatchObject({ ...acme, contact_id: contact.id });
});

test('refuses a contact in a list of organizations', async () => {
  const { findFieldErrors, firms, ada, acme } = await createBoardWorkspace();
  expect(await findFieldErrors(`POST ${firms}`, ada)).toEqual(['#/entryable_type value']);
  const named = { ...acme, entryable_id: ada.entryable_id };
  expect(await findFieldErrors(`POST ${firms}`, named)).toEqual(['#/entryable_id not_found']);
});
