import type { Client } from '../client/client.ts';
import { pluralNouns, type SingularNoun } from '../contract/singular-nouns.ts';
import { getLabel } from '../records/label.ts';
import { type RecordPath, toPathKey } from '../records/path.ts';
import { createRelatedReader, type RelatedReader, type RelatedRecord } from '../records/referrers.ts';
import { readTexts } from '../values/field-values.ts';
import { type JsonObject, readObject } from '../values/json-object.ts';
import { fromBody, pickSentValues, toCreateBody } from '../writes/bodies.ts';
import { getWrittenId, type LoggedCommand, type LoggedWrite } from '../writes/log.ts';
import { describeMissing } from '../writes/recorder.ts';
import { createIdMap, listReferenceNames, type MapId, mapWrite } from '../writes/references.ts';
import { flatten, isSameJson, keepValues, replaceValues, type StoredRecord } from '../writes/values.ts';
import { describeDeletionLosses, describeUpdateLosses } from './losses.ts';
import { describeSkipped, findReplacedFields, type SkippedReference } from './replaced.ts';
import { findDifferences, revertValues } from './reversal.ts';
import { CurrentRecords, FieldHistory } from './states.ts';
import {
  countRelated,
  createAgain,
  keepMentions,
  pickKeptReferences,
  type RevertStep,
  restoreRelated,
  toPath,
} from './steps.ts';

/** A record that has changed since the command. */
export interface Conflict extends RecordPath {
  /** The fields that differ; empty if the record was deleted. */
  readonly fields: readonly string[];
  /** The records that the service would delete together with this one. */
  readonly related?: readonly RecordPath[];
}

/** A change that a revert makes. */
export interface PlannedChange {
  readonly action: 'update' | 'delete' | 'create';
  readonly record: SingularNoun | 'action_item';
  /** The id of the record. A record that is created again has its earlier id. */
  readonly id: string | undefined;
  readonly name: string | undefined;
  /** The values of an updated record, by field. */
  readonly fields?: Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>;
  /** The number of records that are created again with it, by kind. */
  readonly related?: Readonly<Partial<Record<SingularNoun, number>>>;
  /** The number of other records whose values are restored, by kind. */
  readonly references?: Readonly<Partial<Record<SingularNoun, number>>>;
}

/** The changes and limits of a revert. */
export interface RevertPlan<C = LoggedCommand> {
  readonly command: C;
  /** The requests to send, in this order. */
  readonly steps: readonly RevertStep[];
  readonly changes: readonly PlannedChange[];
  readonly conflicts: readonly Conflict[];
  /** Properties that cannot be restored, as sentences. */
  readonly losses: readonly string[];
  /** The fields whose earlier values the API cannot write. */
  readonly unwritableFields: readonly string[];
  /** Kinds of records that would be deleted with a created record, but could not be counted. */
  readonly uncountedKinds: readonly string[];
  /** The entity tags of the records that the steps write, by path. */
  readonly tags: ReadonlyMap<string, string>;
  /** Whether the service has carried out any of its writes. */
  readonly hasWrites: boolean;
}

/** The ids of restored records, which all recorded commands together provide. */
export interface RecordIds {
  /** The new ids of records that were created again, by their earlier ids. */
  readonly newIds: ReadonlyMap<string, string>;
  /** The creation times of these records, by their new ids. */
  readonly creationTimes: ReadonlyMap<string, unknown>;
}

export interface PlanOptions {
  /** Reads the records that refer to a created record. */
  readonly readRelated?: RelatedReader;
  /** Whether a record that refers to a created record will be reverted too. Default: each record of the command. */
  readonly isReverted?: (path: RecordPath) => boolean;
}

/**
 * Plans how to revert a command: each record is compared with the states before and after each write. A record in the
 * state before is already reverted, one in the state after is reverted, and any other is a conflict. `resolveCreates`
 * must have found the records of lost creates.
 */
