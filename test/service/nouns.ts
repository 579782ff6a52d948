import { ids } from '../../src/service/db/ids.ts';
import { laterTime, openTestWorkspace } from './service.ts';

/** The first ids of a workspace, which numbers the records of each noun from 1. */
export const contact1 = ids.contact.encode(1);
export const organization1 = ids.organization.encode(1);
const list1 = ids.list.encode(1);

/** The map of the field that contacts and organizations have, and of the fields that entries have. */
export const tier = (value: unknown) => ({
  [ids.customField.encode(1)]: { name: 'Tier', data_type: 'select', value },
});
export const listValues = (topics: unknown, day: unknown) => ({
  [ids.listField.encode(1)]: { name: 'Topics', data_type: 'select', value: topics },
  [ids.listField.encode(2)]: { name: 'Day', data_type: 'date', value: day },
});

export const select = { data_type: 'select', accepts_multiple_values: true, options: ['A', 'B'] };
export const topics = { name: 'Topics', ...select };
export const day = { name: 'Day', data_type: 'date', accepts_multiple_values: false, options: [] };
const field = { name: 'Tier', ...select };
const organization = { name: 'Acme', domains: ['acme.example', 'acme.test.example'] };
const list = { name: 'News', process: false, entry_type: 'Contact', fields: [topics, day] };
export const pipeline = {
  ...{ name: 'Sales', process: true, entry_type: 'Contact', identifier: 'DEAL', duplicates_allowed: true },
  statuses: [
    { name: 'Lead', type: 'active' },
    { name: 'Trial', type: 'active' },
    { name: 'Signed', type: 'won' },
    { name: 'Gone', type: 'lost' },
  ],
  ...{ entry_label: 'Deal', status_label: 'Stage', fields: [topics, day] },
};
const ada = { entryable_id: contact1, entryable_type: 'Contact' };
const grace = { entryable_id: ids.contact.encode(2), entryable_type: 'Contact' };

interface NounCase {
  /** The path of the collection. */
  readonly path: string;
  /** What exists before the first record. */
  readonly before: readonly (readonly [path: string, body: object])[];
  /** A record with a value in every field. */
  readonly full: object;
  /** Another record, whose values are taken. */
  readonly other: object;
}

const people = [
  ['/v1/contacts', { first_name: 'Ada' }],
  ['/v1/contacts', { first_name: 'Grace' }],
  ['/v1/organizations', organization],
] as const;

const nounCases = {
  contact: {
    path: '/v1/contacts',
    before: [
      ['/v1/custom_fields', { ...field, model: 'contact' }],
      ['/v1/organizations', organization],
      ['/v1/organizations', { name: 'Bolt' }],
    ],
    full: {
      ...{ first_name: 'Ada', last_name: 'Lovelace', emails: ['ada@example.com', 'second@example.com'] },
      ...{ phone_numbers: ['+14155550100', '+14155550101'], organization_id: organization1 },
      custom_fields: [{ name: 'Tier', value: ['A', 'B'] }],
    },
    other: { emails: ['taken@example.com'] },
  },
  organization: {
    path: '/v1/organizations',
    before: [['/v1/custom_fields', { ...field, model: 'organization' }]],
    full: { ...organization, custom_fields: [{ name: 'Tier', value: ['A', 'B'] }] },
    other: { domains: ['taken.example'] },
  },
  note: {
    path: '/v1/notes',
    before: [['/v1/organizations', organization]],
    full: { organization_id: organization1, body: 'Called.', deal_id: 'D-1' },
    other: { organization_id: organization1, body: 'Wrote.' },
  },
  'custom field': {
    path: '/v1/custom_fields',
    before: [],
    full: { ...field, model: 'contact' },
    other: { name: 'Taken', model: 'contact' },
  },
  list: { path: '/v1/lists', before: [], full: list, other: { ...list, fields: [] } },
  process: { path: '/v1/lists', before: [], full: pipeline, other: list },
  entry: {
    path: `/v1/lists/${list1}/entries`,
    before: [...people, ['/v1/lists', list]],
    full: { ...ada, assignee_email: 'mina@example.com' },
    other: grace,
  },
  deal: {
    path: `/v1/lists/${list1}/entries`,
    before: [...people, ['/v1/lists', pipeline]],
    full: {
      ...{ ...ada, status: 'Lead', assignee_email: 'mina@example.com', contact_id: grace.entryable_id },
      ...{ one_time_value_cents: 100, recurring_value_cents: 5, recurring_value_period: 'monthly' },
      list_fields: [
        { name: 'Topics', value: ['A', 'B'] },
        { name: 'Day', value: '2026-05-04' },
      ],
    },
    other: grace,
  },
} as const satisfies Readonly<Record<string, NounCase>>;

export type Noun = keyof typeof nounCases;
export const nouns = Object.keys(nounCases) as Noun[];

/** Opens a workspace with what a record of the noun needs; `create` creates one. */
export async function openForNoun(noun: Noun) {
  const { path, before }: NounCase = nounCases[noun];
  const workspace = await openTestWorkspace();
  for (const [place, body] of before) await workspace.sendOk(`POST ${place}`, body);
  return { ...workspace, collection: path };
}

/** Opens a workspace with a record of the noun that has a value in every field, and another one; later, it is `laterTime`. */
export async function openWithRecord(noun: Noun) {
  const { full, other }: NounCase = nounCases[noun];
  const workspace = await openForNoun(noun);
  const record = await workspace.sendOk<{ id: string }>(`POST ${workspace.collection}`, full);
  await workspace.sendOk(`POST ${workspace.collection}`, other);
  workspace.clock.time = laterTime;
  return { ...workspace, record, path: `${workspace.collection}/${record.id}` };
}

/** Returns the body of the record with a value in every field. */
export const fullBody = (noun: Noun): object => nounCases[noun].full;
