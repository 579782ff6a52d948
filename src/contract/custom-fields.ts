import type * as v from 'valibot';
import { createRoutes, shortListQuery } from './grammar.ts';
import { type models, recordFields } from './record-fields.ts';
import { createBodySchemas, createRecordSchema } from './record-schemas.ts';

export type Model = (typeof models)[number];

export const CustomField = createRecordSchema(recordFields.customFields);
export type CustomField = v.InferOutput<typeof CustomField>;

const routes = createRoutes('/v1/custom_fields', 'custom_field_id', CustomField);

/** Specification, 4.4. */
export const customFields = {
  list: routes.list('List custom fields', shortListQuery),
  get: routes.get('Get one custom field'),
  create: routes.create('Create a custom field', createBodySchemas(recordFields.customFields, 'create')),
  update: routes.update(
    'Update the name or the options of a custom field',
    createBodySchemas(recordFields.customFields, 'update'),
  ),
  delete: routes.delete('Delete a custom field with its values'),
};
