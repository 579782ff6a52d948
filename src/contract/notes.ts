import * as v from 'valibot';
import { createRoutes, Id, Timestamp } from './grammar.ts';

/** A text about an organization (specification, 2.6). */
export const Note = v.object({
  id: Id,
  organization_id: Id,
  deal_id: v.nullable(v.string()),
  body: v.string(),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Note = v.InferOutput<typeof Note>;

const deal_id = v.optional(v.nullable(v.string()));

const routes = createRoutes('/v1/notes', 'note_id', Note);

/** Specification, 4.3. */
export const notes = {
  list: routes.list('List notes', {}),
  get: routes.get('Get one note'),
  create: routes.create('Create a note about an organization', {
    organization_id: v.string(),
    body: v.string(),
    deal_id,
  }),
  update: routes.update('Update the body or the deal of a note', { body: v.optional(v.string()), deal_id }),
  delete: routes.delete('Delete a note'),
};
