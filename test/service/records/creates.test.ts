import { expect } from 'vitest';
import { dataTypes } from '../../../src/contract/field-types.ts';
import { createPage } from '../../client/loopback.ts';
import { test } from '../engines.ts';
import {
  contact1,
  day,
  listValues,
  type Noun,
  nouns,
  openForNoun,
  organization1,
  pipeline,
  select,
  tier,
  topics,
} from '../nouns.ts';
import { anyId, startTime, startTimes } from '../service.ts';

const noTier = tier(null);
const text = { data_type: 'text', accepts_multiple_values: false, options: [] };
const entry = { entryable_type: 'Contact', contact_id: null, list_fields: listValues(null, null) };

/** The values of fields that a create omits. */
const defaults: Readonly<Record<Noun, object>> = {
  contact: {
    ...{ first_name: null, last_name: null, emails: [], phone_numbers: [] },
    ...{ organization_id: null, custom_fields: noTier },
  },
  organization: { name: null, domains: [], custom_fields: noTier },
  note: { organization_id: organization1, deal_id: null },
  'custom field': { ...text, model: 'contact' },
  list: { fields: [], archived_at: null },
  process: {
    ...{ fields: [], entry_label: 'Entry', status_label: 'Status', archived_at: null },
    statuses: [
      { name: 'Open', type: 'active' },
      { name: 'Won', type: 'won' },
      { name: 'Lost', type: 'lost' },
    ],
  },
  entry: { ...entry, key: null, list_id: expect.any(String) },
  deal: {
    ...{ ...entry, list_id: expect.any(String), status: 'Lead', assignee: null, closed_at: null },
    ...{ one_time_value_cents: 0, recurring_value_cents: 0, recurring_value_period: 'annual' },
    next_entry_id: null,
  },
};

const list = { name: 'Newsletter', process: false, entry_type: 'Contact' };
const sales = {
  ...{ name: 'Sales', process: true, entry_type: 'Organization', identifier: 'DEAL' },
  duplicates_allowed: true,
};
const ada = { entryable_id: contact1, entryable_type: 'Contact' };
const mina = { email: 'mina@example.com' };

