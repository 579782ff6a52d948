import { type CalendarEvent, calendarEvents } from '../contract/calendar-events.ts';
import { type Contact, contacts } from '../contract/contacts.ts';
import { type CustomField, customFields } from '../contract/custom-fields.ts';
import { type Entry, entries } from '../contract/entries.ts';
import type { Route } from '../contract/grammar.ts';
import { type List, lists } from '../contract/lists.ts';
import { type Note, notes } from '../contract/notes.ts';
import { type Organization, organizations } from '../contract/organizations.ts';
import type { Received } from '../contract/received.ts';
import { type Recording, recordings } from '../contract/recordings.ts';
import { type Noun, toTypedNoun } from '../contract/singular-nouns.ts';

/** The nouns of an archive. Each comes after the nouns that its own fields refer to. */
export const archiveNouns = [
  'customFields',
  'organizations',
  'contacts',
  'lists',
  'entries',
  'notes',
  'events',
  'recordings',
] as const satisfies readonly Noun[];

/** The records of an archive by noun. */
export interface ArchiveRecords {
  readonly customFields: Received<CustomField>;
  readonly organizations: Received<Organization>;
  readonly contacts: Received<Contact>;
  readonly lists: Received<List>;
  readonly entries: Received<Entry>;
  readonly notes: Received<Note>;
  readonly events: Received<CalendarEvent>;
  readonly recordings: Received<Recording>;
}

/** The routes that return the records. */
export const recordRoutes: Readonly<Record<Noun, Route>> = {
  customFields: customFields.get,
  organizations: organizations.get,
  contacts: contacts.get,
  lists: lists.get,
  entries: entries.get,
  notes: notes.get,
  events: calendarEvents.get,
  recordings: recordings.get,
};

/** Returns the name of the file with the records of a noun. */
export const toRecordFile = (noun: Noun): string => `${toTypedNoun(noun)}.ndjson`;
