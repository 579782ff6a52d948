import type { Client } from '../client/client.ts';
import { type RecordPath, toPathKey } from '../records/path.ts';
import { createRelatedReader } from '../records/referrers.ts';
import { addRestored } from '../undo/history.ts';
import type { RecordIds } from '../undo/plan.ts';
import { type RevertedRecord, revertRecord } from '../undo/revert-record.ts';
import { readTexts } from '../values/field-values.ts';
import { type JsonObject, readObject } from '../values/json-object.ts';
import { resolveCreates } from '../writes/created.ts';
import { type ChangeLog, getWrittenId, type LoggedWrite, requireCommand } from '../writes/log.ts';
import { readRecord } from '../writes/nouns.ts';
import type { WriteRun } from '../writes/run.ts';
import { type MergedIds, mergeNouns } from './merge-nouns.ts';

/** The maximum number of tries to revert a record that keeps changing. */
const maxTries = 4;

export interface MergeRevert {
  /** Why writes were not reverted, as sentences. */
  readonly reasons: readonly string[];
  /** The new ids of records that were created again, by their earlier ids. */
  readonly newIds: ReadonlyMap<string, string>;
}

/**
 * Reverts the writes of a merge that did not finish, record by record, except records that someone else has changed.
 * Removes reverted writes from its log, and the log if no write is left. After an interruption, the next call compares
 * all records again. `createdIds`: the ids of the records that commands have created.
 * @throws {Failure} usage if several records may be a copy whose response was lost
 */
export async function revertMerge(
  client: Client,
  run: WriteRun,
  ids: MergedIds,
  log: ChangeLog,
  createdIds: ReadonlySet<string>,
): Promise<MergeRevert> {
  const command = requireCommand(log);
  const reasons: string[] = [];
  const resolved = await resolveCreates(client, command, createdIds);
  const { writes, kept } = await adjustWrites(client, ids, resolved);
  const records = groupByRecord(writes, ids);
  const revertedKeys = new Set(records.map(toPathKey));
  const newEntries = new Set(
    records.flatMap(({ noun, id, writes: [first] }) =>
      noun === 'entry' && first?.action === 'create' ? [id] : [],
    ),
  );
  let recordIds: RecordIds = { newIds: new Map(), creationTimes: new Map() };
  const options = {
    // A note may name a copied entry as its deal.
    readRelated: createRelatedReader(client, {
      limit: Number.POSITIVE_INFINITY,
      isOwner: ({ noun, id }) => noun === 'entry' && newEntries.has(id),
    }),
    isReverted: (path: RecordPath) => revertedKeys.has(toPathKey(path)),
  };
  const left = new Set(kept.map(({ n }) => n));
  for (const record of records) {
    let message: string | undefined;
    for (let tries = 0; tries < maxTries; tries += 1) {
      const result = await revertRecord(client, run, record, { ...options, ids: recordIds });
      recordIds = addRestored(recordIds, result.restored ?? []);
      message = result.message;
      // A retry would not know that the first attempt has created a deleted record again.
      if (!result.canRetry || record.writes.some(({ action }) => action === 'delete')) break;
    }
    if (message === undefined) continue;
    reasons.push(message);
    revertedKeys.delete(toPathKey(record));
    for (const { n } of record.writes) left.add(n);
  }
  for (const { n } of command.writes) if (!left.has(n)) log.append({ n, refused: true });
  if (left.size === 0) log.remove();
  else log.append({ finished: true });
  if (kept.length > 0) {
    const texts = new Set(kept.flatMap(({ body }) => readTexts(Object.values(body).flat())));
    reasons.push(
      `The ${mergeNouns[ids.noun].addresses} ${[...texts].join(', ')} were not moved back to the deleted ${ids.noun}.`,
    );
  }
  return { reasons, newIds: recordIds.newIds };
}

/**
 * Adjusts writes to the changes of someone else. If the record to keep was deleted, the service has cleared references
 * to it. If the other record was deleted, the record to keep has the only copy of its addresses, so it keeps them.
 */
