import { toSingularNoun, type WritableNoun, writableNouns } from '../../contract/singular-nouns.ts';
import { listAddressKeys } from '../../records/match.ts';
import type { RecordPath } from '../../records/path.ts';
import { isObject, type JsonObject } from '../../values/json-object.ts';
import { joinNames, quote } from '../../values/text.ts';
import type { Write } from '../../writes/nouns.ts';
import type { Archive } from '../archive.ts';
import {
  type BodyContext,
  buildCopyBody,
  findFieldConflict,
  getEntryableNoun,
  type LostValue,
} from './build-body.ts';
import { findMissingValues } from './missing-values.ts';
import type { TargetRecords } from './target-records.ts';
import { listSourceRecords, type SourceRecord, type TransferRecord } from './transfer-nouns.ts';

/** The action of a transfer on a record. `skip`: the record is not copied. */
export type TransferAction = 'create' | 'update' | 'same' | 'skip';

export interface RecordPlan {
  readonly action: TransferAction;
  /** The write; undefined if nothing is sent. */
  readonly write?: Write;
  /** The id of the record in the target; undefined if it does not exist yet. */
  readonly id?: string;
  /** The fields whose values differ in the target, which keeps its values. */
  readonly kept: readonly string[];
  readonly lost: readonly LostValue[];
  /** Why the record is not copied. */
  readonly reason?: string;
  /** Whether the plan omits values that refer to records without a copy yet. */
  readonly hasPending: boolean;
}

export interface PlanOptions extends BodyContext {
  readonly archive: Archive;
  readonly target: TargetRecords;
}

const createSkip = (reason: string): RecordPlan => ({
  action: 'skip',
  kept: [],
  lost: [],
  reason,
  hasPending: false,
});

export class RecordPlanner {
  readonly #options: PlanOptions;

  constructor(options: PlanOptions) {
    this.#options = options;
  }

  /** Plans a record. The records to which it refers must have a plan or a copy already. */
  plan(source: SourceRecord): RecordPlan {
    const { noun, key, record } = source;
    const { ids, target } = this.#options;
    const id = ids.get(noun, key);
    const targetKey = id === undefined ? undefined : ids.toTargetKey(noun, id, record.list_id);
    const stored = targetKey === undefined ? undefined : target.find(noun, targetKey);
    const plan = stored ? this.planUpdate(source, stored) : this.#planCreate(source);
    this.#register(source, plan, stored);
    return plan;
  }

  /** Yields the plan of each record as if the planned copies of earlier records existed. Nothing is sent. */
  *planAll(): Generator<{ readonly source: SourceRecord; readonly plan: RecordPlan }> {
    const { archive, ids } = this.#options;
    for (const noun of writableNouns)
      for (const source of listSourceRecords(archive, noun)) {
        const plan = this.plan(source);
        if (plan.action === 'create') ids.plan(noun, source.key);
        yield { source, plan };
      }
    ids.clearPlanned();
  }

