import type * as v from 'valibot';
import { createRoutes } from './grammar.ts';
import { type entryTypes, recordFields } from './record-fields.ts';
import { createBodySchemas, createRecordSchema } from './record-schemas.ts';

export type EntryType = (typeof entryTypes)[number];

export const List = createRecordSchema(recordFields.lists);
export type List = v.InferOutput<typeof List>;

const routes = createRoutes('/v1/lists', 'list_id', List);

/** Specification, 4.5. */
export const lists = {
  list: routes.list('List lists and processes', {}),
  get: routes.get('Get one list or process'),
  create: routes.create('Create a list or a process', createBodySchemas(recordFields.lists, 'create')),
  update: routes.update('Update a list or process', createBodySchemas(recordFields.lists, 'update')),
  delete: routes.delete('Delete a list or process with its entries'),
};
