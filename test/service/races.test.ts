import { expect } from 'vitest';
import type { Contact } from '../../src/contract/contacts.ts';
import type { Entry } from '../../src/contract/entries.ts';
import type { Page } from '../../src/contract/grammar.ts';
import type { List } from '../../src/contract/lists.ts';
import type { Organization } from '../../src/contract/organizations.ts';
import { countRounds } from '../support/rounds.ts';
import { createBoardWorkspace } from './board-workspace.ts';
import { test } from './engines.ts';
import { openTestWorkspace, type TestWorkspace } from './service.ts';

const repeat = <T>(count: number, create: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => create(index));

type Request = readonly [line: string, body?: unknown];

/** Sends requests at the same time and returns their statuses, sorted. */
async function sendTogether({ call }: TestWorkspace, requests: readonly Request[]): Promise<number[]> {
  const responses = await Promise.all(requests.map(([line, body]) => call(line, body)));
  return responses.map(({ status }) => status).sort();
}

const oneOfTen = [201, ...repeat(9, () => 422)];
const contactField = { name: 'Tier', model: 'contact', accepts_multiple_values: false };

test('one of ten simultaneous creates with the same value or record succeeds', async () => {
  const lists = await createBoardWorkspace({ duplicates_allowed: false });
  const requests: readonly Request[] = [
    ['POST /v1/contacts', { emails: ['ada@example.com'] }],
    ['POST /v1/organizations', { domains: ['acme.example'] }],
    ['POST /v1/custom_fields', contactField],
    [`POST ${lists.regular}`, lists.ada],
    [`POST ${lists.deals}`, lists.ada],
  ];
  for (const request of requests) {
    const ten = repeat(10, () => request);
    expect([request, await sendTogether(lists, ten)]).toEqual([request, oneOfTen]);
  }
  expect((await lists.sendOk<Page<Entry>>(`GET ${lists.deals}`)).data[0]?.key).toBe('DEAL-1');
});

test('50 simultaneous entries get keys without gaps or duplicates', async () => {
  const { deals, ada, sendOk, ...workspace } = await createBoardWorkspace();
  const requests = repeat(50, (): Request => [`POST ${deals}`, ada]);
  expect(new Set(await sendTogether({ ...workspace, sendOk }, requests))).toEqual(new Set([201]));
  const { data } = await sendOk<Page<Entry>>(`GET ${deals}?first=100`);
  const numbers = data.map(({ key }) => Number(key?.replace('DEAL-', '')));
  expect(numbers.sort((one, other) => one - other)).toEqual(repeat(50, (index) => index + 1));
});

test('stores all addresses that simultaneous requests add to a contact', async () => {
  const { sendOk, ...workspace } = await openTestWorkspace();
  const { id } = await sendOk<Contact>('POST /v1/contacts', { first_name: 'Ada' });
  const emails = repeat(10, (index) => `a${index}@example.com`);
  const requests = emails.map((email): Request => [`PATCH /v1/contacts/${id}`, { emails: [email] }]);
  expect(new Set(await sendTogether({ ...workspace, sendOk }, requests))).toEqual(new Set([200]));
  expect((await sendOk<Contact>(`GET /v1/contacts/${id}`)).emails.sort()).toEqual(emails);
});

test('simultaneous deletes leave a contact its last address, and an organization its last domain', async () => {
  const { sendOk, ...workspace } = await openTestWorkspace();
  for (const round of countRounds(2, 5)) {
    const emails = repeat(2, (index) => `a${index}-${round}@example.com`);
    const domains = repeat(2, (index) => `d${index}-${round}.example`);
    const { id } = await sendOk<Contact>('POST /v1/contacts', { emails });
    const organization = await sendOk<Organization>('POST /v1/organizations', { domains });
    const requests = [
      ...emails.map((email): Request => [`DELETE /v1/contacts/${id}/emails`, { emails: [email] }]),
      ...domains.map(
        (domain): Request => [`DELETE /v1/organizations/${organization.id}/domains`, { domains: [domain] }],
      ),
    ];
    expect(await sendTogether({ ...workspace, sendOk }, requests)).toEqual([200, 200, 422, 422]);
  }
});

