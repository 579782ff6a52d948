import * as v from 'valibot';
import { fieldValueInputs, ValueMap } from './fields.ts';
import { createRoutes, described, Id, Timestamp } from './grammar.ts';

/** A company or another organization (specification, 2.5). */
export const Organization = v.object({
  id: Id,
  name: v.nullable(v.string()),
  domains: v.array(v.string()),
  custom_fields: ValueMap,
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Organization = v.InferOutput<typeof Organization>;

const writable = {
  name: v.optional(v.string()),
  domains: v.optional(v.array(described(v.string(), 'A URL or a domain name'))),
  custom_fields: fieldValueInputs,
};

const routes = createRoutes('/v1/organizations', 'organization_id', Organization);

/** Specification, 4.2. */
export const organizations = {
  list: routes.list('List organizations', {}),
  get: routes.get('Get one organization'),
  create: routes.create('Create an organization', writable),
  update: routes.update('Update an organization; domains are added to those it has', writable),
  removeDomains: routes.removeTexts('Remove domains from an organization', 'domains'),
  delete: routes.delete('Delete an organization with its notes and entries'),
};
