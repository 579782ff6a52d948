import { expect } from 'vitest';
import type { Entry } from '../../../src/contract/entries.ts';
import { test } from '../engines.ts';
import { laterTime, openTestWorkspace, type TestWorkspace } from '../service.ts';

/** One record of each noun that a PATCH updates, with a value in every field, and its path. */
const nouns: Readonly<Record<string, (created: TestWorkspace) => Promise<string>>> = {
  contact: (created) => firstOf(created, '/v1/contacts', contact),
  organization: (created) => firstOf(created, '/v1/organizations', organization),
  note: async (created) => {
    const path = await firstOf(created, '/v1/organizations', organization);
    return firstOf(created, '/v1/notes', { ...note, organization_id: path.split('/').at(-1) });
  },
  'custom field': (created) => firstOf(created, '/v1/custom_fields', { ...field, model: 'contact' }),
  list: (created) => firstOf(created, '/v1/lists', { name: 'News', process: false, entry_type: 'Contact' }),
  process: (created) => firstOf(created, '/v1/lists', process),
  entry: async (created) => {
    const target = {
      entryable_type: 'Contact',
      entryable_id: idIn(await firstOf(created, '/v1/contacts', contact)),
    };
    const list = await firstOf(created, '/v1/lists', process);
    return firstOf(created, `${list}/entries`, { ...entry, ...target });
  },
};

const field = { name: 'Tier', data_type: 'select', accepts_multiple_values: true, options: ['A', 'B'] };
const values = [{ name: 'Tier', value: ['A', 'B'] }];
const contact = {
  first_name: 'Ada',
  last_name: 'Lovelace',
  emails: ['ada@example.com'],
  phone_numbers: ['+14155550100', '+14155550101'],
  custom_fields: values,
};
const organization = { name: 'Acme', domains: ['acme.example'], custom_fields: values };
const note = { body: 'Called.', deal_id: 'd1' };
const process = {
  name: 'Sales',
  process: true,
  entry_type: 'Contact',
  identifier: 'DEAL',
  duplicates_allowed: true,
  entry_label: 'Deal',
  status_label: 'Stage',
  statuses: [
    { name: 'Lead', type: 'active' },
    { name: 'Signed', type: 'won' },
  ],
  fields: [field],
};
const entry = {
  status: 'Signed',
  assignee_email: 'mina@example.com',
  one_time_value_cents: 100,
  recurring_value_cents: 5,
  recurring_value_period: 'monthly',
  list_fields: values,
};

const idIn = (path: string) => path.split('/').at(-1);

/** Makes the custom fields that the values are for, and then a record. */
async function firstOf({ call, sendOk }: TestWorkspace, path: string, body: object): Promise<string> {
  for (const model of ['contact', 'organization']) await call('POST /v1/custom_fields', { ...field, model });
  if (path === '/v1/custom_fields') {
    const { data } = await sendOk<{ data: { id: string }[] }>('GET /v1/custom_fields');
    return `${path}/${data[0]?.id}`;
  }
  const { id } = await sendOk<{ id: string }>(`POST ${path}`, body);
  return `${path}/${id}`;
}

const { process: _, entry_type: __, ...processUpdate } = process;

test.each<[keyof typeof nouns, object]>([
  ...Object.keys(nouns).map((noun): [string, object] => [noun, {}]),
  ['contact', contact],
  ['contact', { emails: [' ADA@example.com'], phone_numbers: ['(415) 555-0100', '+1 415 555 0101'] }],
  ['contact', { emails: [], organization_id: null }],
  ['organization', organization],
  ['organization', { domains: ['https://www.ACME.example/about'] }],
  ['note', note],
  ['note', { deal_id: 'd1' }],
  ['custom field', { name: 'Tier' }],
  ['custom field', { name: 'Tier', options: ['A', 'B'] }],
  ['list', { name: 'News', fields: [] }],
  ['process', processUpdate],
  ['process', { statuses: process.statuses.map(({ name, type }) => ({ type, name })) }],
  ['process', { fields: [{ name: 'Tier' }] }],
  ['entry', entry],
  ['entry', { contact_id: null, list_fields: [] }],
])('PATCH of a %s with the values that it has changes nothing: %j', async (noun, body) => {
  const created = await openTestWorkspace();
  const path = await nouns[noun]?.(created);
  const record = await created.sendOk(`GET ${path}`);
  created.clock.time = laterTime;
  expect(await created.call(`PATCH ${path}`, body)).toEqual({ status: 200, headers: {}, body: record });
  // As text, because the order of keys must not change either.
  expect(JSON.stringify(await created.sendOk(`GET ${path}`))).toBe(JSON.stringify(record));
});

test.each<[keyof typeof nouns, object]>([
  ['contact', { phone_numbers: ['+14155550101', '+14155550100'] }],
  ['organization', { custom_fields: [{ name: 'Tier', value: ['B', 'A'] }] }],
  ['note', { deal_id: null }],
  ['custom field', { options: ['B', 'A'] }],
  ['list', { name: 'Digest' }],
  ['process', { fields: [{ name: 'Tier', options: ['A'] }] }],
  ['entry', { assignee_email: null }],
])('PATCH of a %s with one other value moves updated_at: %j', async (noun, body) => {
  const created = await openTestWorkspace();
  const path = await nouns[noun]?.(created);
  created.clock.time = laterTime;
  expect(await created.sendOk(`PATCH ${path}`, body)).toMatchObject({ updated_at: laterTime });
  expect(await created.sendOk(`GET ${path}`)).toMatchObject({ updated_at: laterTime });
});

test('closed_at and updated_at of entries follow when their status changes its type', async () => {
  const created = await openTestWorkspace();
  const { sendOk, clock } = created;
  const path = (await nouns.entry?.(created)) ?? '';
  const list = path.replace(/\/entries\/.*/, '');
  const signed = await sendOk<Entry>(`GET ${path}`);
  const other = { entryable_id: signed.entryable_id, entryable_type: 'Contact' };
  const lead = await sendOk<Entry>(`POST ${list}/entries`, { ...other, status: 'Lead' });
  const statuses = (...types: string[]) => ({
    statuses: ['Lead', 'Signed'].map((name, index) => ({ name, type: types[index] })),
  });
  const entries = async () => (await sendOk<{ data: Entry[] }>(`GET ${list}/entries`)).data;

  clock.time = laterTime;
  await sendOk(`PATCH ${list}`, statuses('lost', 'active'));
  expect(await entries()).toEqual([
    { ...signed, closed_at: null, updated_at: laterTime },
    { ...lead, closed_at: laterTime, updated_at: laterTime },
  ]);

  clock.time = '2026-05-06T00:00:00.000Z';
  await sendOk(`PATCH ${list}`, statuses('won', 'active'));
  expect(await entries()).toEqual([
    { ...signed, closed_at: null, updated_at: laterTime },
    { ...lead, closed_at: laterTime, updated_at: laterTime },
  ]);
});
