import * as v from 'valibot';
import { FieldDefinition, fieldDefinitionInput } from './fields.ts';
import { Id, pageSchema, type Resource, shortListQuery, Timestamp } from './grammar.ts';

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

/** Specification, 4.4. */
export const customFields = {
  list: {
    method: 'GET',
    path: '/v1/custom_fields',
    summary: 'List custom fields',
    query: shortListQuery,
    output: pageSchema(CustomField),
    status: 200,
  },
  get: {
    method: 'GET',
    path: '/v1/custom_fields/:custom_field_id',
    summary: 'Get one custom field',
    output: CustomField,
    status: 200,
  },
  create: {
    method: 'POST',
    path: '/v1/custom_fields',
    summary: 'Create a custom field',
    body: { ...fieldDefinitionInput, model: v.picklist(models) },
    output: CustomField,
    status: 201,
  },
  update: {
    method: 'PATCH',
    path: '/v1/custom_fields/:custom_field_id',
    summary: 'Update the name or the options of a custom field',
    body: { name: v.optional(v.string()), options: v.optional(v.array(v.string())) },
    output: CustomField,
    status: 200,
  },
  delete: {
    method: 'DELETE',
    path: '/v1/custom_fields/:custom_field_id',
    summary: 'Delete a custom field with its values',
    output: null,
    status: 204,
  },
} as const satisfies Resource;
