import type { Note, notes } from '../../contract/notes.ts';
import type { Encoders } from '../db/foreign-ids.ts';
import { createRecordReader } from '../db/record-reader.ts';
import type { Row } from '../db/tables.ts';
import { formatStamps } from '../db/timestamps.ts';
import type { Deps, Handlers } from '../deps.ts';
import {
  createRecordHandlers,
  createRecordLookup,
  type RecordChange,
  type RecordInput,
  type Validation,
  validateReference,
} from './record-rows.ts';

/** Returns the handlers of notes (specification, 2.6 and 4.3). */
export function noteHandlers(deps: Deps): Handlers<'notes'> {
  return createRecordHandlers(deps, {
    ...createRecordLookup('note'),
    reader: noteReader,
    validate: validateNote,
  });
}

export const noteReader = createRecordReader<Row<'note'>>({
  table: 'note',
  resource: 'note',
  columns: ['id', 'organization_id', 'deal_id', 'body', 'created_at', 'updated_at'],
})(({ rows }, ids) => rows.map((row) => toNote(row, ids)));

async function validateNote(
  check: Validation,
  { organization_id: id, body, deal_id }: RecordInput<typeof notes.create>,
  row: Row<'note'> | undefined,
): Promise<RecordChange<'note'>> {
  const organization_id = row
    ? row.organization_id
    : await validateReference(check, 'organization', id ?? '', ['organization_id']);
  if (body?.trim() === '') check.errors.add(['body'], 'value', 'A note must not be blank.');
  return { columns: { organization_id, body, deal_id } };
}

function toNote(row: Row<'note'>, ids: Encoders): Note {
  return {
    id: ids.note.encode(row.id),
    organization_id: ids.organization.encode(row.organization_id),
    deal_id: row.deal_id,
    body: row.body,
    ...formatStamps(row),
  };
}
