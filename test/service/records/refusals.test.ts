import { expect } from 'vitest';
import { test } from '../engines.ts';
import { contact1, day, type Noun, nouns, openWithRecord, organization1, select, topics } from '../nouns.ts';
import { unknownId } from '../service.ts';

/** The changes of a valid body, or of a record, and all errors in it, in order. Undefined: the field is missing. */
type Refusal = readonly [body: object, errors: string];

const many = (count: number, item: unknown) => Array.from({ length: count }, () => item);
const parse = (text: string): object => JSON.parse(text);
const labels = { entry_label: 'Deal', status_label: 'Stage' };
const statuses = [
  { name: 'Lead', type: 'active' },
  { name: 'Signed', type: 'won' },
];
const pipeline = {
  ...{ name: 'Sales', process: true, entry_type: 'Contact', identifier: 'DEAL' },
  duplicates_allowed: true,
};
const list = { name: 'News', process: false, entry_type: 'Contact' };
const values = (name: string, value: unknown) => [{ name, value }];

/** A valid body of a create. */
const valid: Readonly<Record<Noun, object>> = {
  contact: { first_name: 'A' },
  organization: { name: 'A' },
  note: { organization_id: organization1, body: 'x' },
  'custom field': { name: 'X', model: 'deal' },
  list,
  process: pipeline,
  entry: { entryable_id: contact1, entryable_type: 'Contact' },
  deal: { entryable_id: contact1, entryable_type: 'Contact' },
};

