import type { Selectable } from 'kysely';
import { Failure } from '../../contract/errors.ts';
import type { Note } from '../../contract/notes.ts';
import { type Database, transact } from '../db/database.ts';
import { ids } from '../db/ids.ts';
import { pageBytes, pageOf, pageRows } from '../db/page.ts';
import { byId } from '../db/reading.ts';
import type { Tables } from '../db/tables.ts';
import { timestamp } from '../db/timestamps.ts';
import type { Deps, Handlers } from '../deps.ts';
import type { Faults } from '../field-errors.ts';
import { changeRecord } from './change-record.ts';
import { organizationRowOrNone } from './organization-rows.ts';

type NoteRow = Selectable<Tables['note']>;

/** Specification, 2.6 and 4.3. */
export function noteHandlers({ db, now }: Deps): Handlers<'notes'> {
  return {
    list: (input) =>
      pageOf(db, 'note', input, notePageBytes, async (window) =>
        (await notePage(db, window)).map(noteRecord),
      ),
    get: async ({ note_id }) => noteRecord(await noteRow(db, note_id)),
    create: ({ organization_id, body, deal_id }, faults) =>
      transact(db, async (db) => {
        const organization = await checkedOrganizationRow(db, organization_id, faults);
        blankFault(body, faults);
        faults.raise();
        const time = now().getTime();
        const row = await db
          .insertInto('note')
          .values({
            organization_id: organization,
            body,
            deal_id: deal_id ?? null,
            created_at: time,
            updated_at: time,
          })
          .returningAll()
          .executeTakeFirstOrThrow();
        return noteRecord(row);
      }),
    update: ({ note_id, ...input }, faults) =>
      transact(db, async (db) => {
        const row = await noteRow(db, note_id);
        blankFault(input.body, faults);
        faults.raise();
        const { body = row.body, deal_id = row.deal_id } = input;
        return changeRecord(db, {
          table: 'note',
          id: row.id,
          now: now(),
          read: async () => noteRecord(await noteRow(db, note_id)),
          write: () => db.updateTable('note').set({ body, deal_id }).where('id', '=', row.id).execute(),
        });
      }),
    delete: ({ note_id }) =>
      transact(db, async (db) => {
        const { id } = await noteRow(db, note_id);
        await db.deleteFrom('note').where('id', '=', id).execute();
        return null;
      }),
  };
}

const columns = ['id', 'organization_id', 'deal_id', 'body', 'created_at', 'updated_at'] as const;

const notePage = pageRows('note', columns);

const notePageBytes = pageBytes({ table: 'note', columns: ['body', 'deal_id'] });

const rowById = byId('note', columns);

/** The row number of the organization with an id; 0 where there is none, which is at fault. */
async function checkedOrganizationRow(db: Database, id: string | undefined, faults: Faults): Promise<number> {
  const row = await organizationRowOrNone(db, id ?? '');
  if (!row) faults.add(['organization_id'], 'not_found', `No organization has the id "${id}".`);
  return row?.id ?? 0;
}

function blankFault(body: string | undefined, faults: Faults): void {
  if (body !== undefined && body.trim() === '') faults.add(['body'], 'value', 'A note must not be blank.');
}

async function noteRow(db: Database, id: string): Promise<NoteRow> {
  const key = ids.note.decode(id);
  const row = key === undefined ? undefined : await rowById(db, key);
  if (!row) throw new Failure('not_found', `No note has the id "${id}".`);
  return row;
}

function noteRecord(row: NoteRow): Note {
  return {
    id: ids.note.encode(row.id),
    organization_id: ids.organization.encode(row.organization_id),
    deal_id: row.deal_id,
    body: row.body,
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
  };
}
