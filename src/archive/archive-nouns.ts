import { calendarEvents } from '../contract/calendar-events.ts';
import { contacts } from '../contract/contacts.ts';
import { customFields } from '../contract/custom-fields.ts';
import { entries } from '../contract/entries.ts';
import type { Route } from '../contract/grammar.ts';
import { lists } from '../contract/lists.ts';
import { notes } from '../contract/notes.ts';
import { organizations } from '../contract/organizations.ts';
import { recordings } from '../contract/recordings.ts';
import { type Noun, toTypedNoun } from '../contract/singular-nouns.ts';

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

export const toRecordFile = (noun: Noun): string => `${toTypedNoun(noun)}.ndjson`;