test('ten simultaneous contacts with the same new domain get one organization', async () => {
  const { sendOk, ...workspace } = await openTestWorkspace();
  const toBody = (index: number) => ({ emails: [`a${index}@acme.example`], organization_id: 'auto' });
  const requests = repeat(10, (index): Request => ['POST /v1/contacts', toBody(index)]);
  expect(new Set(await sendTogether({ ...workspace, sendOk }, requests))).toEqual(new Set([201]));
  const [organizations, contacts] = [
    await sendOk<Page<Organization>>('GET /v1/organizations'),
    await sendOk<Page<Contact>>('GET /v1/contacts'),
  ];
  expect(organizations.pagination.total_count).toBe(1);
  expect(new Set(contacts.data.map(({ organization_id }) => organization_id))).toEqual(
    new Set([organizations.data[0]?.id]),
  );
});

test('stores each field that simultaneous requests add to a list once', async () => {
  const { deals, sendOk, ...workspace } = await createBoardWorkspace();
  const path = deals.replace('/entries', '');
  const requests = repeat(10, (index): Request => [`PATCH ${path}`, { fields: [{ name: `F${index % 5}` }] }]);
  expect(new Set(await sendTogether({ ...workspace, sendOk }, requests))).toEqual(new Set([200]));
  const { fields } = await sendOk<List>(`GET ${path}`);
  expect(fields.map(({ name }) => name).sort()).toEqual(['Day', 'F0', 'F1', 'F2', 'F3', 'F4']);
});

test('does not remove a status that entries get at the same time', async () => {
  for (const _ of countRounds(2, 5)) {
    const { deals, ada, sendOk, ...workspace } = await createBoardWorkspace();
    const path = deals.replace('/entries', '');
    const { id } = await sendOk<Entry>(`POST ${deals}`, ada);
    await sendTogether({ ...workspace, sendOk }, [
      [`POST ${deals}`, { ...ada, status: 'Trial' }],
      [`PATCH ${path}`, { statuses: [{ name: 'Lead', type: 'active' }] }],
      [`PATCH ${deals}/${id}`, { status: 'Signed' }],
    ]);
    const names = (await sendOk<List>(`GET ${path}`)).statuses?.map(({ name }) => name);
    const { data } = await sendOk<Page<Entry>>(`GET ${deals}`);
    expect(data.filter(({ status }) => !names?.includes(status ?? ''))).toEqual([]);
  }
});

test('refuses or deletes records that refer to a record deleted at the same time', async () => {
  for (const _ of countRounds(2, 5)) {
    const { deals, firms, ada, acme, contact, organization, sendOk, ...workspace } =
      await createBoardWorkspace();
    const statuses = await sendTogether({ ...workspace, sendOk }, [
      ...repeat(3, (): Request => [`POST ${deals}`, ada]),
      [`POST ${firms}`, acme],
      ...repeat(3, (): Request => ['POST /v1/notes', { organization_id: organization.id, body: 'Called.' }]),
      ['POST /v1/contacts', { first_name: 'Grace', organization_id: organization.id }],
      [`PATCH /v1/contacts/${contact.id}`, { organization_id: organization.id }],
      [`DELETE /v1/contacts/${contact.id}`],
      [`DELETE /v1/organizations/${organization.id}`],
      [`DELETE ${firms.replace('/entries', '')}`],
    ]);
    expect(statuses.filter((status) => ![200, 201, 204, 404, 422].includes(status))).toEqual([]);
    const totals = ['/v1/notes', '/v1/organizations', deals].map(async (path) => {
      const { data, pagination } = await sendOk<Page<object>>(`GET ${path}`);
      return [data.length, pagination.total_count];
    });
    expect(await Promise.all(totals)).toEqual([
      [0, 0],
      [0, 0],
      [0, 0],
    ]);
    const contacts = await sendOk<Page<Contact>>('GET /v1/contacts');
    expect(contacts.data.map(({ organization_id }) => organization_id).filter(Boolean)).toEqual([]);
  }
});
