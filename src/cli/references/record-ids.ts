import { type List, lists } from '../../contract/lists.ts';
import type { Received } from '../../contract/received.ts';
import { findName } from '../../values/names.ts';
import type { Session } from '../context.ts';
import { resolvePathId } from './resolve-input.ts';

/** Reads the list that an id or an exact name names. @throws {Failure} not_found, or usage if several have the name */
export async function readList(session: Session, idOrName: string): Promise<Received<List>> {
  const list_id = await resolvePathId(session, 'list', idOrName);
  return (await session.client()).read(lists.get, { list_id });
}

/**
 * Returns the name of a status as its process has it; if the process has no such status, as typed. A script that types
 * the exact name of a known list causes no request.
 */
export async function resolveStatus(session: Session, list_id: string, status: string): Promise<string> {
  const known = (await session.names.lists()).find(({ id }) => id === list_id)?.statuses;
  const isUnchanged = known && [status, undefined].includes(findName(known, status));
  if (isUnchanged) return status;
  const { statuses } = await (await session.client()).read(lists.get, { list_id });
  const names = (statuses ?? []).flatMap(({ name }) => name ?? []);
  return findName(names, status) ?? status;
}
