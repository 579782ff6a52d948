import * as v from 'valibot';
import { FieldDefinition, fieldDefinitionInput } from './fields.ts';
import { createRoutes, Id, shortListQuery, Timestamp } from './grammar.ts';

/** The records that can have custom fields (specification, 2.7). */
export const models = ['organization', 'contact', 'deal'] as const;
export type Model = (typeof models)[number];

/** A field that the workspace adds to its records (specification, 2.7). */
export const CustomField = v.object({
  id: Id,
  name: v.string(),
  model: v.picklist(models),
  data_type: FieldDefinition.entries.data_type,
  accepts_multiple_values: v.boolean(),
  options: v.array(v.string()),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type CustomField = v.InferOutput<typeof CustomField>;

const routes = createRoutes('/v1/custom_fields', 'custom_field_id', CustomField);

/** Specification, 4.4. */
export const customFields = {
  list: routes.list('List custom fields', shortListQuery),
  get: routes.get('Get one custom field'),
  create: routes.create('Create a custom field', { ...fieldDefinitionInput, model: v.picklist(models) }),
  update: routes.update('Update the name or the options of a custom field', {
    name: v.optional(v.string()),
    options: v.optional(v.array(v.string())),
  }),
  delete: routes.delete('Delete a custom field with its values'),
};
