import type { Noun } from '../contract/singular-nouns.ts';
import { getLabel } from '../records/label.ts';
import type { JsonObject } from '../values/json-object.ts';
import type { Archive } from './archive.ts';

/** Returns the name of a record or its owner: the key and the owner of an entry, the organization of a note. */
export function getRecordName(archive: Archive, noun: Noun, record: JsonObject): string {
  const findName = (owner: Noun, id: unknown) => {
    const found = archive.find(owner, String(id));
    return found ? getLabel(owner, found.value) : '';
  };
  if (noun === 'notes') return findName('organizations', record.organization_id);
  if (noun === 'recordings') return findName('events', record.calendar_event_id);
  if (noun !== 'entries') return getLabel(noun, record);
  const owner = record.entryable_type === 'Organization' ? 'organizations' : 'contacts';
  return [getLabel(noun, record), findName(owner, record.entryable_id)].filter(Boolean).join(' ');
}
