import type { Noun } from '../contract/singular-nouns.ts';
import type { WorkspaceRecords } from '../contract/workspace.ts';
import type { JsonObject } from '../values/json-object.ts';
import { getContactName, getOrganizationName } from '../values/record-names.ts';
import type { Archive } from './archive.ts';

type NameReaders = { readonly [N in Noun]: (record: WorkspaceRecords[N], archive: Archive) => string };

/** How the records of each noun are named; a record without a name of its own has the name of its owner. */
const readers: NameReaders = {
  customFields: ({ name }) => name,
  organizations: getOrganizationName,
  contacts: getContactName,
  lists: ({ name }) => name,
  entries: ({ entryable_type, entryable_id, key }, archive) => {
    const noun = entryable_type === 'Organization' ? 'organizations' : 'contacts';
    return [key, findName(archive, noun, entryable_id)].filter(Boolean).join(' ');
  },
  notes: ({ organization_id }, archive) => findName(archive, 'organizations', organization_id),
  events: ({ title }) => title,
  recordings: ({ calendar_event_id }, archive) => findName(archive, 'events', calendar_event_id),
};

/** Returns the name of a record for a person; empty if neither the record nor its owner has one. */
export function getRecordName(archive: Archive, noun: Noun, record: JsonObject): string {
  const read = readers[noun] as (record: JsonObject, archive: Archive) => string; // the records of the noun
  return read(record, archive);
}

function findName(archive: Archive, noun: Noun, id: string): string {
  const owner = archive.find(noun, id);
  return owner ? getRecordName(archive, noun, { ...owner.value }) : '';
}
