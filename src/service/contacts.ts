import type { Selectable } from 'kysely';
import type { Contact } from '../contract/contacts.ts';
import { Failure } from '../contract/errors.ts';
import { checkedContactChange, storeContactChange } from './contact-changes.ts';
import { fieldsOfModel } from './custom-fields.ts';
import { type Database, transact } from './database.ts';
import type { Deps, Handlers } from './deps.ts';
import { ids } from './ids.ts';
import { pageOf, pageOfFound } from './page.ts';
import { otherReadings, storedNumber } from './phone.ts';
import { belonging, reading } from './reading.ts';
import { only } from './rows.ts';
import type { Tables } from './tables.ts';
import { timestamp } from './time.ts';
import { valueMaps } from './values.ts';

/** The row of a contact. */
export type ContactRow = Selectable<Tables['contact']>;

/** Specification, 2.4 and 4.1. */
export function contactHandlers({ db, now }: Deps): Handlers<'contacts'> {
  const one = async (db: Database, id: string) => only(await contactRecords(db, [await contactRow(db, id)]));
  return {
    async list(input) {
      const { email, phone_number } = input;
      if (email !== undefined || phone_number !== undefined) {
        const found = await lookUp(db, email, phone_number);
        return pageOfFound(await contactRecords(db, found), input);
      }
      return pageOf(db, 'contact', input, async ({ from, offset, limit }) =>
        contactRecords(db, await pageRows(db, from, limit, offset)),
      );
    },
    get: ({ contact_id }) => one(db, contact_id),
    create: (input, faults) =>
      transact(db, async (db) => {
        const change = await checkedContactChange(db, undefined, input, faults);
        faults.raise();
        const time = now().getTime();
        const { id } = await db
          .insertInto('contact')
          .values({
            first_name: null,
            last_name: null,
            organization_id: null,
            created_at: time,
            updated_at: time,
          })
          .returning('id')
          .executeTakeFirstOrThrow();
        await storeContactChange(db, id, change, time);
        return one(db, ids.contact.encode(id));
      }),
    update: ({ contact_id, ...input }, faults) =>
      transact(db, async (db) => {
        const row = await contactRow(db, contact_id);
        const change = await checkedContactChange(db, row, input, faults);
        faults.raise();
        if (Object.keys(input).length > 0) {
          await storeContactChange(db, row.id, change, now().getTime());
          await touch(db, row.id, now());
        }
        return one(db, contact_id);
      }),
    removeEmails: ({ contact_id, emails = [] }, faults) =>
      transact(db, async (db) => {
        const row = await contactRow(db, contact_id);
        const folded = new Set(Array.from(emails, (email) => (email ?? '').trim().toLowerCase()));
        const held = await heldEmails(db, row.id);
        const kept = held.filter((email) => !folded.has(email.folded));
        if (kept.length < held.length) {
          if (kept.length === 0 && !row.first_name) {
            faults.add(
              ['emails'],
              'required',
              'A contact needs a first name or an email; these are its last emails.',
            );
          }
          faults.raise();
          await db
            .deleteFrom('contact_email')
            .where('contact_id', '=', row.id)
            .where('folded', 'in', [...folded])
            .execute();
          await touch(db, row.id, now());
        }
        faults.raise();
        return one(db, contact_id);
      }),
    delete: ({ contact_id }) =>
      transact(db, async (db) => {
        const { id } = await contactRow(db, contact_id);
        await db.deleteFrom('contact').where('id', '=', id).execute();
        return null;
      }),
  };
}

async function touch(db: Database, id: number, now: Date): Promise<void> {
  await db.updateTable('contact').set({ updated_at: now.getTime() }).where('id', '=', id).execute();
}

const columns = ['id', 'first_name', 'last_name', 'organization_id', 'created_at', 'updated_at'] as const;

const pageRows = reading((db, from: number, limit: number, offset: number) =>
  db.selectFrom('contact').select(columns).where('id', '>=', from).orderBy('id').limit(limit).offset(offset),
);

const rowById = reading((db, id: number) => db.selectFrom('contact').select(columns).where('id', '=', id));

const emailsOf = belonging('contact_id', (db) =>
  db.selectFrom('contact_email').select(['contact_id', 'email']).orderBy('contact_id').orderBy('position'),
);

const phonesOf = belonging('contact_id', (db) =>
  db.selectFrom('contact_phone').select(['contact_id', 'number']).orderBy('contact_id').orderBy('position'),
);

/** The row of a contact by its id. Throws `not_found`. */
async function contactRow(db: Database, id: string): Promise<ContactRow> {
  const row = await contactRowOrNone(db, id);
  if (!row) throw new Failure('not_found', `No contact has the id "${id}".`);
  return row;
}

/** The row of a contact by its id, where there is one. */
export async function contactRowOrNone(db: Database, id: string): Promise<ContactRow | undefined> {
  const row = ids.contact.decode(id);
  if (row === undefined) return undefined;
  return (await rowById(db, row))[0];
}

function heldEmails(db: Database, contact: number) {
  return db.selectFrom('contact_email').select('folded').where('contact_id', '=', contact).execute();
}

async function lookUp(
  db: Database,
  email: string | undefined,
  phone: string | undefined,
): Promise<ContactRow[]> {
  let query = db.selectFrom('contact').selectAll().orderBy('id');
  if (email !== undefined) {
    const held = db
      .selectFrom('contact_email')
      .select('contact_id')
      .where('folded', '=', email.trim().toLowerCase());
    query = query.where('id', 'in', held);
  }
  if (phone === undefined) return query.execute();
  const { region } = await db.selectFrom('workspace').select('region').executeTakeFirstOrThrow();
  const stored = await storedNumber(phone, region);
  const exact = stored
    ? await query
        .where(
          'id',
          'in',
          db.selectFrom('contact_phone').select('contact_id').where('number', '=', stored.number),
        )
        .execute()
    : [];
  if (exact.length > 0) return exact;
  const { numbers, nationals } = await otherReadings(phone);
  if (numbers.length + nationals.length === 0) return [];
  return query
    .where(
      'id',
      'in',
      db
        .selectFrom('contact_phone')
        .select('contact_id')
        // An empty list would read the whole table.
        .where((where) =>
          where.or([
            ...(numbers.length > 0 ? [where('number', 'in', numbers)] : []),
            ...(nationals.length > 0 ? [where('national', 'in', nationals)] : []),
          ]),
        ),
    )
    .execute();
}

/** Rows as the interface shows them (service.md, "Records"). */
async function contactRecords(db: Database, rows: readonly ContactRow[]): Promise<Contact[]> {
  if (rows.length === 0) return [];
  const keys = rows.map(({ id }) => id);
  const emails = await emailsOf(db, keys);
  const phones = await phonesOf(db, keys);
  const values = await valueMaps(db, 'contact_value', await fieldsOfModel(db, 'contact'), keys);
  return rows.map((row) => ({
    id: ids.contact.encode(row.id),
    first_name: row.first_name,
    last_name: row.last_name,
    emails: emails(row.id).map(({ email }) => email),
    phone_numbers: phones(row.id).map(({ number }) => number),
    organization_id: row.organization_id === null ? null : ids.organization.encode(row.organization_id),
    custom_fields: values(row.id),
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
  }));
}
