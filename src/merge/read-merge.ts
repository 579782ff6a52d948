import { readRecord, toPathKey } from '../changes/nouns.ts';
import { RelatedLists, type Relation } from '../changes/related.ts';
import { type StoredRecord, toBody } from '../changes/values.ts';
import type { Client } from '../client/client.ts';
import { Failure } from '../contract/errors.ts';
import { repeatIfChanged } from '../records/read-all.ts';
import type { RelatedRecord } from '../records/refers.ts';
import { replaceMentions } from './combine-fields.ts';
import { type MergedIds, mergeNouns } from './merge-nouns.ts';
import { concernsEntry, isEntryOf, type MergedList } from './plan-entries.ts';
import { concernsNote } from './plan-notes.ts';
import type { MergeStep, StoredMerge } from './stored-merge.ts';

/** The record to keep does not exist. */
export class KeptRecordMissing extends Failure {}

/** The current records that a merge concerns. */
export interface MergeRecords {
  readonly keep: StoredRecord;
  /** undefined if the other record no longer exists. */
  readonly other: StoredRecord | undefined;
  readonly lists: readonly MergedList[];
  /** The notes of both organizations, and the notes with an entry of the other record as their deal. */
  readonly notes: readonly StoredRecord[];
  /** Updates of the contacts of the other organization. */
  readonly contacts: readonly MergeStep[];
  /** Updates of contacts and organizations with a field that names the other contact. */
  readonly mentions: readonly MergeStep[];
  /** The records that belong to the record to keep, or name it. */
  readonly related: readonly RelatedRecord[];
  /** The versions of the records that a merge may write, by path. */
  readonly versions: Map<string, StoredRecord>;
  /** Whether deals have fields that name contacts: the API does not show deals. */
  readonly hasDealFields: boolean;
}

/** How to read the records of a merge. */
interface ReadOptions {
  /** The merge of a run that did not finish. */
  readonly interrupted: StoredMerge | undefined;
  /** Receives the number of records read. */
  readonly onRead: (count: number) => void;
}

/** Reads all records that a merge concerns. @throws {Failure} not_found, or busy as `repeatIfChanged` */
export const readMergeRecords = (
  client: Client,
  ids: MergedIds,
  options: ReadOptions,
): Promise<MergeRecords> => repeatIfChanged(() => readOnce(client, ids, options));

/** Reads last the records that are deleted together with the other record. */
async function readOnce(client: Client, ids: MergedIds, options: ReadOptions): Promise<MergeRecords> {
  const { noun } = ids;
  const readOne = (id: string) => readRecord(client, { noun, id });
  const keep = await readOne(ids.keep);
  if (!keep) throw new KeptRecordMissing('not_found', `No ${noun} has the id "${ids.keep}".`);
  const other = await readOne(ids.other);
  const reader = new MergeReader(client, ids, options);
  for (const record of [keep, other])
    if (record) reader.versions.set(toPathKey({ noun, id: record.id }), record);
  const isContact = noun === 'contact';
  const contacts = isContact ? [] : await reader.readContacts();
  const mentions = isContact ? await reader.readMentions() : [];
  const lists = await reader.readLists();
  const notes = await reader.readNotes(lists);
  const hasDealFields = isContact && (await reader.hasDealFields());
  const { related, versions } = reader;
  return { keep, other, contacts, mentions, lists, notes, related, versions, hasDealFields };
}

/** Reads whole lists, because the API has no filter for references. Keeps only the records of the merge. */
class MergeReader {
  readonly related: RelatedRecord[] = [];
  readonly versions = new Map<string, StoredRecord>();
  readonly #lists: RelatedLists;
  readonly #ids: MergedIds;
  readonly #options: ReadOptions;
  #count = 0;

  constructor(client: Client, ids: MergedIds, options: ReadOptions) {
    this.#lists = new RelatedLists(client, { limit: Number.POSITIVE_INFINITY });
    this.#ids = ids;
    this.#options = options;
  }

  async readContacts(): Promise<MergeStep[]> {
    const { keep, other } = this.#ids;
    const updates: MergeStep[] = [];
    for await (const { record, relations } of this.#lists.walkColleagues()) {
      this.#collectRelations(relations);
      if (record.organization_id !== other) continue;
      const path = { noun: 'contact', id: record.id } as const;
      this.versions.set(toPathKey(path), record);
      updates.push({ ...path, action: 'update', body: { organization_id: keep } });
    }
    return updates;
  }

  async readMentions(): Promise<MergeStep[]> {
    const { keep, other } = this.#ids;
    const updates: MergeStep[] = [];
    for await (const { noun, record, relations } of this.#lists.walkMentions()) {
      this.#collectRelations(relations);
      const fields = replaceMentions(record.custom_fields, this.#ids);
      const isMerged = noun === 'contact' && (record.id === keep || record.id === other);
      if (isMerged || Object.keys(fields).length === 0) continue;
      const path = { noun, id: record.id };
      this.versions.set(toPathKey(path), record);
      updates.push({ ...path, action: 'update', body: toBody({ custom_fields: fields }) });
    }
    return updates;
  }

  async readLists(): Promise<MergedList[]> {
    const ids = this.#ids;
    // Only entries of organizations can name organizations. Any entry can name contacts.
    const type = ids.noun === 'organization' ? mergeNouns.organization.entryType : undefined;
    const listsById = new Map<string, MergedList>();
    const deletedEntries = this.#options.interrupted?.deleted.entry ?? [];
    for (const list of await this.#lists.lists())
      if (deletedEntries.some(({ list_id }) => list_id === list.id))
        listsById.set(list.id, { list, entries: [] });
    for await (const { list, record, relations } of this.#lists.walkEntries(type)) {
      this.#collectRelations(relations);
      if (!concernsEntry(record, ids)) continue;
      const { id: list_id } = list;
      const { entries = [] } = listsById.get(list_id) ?? {};
      listsById.set(list_id, { list, entries: [...entries, record] });
      this.versions.set(toPathKey({ noun: 'entry', list_id, id: record.id }), record);
    }
    return [...listsById.values()];
  }

  /** Reads the notes. The merge of contacts needs them only if an entry gets a new id. */
  async readNotes(lists: readonly MergedList[]): Promise<StoredRecord[]> {
    const ids = this.#ids;
    const entries = lists.flatMap(({ entries }) =>
      entries.filter((entry) => isEntryOf(entry, ids.other, ids)),
    );
    const deletedEntries = this.#options.interrupted?.deleted.entry ?? [];
    const dealIds = new Set([...entries, ...deletedEntries].map(({ id }) => id));
    if (ids.noun === 'contact' && dealIds.size === 0) return [];
    const notes: StoredRecord[] = [];
    for await (const { record, relations } of this.#lists.walkNotes()) {
      this.#collectRelations(relations);
      const note = record as StoredRecord; // an organization's id may be null
      if (!concernsNote(note, ids, dealIds)) continue;
      this.versions.set(toPathKey({ noun: 'note', id: note.id }), note);
      notes.push(note);
    }
    return notes;
  }

  async hasDealFields(): Promise<boolean> {
    return (await this.#lists.readMentioningModels()).has('deal');
  }

  #collectRelations(relations: readonly Relation[]): void {
    const { noun, keep } = this.#ids;
    for (const { owner, related } of relations)
      if (owner.noun === noun && owner.id === keep) this.related.push(related);
    this.#count += 1;
    this.#options.onRead(this.#count);
  }
}