const creates: Readonly<Record<Noun, readonly Refusal[]>> = {
  contact: [
    [{ first_name: undefined }, 'first_name required'],
    [{ first_name: undefined, last_name: 'Lovelace' }, 'first_name required'],
    [{ first_name: ' ' }, 'first_name required'],
    [{ first_name: null, emails: [] }, 'first_name required'],
    [{ first_name: 7 }, 'first_name type'],
    [{ emails: ['good@example.com', 'bad'] }, 'emails/1 value'],
    [{ emails: ['a@b', '.a@b.co', 'a b@c.co'] }, 'emails/0 value, emails/1 value, emails/2 value'],
    [
      { emails: ['a@@b.co', '@b.co', 'a@-b.co', ''] },
      'emails/0 value, emails/1 value, emails/2 value, emails/3 value',
    ],
    [{ emails: ['TAKEN@example.com'] }, 'emails/0 taken'],
    [
      { phone_numbers: ['+14155550100', 'call me', '12', ''] },
      'phone_numbers/1 value, phone_numbers/2 value, phone_numbers/3 value',
    ],
    [{ organization_id: unknownId }, 'organization_id not_found'],
    [{ organization_id: '' }, 'organization_id not_found'],
    [{ organization_id: 'auto' }, 'organization_id value'],
    [{ custom_fields: values('None', 1) }, 'custom_fields/0/name unknown'],
    [
      { emails: ['bad', 5], phone_numbers: 'x', nick: 'A', organization_id: unknownId },
      'emails/1 type, phone_numbers type, nick unknown, emails/0 value, organization_id not_found',
    ],
    // Bodies that once caused a 5xx, a truncated text or a request that took minutes.
    [{ first_name: 'a\0b' }, 'first_name value'],
    [{ emails: ['a\ud800@b.co', 'a\ud801@b.co'] }, 'emails/0 value, emails/1 value'],
    [{ '\ud800/~': 1 }, '%EF%BF%BD~1~0 unknown'],
    [parse('{"__proto__":{"a":1}}'), '__proto__ unknown'],
    [{ constructor: 1 }, 'constructor unknown'],
    [{ emails: many(1001, 'bad') }, 'emails value'],
    [{ first_name: parse('['.repeat(40) + ']'.repeat(40)) }, 'first_name type'],
  ],
  organization: [
    [{ name: undefined }, 'name required'],
    [{ name: '' }, 'name required'],
    [{ name: undefined, domains: [] }, 'name required'],
    [{ name: null }, 'name type'],
    [{ domains: ['good.example', 'bad'] }, 'domains/1 value'],
    [{ domains: ['https://www.TAKEN.example/'] }, 'domains/0 taken'],
    [{ domains: 'a.example' }, 'domains type'],
    [
      { domains: ['localhost', '127.0.0.1', 'http://[::1]/'] },
      'domains/0 value, domains/1 value, domains/2 value',
    ],
    [
      { domains: ['ftp://a.example', 'mailto:a@a.example', 'a@a.example'] },
      'domains/0 value, domains/1 value, domains/2 value',
    ],
    [{ domains: ['acme example', '-.example', ''] }, 'domains/0 value, domains/1 value, domains/2 value'],
    [{ custom_fields: values('None', 1) }, 'custom_fields/0/name unknown'],
    [{ name: 7, domains: ['x', null], size: 3 }, 'name type, domains/1 type, size unknown, domains/0 value'],
  ],
  note: [
    [{ organization_id: undefined, body: undefined }, 'organization_id required, body required'],
    [{ organization_id: unknownId, body: ' ' }, 'organization_id not_found, body value'],
    [{ organization_id: null, body: null }, 'organization_id type, body type'],
    [
      { organization_id: unknownId, body: undefined, text: 'x' },
      'body required, text unknown, organization_id not_found',
    ],
    [{ organization_id: 3, deal_id: 4 }, 'organization_id type, deal_id type'],
  ],
  'custom field': [
    [{ name: undefined, model: undefined }, 'name required, model required'],
    [{ name: ' ' }, 'name value'],
    [{ model: 'list' }, 'model value'],
    [{ data_type: 'boolean' }, 'data_type value'],
    [{ data_type: 'user' }, 'accepts_multiple_values required'],
    [{ data_type: 'contact' }, 'accepts_multiple_values required'],
    [{ data_type: 'select' }, 'accepts_multiple_values required, options required'],
    [{ ...select, options: [] }, 'options value'],
    [{ ...select, options: ['A', ' ', 'A'] }, 'options/1 value, options/2 taken'],
    [{ ...select, options: ['A', 1, 'A'] }, 'options/1 type, options/2 taken'],
    [{ data_type: 'text', options: ['A'] }, 'options value'],
    [{ name: 'Taken', model: 'contact' }, 'name taken'],
    [
      { name: 'Taken', model: 'contact', data_type: 'select', size: 1 },
      'size unknown, accepts_multiple_values required, options required, name taken',
    ],
  ],
  list: [
    [
      { name: undefined, process: undefined, entry_type: undefined },
      'name required, process required, entry_type required',
    ],
    [{ name: ' ', entry_type: 'Deal' }, 'entry_type value, name value'],
    [{ process: 'no' }, 'process type'],
    [{ process: true }, 'identifier required, duplicates_allowed required'],
    [
      { identifier: 'X', duplicates_allowed: true },
      'identifier process_only, duplicates_allowed process_only',
    ],
    [{ ...labels, statuses }, 'entry_label process_only, status_label process_only, statuses process_only'],
    [{ archived_at: null }, 'archived_at unknown'],
    [{ fields: [{}] }, 'fields/0/name required'],
    [{ fields: [day, { name: 'Day' }] }, 'fields/1/name taken'],
    [{ fields: [{ name: 'X', data_type: 'user' }] }, 'fields/0/accepts_multiple_values required'],
    [
      { fields: [{ name: 'X', data_type: 'select' }] },
      'fields/0/accepts_multiple_values required, fields/0/options required',
    ],
    [
      { fields: [{ name: '', data_type: 'boolean' }, { ...topics, options: ['A', 'A'] }, { name: '' }] },
      'fields/0/data_type value, fields/1/options/1 taken, fields/2/name value',
    ],
    [{ fields: [{ name: 'F', constructor: 1 }] }, 'fields/0/constructor unknown'],
    [{ fields: [{ name: '\ud800' }, { name: '\ud801' }] }, 'fields/0/name value, fields/1/name value'],
  ],
  process: [
    [{ identifier: '' }, 'identifier value'],
    [{ identifier: '  ' }, 'identifier value'],
    [{ identifier: 'x'.repeat(51) }, 'identifier value'],
    [{ statuses: {} }, 'statuses type'],
    [{ statuses: ['Open'] }, 'statuses/0 type'],
    [{ statuses: [{ name: 'Done', type: 'done' }] }, 'statuses/0/type value'],
    [{ statuses: [{ name: 'Done' }] }, 'statuses/0/type required'],
    [{ statuses: [{ name: 'Won', type: 'won', color: 1 }] }, 'statuses/0/color unknown'],
    [{ statuses: [...statuses, { name: 'Lead', type: 'lost' }] }, 'statuses/2/name taken'],
    [{ statuses: [{ name: '', type: 'won' }] }, 'statuses/0/name value'],
  ],
  entry: [
    [{}, 'entryable_id taken'],
    [{ entryable_type: 'Organization', entryable_id: organization1 }, 'entryable_type value'],
    [
      { status: 'Lead', one_time_value_cents: 1, recurring_value_cents: 0, recurring_value_period: 'annual' },
      'entryable_id taken, status process_only, one_time_value_cents process_only, recurring_value_cents process_only, recurring_value_period process_only',
    ],
  ],
  deal: [
    [{ entryable_id: undefined }, 'entryable_id required'],
    [{ entryable_type: undefined }, 'entryable_type required'],
    [{ entryable_id: unknownId }, 'entryable_id not_found'],
    [{ entryable_type: 'Deal' }, 'entryable_type value'],
    [{ entryable_type: 'Organization' }, 'entryable_type value, entryable_id not_found'],
    [{ status: 'lead' }, 'status value'],
    [{ status: null }, 'status type'],
    [{ assignee_email: 'mina' }, 'assignee_email value'],
    [{ contact_id: unknownId }, 'contact_id not_found'],
    [
      { one_time_value_cents: -1, recurring_value_cents: 1.5 },
      'one_time_value_cents value, recurring_value_cents value',
    ],
    [
      { one_time_value_cents: 2 ** 53, recurring_value_cents: '5' },
      'one_time_value_cents value, recurring_value_cents type',
    ],
    [
      { one_time_value_cents: null, recurring_value_period: 'weekly' },
      'one_time_value_cents type, recurring_value_period value',
    ],
    [{ list_fields: values('Day', 'x') }, 'list_fields/0/value value'],
    [{ list_fields: values('No', 1) }, 'list_fields/0/name unknown'],
    [{ key: 'DEAL-9', closed_at: null }, 'key unknown, closed_at unknown'],
  ],
};

