import * as v from 'valibot';
import { fieldValueInputs, ValueMap } from './fields.ts';
import { described, Id, pageQuery, pageSchema, type Resource, Timestamp } from './grammar.ts';
import { entryTypes } from './lists.ts';

/** Specification, 2.3. */
export const recurringPeriods = ['monthly', 'annual', 'one_time'] as const;
export type RecurringPeriod = (typeof recurringPeriods)[number];

const Cents = v.pipe(v.number(), v.integer());

/** An item of a list or process. Only the entries of a process have the optional fields (specification, 2.3). */
export const Entry = v.object({
  id: Id,
  key: v.nullable(v.string()),
  list_id: Id,
  entryable_id: Id,
  entryable_type: v.picklist(entryTypes),
  contact_id: v.nullable(Id),
  list_fields: ValueMap,
  status: v.optional(v.string()),
  assignee: v.optional(v.nullable(v.object({ email: v.string() }))),
  one_time_value_cents: v.optional(Cents),
  recurring_value_cents: v.optional(Cents),
  recurring_value_period: v.optional(v.picklist(recurringPeriods)),
  closed_at: v.optional(v.nullable(Timestamp)),
  next_entry_id: v.optional(v.nullable(v.string())),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Entry = v.InferOutput<typeof Entry>;

const cents = v.optional(
  v.pipe(
    v.number(),
    v.integer(),
    v.minValue(0),
    v.maxValue(Number.MAX_SAFE_INTEGER),
    v.description('Whole cents'),
  ),
);

/** The writable fields of an entry that only a process has. */
export const processValues = {
  status: v.optional(described(v.string(), 'The name of a status of the process')),
  one_time_value_cents: cents,
  recurring_value_cents: cents,
  recurring_value_period: v.optional(v.picklist(recurringPeriods)),
};

const writable = {
  ...processValues,
  assignee_email: v.optional(v.nullable(v.string())),
  contact_id: v.optional(v.nullable(described(v.string(), 'The contact associated with the organization'))),
  list_fields: fieldValueInputs,
};

/** Specification, 4.6. */
export const entries = {
  list: {
    method: 'GET',
    path: '/v1/lists/:list_id/entries',
    summary: 'List the entries of a list or process',
    query: pageQuery,
    output: pageSchema(Entry),
    status: 200,
  },
  get: {
    method: 'GET',
    path: '/v1/lists/:list_id/entries/:id',
    summary: 'Get one entry',
    output: Entry,
    status: 200,
  },
  create: {
    method: 'POST',
    path: '/v1/lists/:list_id/entries',
    summary: 'Add a contact or an organization to a list or process',
    body: { entryable_id: v.string(), entryable_type: v.picklist(entryTypes), ...writable },
    output: Entry,
    status: 201,
    existingStatus: 200,
  },
  update: {
    method: 'PATCH',
    path: '/v1/lists/:list_id/entries/:id',
    summary: 'Update an entry',
    body: writable,
    output: Entry,
    status: 200,
  },
  delete: {
    method: 'DELETE',
    path: '/v1/lists/:list_id/entries/:id',
    summary: 'Delete an entry',
    output: null,
    status: 204,
  },
} as const satisfies Resource;