export async function planRevert<C extends Pick<LoggedCommand, 'writes'>>(
  client: Client,
  command: C,
  ids: RecordIds,
  options: PlanOptions = {},
): Promise<RevertPlan<C>> {
  const map = createIdMap(ids.newIds);
  const mappedWrites = command.writes.map((write) => mapWrite(write, map));
  const planner = new Planner(client, mappedWrites, ids, options);
  await planner.compareRecords();
  const canRevert = planner.conflicts.length === 0;
  if (canRevert) await planner.planSteps();
  const { steps, changes, conflicts, losses, unwritableFields, uncountedKinds, tags } = planner;
  return {
    command,
    steps,
    changes,
    conflicts,
    losses: [...losses],
    unwritableFields,
    uncountedKinds: [...uncountedKinds],
    tags,
    hasWrites: steps.length > 0 || command.writes.some(({ outcome }) => outcome === 'done'),
  };
}

/** The writes of one record, in order. */
interface RecordWrites {
  readonly path: RecordPath;
  readonly writes: readonly LoggedWrite[];
  readonly history: FieldHistory;
  readonly isCreated: boolean;
  readonly deletion: LoggedWrite | undefined;
}

class Planner {
  readonly steps: RevertStep[] = [];
  readonly changes: PlannedChange[] = [];
  readonly conflicts: Conflict[] = [];
  readonly losses = new Set<string>();
  readonly unwritableFields: string[] = [];
  readonly uncountedKinds = new Set<string>();
  readonly #writes: readonly LoggedWrite[];
  readonly #map: MapId;
  readonly #times: ReadonlyMap<string, unknown>;
  readonly #current: CurrentRecords;
  readonly #readRelated: RelatedReader;
  readonly #isReverted: (path: RecordPath) => boolean;
  readonly #groups = new Map<string, RecordWrites>();
  /** The fields in which the id of a contact or an entry remains after its deletion, by its path. */
  readonly #keptReferences = new Map<string, RelatedRecord[]>();
  /** The keys of the created records that refer to a record whose deletion would change them. */
  readonly #referring = new Map<string, string[]>();
  readonly #skippedReferences: SkippedReference[] = [];
  /** The ids of all records that the command deleted, and the earlier ids of restored records. */
  readonly #deletedIds: Set<string>;

  constructor(
    client: Client,
    writes: readonly LoggedWrite[],
    { newIds, creationTimes }: RecordIds,
    { readRelated, isReverted }: PlanOptions,
  ) {
    this.#times = creationTimes;
    this.#writes = writes;
    this.#map = createIdMap(newIds);
    this.#deletedIds = new Set(newIds.keys()); // a field may keep the id of a deleted contact
    this.#current = new CurrentRecords(client);
    this.#readRelated = readRelated ?? createRelatedReader(client);
    this.#isReverted = isReverted ?? ((path) => this.#groups.has(toPathKey(path)));
    const groups = new Map<string, LoggedWrite[]>();
    for (const write of writes) {
      const key = toPathKey({ ...write, id: getWrittenId(write) });
      groups.set(key, [...(groups.get(key) ?? []), write]);
      if (write.action !== 'delete') continue;
      for (const recordPath of [write, ...write.related.filter((related) => 'record' in related)])
        if (recordPath.id !== undefined) this.#deletedIds.add(recordPath.id);
    }
    for (const [key, group] of groups) this.#groups.set(key, toRecordWrites(group));
  }

  get tags(): ReadonlyMap<string, string> {
    return this.#current.tags;
  }

  /** Compares all records with the states in which the command may have left them. */
  async compareRecords(): Promise<void> {
    for (const { path, writes, history, isCreated, deletion } of this.#groups.values()) {
      const record = await this.#current.read(path);
      const current = record && this.#isSameRecord(record, writes) ? record : undefined;
      if (!current) this.#current.set(path, undefined);
      if (!current && !isCreated && !deletion) this.conflicts.push({ ...path, fields: [] });
      if (!current) continue;
      if (isCreated) await this.#compareCreated({ path, writes, history }, current);
      else {
        const fields = writes.filter(isUpdate).flatMap(({ body }) => history.findConflicts(current, body));
        if (fields.length > 0) this.conflicts.push({ ...path, fields: [...new Set(fields)] });
      }
    }
  }

