import sql from 'sql-template-tag';
import { Failure } from '../../contract/errors.ts';
import type { Note } from '../../contract/notes.ts';
import type { Database } from '../db/database.ts';
import { ids } from '../db/ids.ts';
import { createByteCounter, readPage } from '../db/page.ts';
import { createRow, deleteRow, findRow, updateRow } from '../db/statements.ts';
import type { Row } from '../db/tables.ts';
import { formatTimestamp } from '../db/timestamps.ts';
import type { Deps, Handlers } from '../deps.ts';
import type { FieldErrors } from '../field-errors.ts';
import { changeRecord } from './change-record.ts';
import { findOrganizationRow } from './organizations.ts';

/** Returns the handlers of notes (specification, 2.6 and 4.3). */
export function noteHandlers({ db, now }: Deps): Handlers<'notes'> {
  return {
    list: (input) =>
      readPage(db, { scope: 'note', countBytes }, input, async (window) =>
        (await db.all<Row<'note'>>(sql`select * from note ${window}`)).map(toNote),
      ),
    get: async ({ note_id }) => toNote(await getNoteRow(db, note_id)),
    create: ({ organization_id, body, deal_id = null }, errors) =>
      db.transaction(async (db) => {
        const organization = await findOrganizationRow(db, organization_id ?? '');
        if (!organization) {
          const message = `No organization has the id "${organization_id}".`;
          errors.add(['organization_id'], 'not_found', message);
        }
        validateBody(body, errors);
        errors.raise();
        const time = now().getTime();
        const id = await createRow(db, 'note', {
          organization_id: organization?.id ?? 0, // raised above if there is none
          body,
          deal_id,
          created_at: time,
          updated_at: time,
        });
        return toNote(await getNoteRow(db, ids.note.encode(id)));
      }),
    update: ({ note_id, body, deal_id }, errors) =>
      db.transaction(async (db) => {
        const { id } = await getNoteRow(db, note_id);
        validateBody(body, errors);
        errors.raise();
        return changeRecord(db, {
          table: 'note',
          id,
          now: now(),
          read: async () => toNote(await getNoteRow(db, note_id)),
          write: () => updateRow(db, 'note', id, { body, deal_id }),
        });
      }),
    delete: ({ note_id }) =>
      db.transaction(async (db) => {
        await deleteRow(db, 'note', (await getNoteRow(db, note_id)).id);
        return null;
      }),
  };
}

const countBytes = createByteCounter({ table: 'note', columns: ['body', 'deal_id'] });

function validateBody(body: string | undefined, errors: FieldErrors): void {
  if (body !== undefined && body.trim() === '') errors.add(['body'], 'value', 'A note must not be blank.');
}

/** @throws {Failure} `not_found` */
async function getNoteRow(db: Database, id: string): Promise<Row<'note'>> {
  const row = await findRow(db, 'note', ids.note.decode(id));
  if (!row) throw new Failure('not_found', `No note has the id "${id}".`);
  return row;
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
