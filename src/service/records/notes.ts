import sql from 'sql-template-tag';
import type { Note } from '../../contract/notes.ts';
import { ids } from '../db/ids.ts';
import { createByteCounter, readPage } from '../db/page.ts';
import { updateRow } from '../db/statements.ts';
import type { Row } from '../db/tables.ts';
import { formatTimestamp } from '../db/timestamps.ts';
import type { Deps, Handlers } from '../deps.ts';
import type { FieldErrors } from '../field-errors.ts';
import { changeRecord, createRecord, deleteRecord, findRecord, getRecord } from './record-rows.ts';

/** Returns the handlers of notes (specification, 2.6 and 4.3). */
export function noteHandlers({ db, now }: Deps): Handlers<'notes'> {
  return {
    list: (input) =>
      readPage(db, { scope: 'note', countBytes }, input, async (window) =>
        (await db.all<Row<'note'>>(sql`select * from note ${window}`)).map(toNote),
      ),
    get: async ({ note_id }) => toNote(await getRecord(db, 'note', note_id)),
    create: ({ organization_id, body, deal_id = null }, errors) =>
      db.transaction(async (db) => {
        const organization = await findRecord(db, 'organization', organization_id ?? '');
        if (!organization) {
          const message = `No organization has the id "${organization_id}".`;
          errors.add(['organization_id'], 'not_found', message);
        }
        validateBody(body, errors);
        errors.raise();
        const id = await createRecord(db, 'note', now().getTime(), {
          organization_id: organization?.id ?? 0, // raised above if there is none
          body,
          deal_id,
        });
        return toNote(await getRecord(db, 'note', ids.note.encode(id)));
      }),
    update: ({ note_id, body, deal_id }, errors) =>
      db.transaction(async (db) => {
        const { id } = await getRecord(db, 'note', note_id);
        validateBody(body, errors);
        errors.raise();
        return changeRecord(db, {
          table: 'note',
          id,
          now: now(),
          read: async () => toNote(await getRecord(db, 'note', note_id)),
          write: () => updateRow(db, 'note', id, { body, deal_id }),
        });
      }),
    delete: ({ note_id }) => deleteRecord(db, 'note', note_id),
  };
}

const countBytes = createByteCounter({ table: 'note', columns: ['body', 'deal_id'] });

function validateBody(body: string | undefined, errors: FieldErrors): void {
  if (body !== undefined && body.trim() === '') errors.add(['body'], 'value', 'A note must not be blank.');
}

function toNote(row: Row<'note'>): Note {
  return {
    id: ids.note.encode(row.id),
    organization_id: ids.organization.encode(row.organization_id),
    deal_id: row.deal_id,
    body: row.body,
    created_at: formatTimestamp(row.created_at),
    updated_at: formatTimestamp(row.updated_at),
  };
}
