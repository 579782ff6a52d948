import type { Note, notes } from '../../contract/notes.ts';
import * as member from '../db/record-members.ts';
import { createRecordReader } from '../db/record-reader.ts';
import type { Row } from '../db/tables.ts';
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

export const noteReader = createRecordReader<Note>({
  table: 'note',
  resource: 'note',
  members: {
    id: member.id('note'),
    organization_id: member.id('organization', 'organization_id'),
    deal_id: member.value('deal_id'),
    body: member.value('body'),
    ...member.stamps,
  },
})(undefined);

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
