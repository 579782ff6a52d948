import type * as v from 'valibot';
import { createRoutes } from './grammar.ts';
import { recordFields, type recurringPeriods } from './record-fields.ts';
import { createBodySchemas, createRecordSchema } from './record-schemas.ts';

export type RecurringPeriod = (typeof recurringPeriods)[number];

export const Entry = createRecordSchema(recordFields.entries);
export type Entry = v.InferOutput<typeof Entry>;

const routes = createRoutes('/v1/lists/:list_id/entries', 'id', Entry);

/** Specification, 4.6. */
export const entries = {
  list: routes.list('List the entries of a list or process', {}),
  get: routes.get('Get one entry'),
  create: {
    ...routes.create(
      'Add a contact or an organization to a list or process',
      createBodySchemas(recordFields.entries, 'create'),
    ),
    existingStatus: 200 as const,
  },
  update: routes.update('Update an entry', createBodySchemas(recordFields.entries, 'update')),
  delete: routes.delete('Delete an entry'),
};