  /** Plans the missing values of a record in the target. */
  planUpdate(source: SourceRecord, stored: TransferRecord): RecordPlan {
    const { noun, record } = source;
    if (noun === 'customFields') return planCustomField(record, stored);
    const { body: copyBody, lost, hasPending } = buildCopyBody(source, this.#options);
    const { body, kept } = findMissingValues(noun, copyBody, stored, (address) =>
      this.#isFree(noun, address),
    );
    const plan = { id: stored.id, kept, lost, hasPending };
    if (Object.keys(body).length === 0) return { ...plan, action: hasPending ? 'update' : 'same' };
    return { ...plan, action: 'update', write: this.#toWrite(source, 'update', body, stored.id) };
  }

  #planCreate(source: SourceRecord): RecordPlan {
    const reason = this.#findSkipReason(source);
    if (reason !== undefined) return createSkip(reason);
    const { body, lost, hasPending } = buildCopyBody(source, this.#options);
    return { action: 'create', write: this.#toWrite(source, 'create', body), kept: [], lost, hasPending };
  }

  /** Returns the path of a record in the target. If `id` is omitted, the record is created. */
  toPath({ noun, record }: SourceRecord, id?: string): RecordPath {
    const list_id = this.#options.ids.get('lists', String(record.list_id));
    return {
      noun: toSingularNoun(noun),
      ...(noun === 'entries' && { list_id: list_id ?? '' }),
      ...(id !== undefined && { id }),
    };
  }

  #toWrite(source: SourceRecord, action: Write['action'], body: JsonObject, id?: string): Write {
    return { ...this.toPath(source, id), action, body };
  }

  /** Whether no record of the target has an address. */
  #isFree(noun: WritableNoun, address: string): boolean {
    const name = noun === 'organizations' ? 'domains' : 'emails';
    const keys = listAddressKeys(noun, { [name]: address });
    return this.#options.target.listMatches(noun, keys).length === 0;
  }

  #findSkipReason({ noun, record }: SourceRecord): string | undefined {
    const { ids, target } = this.#options;
    const isMissing = (referred: WritableNoun, id: unknown) =>
      ids.getState(referred, String(id)) === 'missing';
    if (noun === 'notes' && isMissing('organizations', record.organization_id))
      return 'Its organization was not copied.';
    if (noun !== 'entries') return undefined;
    if (isMissing('lists', record.list_id)) return 'Its list was not copied.';
    if (isMissing(getEntryableNoun(record), record.entryable_id))
      return `Its ${String(record.entryable_type).toLowerCase()} was not copied.`;
    // An entry needs a status of the process in the target.
    const { list_id, status } = record;
    const list = target.find('lists', ids.get('lists', String(list_id)) ?? '');
    const statuses = Array.isArray(list?.statuses) ? list.statuses.filter(isObject) : undefined;
    if (!statuses || !status || statuses.some(({ name }) => name === status)) return undefined;
    const names = joinNames(statuses.map(({ name }) => String(name)));
    return `The target's process ${quote(String(list?.name))} has no status ${quote(String(status))}, only ${names}.`;
  }

  /** Registers the facts about a planned record on which later plans depend. */
  #register(source: SourceRecord, { action, reason }: RecordPlan, stored: TransferRecord | undefined): void {
    const { ids, fields } = this.#options;
    const { noun, key, record } = source;
    if (action === 'skip') ids.drop(noun, key);
    if (noun === 'customFields') fields.set(record.model, record.name, reason);
    if (noun !== 'lists') return;
    const definitions = readDefinitions(stored);
    for (const field of readDefinitions(record)) {
      const own = definitions.find(({ name }) => name === field.name);
      fields.set(record.id, field.name, own && findFieldConflict(field, own));
    }
  }

  /** Records that a record was not written. */
  drop({ noun, key, record }: SourceRecord): void {
    const { ids, fields } = this.#options;
    ids.drop(noun, key);
    if (noun === 'customFields') fields.set(record.model, record.name, 'The field could not be created.');
  }

  /** Records the copy of a record that was created. `copy`: the record of the target. */
  addCopy(source: SourceRecord, copy: TransferRecord): void {
    const { ids, target, deals } = this.#options;
    const { noun, key, record } = source;
    const targetKey = ids.toTargetKey(noun, copy.id, record.list_id) ?? copy.id;
    ids.set(noun, key, copy.id, targetKey);
    target.addKeys(noun, listAddressKeys(noun, copy), targetKey);
    if (noun === 'entries') deals.addCopy(source, copy.id, copy.key);
  }

  findCopy({ noun, key }: SourceRecord): string | undefined {
    return this.#options.ids.get(noun, key);
  }

  /** Returns the id of the record of the target that has an address of a source record. */
  findByAddress({ noun, record }: SourceRecord): string | undefined {
    return this.#options.target.listMatches(noun, listAddressKeys(noun, record))[0];
  }
}

const readDefinitions = (list: TransferRecord | undefined): JsonObject[] =>
  Array.isArray(list?.fields) ? list.fields.filter(isObject) : [];

function planCustomField(record: TransferRecord, stored: TransferRecord): RecordPlan {
  const conflict = findFieldConflict(record, stored);
  if (conflict !== undefined) return createSkip(conflict);
  const plan = { id: stored.id, kept: [], lost: [], hasPending: false };
  const [wanted, own] = [record.options, stored.options];
  const missing =
    Array.isArray(wanted) && Array.isArray(own) ? wanted.filter((option) => !own.includes(option)) : [];
  if (missing.length === 0) return { ...plan, action: 'same' };
  const options = [stored.options, missing].flat();
  const write: Write = { noun: 'custom_field', action: 'update', id: stored.id, body: { options } };
  return { ...plan, action: 'update', write };
}
