import { resolveWorkspaceLogs } from '../../cli/change-log.ts';
import type { Session } from '../../cli/command/context.ts';
import { tryCall } from '../../cli/references/resolve-reference.ts';
import type { Client } from '../../client/client.ts';
import type { Result } from '../../contract/documents/results.ts';
import { type Entry, entries } from '../../contract/entries.ts';
import { type List, lists } from '../../contract/lists.ts';
import type { Received } from '../../contract/received.ts';
import { formatCell } from '../../render/cells.ts';
import { collapseWhitespace } from '../../render/text/sanitize.ts';
import type { RelatedId } from '../../search/relations.ts';
import type { Semaphore } from '../../values/concurrency.ts';
import { isEmpty, listDefinedValues } from '../../values/field-values.ts';
import { getWrittenId, readCommands } from '../../writes/log.ts';
import { isOpen } from '../show/read-sections.ts';
import type { Subject } from './find-subject.ts';

/** An entry of a process. */
interface Deal {
  readonly entry: Received<Entry>;
  readonly list: Received<List>;
}

/** Reads records. Omits deleted records. `run` limits the number of concurrent requests. */
export async function readExisting<T, R>(
  run: Semaphore,
  items: readonly T[],
  read: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results = await Promise.all(items.map((item) => run(() => tryCall(() => read(item)))));
  return results.flatMap((result) => ('value' in result ? [result.value] : []));
}

/**
 * Reads the first open entries of processes, and counts the others. The subject, which was read before, may also be closed,
 * or in an archived process.
 */
export async function readDeals(
  client: Client,
  run: Semaphore,
  records: readonly Pick<RelatedId, 'id' | 'list_id'>[],
  { id, deal }: Pick<Subject, 'id' | 'deal'>,
  limit: number,
): Promise<{ readonly deals: readonly Deal[]; readonly unread: number }> {
  const listIds = [...new Set(records.flatMap(({ list_id }) => list_id ?? []))];
  const found = await readExisting(run, listIds, (list_id) => client.read(lists.get, { list_id }));
  const members = records.flatMap((record) => {
    const list = found.find((process) => process.id === record.list_id);
    const isShown = record.id === id || (list?.process && !list.archived_at);
    return list && isShown ? [{ id: record.id, list }] : [];
  });
  const all = await readExisting(run, members.slice(0, limit), async (member) => ({
    ...member,
    entry:
      (member.id === id && deal?.entry) ||
      (await client.read(entries.get, { list_id: member.list.id, id: member.id })),
  }));
  const deals = all.filter(({ entry, list }) => entry.id === id || isOpen(entry, list));
  return { deals, unread: Math.max(0, members.length - limit) };
}

/** The names of the fields that a brief shows. */
const nextStepName =
  /^(next (step|action)s?|nächste[rs]? schritte?|prochaine étape|próximo pas[so]|다음 단계|次のステップ)$/i;
const closeName =
  /^(expected )?clos(e|ing)( date)?$|abschluss|clôture|cierre|fech(o|amento)|마감일|계약일|完了予定日|受注予定日/i;

/** `since`: a time since which the entry has had its status. */
export function toDeal({ entry, list }: Deal, since: string | undefined): Result<'brief'>['deals'][number] {
  const { id, key = null, status = null, list_fields, updated_at } = entry;
  const { one_time_value_cents = null, recurring_value_cents = null, recurring_value_period = null } = entry;
  return {
    ...{ id, list_id: list.id, list_name: list.name, key, status, status_since: since ?? null },
    ...{ one_time_value_cents, recurring_value_cents, recurring_value_period },
    next_step: findValue(list_fields, nextStepName),
    expected_close: findValue(list_fields, closeName),
    updated_at,
  };
}

/** Returns the value of the first field with a name, as a text. */
function findValue(fields: unknown, pattern: RegExp): string | null {
  const field = listDefinedValues(fields).find(({ name, value }) => pattern.test(name) && !isEmpty(value));
  return field ? collapseWhitespace(formatCell(field.value, ', ')) : null;
}

/** Returns times since which entries have had their status, by entry id, from the change log. */
export async function readStatusTimes(
  session: Session,
  deals: readonly Deal[],
): Promise<ReadonlyMap<string, string>> {
  const times = new Map<string, string>();
  const changed = new Set<string>();
  for (const command of deals.length === 0 ? [] : readCommands(await resolveWorkspaceLogs(session))) {
    if ('failure' in command) continue;
    for (const write of command.writes.toReversed()) {
      const id = getWrittenId(write);
      const entry = deals.find((one) => one.entry.id === id && one.list.id === write.list_id)?.entry;
      const hasStatusChange = write.after && write.after.status !== write.before?.status;
      if (write.noun !== 'entry' || !entry || !hasStatusChange || changed.has(entry.id)) continue;
      if (write.after?.status === entry.status) times.set(entry.id, command.at);
      changed.add(entry.id);
    }
  }
  return times;
}
