import type { Note, notes } from '../../contract/notes.ts';
import type { Database } from '../db/database.ts';
import { ids } from '../db/ids.ts';
import { createByteCounter } from '../db/page.ts';
import type { Row } from '../db/tables.ts';
import { formatStamps } from '../db/timestamps.ts';
import type { Deps, Handlers } from '../deps.ts';
import type { FieldErrors } from '../field-errors.ts';
import {
  createRecordHandlers,
  type RecordChange,
  type RecordInput,
  validateReference,
} from './record-rows.ts';

/** Returns the handlers of notes (specification, 2.6 and 4.3). */
export function noteHandlers(deps: Deps): Handlers<'notes'> {
  return createRecordHandlers(deps, {
    kind: 'note',
    countBytes: createByteCounter({ table: 'note', columns: ['body', 'deal_id'] }),
    toRecords: (_, rows) => rows.map(toNote),
    validate: validateNote,
  });
}

async function validateNote(
  db: Database,
  { organization_id: id, body, deal_id }: RecordInput<typeof notes.create>,
  errors: FieldErrors,
  row: Row<'note'> | undefined,
): Promise<RecordChange<'note'>> {
  const organization_id = row
    ? row.organization_id
    : await validateReference(db, 'organization', id ?? '', errors, ['organization_id']);
  if (body?.trim() === '') errors.add(['body'], 'value', 'A note must not be blank.');
  return { columns: { organization_id, body, deal_id } };
}

function toNote(row: Row<'note'>): Note {
  return {
    id: ids.note.encode(row.id),
    organization_id: ids.organization.encode(row.organization_id),
    deal_id: row.deal_id,
    body: row.body,
    ...formatStamps(row),
  };
}
