import * as v from 'valibot';
import { Id, pageQuery, pageSchema, type Resource, Timestamp } from './grammar.ts';

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

/** Specification, 4.3. */
export const notes = {
  list: {
    method: 'GET',
    path: '/v1/notes',
    summary: 'List notes',
    query: pageQuery,
    output: pageSchema(Note),
    status: 200,
  },
  get: { method: 'GET', path: '/v1/notes/:note_id', summary: 'Get one note', output: Note, status: 200 },
  create: {
    method: 'POST',
    path: '/v1/notes',
    summary: 'Create a note about an organization',
    body: { organization_id: v.string(), body: v.string(), deal_id },
    output: Note,
    status: 201,
  },
  update: {
    method: 'PATCH',
    path: '/v1/notes/:note_id',
    summary: 'Update the body or the deal of a note',
    body: { body: v.optional(v.string()), deal_id },
    output: Note,
    status: 200,
  },
  delete: {
    method: 'DELETE',
    path: '/v1/notes/:note_id',
    summary: 'Delete a note',
    output: null,
    status: 204,
  },
} as const satisfies Resource;
