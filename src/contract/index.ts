import { calendarEvents } from './calendar-events.ts';
import { contacts } from './contacts.ts';
import { customFields } from './custom-fields.ts';
import { entries } from './entries.ts';
import { lists } from './lists.ts';
import { notes } from './notes.ts';
import { organizations } from './organizations.ts';
import { recordings } from './recordings.ts';

/** The whole interface: every noun with its routes, in the order in which help and README list them. */
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
