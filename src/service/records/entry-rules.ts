import sql, { raw } from 'sql-template-tag';
import { type entries, processValues } from '../../contract/entries.ts';
import type { Input } from '../../contract/grammar.ts';
import { isEmail } from '../../values/email.ts';
import type { Database } from '../db/database.ts';
import type { Row } from '../db/tables.ts';
import type { FieldErrors } from '../field-errors.ts';
import { storeValues, validateValues } from './field-values.ts';
import { findClosedAt, parseStatuses, readListFields } from './list-rules.ts';
import { type RecordChange, validateReference } from './record-rows.ts';

/** The fields of an entry that a request may set, besides its target. */
type EntryInput = Omit<Input<typeof entries.update>, 'list_id' | 'id'>;
type TargetInput = Pick<Input<typeof entries.create>, 'entryable_id' | 'entryable_type'>;

/** The record that an entry is for, and the entry that the list already has for it if it takes no second one. */
interface Target {
  readonly target: Pick<Row<'entry'>, 'entryable_contact_id' | 'entryable_organization_id'>;
  readonly existing: Row<'entry'> | undefined;
}

/** Validates the record that a new entry is for (specification, 4.6). */
export async function validateTarget(
  db: Database,
  list: Row<'list'>,
  { entryable_id = '', entryable_type = list.entry_type }: TargetInput,
  errors: FieldErrors,
): Promise<Target> {
  if (entryable_type !== list.entry_type) {
    errors.add(['entryable_type'], 'value', `"${list.name}" takes entries of type ${list.entry_type}.`);
  }
  const isContact = entryable_type === 'Contact';
  const kind = isContact ? 'contact' : 'organization';
  const id = await validateReference(db, kind, entryable_id, errors, ['entryable_id']);
  const target = {
    entryable_contact_id: isContact ? (id ?? 0) : null,
    entryable_organization_id: isContact ? null : (id ?? 0),
  };
  if (id === undefined || list.duplicates_allowed === 1) return { target, existing: undefined };
  const existing = await db.first<Row<'entry'>>(
    sql`select * from entry where list_id = ${list.id} and ${raw(`entryable_${kind}_id`)} = ${id}
      order by id limit 1`,
  );
  return { target, existing };
}

/** Adds the error for a second entry of a record in a list that takes only one. */
export function addDuplicateError(
  list: Row<'list'>,
  { entryable_id }: TargetInput,
  errors: FieldErrors,
): void {
  const kind = list.entry_type.toLowerCase();
  const message = `The ${kind} ${entryable_id} has already been taken: "${list.name}" has an entry for it.`;
  errors.add(['entryable_id'], 'taken', message);
}

/** Validates the fields of a new entry, or a change of the entry `row`, besides its target (specification, 4.6). */
export async function validateEntry(
  db: Database,
  list: Row<'list'>,
  input: EntryInput,
  errors: FieldErrors,
  now: Date,
  row?: Row<'entry'>,
): Promise<RecordChange<'entry'>> {
  const { assignee_email, contact_id: contact, list_fields = [] } = input;
  if (list.process === 1) validateStatus(list, input, errors);
  else {
    for (const name of Object.keys(processValues)) {
      if (!Object.hasOwn(input, name)) continue;
      errors.add([name], 'process_only', `${name} is for processes only; "${list.name}" is a regular list.`);
    }
  }
  if (typeof assignee_email === 'string' && !isEmail(assignee_email)) {
    errors.add(['assignee_email'], 'value', `"${assignee_email}" is not an email address.`);
  }
  const contact_id =
    typeof contact === 'string'
      ? await validateReference(db, 'contact', contact, errors, ['contact_id'])
      : contact;
  const fields = await readListFields(db, list.id);
  const values = await validateValues(db, fields, list_fields, errors, ['list_fields']);
  return {
    columns: {
      contact_id,
      assignee_email,
      ...(list.process === 1 && toProcessColumns(list, input, row ?? newProcessEntry, now)),
    },
    storeParts: (id) => storeValues(db, 'entry_value', id, values),
  };
}

function validateStatus(list: Row<'list'>, { status }: EntryInput, errors: FieldErrors): void {
  const names = parseStatuses(list).map(({ name }) => name);
  if (status === undefined || names.includes(status)) return;
  const message = `"${status}" is not a status of "${list.name}". Its statuses are ${names.join(', ')}.`;
  errors.add(['status'], 'value', message);
}

type ProcessColumns = Pick<
  Row<'entry'>,
  'status' | 'one_time_value_cents' | 'recurring_value_cents' | 'recurring_value_period' | 'closed_at'
>;

const newProcessEntry: ProcessColumns = {
  status: null,
  one_time_value_cents: 0,
  recurring_value_cents: 0,
  recurring_value_period: 'annual',
  closed_at: null,
};

/** Returns the columns that only an entry of a process has. */
function toProcessColumns(
  list: Row<'list'>,
  input: EntryInput,
  before: ProcessColumns,
  now: Date,
): ProcessColumns {
  const status = input.status ?? before.status ?? parseStatuses(list)[0]?.name ?? null;
  return {
    status,
    one_time_value_cents: input.one_time_value_cents ?? before.one_time_value_cents,
    recurring_value_cents: input.recurring_value_cents ?? before.recurring_value_cents,
    recurring_value_period: input.recurring_value_period ?? before.recurring_value_period,
    closed_at: findClosedAt(list, status, before, now.getTime()),
  };
}
