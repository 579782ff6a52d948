import * as v from 'valibot';
import { fieldValueInputs, ValueMap } from './fields.ts';
import { createRoutes, described, Id, Timestamp } from './grammar.ts';

/** A person (specification, 2.4). */
export const Contact = v.object({
  id: Id,
  first_name: v.nullable(v.string()),
  last_name: v.nullable(v.string()),
  emails: v.array(v.string()),
  phone_numbers: v.array(described(v.string(), 'E.164')),
  organization_id: v.nullable(Id),
  custom_fields: ValueMap,
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Contact = v.InferOutput<typeof Contact>;

const writable = {
  first_name: v.optional(v.nullable(v.string())),
  last_name: v.optional(v.nullable(v.string())),
  emails: v.optional(v.array(v.string())),
  phone_numbers: v.optional(v.array(v.string())),
  organization_id: v.optional(
    v.nullable(described(v.string(), 'An id; on creation also `auto`: by the domain of the first email')),
  ),
  custom_fields: fieldValueInputs,
};

/** What a contact must have (specification, 4.1). */
export const contactRequirement = 'first_name, or at least one valid address in emails, is required.';

/** Describes why `organization_id` must not be `auto`; undefined if `auto` is valid (specification, 4.1). */
export function findAutoProblem(isNew: boolean, email: string | undefined): string | undefined {
  if (!isNew) return '"auto" is only supported for new contacts. Use an organization id.';
  return email === undefined ? '"auto" requires an email address.' : undefined;
}

const routes = createRoutes('/v1/contacts', 'contact_id', Contact);

/** Specification, 4.1. */
export const contacts = {
  list: routes.list('List contacts', {
    email: v.optional(described(v.string(), 'Exact email address')),
    phone_number: v.optional(described(v.string(), 'Phone number, in any common format')),
  }),
  get: routes.get('Get one contact'),
  create: routes.create('Create a contact', writable),
  update: routes.update('Update a contact; emails are added to those it has', writable),
  removeEmails: routes.removeTexts('Remove email addresses from a contact', 'emails'),
  delete: routes.delete('Delete a contact'),
};