/** Bodies of creates, one after the other. The record has the values of the body, or those that differ. */
const creates: Readonly<Record<Noun, readonly (readonly [body: object, record?: object])[]>> = {
  contact: [
    [{ first_name: 'Ada' }],
    [{ emails: ['ada@example.com'] }],
    [{ first_name: 'Ada', last_name: null, organization_id: null, emails: [] }],
    [{ first_name: '  ', emails: ['a@example.com'] }, { first_name: null }],
    [
      { emails: [' C@Example.com ', 'c@example.COM', 'b@example.com'] },
      { emails: ['C@Example.com', 'b@example.com'] },
    ],
    [{ emails: ['taro..y@docomo.ne.jp', 'x.@docomo.ne.jp'] }],
    [{ emails: ['김지우@한빛.한국', "o'neil+x@a-b.co"] }],
    [
      { first_name: 'A', phone_numbers: ['(415) 555-0100', '+1 415 555 0100', '+82 10-5550-1234'] },
      { phone_numbers: ['+14155550100', '+821055501234'] },
    ],
    [
      { first_name: 'A', organization_id: organization1, custom_fields: [{ name: 'Tier', value: ['B'] }] },
      { custom_fields: tier(['B']) },
    ],
  ],
  organization: [
    [{ name: 'Acme' }],
    [{ name: '한빛물류', domains: [] }],
    [{ domains: ['acme.example'] }],
    [{ name: ' ', domains: ['b.example'] }, { name: null }],
    [
      { name: 'C', domains: ['https://www.C.example/about?x=1', 'c.example', 'd.example'] },
      { domains: ['c.example', 'd.example'] },
    ],
    [
      {
        domains: [
          ...[' E1.example ', 'WWW.e2.example', 'http://e3.example', 'HTTPS://www.e4.example:8443/a/b?c#d'],
          ...['e5.example/contact', 'e6.example.', 'mail.e7.example', 'https://bücher.example', '한빛.한국'],
        ],
      },
      {
        domains: [
          ...['e1.example', 'e2.example', 'e3.example', 'e4.example', 'e5.example', 'e6.example'],
          ...['mail.e7.example', 'xn--bcher-kva.example', 'xn--xx3br43b.xn--3e0b707e'],
        ],
      },
    ],
  ],
  note: [
    [{ organization_id: organization1, body: 'Called.' }],
    [{ organization_id: organization1, body: ' line 1\n한글 🧊 ', deal_id: null }],
    [{ organization_id: organization1, body: 'x', deal_id: 'any text at all' }],
  ],
  'custom field': [
    [{ name: 'Plain', model: 'contact' }],
    [{ name: 'Plain', model: 'organization' }],
    [{ name: 'Plain', model: 'deal' }],
    ...dataTypes
      .filter((data_type) => !['select', 'user', 'contact'].includes(data_type))
      .map((data_type) => [{ name: `A ${data_type}`, model: 'contact', data_type, options: [] }] as const),
    [{ name: 'Numbers', model: 'contact', data_type: 'number', accepts_multiple_values: true }],
    [{ name: 'User', model: 'contact', data_type: 'user', accepts_multiple_values: false }],
    [{ name: 'Contacts', model: 'contact', data_type: 'contact', accepts_multiple_values: true }],
    [{ name: 'Color', model: 'contact', ...select }],
  ],
  list: [
    [list],
    [
      { ...list, fields: [{ name: 'Note' }, { name: 'Day', data_type: 'date' }, topics] },
      { fields: [{ ...day, name: 'Note', data_type: 'text' }, day, topics] },
    ],
  ],
  process: [
    [sales],
    [{ ...sales, statuses: [] }, { statuses: Object(defaults.process).statuses }],
    [{ ...pipeline, duplicates_allowed: false, entry_type: 'Organization' }],
    [{ ...sales, identifier: 'x'.repeat(50) }],
  ],
  entry: [[ada]],
  deal: [
    [ada, { key: 'DEAL-1' }],
    [{ ...ada, status: 'Trial' }, { key: 'DEAL-2' }],
    [
      { ...ada, status: 'Signed' },
      { key: 'DEAL-3', closed_at: startTime },
    ],
    [
      { ...ada, status: 'Gone' },
      { key: 'DEAL-4', closed_at: startTime },
    ],
    [
      { ...ada, assignee_email: 'mina@example.com' },
      { key: 'DEAL-5', assignee_email: undefined, assignee: mina },
    ],
    [
      { ...ada, assignee_email: null, contact_id: null },
      { key: 'DEAL-6', assignee_email: undefined },
    ],
    [{ ...ada, one_time_value_cents: 2 ** 53 - 1, recurring_value_cents: 5 }, { key: 'DEAL-7' }],
    [{ ...ada, recurring_value_period: 'monthly', contact_id: contact1 }, { key: 'DEAL-8' }],
    [
      { ...ada, list_fields: [{ name: 'Day', value: '2026-05-04' }] },
      { key: 'DEAL-9', list_fields: listValues(null, '2026-05-04') },
    ],
  ],
};

test.each(nouns)(
  'creates of a %s return the whole records, which the list has in this order',
  async (noun) => {
    const { call, sendOk, collection } = await openForNoun(noun);
    const existing = await sendOk<{ data: object[] }>(`GET ${collection}`);
    const records = [...existing.data];
    for (const [body, record] of creates[noun]) {
      const response = await call(`POST ${collection}`, body);
      const { id } = Object(response.body);
      const expected = { id: anyId, ...defaults[noun], ...body, ...record, ...startTimes };
      const headers = { location: `${collection}/${id}` };
      expect({ sent: body, ...response }).toEqual({ sent: body, status: 201, headers, body: expected });
      expect(await sendOk(`GET ${collection}/${id}`)).toEqual(response.body);
      records.push(Object(response.body));
    }
    expect(await sendOk(`GET ${collection}?first=100`)).toEqual(createPage(records));
  },
);
