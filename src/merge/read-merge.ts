import { readRecord, toPathKey } from '../changes/nouns.ts';
import { type Related, type Relation, relateEntry, relateMentions } from '../changes/related.ts';
import { type StoredRecord, toBody } from '../changes/values.ts';
import type { Client } from '../client/client.ts';
import { contacts } from '../contract/contacts.ts';
import { customFields } from '../contract/custom-fields.ts';
import { entries } from '../contract/entries.ts';
import { Failure } from '../contract/errors.ts';
import { lists } from '../contract/lists.ts';
import { organizations } from '../contract/organizations.ts';
import { type MergedIds, replaceMentions } from './combine-fields.ts';
import { concernsEntry, type MergedList } from './plan-entries.ts';
import type { MergeStep } from './stored-merge.ts';

/** The contact to keep does not exist. */
export class KeptContactMissing extends Failure {}

/** The records that a merge concerns, as they are now. */
export interface MergeRecords {
  readonly keep: StoredRecord;
  /** undefined if it does not exist anymore. */
  readonly other: StoredRecord | undefined;
  readonly lists: readonly MergedList[];
  /** Updates of contacts and organizations with a field that names the other contact. */
  readonly mentions: readonly MergeStep[];
  /** The records that belong to the contact to keep, or name it. */
  readonly related: readonly Related[];
  /** The records that a merge may write, as they were read, by path. */
  readonly versions: Map<string, StoredRecord>;
  /** Whether deals have fields that name contacts: the interface does not show deals. */
  readonly hasDealFields: boolean;
}

/**
 * Reads everything that a merge concerns. The interface has no filter for references to a contact, so it reads the
 * entries of all lists, and the contacts and organizations if they have fields that name contacts.
 */
export async function readMergeRecords(
  client: Client,
  ids: MergedIds,
  onRead: (count: number) => void,
): Promise<MergeRecords> {
  const versions = new Map<string, StoredRecord>();
  const readContact = async (id: string) => {
    const path = { what: 'contact', id } as const;
    const contact = await readRecord(client, path);
    if (contact) versions.set(toPathKey(path), contact);
    return contact;
  };
  const keep = await readContact(ids.keep);
  if (!keep) throw new KeptContactMissing('not_found', `No contact has the id "${ids.keep}".`);
  const other = await readContact(ids.other);
  let count = 0;
  const countRecord = () => {
    count += 1;
    onRead(count);
  };
  const merged: MergedList[] = [];
  const related: Related[] = [];
  const addRelated = (relations: readonly Relation[]) => {
    for (const { owner, related: one } of relations)
      if (owner.what === 'contact' && owner.id === ids.keep) related.push(one);
  };
  for await (const { value: list } of client.records(lists.list, {})) {
    const concerned: StoredRecord[] = [];
    for await (const { value } of client.records(entries.list, { list_id: list.id ?? '' })) {
      if (concernsEntry(value, ids)) concerned.push(value);
      addRelated(relateEntry({ ...value }, list.id ?? ''));
      countRecord();
    }
    if (concerned.length > 0) merged.push({ list, entries: concerned });
    const place = { what: 'entry', list_id: list.id ?? '' } as const;
    for (const entry of concerned) versions.set(toPathKey({ ...place, id: entry.id ?? '' }), entry);
  }
  const models = new Set<unknown>();
  for await (const { value } of client.records(customFields.list, {}))
    if (value.data_type === 'contact') models.add(value.model);
  const mentions: MergeStep[] = [];
  const addMentions = async (
    what: 'contact' | 'organization',
    records: AsyncIterable<{ value: StoredRecord }>,
  ) => {
    for await (const { value: record } of records) {
      countRecord();
      addRelated(relateMentions(what, { ...record }));
      const fields = replaceMentions(record.custom_fields, ids);
      const isMerged = what === 'contact' && (record.id === ids.keep || record.id === ids.other);
      if (isMerged || Object.keys(fields).length === 0) continue;
      versions.set(toPathKey({ what, id: record.id ?? '' }), record);
      mentions.push({ what, action: 'update', id: record.id ?? '', body: toBody({ custom_fields: fields }) });
    }
  };
  if (models.has('contact')) await addMentions('contact', client.records(contacts.list, {}));
  if (models.has('organization')) await addMentions('organization', client.records(organizations.list, {}));
  return { keep, other, lists: merged, mentions, versions, related, hasDealFields: models.has('deal') };
}
