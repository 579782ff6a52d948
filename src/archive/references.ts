import type { Noun } from '../contract/singular-nouns.ts';
import { isObject, type JsonObject, readObject } from '../values/json-object.ts';

/** A reference of a record to another one. */
interface RecordReference {
  readonly noun: Noun;
  readonly id: string;
  /** The field of the reference. */
  readonly field: string;
}

/** The fields that refer to records, by noun. */
const referenceFields: Readonly<Partial<Record<Noun, Readonly<Record<string, Noun>>>>> = {
  contacts: { organization_id: 'organizations' },
  notes: { organization_id: 'organizations', deal_id: 'entries' },
  entries: { list_id: 'lists', contact_id: 'contacts' },
  recordings: { calendar_event_id: 'events' },
};

/** Returns the references of a record to records of the archive. */
export function listReferences(noun: Noun, record: JsonObject): RecordReference[] {
  const references = Object.entries(referenceFields[noun] ?? {}).flatMap(([field, target]) =>
    toReferences(target, record[field], field),
  );
  if (noun === 'entries') {
    const target = record.entryable_type === 'Organization' ? 'organizations' : 'contacts';
    references.push(...toReferences(target, record.entryable_id, 'entryable_id'));
  }
  if (noun === 'events' && Array.isArray(record.recordings))
    for (const recording of record.recordings)
      references.push(...toReferences('recordings', readObject(recording).id, 'recordings'));
  for (const container of [record.custom_fields, record.list_fields])
    for (const [name, field] of Object.entries(readObject(container)))
      if (isObject(field) && field.data_type === 'contact')
        references.push(...toReferences('contacts', field.value, String(field.name ?? name)));
  return references;
}

/** Returns references to one id or several. */
function toReferences(noun: Noun, value: unknown, field: string): RecordReference[] {
  return [value].flat().flatMap((id) => {
    const isId = (typeof id === 'string' && id !== '') || typeof id === 'number';
    return isId ? [{ noun, id: String(id), field }] : [];
  });
}
