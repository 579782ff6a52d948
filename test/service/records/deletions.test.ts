import { expect } from 'vitest';
import type { Contact } from '../../../src/contract/contacts.ts';
import type { CustomField } from '../../../src/contract/custom-fields.ts';
import type { Entry } from '../../../src/contract/entries.ts';
import { createPage } from '../../client/loopback.ts';
import { createBoardWorkspace } from '../board-workspace.ts';
import { test } from '../engines.ts';
import { fullBody, nouns, openWithRecord } from '../nouns.ts';
import { openTestWorkspace } from '../service.ts';

test.each(nouns)('a DELETE of a %s deletes only it, and its id is never used again', async (noun) => {
  const { call, sendOk, collection, record, path } = await openWithRecord(noun);
  const { data } = await sendOk<{ data: { id: string }[] }>(`GET ${collection}`);
  expect(await call(`DELETE ${path}`)).toEqual({ status: 204, headers: {}, body: undefined });
  for (const method of ['GET', 'PATCH', 'DELETE'])
    expect((await call(`${method} ${path}`, method === 'PATCH' ? {} : undefined)).status).toBe(404);
  const others = data.filter(({ id }) => id !== record.id);
  expect(await sendOk(`GET ${collection}`)).toEqual(createPage(others));
  // Its names and addresses are free again.
  const { id } = await sendOk<{ id: string }>(`POST ${collection}`, fullBody(noun));
  expect(data.map((one) => one.id)).not.toContain(id);
});

test('a DELETE of a contact deletes its entries, and clears contact_id of other entries', async () => {
  const { call, sendOk, regular, firms, ada, acme, contact } = await createBoardWorkspace();
  await sendOk(`POST ${regular}`, ada);
  const kept = await sendOk<Entry>(`POST ${firms}`, { ...acme, contact_id: contact.id });
  expect(kept.contact_id).toBe(contact.id);
  await call(`DELETE /v1/contacts/${contact.id}`);
  expect(await sendOk(`GET ${regular}`)).toEqual(createPage([]));
  expect(await sendOk(`GET ${firms}`)).toEqual(createPage([{ ...kept, contact_id: null }]));
});

test('a DELETE of an organization deletes its notes and entries, and unlinks its contacts', async () => {
  const { call, sendOk, firms, acme, organization } = await createBoardWorkspace();
  const body = { emails: ['b@x.example'], organization_id: organization.id };
  const contact = await sendOk<Contact>('POST /v1/contacts', body);
  await sendOk(`POST ${firms}`, acme);
  await sendOk('POST /v1/notes', { organization_id: organization.id, body: 'Called.' });
  await call(`DELETE /v1/organizations/${organization.id}`);
  expect(await sendOk('GET /v1/notes')).toEqual(createPage([]));
  expect(await sendOk(`GET ${firms}`)).toEqual(createPage([]));
  const unlinked = { ...contact, organization_id: null };
  expect(await sendOk('GET /v1/contacts?email=b@x.example')).toEqual(createPage([unlinked]));
});

test('a DELETE of a list deletes its entries, but not its contacts', async () => {
  const { call, sendOk, deals, ada, contact } = await createBoardWorkspace();
  const { id } = await sendOk<Entry>(`POST ${deals}`, ada);
  await call(`DELETE ${deals.replace('/entries', '')}`);
  expect((await call(`GET ${deals}`)).status).toBe(404);
  expect((await call(`GET ${deals}/${id}`)).status).toBe(404);
  expect((await call(`GET /v1/contacts/${contact.id}`)).status).toBe(200);
});

test('a DELETE of a custom field deletes its values', async () => {
  const { sendOk } = await openTestWorkspace();
  const define = (name: string) =>
    sendOk<CustomField>('POST /v1/custom_fields', { name, model: 'contact', data_type: 'text' });
  const [field, other] = [await define('Color'), await define('Other')];
  const custom_fields = [{ name: 'Color', value: 'Red' }];
  const contact = await sendOk<Contact>('POST /v1/contacts', { first_name: 'Ada', custom_fields });
  await sendOk(`DELETE /v1/custom_fields/${field.id}`);
  const remaining = { [other.id]: { name: 'Other', data_type: 'text', value: null } };
  expect(await sendOk(`GET /v1/contacts/${contact.id}`)).toEqual({ ...contact, custom_fields: remaining });
});
