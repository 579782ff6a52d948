import sql from 'sql-template-tag';
import type { Status } from '../../contract/record-schemas.ts';
import { joinNames, quote } from '../../values/text.ts';
import type { Database } from '../db/database.ts';
import { isIn } from '../db/render-sql.ts';
import type { Row } from '../db/tables.ts';
import { validateName } from './field-definitions.ts';
import type { Validation } from './record-rows.ts';

/** The statuses of a process that is created without any (service.md). */
const defaultStatuses: readonly Status[] = [
  { name: 'Open', type: 'active' },
  { name: 'Won', type: 'won' },
  { name: 'Lost', type: 'lost' },
];

export const parseStatuses = ({ statuses }: Row<'list'>): Status[] => JSON.parse(statuses ?? '[]');

const getStatusesOrDefault = (statuses: readonly Status[]) =>
  statuses.length > 0 ? statuses : defaultStatuses;

/** Formats statuses to store; the default statuses if the list is empty. */
export const formatStatuses = (statuses: readonly Status[]) =>
  JSON.stringify(getStatusesOrDefault(statuses).map(({ name, type }) => ({ name, type })));

/** Validates the statuses of a new process, or the new statuses of the process `row`. */
export async function validateStatuses(
  { db, errors }: Validation,
  row: Row<'list'> | undefined,
  statuses: readonly Status[],
): Promise<void> {
  statuses.forEach(({ name }, index) => {
    validateName(name, errors, ['statuses', index, 'name']);
    if (statuses.findIndex((other) => other?.name === name) < index) {
      errors.add(['statuses', index, 'name'], 'taken', `The status ${quote(name)} is repeated.`);
    }
  });
  // An invalid status was removed, so its name is not known.
  const isIncomplete = Object.keys(statuses).length < statuses.length;
  if (!row || isIncomplete) return;
  const entries = await db.all<Row<'entry'>>(
    sql`select distinct status from entry where list_id = ${row.id}`,
  );
  const names = getStatusesOrDefault(statuses).map((status) => status?.name);
  const removedStatuses = entries.flatMap(({ status }) =>
    status !== null && !names.includes(status) ? [status] : [],
  );
  if (removedStatuses.length > 0) {
    errors.add(['statuses'], 'in_use', `Entries still have the status ${joinNames(removedStatuses, quote)}.`);
  }
}

/** Returns the `closed_at` of an entry that moves to a status: null if it is active, else the old time or `time`. */
export function findClosedAt(
  list: Row<'list'>,
  status: string | null,
  before: Partial<Row<'entry'>>,
  time: number,
): number | null {
  if (status === null || !listClosed(parseStatuses(list)).includes(status)) return null;
  return status === before.status ? (before.closed_at ?? time) : time;
}

/** Sets the `closed_at` of all entries of a process according to the types of its new statuses. */
export async function closeEntries(
  db: Database,
  list_id: number,
  statuses: readonly Status[],
  time: number,
): Promise<void> {
  const isClosed = isIn('status', listClosed(getStatusesOrDefault(statuses)));
  await db.run(sql`update entry set closed_at = ${time}, updated_at = ${time}
    where list_id = ${list_id} and ${isClosed} and closed_at is null`);
  await db.run(sql`update entry set closed_at = null, updated_at = ${time}
    where list_id = ${list_id} and not ${isClosed} and closed_at is not null`);
}

const listClosed = (statuses: readonly Status[]) =>
  statuses.filter(({ type }) => type !== 'active').map(({ name }) => name);
