import type { Session } from '../../cli/command/context.ts';
import { isEntryKey } from '../../cli/flags/references.ts';
import { resolveKeys } from '../../cli/references/entry-keys.ts';
import { shareNameSearch } from '../../cli/references/name-search.ts';
import { readPossibleId, resolveReference, tryCall } from '../../cli/references/resolve-reference.ts';
import type { Client } from '../../client/client.ts';
import { entries } from '../../contract/entries.ts';
import { addErrorPrefix, Failure } from '../../contract/errors.ts';
import { type List, lists } from '../../contract/lists.ts';
import type { Received } from '../../contract/received.ts';
import type { ReferenceKind } from '../../contract/singular-nouns.ts';
import { pickAll, readAll } from '../../records/read-all.ts';
import { foldName } from '../../values/names.ts';
import type { NamedTarget, Target } from './targets.ts';

/**
 * Replaces names by ids; an id costs no request.
 * @throws {Failure} not_found, or usage if several records match
 */
export async function resolveNames(
  session: Session,
  kind: ReferenceKind,
  targets: readonly NamedTarget[],
): Promise<Target[]> {
  const isName = ({ id }: Target) => readPossibleId(kind, id) === undefined;
  const names = targets.filter(isName).map(({ id }) => id);
  if (names.length > 0) shareNameSearch(session, kind, names);
  const ids = new Set<string>();
  for (const target of targets)
    ids.add(isName(target) ? await resolveName(session, kind, target) : target.id);
  return Array.from(ids, (id) => ({ id }));
}

async function resolveName(
  session: Session,
  kind: ReferenceKind,
  { id, line }: NamedTarget,
): Promise<string> {
  try {
    return await resolveReference(session, kind, id);
  } catch (error) {
    throw addErrorPrefix(`stdin, line ${line}`, error);
  }
}

/**
 * Replaces keys of entries by ids, and finds the lists of ids. Reads each process once.
 * @throws {Failure} not_found, or usage
 */
export async function resolveEntries(session: Session, targets: readonly NamedTarget[]): Promise<Target[]> {
  const ids = new Map<NamedTarget, Target>();
  const groups = new Map<string, NamedTarget[]>();
  for (const target of targets.filter(({ id }) => isEntryKey(id))) {
    const process = `${target.list_id} ${foldName(target.id.replace(/-\d+$/, ''))}`;
    const group = groups.get(process) ?? [];
    group.push(target);
    groups.set(process, group);
  }
  const client = await session.client();
  for (const group of groups.values()) {
    const [first] = group;
    if (!first) continue;
    const list_id = first.list_id ?? (await resolveKeys(session, [first.id])).list;
    const byKey = new Map(group.map((target) => [foldName(target.id), target]));
    const found = await pickAll(client, entries.list, { list_id }, ({ id, key }) => {
      const target = byKey.get(foldName(key ?? '')) ?? byKey.get(foldName(id));
      return target ? [[target, { id, list_id }] as const] : [];
    });
    for (const [target, entry] of found) ids.set(target, entry);
    const missing = group.find((target) => !ids.has(target));
    if (missing)
      throw new Failure('not_found', `stdin, line ${missing.line}: No entry has the key "${missing.id}".`);
  }
  const withoutList = targets.filter((target) => target.list_id === undefined && !ids.has(target));
  const listIds = withoutList.length > 0 ? await findLists(session, withoutList) : undefined;
  return targets.map(
    (target) => ids.get(target) ?? { id: target.id, list_id: target.list_id ?? listIds?.get(target.id) },
  );
}

/** Returns the list of each entry by its id. Entries of one list cost one look-up and one reading of the list. */
async function findLists(
  session: Session,
  targets: readonly NamedTarget[],
): Promise<ReadonlyMap<string, string>> {
  const client = await session.client();
  const all = await readAll(client, lists.list, {});
  const found = new Map<string, string>();
  for (const { id, line } of targets) {
    if (found.has(id)) continue;
    const list_id = await findList(client, all, id);
    if (list_id === undefined)
      throw new Failure('not_found', `stdin, line ${line}: No list has an entry with the id "${id}".`);
    found.set(id, list_id);
    const others = new Set(targets.map((target) => target.id).filter((other) => !found.has(other)));
    if (others.size === 0) continue;
    for (const other of await pickAll(client, entries.list, { list_id }, (entry) =>
      others.has(entry.id) ? [entry.id] : [],
    ))
      found.set(other, list_id);
  }
  return found;
}

async function findList(
  client: Client,
  all: readonly Received<List>[],
  id: string,
): Promise<string | undefined> {
  for (const { id: list_id } of all) {
    const result = await tryCall(() => client.read(entries.get, { list_id, id }));
    if ('value' in result) return list_id;
  }
  return undefined;
}
