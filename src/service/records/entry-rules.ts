import { type entries, processValues } from '../../contract/entries.ts';
import type { Input } from '../../contract/grammar.ts';
import { isEmail } from '../../values/email.ts';
import type { Database } from '../db/database.ts';
import type { Faults } from '../field-errors.ts';
import { contactRowOrNone } from './contact-rows.ts';
import { type CheckedValue, checkedValues } from './field-values.ts';
import { type ListRow, listFieldsOf, statusesOf } from './list-rows.ts';
import { organizationRowOrNone } from './organization-rows.ts';

/** What is asked of an entry beside its target. */
export type AskedEntryChange = Omit<Input<typeof entries.update>, 'list_id' | 'id'>;
type AskedTarget = Pick<Input<typeof entries.create>, 'entryable_id' | 'entryable_type'>;

/** The record that an entry points at: a row of one of the two kinds. */
interface Target {
  readonly entryable_contact_id: number | null;
  readonly entryable_organization_id: number | null;
}

/** A target after its check, with the row of the entry that the list has for it already, if it takes no second one. */
interface CheckedTarget {
  readonly target: Target;
  readonly existing: number | undefined;
}

/** Checks what a new entry points at: of the list's type, there, and not there twice (specification, 4.6). */
export async function checkedTarget(
  db: Database,
  list: ListRow,
  { entryable_id, entryable_type }: AskedTarget,
  faults: Faults,
): Promise<CheckedTarget> {
  const { entry_type } = list;
  if (entryable_type !== undefined && entryable_type !== entry_type) {
    faults.add(['entryable_type'], 'value', `"${list.name}" holds entries of type ${entry_type}.`);
  }
  const isContact = (entryable_type ?? entry_type) === 'Contact';
  const row = await (isContact ? contactRowOrNone : organizationRowOrNone)(db, entryable_id ?? '');
  const target = {
    entryable_contact_id: isContact ? (row?.id ?? 0) : null,
    entryable_organization_id: isContact ? null : (row?.id ?? 0),
  };
  const kind = isContact ? 'contact' : 'organization';
  if (!row) faults.add(['entryable_id'], 'not_found', `No ${kind} has the id "${entryable_id}".`);
  const isUnique = row && list.duplicates_allowed !== 1;
  return { target, existing: isUnique ? await firstEntryFor(db, list, isContact, row.id) : undefined };
}

/** Adds the fault of a second entry for a record in a list that takes one. */
export function duplicateFault(list: ListRow, { entryable_id }: AskedTarget, faults: Faults): void {
  const kind = list.entry_type.toLowerCase();
  faults.add(
    ['entryable_id'],
    'taken',
    `The ${kind} ${entryable_id} has already been taken: "${list.name}" has an entry for it.`,
  );
}

/** The oldest entry of a list for a record. */
async function firstEntryFor(
  db: Database,
  list: ListRow,
  isContact: boolean,
  row: number,
): Promise<number | undefined> {
  const held = await db
    .selectFrom('entry')
    .select('id')
    .where('list_id', '=', list.id)
    .where(isContact ? 'entryable_contact_id' : 'entryable_organization_id', '=', row)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return held?.id;
}

/** What was checked of a change of an entry; a `contact_id` of undefined stays. */
export interface EntryChange {
  readonly contact_id: number | null | undefined;
  readonly values: readonly CheckedValue[];
}

/** Checks what is asked of an entry beside its target, by the rules of specification 4.6. */
export async function checkedEntryChange(
  db: Database,
  list: ListRow,
  asked: AskedEntryChange,
  faults: Faults,
): Promise<EntryChange> {
  if (list.process === 1) processFaults(list, asked, faults);
  else {
    for (const name of Object.keys(processValues)) {
      if (!Object.hasOwn(asked, name)) continue;
      faults.add([name], 'process_only', `${name} is for processes only; "${list.name}" is a regular list.`);
    }
  }
  const { assignee_email } = asked;
  if (typeof assignee_email === 'string' && !isEmail(assignee_email)) {
    faults.add(['assignee_email'], 'value', `"${assignee_email}" is not an email address.`);
  }
  const contact =
    typeof asked.contact_id === 'string' ? await contactRowOrNone(db, asked.contact_id) : undefined;
  if (typeof asked.contact_id === 'string' && !contact) {
    faults.add(['contact_id'], 'not_found', `No contact has the id "${asked.contact_id}".`);
  }
  return {
    contact_id: asked.contact_id === null ? null : contact?.id,
    values: await checkedValues(db, await listFieldsOf(db, list.id), asked.list_fields ?? [], faults, [
      'list_fields',
    ]),
  };
}

function processFaults(list: ListRow, { status }: AskedEntryChange, faults: Faults): void {
  const names = statusesOf(list).map(({ name }) => name);
  if (status !== undefined && !names.includes(status)) {
    faults.add(
      ['status'],
      'value',
      `"${status}" is no status of "${list.name}"; they are ${names.join(', ')}.`,
    );
  }
}
