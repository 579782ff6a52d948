import type { Client } from '../client/client.ts';
import { Failure } from '../contract/errors.ts';
import type { Route } from '../contract/grammar.ts';
import { type JsonObject, readObject } from '../values/json-object.ts';
import { matchesBody, toCreateBody } from './bodies.ts';
import type { LoggedCommand, LoggedWrite } from './log.ts';
import { nouns, toParams, type Write } from './nouns.ts';

/** Milliseconds by which the clocks of a service and this machine may differ. */
const clockTolerance = 10 * 60_000;

/** Whether a record may be one that was created again: the body had all its values. */
export const isRestored = ({ what, body }: Write, record: JsonObject): boolean =>
  matchesBody(body, record) &&
  Object.keys(toCreateBody(what, record)).every((name) => Object.hasOwn(body, name));

/**
 * Finds the records of a command that were created although the response was lost, and removes the creates that were not
 * carried out. `known`: the ids of records that other writes have created.
 * @throws {Failure} usage if several records may be one of them
 */
export async function resolveCreates(
  client: Client,
  { writes, at }: Pick<LoggedCommand, 'writes' | 'at'>,
  known: ReadonlySet<string>,
): Promise<LoggedWrite[]> {
  const resolved: LoggedWrite[] = [];
  for (const write of writes) {
    if (write.action !== 'create' || write.outcome === 'done') {
      resolved.push(write);
      continue;
    }
    const after = await findCreated(client, write, new Date(at), known);
    if (after) resolved.push({ ...write, outcome: 'done', after });
  }
  return resolved;
}

async function findCreated(
  client: Client,
  write: LoggedWrite,
  since: Date,
  known: ReadonlySet<string>,
): Promise<JsonObject | undefined> {
  const isMatch = (record: JsonObject) =>
    write.from === undefined ? matchesBody(write.body, record) : isRestored(write, record);
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

/** Returns the ids of records that an interrupted revert created again although the response was lost, by old ids. */
export async function findMoved(
  client: Client,
  interrupted: LoggedCommand,
  known: ReadonlySet<string>,
): Promise<readonly { readonly n: number; readonly from: string; readonly after: JsonObject }[]> {
  const lost = interrupted.writes.filter(
    ({ action, outcome, from }) => action === 'create' && outcome === 'unknown' && from !== undefined,
  );
  const found = await resolveCreates(client, { ...interrupted, writes: lost }, known);
  return found.flatMap(({ n, from, after }) => (from !== undefined && after ? [{ n, from, after }] : []));
}
