import type * as v from 'valibot';
import { createRoutes } from './grammar.ts';
import { recordFields } from './record-fields.ts';
import { createBodySchemas, createRecordSchema } from './record-schemas.ts';

export const Organization = createRecordSchema(recordFields.organizations);
export type Organization = v.InferOutput<typeof Organization>;

const routes = createRoutes('/v1/organizations', 'organization_id', Organization);

/** Specification, 4.2. */
export const organizations = {
  list: routes.list('List organizations', {}),
  get: routes.get('Get one organization'),
  create: routes.create('Create an organization', createBodySchemas(recordFields.organizations, 'create')),
  update: routes.update(
    'Update an organization; adds domains to the existing ones',
    createBodySchemas(recordFields.organizations, 'update'),
  ),
  removeDomains: routes.removeTexts('Remove domains from an organization', 'domains'),
  delete: routes.delete('Delete an organization with its notes and entries'),
};
