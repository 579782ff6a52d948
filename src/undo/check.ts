import type { Client } from '../client/client.ts';
import { Failure } from '../contract/errors.ts';
import type { Route } from '../contract/grammar.ts';
import { nouns, type RecordPath, readRecord, toParams, toPathKey, type Write } from '../records/nouns.ts';
import { findDifferences } from '../records/reversal.ts';
import { pickStoredValues } from '../records/values.ts';
import { type JsonObject, readObject } from '../values/json-object.ts';
import { matchesBody, mergeBodies, pickSentValues, toCreateBody } from './bodies.ts';
import { getWrittenId, type StoredCommand, type StoredWrite } from './journal.ts';
import { createRelatedReader } from './related.ts';
import { findSkippedReferences, type SkippedReference } from './skipped-references.ts';

/** A record that is not as the command left it. */
export interface Conflict extends RecordPath {
  /** The fields that differ; none if the record was deleted. */
  readonly fields: readonly string[];
  /** The records that would be deleted with it. */
  readonly related?: readonly RecordPath[];
}

/** The result of comparing the workspace with a journal. */
export interface Check {
  readonly conflicts: readonly Conflict[];
  /** Kinds of records that would be deleted with a created record, but could not be counted. */
  readonly uncounted: readonly string[];
  /** References that are not restored. */
  readonly skipped: readonly SkippedReference[];
}

/**
 * Compares the records of a command with the state in which it left them. Records that an interrupted undo has restored
 * are not conflicts.
 */
export async function checkRecords(client: Client, command: StoredCommand): Promise<Check> {
  const groups = new Map<string, StoredWrite[]>();
  for (const write of command.writes) {
    const key = toPathKey({ ...write, id: getWrittenId(write) });
    groups.set(key, [...(groups.get(key) ?? []), write]);
  }
  const readRelated = createRelatedReader(client);
  const conflicts: Conflict[] = [];
  const uncounted = new Set<string>();
  for (const writes of groups.values()) {
    const [first, last] = [writes[0], writes.at(-1)];
    if (!first || !last || last.action === 'delete') continue; // its id is not used again
    const path = { what: first.what, list_id: first.list_id, id: getWrittenId(first) };
    const current = await readRecord(client, path);
    if (first.action !== 'create') {
      const fields = current ? findChangedFields(writes, last, current) : [];
      if (!current || fields.length > 0) conflicts.push({ ...path, fields });
      continue;
    }
    if (!current) continue; // it is deleted already
    const fields = last.after ? findDifferences(pickStoredValues(last.after), pickStoredValues(current)) : [];
    const related: RecordPath[] = [];
    const missing = await readRelated(path, current, (records) => {
      related.push(...records.filter((one) => !groups.has(toPathKey(one))));
    });
    for (const name of missing) uncounted.add(name);
    if (fields.length > 0 || related.length > 0) conflicts.push({ ...path, fields, related });
  }
  const skipped = conflicts.length > 0 ? [] : await findSkippedReferences(client, command);
  return { conflicts, uncounted: [...uncounted], skipped };
}

/** Returns the fields of an updated record that have neither the value after the writes nor the one before them. */
function findChangedFields(
  writes: readonly StoredWrite[],
  { after }: StoredWrite,
  current: JsonObject,
): string[] {
  const body = mergeBodies(writes.map((write) => write.body));
  const now = pickSentValues(body, current);
  const listChanges = (record: JsonObject = {}) => findDifferences(pickSentValues(body, record), now);
  const changes = listChanges(writes[0]?.before);
  return listChanges(after).filter((name) => changes.includes(name));
}

/**
 * Finds out whether the writes were carried out whose responses were lost, and removes those that were not.
 * @throws {Failure} usage if it cannot be known
 */
export async function resolveOutcomes(client: Client, command: StoredCommand): Promise<StoredCommand> {
  const writes: StoredWrite[] = [];
  for (const write of command.writes) {
    const resolved = write.outcome === 'done' ? write : await resolveOutcome(client, command, write);
    if (resolved) writes.push(resolved);
  }
  return { ...command, writes };
}

async function resolveOutcome(
  client: Client,
  { at, listKnownIds }: StoredCommand,
  write: StoredWrite,
): Promise<StoredWrite | undefined> {
  const done = (after?: JsonObject): StoredWrite => ({ ...write, outcome: 'done', after });
  if (write.action === 'create') {
    const created = await findCreated(client, write, {
      since: new Date(at),
      known: listKnownIds(),
      isMatch: (record) => matchesBody(write.body, record),
    });
    return created && done(created);
  }
  const current = await readRecord(client, write);
  if (write.action === 'delete') return current ? undefined : done();
  const { body, before = {} } = write;
  if (current && findDifferences(pickSentValues(body, before), pickSentValues(body, current)).length === 0)
    return undefined;
  const isCarriedOut =
    current && (write.action === 'remove' ? isRemoved(body, current) : matchesBody(body, current));
  if (isCarriedOut) return done(current);
  throw new Failure(
    'usage',
    `The response to the update of the ${nouns[write.what].title} ${write.id} was lost, and the record has changed since.`,
  );
}

const isRemoved = (body: JsonObject, record: JsonObject) =>
  Object.entries(body).every(([name, texts]) =>
    [texts].flat().every((text) => ![record[name]].flat().includes(text)),
  );

/** Milliseconds by which the clocks of a service and this machine may differ. */
const clockTolerance = 10 * 60_000;

/** Where to look for a record that a create may have made. */
export interface CreatedSearch {
  /** When the create was sent at the earliest, by the clock of this machine. */
  readonly since: Date;
  /** The ids of records that other requests have created. */
  readonly known: ReadonlySet<string>;
  readonly isMatch: (record: JsonObject) => boolean;
}

/** Whether a record may be one that was created again: the body had all its values. */
export const isRestored = ({ what, body }: Write, record: JsonObject): boolean =>
  matchesBody(body, record) &&
  Object.keys(toCreateBody(what, record)).every((name) => Object.hasOwn(body, name));

/**
 * Finds the record that a create with a lost response created.
 * @throws {Failure} usage if several records may be it
 */
export async function findCreated(
  client: Client,
  write: Write,
  { since, known, isMatch }: CreatedSearch,
): Promise<JsonObject | undefined> {
  const matches: JsonObject[] = [];
  const params = toParams({ ...write, id: undefined });
  for await (const { value } of client.records(nouns[write.what].list as Route, params, { size: 500 })) {
    const record = readObject(value);
    const isNew = Date.parse(String(record.created_at)) >= since.getTime() - clockTolerance;
    if (isNew && !known.has(String(record.id)) && isMatch(record)) matches.push(record);
  }
  if (matches.length < 2) return matches[0];
  const ids = matches.map(({ id }) => id).join(', ');
  throw new Failure(
    'usage',
    `Several records may be the ${nouns[write.what].title} that was created: ${ids}.`,
  );
}
