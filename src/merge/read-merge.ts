import { readRecord, toPathKey } from '../changes/nouns.ts';
import { RelatedLists, type RelatedRecord, type Relation } from '../changes/related.ts';
import { type StoredRecord, toBody } from '../changes/values.ts';
import type { Client } from '../client/client.ts';
import { Failure } from '../contract/errors.ts';
import { type MergedIds, replaceMentions } from './combine-fields.ts';
import { concernsEntry, type MergedList } from './plan-entries.ts';
import type { MergeStep } from './stored-merge.ts';

/** The contact to keep does not exist. */
export class KeptContactMissing extends Failure {}

/** The current records that a merge concerns. */
export interface MergeRecords {
  readonly keep: StoredRecord;
  /** undefined if the other contact no longer exists. */
  readonly other: StoredRecord | undefined;
  readonly lists: readonly MergedList[];
  /** Updates of contacts and organizations with a field that names the other contact. */
  readonly mentions: readonly MergeStep[];
  /** The records that belong to the contact to keep, or name it. */
  readonly related: readonly RelatedRecord[];
  /** The versions of the records that a merge may write, by path. */
  readonly versions: Map<string, StoredRecord>;
  /** Whether deals have fields that name contacts: the interface does not show deals. */
  readonly hasDealFields: boolean;
}

/** Reads everything that a merge concerns. `onRead` gets the number of records read. */
export async function readMergeRecords(
  client: Client,
  ids: MergedIds,
  onRead: (count: number) => void,
): Promise<MergeRecords> {
  const versions = new Map<string, StoredRecord>();
  const readContact = async (id: string) => {
    const path = { noun: 'contact', id } as const;
    const contact = await readRecord(client, path);
    if (contact) versions.set(toPathKey(path), contact);
    return contact;
  };
  const keep = await readContact(ids.keep);
  if (!keep) throw new KeptContactMissing('not_found', `No contact has the id "${ids.keep}".`);
  const other = await readContact(ids.other);
  const all = new RelatedLists(client, { limit: Number.POSITIVE_INFINITY });
  const related: RelatedRecord[] = [];
  let count = 0;
  const noteChange = (relations: readonly Relation[]) => {
    for (const { owner, related: referrer } of relations)
      if (owner.noun === 'contact' && owner.id === ids.keep) related.push(referrer);
    count += 1;
    onRead(count);
  };
  const listsById = new Map<string, MergedList>();
  for await (const { list, record, relations } of all.walkEntries()) {
    noteChange(relations);
    if (!concernsEntry(record, ids)) continue;
    const list_id = list.id;
    const { entries = [] } = listsById.get(list_id) ?? {};
    listsById.set(list_id, { list, entries: [...entries, record] });
    versions.set(toPathKey({ noun: 'entry', list_id, id: record.id }), record);
  }
  const mentions: MergeStep[] = [];
  for await (const { noun, record, relations } of all.walkMentions()) {
    noteChange(relations);
    const fields = replaceMentions(record.custom_fields, ids);
    const isMerged = noun === 'contact' && (record.id === ids.keep || record.id === ids.other);
    if (isMerged || Object.keys(fields).length === 0) continue;
    versions.set(toPathKey({ noun, id: record.id }), record);
    mentions.push({ noun, action: 'update', id: record.id, body: toBody({ custom_fields: fields }) });
  }
  const hasDealFields = (await all.readMentioningModels()).has('deal');
  return { keep, other, lists: [...listsById.values()], mentions, versions, related, hasDealFields };
}
