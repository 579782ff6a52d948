import sql from 'sql-template-tag';
import { type lists, processFields, type Status } from '../../contract/lists.ts';
import type { Database } from '../db/database.ts';
import { belongsTo, insertRow, listOf, readParts, updateRow } from '../db/statements.ts';
import type { Row } from '../db/tables.ts';
import type { FieldErrors } from '../field-errors.ts';
import {
  type Definition,
  type DefinitionInput,
  type FieldRow,
  parseDefinition,
  toDefinitionColumns,
  validateDefinition,
  validateName,
} from './field-values.ts';
import type { RecordChange, RecordInput } from './record-rows.ts';

/** The statuses of a process that is created without any (service.md). */
const defaultStatuses: readonly Status[] = [
  { name: 'Open', type: 'active' },
  { name: 'Won', type: 'won' },
  { name: 'Lost', type: 'lost' },
];

/** The request to create or to change a list. */
type ListInput = RecordInput<typeof lists.create>;

/** A valid field of a list: an existing one with its id, or a new one. */
type ListField = Definition & { readonly id: number | undefined };

interface StatusList {
  readonly statuses?: string | null | undefined;
}

/** Parses the statuses of a process. */
export const parseStatuses = ({ statuses }: StatusList): Status[] => JSON.parse(statuses ?? '[]');

/** Reads the fields of lists, oldest first; returns a function that gives those of one. */
export const readFieldsOfLists = (db: Database, ids: readonly number[]) =>
  readParts<FieldRow & { record: number }>(
    db,
    sql`select list_id as record, id, name, data_type, accepts_multiple_values, options from list_field
      where ${belongsTo('list_id', ids)} order by list_id, id`,
  );

/** Reads the fields of a list, oldest first. */
export async function readListFields(db: Database, list: number): Promise<readonly FieldRow[]> {
  return (await readFieldsOfLists(db, [list]))(list);
}

/** Validates a new list, or a change of the list `row` (specification, 2.1 and 4.5). */
export async function validateList(
  db: Database,
  input: ListInput,
  errors: FieldErrors,
  row: Row<'list'> | undefined,
): Promise<RecordChange<'list'>> {
  const isProcess = row ? row.process === 1 : input.process;
  validateName(input.name, errors, ['name']);
  if (isProcess === false) {
    for (const name of processFields) {
      if (input[name] === undefined) continue;
      errors.add([name], 'process_only', `${name} is for processes only; this is a regular list.`);
    }
  } else {
    validateName(input.identifier, errors, ['identifier']);
    if (input.statuses) await validateStatuses(db, row, input.statuses, errors);
  }
  const fields = await validateFields(db, row, input.fields ?? [], errors);
  for (const name of ['identifier', 'duplicates_allowed'] as const) {
    if (row || !isProcess || input[name] !== undefined) continue;
    errors.add([name], 'required', `${name} is required for a process.`);
  }
  const columns = toColumns(input, !row && isProcess ? newProcess : {});
  return {
    columns,
    async storeParts(id, time) {
      await storeFields(db, id, fields);
      if (row && input.statuses) await closeEntries(db, { ...row, ...columns }, time);
    },
  };
}

/** The columns of a new process that a request may omit. */
const newProcess = { entry_label: 'Entry', status_label: 'Status', statuses: formatStatuses([]) };

function toColumns(input: ListInput, defaults: Partial<typeof newProcess>) {
  const { name, process, entry_type, identifier, duplicates_allowed, statuses } = input;
  return {
    name,
    process: process === undefined ? undefined : Number(process),
    entry_type,
    identifier,
    duplicates_allowed: duplicates_allowed === undefined ? undefined : Number(duplicates_allowed),
    entry_label: input.entry_label ?? defaults.entry_label,
    status_label: input.status_label ?? defaults.status_label,
    statuses: statuses ? formatStatuses(statuses) : defaults.statuses,
  };
}

function formatStatuses(statuses: readonly Status[]): string {
  const stored = statuses.length > 0 ? statuses : defaultStatuses;
  return JSON.stringify(stored.map(({ name, type }) => ({ name, type })));
}

