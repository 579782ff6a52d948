import type { Client } from '../client/client.ts';
import { Failure } from '../contract/errors.ts';
import type { Route } from '../contract/grammar.ts';
import { type RecordPath, toPathKey } from '../records/path.ts';
import { pickAll } from '../records/read-all.ts';
import { type JsonObject, readObject } from '../values/json-object.ts';
import { matchesBody, toCreateBody } from './bodies.ts';
import type { InterruptedCommand } from './interrupted.ts';
import type { LoggedCommand, LoggedWrite } from './log.ts';
import { nouns, toParams, type Write } from './nouns.ts';
import type { Recorder } from './recorder.ts';
import { isSameJson } from './values.ts';

/** Milliseconds by which the clocks of a service and this machine may differ. */
const clockTolerance = 10 * 60_000;

/** Whether a record has the values of a create, and no others. */
export const isRestored = ({ noun, body }: Write, record: JsonObject): boolean =>
  matchesBody(body, record) &&
  Object.keys(toCreateBody(noun, record)).every((name) => Object.hasOwn(body, name));

/** A create that was sent, and whose response was lost. */
type LostCreate = Write & Pick<LoggedWrite, 'n'> & Partial<Pick<LoggedWrite, 'from'>>;

export const isLostCreate = ({ action, outcome }: LoggedWrite) =>
  action === 'create' && outcome === 'unknown';

/**
 * Finds the records of creates whose response was lost, and removes the creates that the service did not carry out.
 * `knownIds`: the ids of records that other writes created.
 * @throws {Failure} usage if several records match a lost create
 */
export async function resolveCreates(
  client: Client,
  { writes, at }: Pick<LoggedCommand, 'writes' | 'at'>,
  knownIds: ReadonlySet<string>,
): Promise<LoggedWrite[]> {
  const lostCreates = writes.filter(isLostCreate);
  if (lostCreates.length === 0) return [...writes];
  const found = await findLostRecords(client, { writes: lostCreates, at }, knownIds);
  return writes.flatMap((write) => {
    if (!isLostCreate(write)) return [write];
    const records = found.get(write.n) ?? [];
    const [only, ...others] = records;
    if (!only) return [];
    if (others.length === 0) return [{ ...write, outcome: 'done', after: only }];
    const ids = records.map(({ id }) => id).join(', ');
    const message = `Several records may be the ${nouns[write.noun].title} that was created: ${ids}.`;
    throw new Failure('usage', message);
  });
}

/** Lost creates, and when their command began. */
interface LostCreates {
  readonly writes: readonly LostCreate[];
  readonly at: string;
}

/**
 * Finds the records that lost creates have created, by the number of the write: one; none if the service did not carry
 * out the create; several if it is uncertain. Equal creates may each have one of the records. `knownIds`: the ids of
 * records that other writes created.
 */
export async function findLostRecords(
  client: Client,
  { writes, at }: LostCreates,
  knownIds: ReadonlySet<string>,
): Promise<Map<number, readonly JsonObject[]>> {
  const matches = await findMatches(client, { writes, at }, knownIds);
  const usedIds = new Set<unknown>();
  const found = new Map<number, readonly JsonObject[]>();
  for (const [index, write] of writes.entries()) {
    const { n, noun, list_id, from, body } = write;
    const newRecords = (matches.get(n) ?? []).flatMap(({ record, isNew }) =>
      isNew && !usedIds.has(record.id) ? [record] : [],
    );
    // Someone else may have created a record that has these values and more.
    const exact = newRecords.filter((record) => isRestored(write, record));
    const candidates = exact.length > 0 ? exact : newRecords;
    const identity = [noun, list_id, from, body];
    const isEqual = (other: LostCreate) =>
      isSameJson([other.noun, other.list_id, other.from, other.body], identity);
    const isCertain = candidates.length <= writes.slice(index).filter(isEqual).length;
    const records = isCertain ? candidates.slice(0, 1) : candidates;
    if (isCertain) for (const { id } of records) usedIds.add(id);
    found.set(n, records);
  }
  return found;
}

/** A record with the values of a lost create. */
export interface CreateMatch {
  readonly record: JsonObject;
  /** Whether the record was created after the command began, by the service's clock. */
  readonly isNew: boolean;
}

/**
 * Finds the records that match lost creates, by the number of the write. Reads each list once. `readEarlier`: returns a
 * record as it was before later writes of the command.
 */
export async function findMatches(
  client: Client,
  { writes, at }: LostCreates,
  knownIds: ReadonlySet<string>,
  readEarlier: (path: RecordPath) => JsonObject | undefined = () => undefined,
): Promise<Map<number, CreateMatch[]>> {
  const since = Date.parse(at) - clockTolerance;
  const isMatch = (write: LostCreate, record: JsonObject) =>
    write.from === undefined ? matchesBody(write.body, record) : isRestored(write, record);
  const matchesByWrite = new Map<number, CreateMatch[]>();
  const byList = new Map<string, LostCreate[]>();
  for (const write of writes) {
    const list = toPathKey({ ...write, id: undefined });
    byList.set(list, [...(byList.get(list) ?? []), write]);
  }
  for (const listWrites of byList.values()) {
    const [{ noun, list_id }] = listWrites as [LostCreate]; // each group has a write
    const params = toParams({ noun, list_id });
    const findWrites = (value: unknown) => {
      const record = readObject(value);
      if (knownIds.has(String(record.id))) return [];
      const isNew = Date.parse(String(record.created_at)) >= since;
      const earlier = isNew ? readEarlier({ noun, list_id, id: String(record.id) }) : undefined;
      return listWrites
        .filter((write) => isMatch(write, record) || (earlier && isMatch(write, earlier)))
        .map(({ n }) => ({ n, match: { record, isNew } }));
    };
    const found = await pickAll(client, nouns[noun].list as Route, params, findWrites, { size: 500 });
    for (const { n, match } of found) matchesByWrite.set(n, [...(matchesByWrite.get(n) ?? []), match]);
  }
  return matchesByWrite;
}

/**
 * Finds the records of the creates whose response the interrupted run lost, and adds them to the log.
 * `readCreatedIds` returns the ids of records that recorded commands created, apart from the rows of imports.
 */
export async function recordLostCreates(
  client: Client,
  recorder: Recorder,
  interrupted: InterruptedCommand,
  readCreatedIds: () => ReadonlySet<string>,
): Promise<void> {
  const { lostCreates, at, createdIds } = interrupted;
  if (lostCreates.length === 0) return;
  const knownIds = new Set([...createdIds, ...readCreatedIds()]);
  const found = await findLostRecords(client, { writes: lostCreates, at }, knownIds);
  for (const { n } of lostCreates) {
    const [after, ...others] = found.get(n) ?? [];
    if (others.length > 0) continue;
    const line = after ? { n, after } : { n, refused: true as const };
    recorder.open().append(line);
    interrupted.add(line);
  }
}
