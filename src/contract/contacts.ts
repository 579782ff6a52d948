import * as v from 'valibot';
import { createRoutes, describe } from './grammar.ts';
import { recordFields } from './record-fields.ts';
import { createBodySchemas, createRecordSchema } from './record-schemas.ts';

export const Contact = createRecordSchema(recordFields.contacts);
export type Contact = v.InferOutput<typeof Contact>;

/** The required values of a contact (specification, 4.1). */
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
    email: v.optional(describe(v.string(), 'Exact email address')),
    phone_number: v.optional(describe(v.string(), 'Phone number, in any common format')),
  }),
  get: routes.get('Get one contact'),
  create: routes.create('Create a contact', createBodySchemas(recordFields.contacts, 'create')),
  update: routes.update(
    'Update a contact; adds emails to the existing ones',
    createBodySchemas(recordFields.contacts, 'update'),
  ),
  removeEmails: routes.removeTexts('Remove email addresses from a contact', 'emails'),
  delete: routes.delete('Delete a contact'),
};