const updates: Readonly<Record<Noun, readonly Refusal[]>> = {
  contact: [
    [
      { emails: null, phone_numbers: null, custom_fields: null },
      'emails type, phone_numbers type, custom_fields type',
    ],
    [{ organization_id: 'auto' }, 'organization_id value'],
    [{ organization_id: unknownId }, 'organization_id not_found'],
    [{ emails: ['taken@example.com'] }, 'emails/0 taken'],
    [{ emails: ['new@example.com', 'bad'], first_name: 'X' }, 'emails/1 value'],
    [{ id: 'abcdef', created_at: 'x' }, 'id unknown, created_at unknown'],
    ...['toString', 'hasOwnProperty', 'value', '__proto__', 'constructor', 'prototype'].map(
      (key): Refusal => [parse(`{"${key}": {"first_name": "Eve"}}`), `${key} unknown`],
    ),
  ],
  organization: [
    [{ name: null, domains: null }, 'name type, domains type'],
    [{ domains: ['taken.example'], name: 'X' }, 'domains/0 taken'],
    [{ domains: ['new.example', 'bad'] }, 'domains/1 value'],
  ],
  note: [
    [{ body: '\n' }, 'body value'],
    [{ body: null }, 'body type'],
    [{ organization_id: 'abcdef' }, 'organization_id unknown'],
    [{ body: 'x', created_at: 'y' }, 'created_at unknown'],
  ],
  'custom field': [
    [{ name: 'Taken' }, 'name taken'],
    [{ name: '' }, 'name value'],
    [{ name: null, options: null }, 'name type, options type'],
    [{ options: [] }, 'options value'],
    [{ options: ['A', 'A'], name: 'Hue' }, 'options/1 taken'],
    [
      { model: 'deal', data_type: 'text', accepts_multiple_values: false },
      'model unknown, data_type unknown, accepts_multiple_values unknown',
    ],
  ],
  list: [
    [{ identifier: 'X', statuses: [] }, 'identifier process_only, statuses process_only'],
    [{ duplicates_allowed: false }, 'duplicates_allowed process_only'],
    [labels, 'entry_label process_only, status_label process_only'],
  ],
  process: [
    [{ entry_type: 'Contact', process: true }, 'entry_type unknown, process unknown'],
    [{ name: null }, 'name type'],
    [{ identifier: '' }, 'identifier value'],
    [{ statuses: null, duplicates_allowed: null }, 'duplicates_allowed type, statuses type'],
    [{ statuses: [{ name: 'Lead', type: 'done' }] }, 'statuses/0/type value'],
    [{ statuses: [{ name: 'Signed', type: 'won' }] }, 'statuses in_use'],
    [{ statuses: [] }, 'statuses in_use'],
    [{ fields: [{ name: 'Topics', options: [] }] }, 'fields/0/options value'],
    [{ fields: [{ name: 'Day', options: ['A'] }] }, 'fields/0/options value'],
    [{ fields: [{ name: 'Topics', data_type: 'text' }] }, 'fields/0 in_use'],
    [{ fields: [{ name: 'Topics', accepts_multiple_values: false }] }, 'fields/0 in_use'],
    [{ fields: [{ name: 'New' }, { name: 'New' }] }, 'fields/1/name taken'],
    [
      { fields: [{ name: 'Day', data_type: 'select' }] },
      'fields/0/accepts_multiple_values required, fields/0/options required',
    ],
  ],
  entry: [
    [{ assignee_email: 'kenji' }, 'assignee_email value'],
    [
      { status: 'Lead', one_time_value_cents: 1, recurring_value_cents: 0, recurring_value_period: 'annual' },
      'status process_only, one_time_value_cents process_only, recurring_value_cents process_only, recurring_value_period process_only',
    ],
  ],
  deal: [
    [
      { entryable_id: 'abcdef', entryable_type: 'Organization' },
      'entryable_id unknown, entryable_type unknown',
    ],
    [{ status: null, one_time_value_cents: null }, 'status type, one_time_value_cents type'],
    [{ recurring_value_period: null, list_fields: null }, 'recurring_value_period value, list_fields type'],
    [{ status: 'Nowhere', contact_id: unknownId }, 'status value, contact_id not_found'],
    [{ assignee_email: '' }, 'assignee_email value'],
    [{ status: 'Trial', list_fields: values('Day', 'soon') }, 'list_fields/0/value value'],
  ],
};

