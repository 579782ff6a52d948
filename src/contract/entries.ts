import * as v from 'valibot';
import { fieldValueInputs, ValueMap } from './fields.ts';
import { createRoutes, described, Id, Timestamp } from './grammar.ts';
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
  described(v.pipe(Cents, v.minValue(0), v.maxValue(Number.MAX_SAFE_INTEGER)), 'Whole cents'),
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

const routes = createRoutes('/v1/lists/:list_id/entries', 'id', Entry);

/** Specification, 4.6. */
export const entries = {
  list: routes.list('List the entries of a list or process', {}),
  get: routes.get('Get one entry'),
  create: {
    ...routes.create('Add a contact or an organization to a list or process', {
      entryable_id: v.string(),
      entryable_type: v.picklist(entryTypes),
      ...writable,
    }),
    existingStatus: 200 as const,
  },
  update: routes.update('Update an entry', writable),
  delete: routes.delete('Delete an entry'),
};
