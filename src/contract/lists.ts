import * as v from 'valibot';
import { FieldDefinition, fieldDefinitionInputs } from './fields.ts';
import { closedObject, createRoutes, described, Id, Timestamp } from './grammar.ts';

/** The types of records in a list (specification, 2.1). */
export const entryTypes = ['Contact', 'Organization'] as const;
export type EntryType = (typeof entryTypes)[number];

/** Specification, 3.1. */
export const statusTypes = ['active', 'won', 'lost'] as const;

const Status = v.object({ name: v.string(), type: v.picklist(statusTypes) });
export type Status = v.InferOutput<typeof Status>;

const processSchemas = {
  identifier: v.optional(v.string()),
  duplicates_allowed: v.optional(v.boolean()),
  entry_label: v.optional(v.string()),
  status_label: v.optional(v.string()),
  statuses: v.optional(v.array(Status)),
};

/** A regular list, or a process with the fields that only a process has (specification, 2.1). */
export const List = v.object({
  id: Id,
  name: v.string(),
  process: v.boolean(),
  entry_type: v.picklist(entryTypes),
  fields: v.array(FieldDefinition),
  ...processSchemas,
  created_at: Timestamp,
  updated_at: Timestamp,
  archived_at: v.nullable(Timestamp),
});
export type List = v.InferOutput<typeof List>;

/** The fields that only a process has. */
export const processFields = Object.keys(processSchemas) as readonly (keyof typeof processSchemas)[]; // keys() has no types

const processWritable = {
  ...processSchemas,
  identifier: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(50))),
  statuses: v.optional(v.array(closedObject(Status.entries))),
};

const routes = createRoutes('/v1/lists', 'list_id', List);

/** Specification, 4.5. */
export const lists = {
  list: routes.list('List lists and processes', {}),
  get: routes.get('Get one list or process'),
  create: routes.create('Create a list or a process', {
    name: v.string(),
    process: described(v.boolean(), 'false: a regular list, true: a process'),
    entry_type: v.picklist(entryTypes),
    fields: fieldDefinitionInputs,
    ...processWritable,
  }),
  update: routes.update('Update a list or process', {
    name: v.optional(v.string()),
    fields: fieldDefinitionInputs,
    ...processWritable,
  }),
  delete: routes.delete('Delete a list or process with its entries'),
};
