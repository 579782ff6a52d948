import type { Client } from '../client/client.ts';
import type { Batch } from '../client/pagination.ts';
import { calendarEvents } from '../contract/calendar-events.ts';
import { contacts } from '../contract/contacts.ts';
import { customFields } from '../contract/custom-fields.ts';
import { entries } from '../contract/entries.ts';
import { lists } from '../contract/lists.ts';
import { notes } from '../contract/notes.ts';
import { organizations } from '../contract/organizations.ts';
import { recordings } from '../contract/recordings.ts';
import type { ArchiveNoun } from './archive.ts';
import type { ArchiveRecords } from './archive-nouns.ts';

/** Long pages: all records of a workspace are read. */
const paging = { size: 500 };

/** Fewer meetings at once, because their recordings follow one by one. */
const meetingPaging = { size: 50, concurrency: 1 };

type Pages<N extends ArchiveNoun> = AsyncGenerator<Batch<ArchiveRecords[N]>>;

/** Reads all records of each noun, page by page. Entries are read list by list, recordings meeting by meeting. */
export const readNoun: { readonly [N in ArchiveNoun]: (client: Client) => Pages<N> } = {
  customFields: (client) => client.pages(customFields.list, {}, paging),
  organizations: (client) => client.pages(organizations.list, {}, paging),
  contacts: (client) => client.pages(contacts.list, {}, paging),
  lists: (client) => client.pages(lists.list, {}, paging),
  async *entries(client) {
    for await (const { value } of client.records(lists.list, {}))
      yield* client.pages(entries.list, { list_id: value.id }, paging);
  },
  notes: (client) => client.pages(notes.list, {}, paging),
  events: (client) => client.pages(calendarEvents.list, {}, meetingPaging),
  async *recordings(client) {
    for await (const { value } of client.records(calendarEvents.list, {}, meetingPaging))
      for (const { id } of value.recordings) {
        const record = await client.record(recordings.get, { id });
        yield { records: [record], total: undefined, hasMore: true };
      }
  },
};
