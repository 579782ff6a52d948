import type { Contact } from '../../contract/contacts.ts';
import { type Database, transact } from '../db/database.ts';
import { ids } from '../db/ids.ts';
import { pageOf, pageOfFound } from '../db/page.ts';
import { fitRows } from '../db/page-bytes.ts';
import { only } from '../db/rows.ts';
import { timestamp } from '../db/timestamps.ts';
import type { Deps, Handlers } from '../deps.ts';
import { changeRecord, touchRecord } from './change-record.ts';
import { contactsWith } from './contact-look-up.ts';
import {
  type ContactRow,
  contactBytes,
  contactPage,
  contactPageBytes,
  contactRow,
  emailsOf,
  phonesOf,
} from './contact-rows.ts';
import { checkedContactChange, checkedEmailRemoval, storeContactChange } from './contact-rules.ts';
import { fieldsOfModel } from './custom-fields.ts';
import { valueMaps } from './field-values.ts';

/** Specification, 2.4 and 4.1. */
export function contactHandlers({ db, now }: Deps): Handlers<'contacts'> {
  const one = async (db: Database, id: string) => only(await contactRecords(db, [await contactRow(db, id)]));
  return {
    async list(input) {
      const { email, phone_number } = input;
      if (email !== undefined || phone_number !== undefined) {
        const found = await contactsWith(db, input);
        return pageOfFound(found, input, async (rows) =>
          contactRecords(db, await fitRows(db, rows, contactBytes)),
        );
      }
      return pageOf(db, 'contact', input, contactPageBytes, async (window) =>
        contactRecords(db, await contactPage(db, window)),
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
          .values({ created_at: time, updated_at: time })
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
        return changeRecord(db, {
          table: 'contact',
          id: row.id,
          now: now(),
          read: () => one(db, contact_id),
          write: () => storeContactChange(db, row.id, change, now().getTime()),
        });
      }),
    removeEmails: ({ contact_id, emails = [] }, faults) =>
      transact(db, async (db) => {
        const row = await contactRow(db, contact_id);
        const removed = await checkedEmailRemoval(db, row, emails, faults);
        faults.raise();
        if (removed.length > 0) {
          await db
            .deleteFrom('contact_email')
            .where('contact_id', '=', row.id)
            .where('folded', 'in', removed)
            .execute();
          await touchRecord(db, 'contact', row.id, now());
        }
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
