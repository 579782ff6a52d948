import { expect } from 'vitest';
import type { Entry } from '../../../src/contract/entries.ts';
import { ids } from '../../../src/service/db/ids.ts';
import { test } from '../engines.ts';
import {
  contact1,
  day,
  listValues,
  type Noun,
  nouns,
  openWithRecord,
  organization1,
  pipeline,
  tier,
  topics,
} from '../nouns.ts';
import { laterTime } from '../service.ts';

const values = (name: string, value: unknown) => [{ name, value }];
const defaults = [
  { name: 'Open', type: 'active' },
  { name: 'Won', type: 'won' },
  { name: 'Lost', type: 'lost' },
];
const bolt = ids.organization.encode(2);

type Update = readonly [body: object, changed?: object | ((now: string) => object)];

/** Updates of the record with every field, one after the other: each changes what it names, or what stands after it. */
const updates: Readonly<Record<Noun, readonly Update[]>> = {
  contact: [
    [{ first_name: 'Augusta' }],
    [{ last_name: 'King' }],
    [{ organization_id: bolt }],
    [{ first_name: null, last_name: null, organization_id: null }],
    [{ first_name: 'Ada' }],
    [{ first_name: '' }, { first_name: null }],
    [
      { emails: ['third@example.com', 'ADA@example.com'] },
      { emails: ['ada@example.com', 'second@example.com', 'third@example.com'] },
    ],
    [{ phone_numbers: ['+14155550101', '+14155550100'] }],
    [{ phone_numbers: ['+821055501234'] }],
    [{ phone_numbers: [] }],
    [{ custom_fields: values('Tier', ['B', 'A']) }, { custom_fields: tier(['B', 'A']) }],
  ],
  organization: [
    [{ name: 'Acme Ltd' }],
    [
      { domains: ['https://new.example', 'ACME.example'] },
      { domains: ['acme.example', 'acme.test.example', 'new.example'] },
    ],
    [{ name: '' }, { name: null }],
    [{ custom_fields: values('Tier', ['B', 'A']) }, { custom_fields: tier(['B', 'A']) }],
  ],
  note: [
    [{ body: 'Wrote.' }],
    [{ deal_id: 'D-2' }],
    [{ deal_id: null }],
    [{ body: 'Called again.', deal_id: 'D-3' }],
  ],
  'custom field': [
    [{ name: 'Hue' }],
    [{ options: ['B', 'A'] }],
    [{ options: ['B', 'Green'] }],
    [{ name: 'Color', options: ['Green'] }],
  ],
  list: [
    [{ name: 'Letter' }],
    [{ fields: [{ name: 'New' }] }, { fields: [topics, day, { ...day, name: 'New', data_type: 'text' }] }],
  ],
  process: [
    [{ name: 'Deals' }],
    [{ identifier: 'D' }],
    [{ duplicates_allowed: false }],
    [{ entry_label: 'Opportunity', status_label: 'Phase' }],
    [{ statuses: [{ name: 'Open', type: 'active' }] }],
    [{ statuses: [] }, { statuses: defaults }],
    [{ fields: [{ name: 'Topics', options: ['C'] }] }, { fields: [{ ...topics, options: ['C'] }, day] }],
    [
      { fields: [{ name: 'Day', data_type: 'datetime' }] },
      {
        fields: [
          { ...topics, options: ['C'] },
          { ...day, data_type: 'datetime' },
        ],
      },
    ],
    [
      { fields: [{ name: 'Topics', data_type: 'text' }, { name: 'New' }] },
      {
        fields: [
          { ...day, name: 'Topics', data_type: 'text' },
          { ...day, data_type: 'datetime' },
          { ...day, name: 'New', data_type: 'text' },
        ],
      },
    ],
  ],
  entry: [
    [{ assignee_email: 'kenji@example.com' }, { assignee: { email: 'kenji@example.com' } }],
    [{ assignee_email: null }, { assignee: undefined }],
    [
      { contact_id: contact1, list_fields: values('Day', '2026-05-05') },
      { contact_id: contact1, list_fields: listValues(null, '2026-05-05') },
    ],
  ],
  deal: [
    [{ assignee_email: 'kenji@example.com' }, { assignee: { email: 'kenji@example.com' } }],
    [
      { assignee_email: null, contact_id: null },
      { assignee: null, contact_id: null },
    ],
    [{ one_time_value_cents: 0, recurring_value_cents: 7, recurring_value_period: 'one_time' }],
    [{ list_fields: values('Day', '2026-05-05') }, { list_fields: listValues(['A', 'B'], '2026-05-05') }],
    [{ list_fields: values('Day', null) }, { list_fields: listValues(['A', 'B'], null) }],
    // `closed_at` is the time at which the status became won or lost.
    [{ status: 'Trial' }],
    [{ status: 'Signed' }, (now) => ({ status: 'Signed', closed_at: now })],
    [{ one_time_value_cents: 3 }],
    [{ status: 'Gone' }, (now) => ({ status: 'Gone', closed_at: now })],
    [{ status: 'Trial' }, { status: 'Trial', closed_at: null }],
    [{ status: 'Gone' }, (now) => ({ status: 'Gone', closed_at: now })],
  ],
};

test.each(nouns)('a PATCH of a %s changes only the fields that it names', async (noun) => {
  const { call, clock, record, path } = await openWithRecord(noun);
  let expected: object = record;
  for (const [index, [body, changed = body]] of updates[noun].entries()) {
    clock.time = new Date(Date.parse(laterTime) + index * 1000).toISOString();
    const change = typeof changed === 'function' ? changed(clock.time) : changed;
    expected = { ...expected, ...change, updated_at: clock.time };
    const response = await call(`PATCH ${path}`, body);
    expect({ sent: body, ...response }).toEqual({ sent: body, status: 200, headers: {}, body: expected });
    expect((await call(`GET ${path}`)).body).toEqual(response.body);
  }
});