async function adjustWrites(client: Client, ids: MergedIds, writes: readonly LoggedWrite[]) {
  const { noun, keep, other } = ids;
  const current = new Map<string | undefined, JsonObject | undefined>();
  for (const id of [keep, other]) current.set(id, await readRecord(client, { noun, id }));
  const isDeletedHere = writes.some(({ action, id }) => action === 'delete' && id === other);
  const isMove = (write: LoggedWrite) => isAddressWrite(write, ids);
  const moves = writes.filter(isMove);
  const otherWrites = writes.filter((write) => !isMove(write));
  const isKeptMissing = !current.get(keep);
  const adjusted = isKeptMissing
    ? otherWrites.map((write) => removeKeptReferences(write, keep))
    : otherWrites;
  if (!isDeletedHere && !current.get(other)) return { writes: adjusted, kept: moves };
  const rebased = [keep, other].flatMap((id) =>
    rebaseAddresses(
      moves.filter((write) => write.id === id),
      mergeNouns[noun].addresses,
      current.get(id),
    ),
  );
  return { writes: [...adjusted, ...rebased].toSorted((left, right) => left.n - right.n), kept: [] };
}

/** Whether a write moves addresses from or to a record of a merge. */
const isAddressWrite = ({ id, body }: LoggedWrite, { noun, keep, other }: MergedIds) =>
  (id === keep || id === other) && mergeNouns[noun].addresses in body;

/**
 * Returns the writes of a record's addresses, adjusted to the addresses that someone else has added or removed since. Omits the writes without a response that the service has not carried out.
 */
function rebaseAddresses(
  writes: readonly LoggedWrite[],
  addresses: 'emails' | 'domains',
  current: JsonObject | undefined,
): readonly LoggedWrite[] {
  if (!current) return writes;
  const texts = readTexts(current[addresses]);
  const read = (values: JsonObject | undefined) => readTexts(values?.[addresses]);
  const states = writes.flatMap((write) => {
    const [before, sent] = [read(write.before), read(write.body)];
    const isRemoval = write.action === 'remove';
    const isDone = write.after ?? omit(sent, texts).length === (isRemoval ? sent.length : 0);
    const after = write.after ? read(write.after) : isRemoval ? omit(before, sent) : unite(before, sent);
    return isDone ? [{ write, before, after }] : [];
  });
  const known = states.at(-1)?.after ?? texts;
  const rebase = (record: JsonObject | undefined, state: readonly string[]) => ({
    ...record,
    [addresses]: unite(omit(state, omit(known, texts)), omit(texts, known)),
  });
  return states.map(({ write, before, after }) => ({
    ...write,
    outcome: 'done',
    before: rebase(write.before, before),
    after: rebase(write.after ?? write.before, after),
  }));
}

const unite = (left: readonly string[], right: readonly string[]) => [...new Set([...left, ...right])];

const omit = (texts: readonly string[], omitted: readonly string[]) =>
  texts.filter((text) => !omitted.includes(text));

/** Removes the references to the deleted record to keep: those that the service has cleared, and those to restore. */
function removeKeptReferences(write: LoggedWrite, keep: string): LoggedWrite {
  const clear = (value: unknown) => (value === keep ? null : value);
  const drop = (container: unknown) =>
    Object.fromEntries(
      Object.entries(readObject(container)).map(([id, field]) => {
        const { data_type, value } = readObject(field);
        const isList = data_type === 'contact' && Array.isArray(value);
        return [id, isList ? { ...readObject(field), value: value.filter((item) => item !== keep) } : field];
      }),
    );
  const { before, after } = write;
  return {
    ...write,
    before: before && {
      ...before,
      ...(before.custom_fields !== undefined && { custom_fields: drop(before.custom_fields) }),
      ...(before.list_fields !== undefined && { list_fields: drop(before.list_fields) }),
    },
    after: after && {
      ...after,
      ...('organization_id' in after && { organization_id: clear(after.organization_id) }),
      ...('contact_id' in after && { contact_id: clear(after.contact_id) }),
    },
  };
}

/**
 * Groups writes by record, with separate groups for writes that move addresses. The record with the last write comes first,
 * but after the two merged records: another merge reads these before each write, and stops.
 */
function groupByRecord(writes: readonly LoggedWrite[], ids: MergedIds): RevertedRecord[] {
  const groups = new Map<string, RevertedRecord & { readonly writes: LoggedWrite[] }>();
  for (const write of writes.toReversed()) {
    const { noun, list_id } = write;
    const path = { noun, list_id, id: getWrittenId(write) };
    const key = `${toPathKey(path)} ${isAddressWrite(write, ids)}`;
    const group = groups.get(key);
    if (group) group.writes.unshift(write);
    else groups.set(key, { ...path, writes: [write] });
  }
  const isMerged = ({ noun, id }: RecordPath) => noun === ids.noun && (id === ids.keep || id === ids.other);
  const all = [...groups.values()];
  return [...all.filter(isMerged), ...all.filter((group) => !isMerged(group))];
}
