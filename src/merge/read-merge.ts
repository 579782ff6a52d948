import type { Client } from '../client/client.ts';
import { Failure } from '../contract/errors.ts';
import type { List } from '../contract/lists.ts';
import type { Received } from '../contract/received.ts';
import { type RecordPath, toPathKey } from '../records/path.ts';
import { listRelations, Referrers, type RelatedRecord, type Relation } from '../records/referrers.ts';
import type { JsonObject } from '../values/json-object.ts';
import { fromBody, toCreateBody } from '../writes/bodies.ts';
import { readRecord } from '../writes/nouns.ts';
import { isSameJson, type StoredRecord } from '../writes/values.ts';
import type { MergedIds } from './merge-nouns.ts';

/** Both records of a merge, and all references to them. */
export interface MergeRecords {
  readonly keep: StoredRecord;
  readonly other: StoredRecord;
  readonly lists: readonly Received<List>[];
  readonly references: MergeReferences;
  /** Whether deals have fields that name contacts: the API does not show deals. */
  readonly hasDealFields: boolean;
}

/**
 * Reads all records that a merge concerns. Reads the records that are deleted with the other record last.
 * `onRead` receives the number of records read.
 * @throws {Failure} not_found if one of the two records does not exist
 */
export async function readMergeRecords(
  client: Client,
  ids: MergedIds,
  onRead: (count: number) => void,
): Promise<MergeRecords> {
  const { noun } = ids;
  const readMerged = async (id: string) => {
    const record = await readRecord(client, { noun, id });
    if (record) return record;
    throw new Failure('not_found', `No ${noun} has the id "${id}".`);
  };
  const [keep, other] = [await readMerged(ids.keep), await readMerged(ids.other)];
  const references = new MergeReferences(ids);
  const referrers = new Referrers(client, {
    limit: Number.POSITIVE_INFINITY,
    isOwner: (owner) => references.isWanted(owner),
    onRead,
  });
  for (const id of [ids.other, ids.keep]) {
    const owner = { noun, id };
    const sources = referrers.listSources(owner);
    for (const [, read] of [...sources.slice(-1), ...sources.slice(0, -1)])
      for (const related of await read()) references.add({ owner, related });
  }
  for (const id of references.dealIds)
    for (const related of await referrers.readDeals([id]))
      references.add({ owner: { noun: 'entry', id }, related });
  const isContact = noun === 'contact';
  return {
    keep,
    other,
    lists: await referrers.lists(),
    references,
    hasDealFields: isContact && (await referrers.readMentioningModels()).has('deal'),
  };
}

/** The references to the records of a merge, and those of notes to the entries of the other record. */
class MergeReferences {
  readonly #ids: MergedIds;
  readonly #relations = new Map<string, Relation>();
  /** The ids of the other record's entries. */
  readonly dealIds = new Set<string>();

  constructor(ids: MergedIds) {
    this.#ids = ids;
  }

  isWanted({ noun, id = '' }: RecordPath): boolean {
    if (noun === 'entry') return this.dealIds.has(id);
    return noun === this.#ids.noun && (id === this.#ids.keep || id === this.#ids.other);
  }

  add(relation: Relation): void {
    const { owner, related } = relation;
    this.#relations.set(toRelationKey(relation), relation);
    const isOwned = related.noun === 'entry' && 'record' in related && owner.id === this.#ids.other;
    if (isOwned && related.id !== undefined) this.dealIds.add(related.id);
  }

  /** Replaces the references of a record with its references after a write. */
  update(path: RecordPath, record: JsonObject): void {
    for (const [key, { related }] of this.#relations)
      if (toPathKey(related) === toPathKey(path)) this.#relations.delete(key);
    for (const relation of listRelations(path, record)) if (this.isWanted(relation.owner)) this.add(relation);
  }

  /** Returns the references to a record. A reference of an owned entry or note has `record`. */
  list(id: string): RelatedRecord[] {
    return [...this.#relations.values()].flatMap(({ owner, related }) => (owner.id === id ? [related] : []));
  }

  /** Returns the ids of all records that refer to the records of the merge. */
  listIds(): string[] {
    return [...this.#relations.values()].map(({ related }) => String(related.id));
  }

  /** Returns the notes that name an entry of the other record as their deal. */
  listDeals(): RelatedRecord[] {
    return [...this.dealIds].flatMap((id) => this.list(id));
  }

  /** Whether a record still refers to the records of the merge as it did. */
  matches(path: RecordPath, record: JsonObject): boolean {
    const expected = [...this.#relations.values()].filter(
      ({ related }) => toPathKey(related) === toPathKey(path),
    );
    const current = listRelations(path, record).filter(({ owner }) => this.isWanted(owner));
    return isSameJson(toValueMap(expected), toValueMap(current));
  }

  /** Returns the first difference between these references and those that were read now. */
  findChange(
    now: MergeReferences,
  ): (RecordPath & { readonly change: 'added' | 'changed' | 'removed' }) | undefined {
    for (const [key, relation] of this.#relations) {
      const current = now.#relations.get(key);
      if (!current) return { ...relation.related, change: 'removed' };
      if (!isSameJson(toValues(relation), toValues(current)))
        return { ...relation.related, change: 'changed' };
    }
    const added = [...now.#relations].find(([key]) => !this.#relations.has(key));
    return added && { ...added[1].related, change: 'added' };
  }
}

const toRelationKey = ({ owner, related }: Relation) => [owner, related].map(toPathKey).join();

/** Returns the values of a reference that a person can change, by field. */
const toValues = ({ related }: Relation) =>
  fromBody('record' in related ? toCreateBody(related.noun, related.record) : related.body);

const toValueMap = (relations: readonly Relation[]) =>
  Object.fromEntries(relations.map((relation) => [toRelationKey(relation), toValues(relation)]));
