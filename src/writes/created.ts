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

/** Whether a record may come from a create that restored a deleted record: the body has all its values. */
export const isRestored = ({ noun, body }: Write, record: JsonObject): boolean =>
  matchesBody(body, record) &&
  Object.keys(toCreateBody(noun, record)).every((name) => Object.hasOwn(body, name));

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
  const matchesByWrite = await findCreated(client, { writes: lostCreates, at }, knownIds);
  return writes.flatMap((write) => {
    if (!isLostCreate(write)) return [write];
    const matches = (matchesByWrite.get(write.n) ?? []).filter(({ isNew }) => isNew);
    const [only, ...others] = matches;
    if (!only) return [];
    if (others.length === 0) return [{ ...write, outcome: 'done', after: only.record }];
    const ids = matches.map(({ record }) => record.id).join(', ');
    const message = `Several records may be the ${nouns[write.noun].title} that was created: ${ids}.`;
    throw new Failure('usage', message);
  });
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
export async function findCreated(
  client: Client,
  { writes, at }: Pick<LoggedCommand, 'writes' | 'at'>,
  knownIds: ReadonlySet<string>,
  readEarlier: (path: RecordPath) => JsonObject | undefined = () => undefined,
): Promise<Map<number, CreateMatch[]>> {
  const since = Date.parse(at) - clockTolerance;
  const isMatch = (write: LoggedWrite, record: JsonObject) =>
    write.from === undefined ? matchesBody(write.body, record) : isRestored(write, record);
  const matchesByWrite = new Map<number, CreateMatch[]>();
  const byList = new Map<string, LoggedWrite[]>();
  for (const write of writes) {
    const list = toPathKey({ ...write, id: undefined });
    byList.set(list, [...(byList.get(list) ?? []), write]);
  }
  for (const listWrites of byList.values()) {
    const [{ noun, list_id }] = listWrites as [LoggedWrite]; // each group has a write
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
 * Returns the record of a create whose response was lost; undefined if it is uncertain. `at`: when the command began.
 * `knownIds`: the ids of records that other writes created.
 */
export async function findLostCreate(
  client: Client,
  write: Write & Pick<LoggedWrite, 'from'>,
  at: string,
  knownIds: ReadonlySet<string>,
): Promise<JsonObject | undefined> {
  const lost = { ...unsent, ...write, n: 0 };
  const matches = await findCreated(client, { writes: [lost], at }, knownIds);
  const [only, ...others] = (matches.get(0) ?? []).filter(({ isNew }) => isNew);
  return others.length === 0 ? only?.record : undefined;
}

/** The properties of a write in a log that was sent, and whose response was lost. */
const unsent = {
  before: undefined,
  related: [],
  missing: [],
  outcome: 'unknown',
  after: undefined,
} as const;

/** Finds the records of the creates whose response the interrupted run lost, and adds them to the log. */
export async function recordLostCreates(
  client: Client,
  recorder: Recorder,
  { lostCreates, at, addedIds, rows }: InterruptedCommand,
): Promise<void> {
  if (lostCreates.length === 0) return;
  const usedIds = new Set<string>();
  for (const { after } of [...rows.values()].flat()) if (after) usedIds.add(String(after.id));
  const matches = await findCreated(client, { writes: lostCreates, at }, usedIds);
  for (const [index, { n, body }] of lostCreates.entries()) {
    const isUnused = ({ record, isNew }: CreateMatch) => isNew && !usedIds.has(String(record.id));
    const candidates = (matches.get(n) ?? []).filter(isUnused);
    const [first] = candidates;
    // Equal creates may each have one of the records.
    const equalCreates = lostCreates.slice(index).filter((create) => isSameJson(create.body, body));
    if (candidates.length > equalCreates.length) continue;
    recorder.open().append(first ? { n, after: first.record } : { n, refused: true });
    if (!first) continue;
    usedIds.add(String(first.record.id));
    addedIds.add(String(body.entryable_id));
    for (const [row, writes] of rows)
      rows.set(
        row,
        writes.map((write) => (write.n === n ? { ...write, after: first.record } : write)),
      );
  }
}
