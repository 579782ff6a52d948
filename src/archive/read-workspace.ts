import type { Client } from '../client/client.ts';
import type { Batch } from '../client/pagination.ts';
import { calendarEvents } from '../contract/calendar-events.ts';
import { contacts } from '../contract/contacts.ts';
import { customFields } from '../contract/custom-fields.ts';
import { entries } from '../contract/entries.ts';
import { isBroken, isUnreadable } from '../contract/errors.ts';
import { lists } from '../contract/lists.ts';
import { notes } from '../contract/notes.ts';
import { organizations } from '../contract/organizations.ts';
import { recordings } from '../contract/recordings.ts';
import type { Noun, WritableNoun } from '../contract/singular-nouns.ts';
import type { WorkspaceRecords } from '../contract/workspace.ts';
import { readAll, requireUnchanged } from '../records/read-all.ts';
import type { RawJson } from '../values/raw-json.ts';

export type Pages<N extends Noun> = AsyncGenerator<Batch<WorkspaceRecords[N]>>;

/** A batch of entries of one list. Its total is that of the list. */
export interface EntryBatch extends Batch<WorkspaceRecords['entries']> {
  readonly list: WorkspaceRecords['lists'];
}

/** Reads all records of a workspace from its service, within `repeatIfChanged`, or from an archive. */
export interface WorkspaceReader {
  /** Whether `meetings` can return only the meetings that were updated after a time. */
  readonly canListUpdates: boolean;
  readonly pages: <N extends Exclude<WritableNoun, 'entries'>>(noun: N) => Pages<N>;
  /** Reads entries list by list. `onUnread` receives each list whose entries cannot be read. */
  readonly entries: (onUnread: (list: string) => void) => AsyncGenerator<EntryBatch>;
  /** Reads the meetings, the latest start first. `updatedAfter`: seconds since 1970. */
  readonly meetings: (updatedAfter?: number) => Pages<'events'>;
  /** @throws {Failure} not_found if there is no such recording */
  readonly recording: (id: string) => Promise<RawJson<WorkspaceRecords['recordings']>>;
}

/** Long pages: all records of a workspace are read. */
const paging = { size: 500 };

/** Fewer meetings at once, because their recordings follow one by one. */
const meetingPaging = { size: 50, concurrency: 1 };

/** Seconds by which the lists of updated meetings overlap, because the service may store an update late. */
export const updateOverlap = 600;

const readList: { readonly [N in Exclude<WritableNoun, 'entries'>]: (client: Client) => Pages<N> } = {
  customFields: (client) => client.pages(customFields.list, {}, paging),
  organizations: (client) => client.pages(organizations.list, {}, paging),
  contacts: (client) => client.pages(contacts.list, {}, paging),
  lists: (client) => client.pages(lists.list, {}, paging),
  notes: (client) => client.pages(notes.list, {}, paging),
};

export function createServiceReader(client: Client): WorkspaceReader {
  return {
    canListUpdates: true,
    pages: (noun) => requireUnchanged(readList[noun](client)),
    entries: async function* (onUnread) {
      yield* readEntries(client, await readAll(client, lists.list, {}), onUnread);
    },
    meetings: (updatedAfter) =>
      requireUnchanged(client.pages(calendarEvents.list, { updated_after: updatedAfter }, meetingPaging)),
    recording: (id) => client.record(recordings.get, { id }),
  };
}

/** Reads the entries of lists from a service. A list is skipped if its failure `isSkippable`. */
export async function* readEntries(
  client: Client,
  parents: Iterable<WorkspaceRecords['lists']>,
  onUnread: (list: string) => void,
  isSkippable: (error: unknown) => boolean = isUnreadable,
): AsyncGenerator<EntryBatch> {
  for (const list of parents) {
    try {
      for await (const batch of requireUnchanged(client.pages(entries.list, { list_id: list.id }, paging)))
        yield { ...batch, list };
    } catch (error) {
      if (!isSkippable(error)) throw error;
      onUnread(list.id);
    }
  }
}

/** Reads a recording; undefined if it cannot be read. A broken recording must not prevent reading the others. */
export async function readRecording(
  reader: Pick<WorkspaceReader, 'recording'>,
  id: string,
): Promise<RawJson<WorkspaceRecords['recordings']> | undefined> {
  try {
    return await reader.recording(id);
  } catch (error) {
    if (isUnreadable(error) || isBroken(error)) return undefined;
    throw error;
  }
}