  /** Whether a record is the one that was written. A restored workspace may have another record with the same id. */
  #isSameRecord({ id, created_at }: JsonObject, writes: readonly LoggedWrite[]): boolean {
    const loggedRecord = writes
      .flatMap(({ before, after }) => [before, after])
      .find((record) => record?.id === id);
    const time = this.#times.get(String(id)) ?? loggedRecord?.created_at;
    return time === undefined || time === created_at;
  }

  async #compareCreated(
    { path, writes, history }: Pick<RecordWrites, 'path' | 'writes' | 'history'>,
    current: JsonObject,
  ): Promise<void> {
    const last = writes.findLast(({ after }) => after)?.after;
    const isCertain = writes.every(({ outcome }) => outcome === 'done');
    const [stored, now] = [last, current].map((record) => record && toCreateBody(path.noun, record));
    const differences = isCertain && stored && now ? findDifferences(fromBody(stored), fromBody(now)) : [];
    const fields = differences.filter((name) => !history.isEarlierAddress(name, current[name]));
    const related: RecordPath[] = [];
    const keptReferences: RelatedRecord[] = [];
    const missing = await this.#readRelated(path, current, (records) => {
      related.push(...records.filter((record) => !this.#isReverted(record)));
      // Other records may keep the id of a contact or an entry after its deletion.
      if (path.noun === 'contact' || path.noun === 'entry')
        keptReferences.push(...records.flatMap(pickKeptReferences));
    });
    this.#keptReferences.set(toPathKey(path), keptReferences);
    this.#addReferring(path, current);
    for (const name of missing) this.uncountedKinds.add(name);
    if (fields.length > 0 || related.length > 0) this.conflicts.push({ ...path, fields, related });
  }

  #addReferring(path: RecordPath, { organization_id, contact_id, custom_fields }: JsonObject): void {
    const referred: readonly RecordPath[] = [
      { noun: 'organization', id: String(organization_id) },
      { noun: 'contact', id: String(contact_id) },
      ...Object.keys(readObject(custom_fields)).map((id) => ({ noun: 'custom_field', id }) as const),
    ];
    for (const key of referred.map(toPathKey)) {
      if (!this.#groups.has(key)) continue;
      const referring = this.#referring.get(key) ?? [];
      referring.push(toPathKey(path));
      this.#referring.set(key, referring);
    }
  }

  /** Plans the steps, the last write first. */
  async planSteps(): Promise<void> {
    for (const write of this.#writes.toReversed()) {
      const group = this.#groups.get(toPathKey({ ...write, id: getWrittenId(write) }));
      if (!group) continue;
      if (write.action === 'create') await this.#revertCreate(write, group);
      else if (write.action === 'delete') await this.#revertDeletion(write, group);
      // A created record is deleted, whatever its values are. If its addresses go back to another record, they are
      // removed first.
      else if (!group.isCreated || this.#hasMovedAddress(write)) await this.#revertUpdate(write, group);
    }
    for (const sentence of describeSkipped(this.#skippedReferences)) this.losses.add(sentence);
  }

  /** Whether a write added an address that the command had removed from another record. */
  #hasMovedAddress({ n, body }: LoggedWrite): boolean {
    const addedAddresses = listAddresses(body);
    const removals = this.#writes.filter((write) => write.action === 'remove' && write.n < n);
    return removals.some((removal) =>
      listAddresses(removal.body).some((text) => addedAddresses.includes(text)),
    );
  }

  async #revertCreate(write: LoggedWrite, { path }: RecordWrites): Promise<void> {
    const before = await this.#current.read(path);
    if (!before) return; // already deleted
    // A record may refer to one that was created later. It is deleted first, because the other deletion changes it.
    for (const key of this.#referring.get(toPathKey(path)) ?? []) {
      const group = this.#groups.get(key);
      if (group?.writes[0]) await this.#revertCreate(group.writes[0], group);
    }
    const keptReferences = await this.#listRemainingReferences(path);
    this.steps.push({
      n: write.n,
      ...path,
      action: 'delete',
      body: {},
      before,
      keptReferences,
      references: new Set(),
    });
    this.#current.set(path, undefined);
    this.#addChange('delete', path, write.after);
  }

  /** Lists the fields in which the id of a contact or an entry remains after the steps planned so far. */
  async #listRemainingReferences(path: RecordPath): Promise<RelatedRecord[]> {
    const remaining: RelatedRecord[] = [];
    for (const related of this.#keptReferences.get(toPathKey(path)) ?? []) {
      const isWritten = this.#groups.has(toPathKey(related)); // any other record is unchanged
      const current = isWritten ? await this.#current.read(toPath(related)) : undefined;
      remaining.push(...(current ? keepMentions(related, current, path.id ?? '') : [related]));
    }
    return remaining;
  }

  async #revertDeletion(write: LoggedWrite, { path }: RecordWrites): Promise<void> {
    const { before = {}, noun, missing } = write;
    const exists = (await this.#current.read(path)) !== undefined;
    const steps: RevertStep[] = exists ? [] : [createAgain(write.n, path, before)];
    if (!exists) this.#current.set(path, before);
    for (const related of write.related) {
      const step = await this.#restoreRelated(write, related, exists);
      if (step) steps.push(step);
    }
    if (steps.length === 0) return;
    this.steps.push(...steps);
    this.#addChange('create', path, before, countRelated(steps));
    for (const sentence of [...describeDeletionLosses(noun, before), ...missing.map(describeMissing)])
      this.losses.add(sentence);
  }

  /** Returns the step that restores a related record; undefined if it is already restored or must stay deleted. */
  async #restoreRelated(
    write: LoggedWrite,
    related: RelatedRecord,
    isRestored: boolean,
  ): Promise<RevertStep | undefined> {
    const path = toPath(related);
    const step = restoreRelated(write, related);
    if ('record' in related) {
      // If the owner does not exist, the related record exists only if it was restored.
      const id = path.id ?? '';
      const mayExist = isRestored || this.#map(id) !== id;
      if (mayExist && (await this.#current.read(path))) return undefined;
      this.#current.set(path, related.record);
      return step;
    }
    const isGone = write.noun === 'custom_field' || (path.id !== undefined && this.#deletedIds.has(path.id));
    if (isGone && !isRestored) return step;
    const current = await this.#current.read(path);
    const isDone =
      isRestored && current && isSameJson(pickSentValues(step.body, current), fromBody(step.body));
    if (isDone) return undefined;
    const fields = current ? findReplacedFields(step.body, current, this.#deletedIds, isGone) : [];
    if (current && fields.length === 0) return { ...step, before: current };
    this.#skippedReferences.push({ ...path, fields });
    return undefined;
  }

  async #revertUpdate(write: LoggedWrite, { path, history }: RecordWrites): Promise<void> {
    const { n, body, before, after } = write;
    const current = await this.#current.read(path);
    if (!current || !before) return;
    const now = pickSentValues(body, current);
    const values = flatten(now);
    const names = Object.keys(values).filter((name) => !history.isReverted(name, n, values[name]));
    const [from, to] = [now, pickSentValues(body, before)].map((all) => keepValues(all, names));
    if (names.length === 0 || !from || !to) return;
    const { writes, unwritableFields } = revertValues(path, to, from);
    this.unwritableFields.push(...unwritableFields);
    const references = listReferenceNames(before, current);
    for (const step of writes) this.steps.push({ n, ...step, before: current, references });
    this.#current.set(path, replaceValues(current as StoredRecord, to)); // a record as the service returned it
    for (const sentence of describeUpdateLosses(write, unwritableFields)) this.losses.add(sentence);
    const flat = [from, to].map(flatten);
    const fields = names.map((name) => [
      name,
      { from: flat[0]?.[name] ?? null, to: flat[1]?.[name] ?? null },
    ]);
    this.#addChange('update', path, after ?? current, { fields: Object.fromEntries(fields) });
  }

  #addChange(
    action: PlannedChange['action'],
    { noun, id }: RecordPath,
    record: JsonObject | undefined,
    more: Partial<PlannedChange> = {},
  ): void {
    const name = (record && getLabel(pluralNouns[noun], record)) || undefined;
    this.changes.push({ action, record: noun, id, name, ...more });
  }
}

const listAddresses = ({ emails, domains }: JsonObject) =>
  [emails, domains].flatMap((texts) => readTexts(texts));

const isUpdate = ({ action }: LoggedWrite) => action === 'update' || action === 'remove';

function toRecordWrites(writes: readonly LoggedWrite[]): RecordWrites {
  const [first] = writes;
  if (!first) throw new Error('a group has a write');
  return {
    path: { ...toPath(first), id: getWrittenId(first) },
    writes,
    isCreated: first.action === 'create',
    history: new FieldHistory(writes.filter(isUpdate)),
    deletion: writes.find(({ action }) => action === 'delete'),
  };
}
