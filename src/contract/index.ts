import { CalendarEvent, calendarEvents } from './calendar-events.ts';
import { Contact, contacts } from './contacts.ts';
import { CustomField, customFields } from './custom-fields.ts';
import { Entry, entries } from './entries.ts';
import { List, lists } from './lists.ts';
import { Note, notes } from './notes.ts';
import { Organization, organizations } from './organizations.ts';
import { Recording, recordings } from './recordings.ts';

/** The whole interface: every noun with its routes, in the order of help and the guides. */
export const contract = {
  contacts,
  organizations,
  notes,
  customFields,
  lists,
  entries,
  calendarEvents,
  recordings,
};

export type Contract = typeof contract;

/** The records of the API, by name. */
export const records = {
  Contact,
  Organization,
  Note,
  CustomField,
  List,
  Entry,
  CalendarEvent,
  Recording,
};

/** The name of a record. */
export type RecordType = keyof typeof records;