const tiers = values('Tier', ['A', 'B']);
const { process: _, entry_type: __, ...processUpdate } = pipeline;

/** Bodies with values that the record has, some in another form. */
const repetitions: Readonly<Record<Noun, readonly object[]>> = {
  contact: [
    { first_name: 'Ada', last_name: 'Lovelace', organization_id: organization1, custom_fields: tiers },
    { emails: [' ADA@example.com'], phone_numbers: ['(415) 555-0100', '+1 415 555 0101'] },
    { emails: [] },
  ],
  organization: [
    { name: 'Acme', domains: ['acme.example', 'acme.test.example'], custom_fields: tiers },
    { domains: ['https://www.ACME.example/about'] },
  ],
  note: [{ body: 'Called.', deal_id: 'D-1' }, { deal_id: 'D-1' }],
  'custom field': [{ name: 'Tier' }, { name: 'Tier', options: ['A', 'B'] }],
  list: [{ name: 'News', fields: [] }],
  process: [processUpdate, { fields: [{ name: 'Topics' }] }],
  entry: [{ contact_id: null, list_fields: [], assignee_email: 'mina@example.com' }],
  deal: [
    { status: 'Lead', assignee_email: 'mina@example.com', one_time_value_cents: 100 },
    {
      recurring_value_cents: 5,
      recurring_value_period: 'monthly',
      list_fields: values('Topics', ['A', 'B']),
    },
  ],
};

test.each(nouns)('a PATCH of a %s with the values that it has changes nothing', async (noun) => {
  const { call, sendOk, path } = await openWithRecord(noun);
  const record = await sendOk(`GET ${path}`);
  for (const body of [{}, ...repetitions[noun]]) {
    const response = await call(`PATCH ${path}`, body);
    expect({ sent: body, ...response }).toEqual({ sent: body, status: 200, headers: {}, body: record });
    // As text, because the order of keys must not change either.
    expect(JSON.stringify(await sendOk(`GET ${path}`))).toBe(JSON.stringify(record));
  }
});

test.each<[name: string, noun: Noun, all: string[], steps: [removed: string[], remaining: string[]][]]>([
  [
    'emails',
    'contact',
    ['ada@example.com', 'second@example.com', 'third@example.com'],
    [
      [[], ['ada@example.com', 'second@example.com', 'third@example.com']],
      [['never@example.com'], ['ada@example.com', 'second@example.com', 'third@example.com']],
      [['no address'], ['ada@example.com', 'second@example.com', 'third@example.com']],
      [
        ['never@example.com', 'SECOND@example.com '],
        ['ada@example.com', 'third@example.com'],
      ],
      [['ada@example.com', 'third@example.com'], []],
    ],
  ],
  [
    'domains',
    'organization',
    ['acme.example', 'acme.test.example', 'third.example'],
    [
      [[], ['acme.example', 'acme.test.example', 'third.example']],
      [['never.example'], ['acme.example', 'acme.test.example', 'third.example']],
      [['no domain'], ['acme.example', 'acme.test.example', 'third.example']],
      [
        ['never.example', 'https://www.ACME.test.example/'],
        ['acme.example', 'third.example'],
      ],
      [['acme.example', 'third.example'], []],
    ],
  ],
])(
  'a DELETE of %s removes those that the record has; others may use them again',
  async (name, noun, all, steps) => {
    const { call, sendOk, clock, collection, path } = await openWithRecord(noun);
    let expected = await sendOk<object>(`PATCH ${path}`, { [name]: all });
    let before = all;
    for (const [removed, remaining] of steps) {
      clock.time = new Date(Date.parse(clock.time) + 1000).toISOString();
      const isChanged = remaining.length < before.length;
      expected = { ...expected, [name]: remaining, ...(isChanged && { updated_at: clock.time }) };
      const response = await call(`DELETE ${path}/${name}`, { [name]: removed });
      expect({ removed, ...response }).toEqual({ removed, status: 200, headers: {}, body: expected });
      before = remaining;
    }
    expect(await sendOk(`POST ${collection}`, { [name]: all.slice(0, 1) })).toMatchObject({
      [name]: all.slice(0, 1),
    });
  },
);

test('closed_at and updated_at of entries follow when their status changes its type', async () => {
  const { sendOk, clock, collection, record } = await openWithRecord('deal');
  const entries = async () => (await sendOk<{ data: Entry[] }>(`GET ${collection}`)).data;
  const grace = await sendOk<Entry>(`PATCH ${collection}/${ids.entry.encode(2)}`, { status: 'Signed' });
  expect(grace.closed_at).toBe(laterTime);
  const change = async (lead: string, signed: string) => {
    const statuses = Object.entries({ Lead: lead, Signed: signed }).map(([name, type]) => ({ name, type }));
    await sendOk(`PATCH ${collection.replace('/entries', '')}`, { statuses });
  };
  const now = '2026-05-06T00:00:00.000Z';
  const expected = [
    { ...record, closed_at: now, updated_at: now },
    { ...grace, closed_at: null, updated_at: now },
  ];
  clock.time = now;
  await change('lost', 'active');
  expect(await entries()).toEqual(expected);
  clock.time = '2026-05-07T00:00:00.000Z';
  await change('won', 'active');
  expect(await entries()).toEqual(expected);
});
