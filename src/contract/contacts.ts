import * as v from 'valibot';
import { fieldValueInputs, ValueMap } from './fields.ts';
import { described, Id, pageQuery, pageSchema, type Resource, Timestamp } from './grammar.ts';

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

/** Specification, 4.1. */
export const contacts = {
  list: {
    method: 'GET',
    path: '/v1/contacts',
    summary: 'List contacts, or look one up by email or phone number',
    query: {
      ...pageQuery,
      email: v.optional(described(v.string(), 'Exact email address')),
      phone_number: v.optional(described(v.string(), 'Phone number, in any common format')),
    },
    output: pageSchema(Contact),
    status: 200,
  },
  get: {
    method: 'GET',
    path: '/v1/contacts/:contact_id',
    summary: 'Get one contact',
    output: Contact,
    status: 200,
  },
  create: {
    method: 'POST',
    path: '/v1/contacts',
    summary: 'Create a contact',
    body: writable,
    output: Contact,
    status: 201,
  },
  update: {
    method: 'PATCH',
    path: '/v1/contacts/:contact_id',
    summary: 'Update a contact; emails are added to those it has',
    body: writable,
    output: Contact,
    status: 200,
  },
  removeEmails: {
    method: 'DELETE',
    path: '/v1/contacts/:contact_id/emails',
    summary: 'Remove email addresses from a contact',
    body: { emails: v.array(v.string()) },
    output: Contact,
    status: 200,
  },
  delete: {
    method: 'DELETE',
    path: '/v1/contacts/:contact_id',
    summary: 'Delete a contact',
    output: null,
    status: 204,
  },
} as const satisfies Resource;