/** What a DELETE without a body, and those of emails and domains, refuse. */
const deletions: readonly (readonly [noun: Noun, rest: string, ...Refusal])[] = [
  ['contact', '', { emails: ['ada@example.com'] }, 'emails unknown'],
  ['contact', '', { emails: [], all: true }, 'emails unknown, all unknown'],
  ['contact', '/emails', {}, 'emails required'],
  ['contact', '/emails', { emails: 'ada@example.com' }, 'emails type'],
  ['contact', '/emails', { emails: ['ada@example.com', 5] }, 'emails/1 type'],
  ['contact', '/emails', { emails: ['ada@example.com'], all: true }, 'all unknown'],
  ['contact', '/emails', { emails: many(40_000, 'a@b.co') }, 'emails value'],
  ['organization', '/domains', {}, 'domains required'],
  ['organization', '/domains', { domains: null }, 'domains type'],
  ['organization', '/domains', { domains: ['acme.example', 1] }, 'domains/1 type'],
];

const toPointers = (errors: string) => errors.split(', ').map((error) => `#/${error}`);

test.each(nouns)(
  'a create, an update or a deletion of a %s with errors returns all, and changes nothing',
  async (noun) => {
    const { findFieldErrors, sendOk, collection, path } = await openWithRecord(noun);
    if (noun === 'process') {
      await sendOk('POST /v1/contacts', { first_name: 'Ada' });
      await sendOk(`POST ${path}/entries`, { ...valid.deal, list_fields: values('Topics', ['A']) });
    }
    const before = await sendOk(`GET ${collection}`);
    const requests = [
      ...creates[noun].map(
        ([body, errors]) => [`POST ${collection}`, { ...valid[noun], ...body }, errors] as const,
      ),
      ...updates[noun].map(([body, errors]) => [`PATCH ${path}`, body, errors] as const),
      ...deletions.flatMap(([of, rest, body, errors]) =>
        of === noun ? [[`DELETE ${path}${rest}`, body, errors] as const] : [],
      ),
    ];
    for (const [line, body, errors] of requests) {
      const sent = parse(JSON.stringify(body)); // without what is undefined
      expect({ line, sent, errors: await findFieldErrors(line, sent) }).toEqual({
        line,
        sent,
        errors: toPointers(errors),
      });
    }
    expect(await sendOk(`GET ${collection}`)).toEqual(before);
  },
);

test.each<[title: string, path: string, created: object, change: string, body: object, name: string]>([
  [
    'the first name of one without email',
    'contacts',
    { first_name: 'A' },
    'PATCH ',
    { first_name: null },
    'first_name',
  ],
  [
    'the first name by a blank',
    'contacts',
    { first_name: 'A', last_name: 'B' },
    'PATCH ',
    { first_name: ' ' },
    'first_name',
  ],
  [
    'the last email of one without first name',
    'contacts',
    { emails: ['a@b.co'] },
    'DELETE /emails',
    { emails: ['A@b.co'] },
    'emails',
  ],
  ['the name of one without domain', 'organizations', { name: 'A' }, 'PATCH ', { name: ' ' }, 'name'],
  [
    'the last domain of one without name',
    'organizations',
    { domains: ['b.example'] },
    'DELETE /domains',
    { domains: ['b.example'] },
    'domains',
  ],
])('an update may not take %s of %s', async (_, noun, created, change, body, name) => {
  const { sendOk, findFieldErrors } = await openWithRecord('note');
  const record = await sendOk<{ id: string }>(`POST /v1/${noun}`, created);
  const path = `/v1/${noun}/${record.id}`;
  expect(await findFieldErrors(change.replace(' ', ` ${path}`), body)).toEqual([`#/${name} required`]);
  expect(await sendOk(`GET ${path}`)).toEqual(record);
});
