import sql, { raw } from 'sql-template-tag';
import { type entries, processValues } from '../../contract/entries.ts';
import type { Input } from '../../contract/grammar.ts';
import { isEmail } from '../../values/email.ts';
import type { Database } from '../db/database.ts';
import type { Row } from '../db/tables.ts';
import type { FieldErrors } from '../field-errors.ts';
import { type FieldChange, validateValues } from './field-values.ts';
import { parseStatuses, readListFields } from './list-rules.ts';
import { findRecord } from './record-rows.ts';

/** The fields of an entry that a request may set, besides its target. */
export type EntryInput = Omit<Input<typeof entries.update>, 'list_id' | 'id'>;
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
  { entryable_id, entryable_type }: TargetInput,
  errors: FieldErrors,
): Promise<Target> {
  const { entry_type } = list;
  if (entryable_type !== undefined && entryable_type !== entry_type) {
    errors.add(['entryable_type'], 'value', `"${list.name}" takes entries of type ${entry_type}.`);
  }
  const isContact = (entryable_type ?? entry_type) === 'Contact';
  const row = await findRecord(db, isContact ? 'contact' : 'organization', entryable_id ?? '');
  const target = {
    entryable_contact_id: isContact ? (row?.id ?? 0) : null,
    entryable_organization_id: isContact ? null : (row?.id ?? 0),
  };
  const kind = isContact ? 'contact' : 'organization';
  if (!row) errors.add(['entryable_id'], 'not_found', `No ${kind} has the id "${entryable_id}".`);
  if (!row || list.duplicates_allowed === 1) return { target, existing: undefined };
  const column = raw(isContact ? 'entryable_contact_id' : 'entryable_organization_id');
  const existing = await db.first<Row<'entry'>>(
    sql`select * from entry where list_id = ${list.id} and ${column} = ${row.id} order by id limit 1`,
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
  errors.add(
    ['entryable_id'],
    'taken',
    `The ${kind} ${entryable_id} has already been taken: "${list.name}" has an entry for it.`,
  );
}

/** A valid change of an entry. A `contact_id` of undefined does not change. */
interface EntryChange {
  readonly contact_id: number | null | undefined;
  readonly values: readonly FieldChange[];
}

/** Validates the fields of an entry besides its target (specification, 4.6). */
export async function validateEntry(
  db: Database,
  list: Row<'list'>,
  input: EntryInput,
  errors: FieldErrors,
): Promise<EntryChange> {
  if (list.process === 1) validateStatus(list, input, errors);
  else {
    for (const name of Object.keys(processValues)) {
      if (!Object.hasOwn(input, name)) continue;
      errors.add([name], 'process_only', `${name} is for processes only; "${list.name}" is a regular list.`);
    }
  }
  const { assignee_email, contact_id, list_fields = [] } = input;
  if (typeof assignee_email === 'string' && !isEmail(assignee_email)) {
    errors.add(['assignee_email'], 'value', `"${assignee_email}" is not an email address.`);
  }
  const contact = typeof contact_id === 'string' ? await findRecord(db, 'contact', contact_id) : undefined;
  if (typeof contact_id === 'string' && !contact) {
    errors.add(['contact_id'], 'not_found', `No contact has the id "${contact_id}".`);
  }
  return {
    contact_id: contact_id === null ? null : contact?.id,
    values: await validateValues(db, await readListFields(db, list.id), list_fields, errors, ['list_fields']),
  };
}

function validateStatus(list: Row<'list'>, { status }: EntryInput, errors: FieldErrors): void {
  const names = parseStatuses(list).map(({ name }) => name);
  if (status === undefined || names.includes(status)) return;
  const message = `"${status}" is not a status of "${list.name}". Its statuses are ${names.join(', ')}.`;
  errors.add(['status'], 'value', message);
}