async function validateStatuses(
  db: Database,
  row: Row<'list'> | undefined,
  statuses: readonly Status[],
  errors: FieldErrors,
): Promise<void> {
  statuses.forEach(({ name }, index) => {
    validateName(name, errors, ['statuses', index, 'name']);
    if (statuses.findIndex((other) => other?.name === name) < index) {
      errors.add(['statuses', index, 'name'], 'taken', `The status "${name}" is repeated.`);
    }
  });
  // An invalid status was removed, so its name is not known.
  const isIncomplete = Object.keys(statuses).length < statuses.length;
  if (!row || isIncomplete) return;
  const entries = await db.all<Row<'entry'>>(
    sql`select distinct status from entry where list_id = ${row.id}`,
  );
  const names = (statuses.length > 0 ? statuses : defaultStatuses).map((status) => status?.name);
  const removed = entries.flatMap(({ status }) =>
    status !== null && !names.includes(status) ? [status] : [],
  );
  if (removed.length > 0) {
    const quoted = removed.map((name) => `"${name}"`).join(', ');
    errors.add(['statuses'], 'in_use', `Entries still have the status ${quoted}.`);
  }
}

async function validateFields(
  db: Database,
  row: Row<'list'> | undefined,
  inputs: NonNullable<ListInput['fields']>,
  errors: FieldErrors,
): Promise<ListField[]> {
  const existing = row ? await readListFields(db, row.id) : [];
  const fields: ListField[] = [];
  for (const [index, input] of inputs.entries()) {
    if (!input) continue; // invalid, and removed
    const { name } = input;
    if (inputs.findIndex((other) => other?.name === name) < index) {
      errors.add(['fields', index, 'name'], 'taken', `The field "${name}" is repeated.`);
    }
    const stored = existing.find((field) => field.name === name);
    const old = stored && parseDefinition(stored);
    const field = validateDefinition(old ? redefine(old, input) : input, errors, ['fields', index]);
    const isOtherType =
      old &&
      (old.data_type !== field.data_type || old.accepts_multiple_values !== field.accepts_multiple_values);
    if (stored && isOtherType && (await isFieldUsed(db, stored.id))) {
      const message = `Entries have values of "${name}", so its type cannot change.`;
      errors.add(['fields', index], 'in_use', message);
    }
    fields.push({ ...field, id: stored?.id });
  }
  return fields;
}

/** Applies a request to a definition. A field with a new type keeps nothing of the old definition. */
function redefine(old: Definition, input: DefinitionInput): DefinitionInput {
  const { data_type = old.data_type } = input;
  return data_type === old.data_type ? { ...old, ...input } : input;
}

async function isFieldUsed(db: Database, field: number): Promise<boolean> {
  const value = await db.first(sql`select 1 from entry_value where field_id = ${field} limit 1`);
  return value !== undefined;
}

async function storeFields(db: Database, list_id: number, fields: readonly ListField[]): Promise<void> {
  for (const { id, ...definition } of fields) {
    const columns = toDefinitionColumns(definition);
    if (id === undefined) await insertRow(db, 'list_field', { list_id, ...columns });
    else await updateRow(db, 'list_field', id, columns);
  }
}

/** Returns the `closed_at` of an entry that moves to a status: null if it is active, else the old time or `time`. */
export function findClosedAt(
  list: Row<'list'>,
  status: string | null,
  before: Pick<Row<'entry'>, 'status' | 'closed_at'>,
  time: number,
): number | null {
  if (status === null || !findClosedStatuses(list).includes(status)) return null;
  return status === before.status ? (before.closed_at ?? time) : time;
}

/** Sets the `closed_at` of all entries of a process according to the types of its statuses. */
async function closeEntries(db: Database, list: StatusList & { id: number }, time: number): Promise<void> {
  const closed = listOf(findClosedStatuses(list));
  await db.run(sql`update entry set closed_at = ${time}, updated_at = ${time}
    where list_id = ${list.id} and status in ${closed} and closed_at is null`);
  await db.run(sql`update entry set closed_at = null, updated_at = ${time}
    where list_id = ${list.id} and status not in ${closed} and closed_at is not null`);
}

function findClosedStatuses(list: StatusList): string[] {
  return parseStatuses(list).flatMap(({ name, type }) => (type === 'active' ? [] : [name]));
}
