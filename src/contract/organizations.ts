import * as v from 'valibot';
import { fieldValueInputs, ValueMap } from './fields.ts';
import { described, Id, pageQuery, pageSchema, type Resource, Timestamp } from './grammar.ts';

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

/** Specification, 4.2. */
export const organizations = {
  list: {
    method: 'GET',
    path: '/v1/organizations',
    summary: 'List organizations',
    query: pageQuery,
    output: pageSchema(Organization),
    status: 200,
  },
  get: {
    method: 'GET',
    path: '/v1/organizations/:organization_id',
    summary: 'Get one organization',
    output: Organization,
    status: 200,
  },
  create: {
    method: 'POST',
    path: '/v1/organizations',
    summary: 'Create an organization',
    body: writable,
    output: Organization,
    status: 201,
  },
  update: {
    method: 'PATCH',
    path: '/v1/organizations/:organization_id',
    summary: 'Update an organization; domains are added to those it has',
    body: writable,
    output: Organization,
    status: 200,
  },
  removeDomains: {
    method: 'DELETE',
    path: '/v1/organizations/:organization_id/domains',
    summary: 'Remove domains from an organization',
    body: { domains: v.array(v.string()) },
    output: Organization,
    status: 200,
  },
  delete: {
    method: 'DELETE',
    path: '/v1/organizations/:organization_id',
    summary: 'Delete an organization with its notes and entries',
    output: null,
    status: 204,
  },
} as const satisfies Resource;
