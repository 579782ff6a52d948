import type * as v from 'valibot';
import { createRoutes } from './grammar.ts';
import { recordFields } from './record-fields.ts';
import { createBodySchemas, createRecordSchema } from './record-schemas.ts';

export const Note = createRecordSchema(recordFields.notes);
export type Note = v.InferOutput<typeof Note>;

const routes = createRoutes('/v1/notes', 'note_id', Note);

/** Specification, 4.3. */
export const notes = {
  list: routes.list('List notes', {}),
  get: routes.get('Get one note'),
  create: routes.create(
    'Create a note about an organization',
    createBodySchemas(recordFields.notes, 'create'),
  ),
  update: routes.update(
    'Update the body or the deal of a note',
    createBodySchemas(recordFields.notes, 'update'),
  ),
  delete: routes.delete('Delete a note'),
};
