import type { Database } from '../db/database.ts';
import { type ListRow, statusesOf } from './list-rows.ts';

/** The status of an entry, and the time when the entry was closed. */
interface Closing {
  readonly status: string | null;
  readonly closed_at: number | null;
}

/** Returns the `closed_at` of an entry that moves to a status: null if active, else the existing time or `time`. */
export function closedAt(list: ListRow, status: string | null, before: Closing, time: number): number | null {
  if (status === null || !closedStatuses(list).includes(status)) return null;
  return status === before.status ? (before.closed_at ?? time) : time;
}

/** Makes the `closed_at` of all entries of a process follow the types of its statuses. */
export async function closeByStatus(db: Database, list: ListRow, now: Date): Promise<void> {
  if (list.process === 0) return;
  const time = now.getTime();
  const closed = closedStatuses(list);
  const active = statusesOf(list).flatMap(({ name }) => (closed.includes(name) ? [] : [name]));
  const update = (closed_at: number | null) =>
    db.updateTable('entry').set({ closed_at, updated_at: time }).where('list_id', '=', list.id);
  if (closed.length > 0)
    await update(time).where('status', 'in', closed).where('closed_at', 'is', null).execute();
  if (active.length > 0)
    await update(null).where('status', 'in', active).where('closed_at', 'is not', null).execute();
}

function closedStatuses(list: ListRow): string[] {
  return statusesOf(list).flatMap(({ name, type }) => (type === 'active' ? [] : [name]));
}
