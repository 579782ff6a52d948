import type { Input } from '../../contract/grammar.ts';
import { type lists, processFields, type Status } from '../../contract/lists.ts';
import type { Database } from '../db/database.ts';
import type { Faults } from '../field-errors.ts';
import {
  type AskedDefinition,
  type Definition,
  definitionColumns,
  definitionOf,
  nameFaults,
  wholeDefinition,
} from './field-values.ts';
import { type ListRow, listFieldsOf } from './list-rows.ts';

/** The pipeline of a process that names none (service.md). */
export const defaultStatuses: readonly Status[] = [
  { name: 'Open', type: 'active' },
  { name: 'Won', type: 'won' },
  { name: 'Lost', type: 'lost' },
];

/** What a list is made from. */
export type NewList = Input<typeof lists.create>;

/** What is asked of a list that is there. */
export type AskedListChange = Omit<Input<typeof lists.update>, 'list_id'>;

/** A field to be added to a list, or (`id`) to be changed. */
export type ListField = Definition & { readonly id: number | undefined };

/** Checks what is asked of a new list, by the rules of specification 2.1 and 4.5; gives its fields. */
export async function checkedNewList(db: Database, asked: NewList, faults: Faults): Promise<ListField[]> {
  const { process } = asked;
  const fields = await checkedListChange(db, undefined, process, asked, faults);
  for (const name of ['identifier', 'duplicates_allowed'] as const) {
    if (!process || asked[name] !== undefined) continue;
    faults.add([name], 'required', `${name} is required for a process.`);
  }
  return fields;
}

/** The same of a list that is there (`row`). */
export async function checkedListChange(
  db: Database,
  row: ListRow | undefined,
  process: boolean,
  asked: AskedListChange,
  faults: Faults,
): Promise<ListField[]> {
  nameFaults(asked.name, faults, ['name']);
  if (process === false) {
    for (const name of processFields) {
      if (asked[name] === undefined) continue;
      faults.add([name], 'process_only', `${name} is for processes only; this is a regular list.`);
    }
  } else {
    nameFaults(asked.identifier, faults, ['identifier']);
    if (asked.statuses) await statusFaults(db, row, asked.statuses, faults);
  }
  return checkedFields(db, row, asked.fields ?? [], faults);
}

async function statusFaults(
  db: Database,
  row: ListRow | undefined,
  statuses: readonly Status[],
  faults: Faults,
): Promise<void> {
  statuses.forEach(({ name }, index) => {
    nameFaults(name, faults, ['statuses', index, 'name']);
    if (statuses.findIndex((other) => other?.name === name) < index) {
      faults.add(['statuses', index, 'name'], 'taken', `The status "${name}" is given twice.`);
    }
  });
  const hasHole = Object.keys(statuses).length < statuses.length; // at fault already: its name is not known
  if (!row || hasHole) return;
  const held = await db
    .selectFrom('entry')
    .select('status')
    .distinct()
    .where('list_id', '=', row.id)
    .execute();
  const kept = (statuses.length > 0 ? statuses : defaultStatuses).map((status) => status?.name);
  const dropped = held.flatMap(({ status }) => (status !== null && !kept.includes(status) ? [status] : []));
  if (dropped.length > 0) {
    faults.add(
      ['statuses'],
      'in_use',
      `Entries still hold the status ${dropped.map((name) => `"${name}"`).join(', ')}.`,
    );
  }
}

async function checkedFields(
  db: Database,
  row: ListRow | undefined,
  asked: NonNullable<AskedListChange['fields']>,
  faults: Faults,
): Promise<ListField[]> {
  const existing = row ? await listFieldsOf(db, row.id) : [];
  const fields: ListField[] = [];
  for (const [index, field] of asked.entries()) {
    if (!field) continue; // a hole: at fault already
    if (asked.findIndex((other) => other?.name === field.name) < index) {
      faults.add(['fields', index, 'name'], 'taken', `The field "${field.name}" is given twice.`);
    }
    const old = existing.find(({ name }) => name === field.name);
    const whole = wholeDefinition(old ? redefined(definitionOf(old), field) : field, faults, [
      'fields',
      index,
    ]);
    if (old && !sameKind(whole, definitionOf(old)) && (await holdsValues(db, old.id))) {
      faults.add(
        ['fields', index],
        'in_use',
        `Entries hold values of "${field.name}": its type cannot change.`,
      );
    }
    fields.push({ ...whole, id: old?.id });
  }
  return fields;
}

/** A field with what is asked of it; one that gets another type keeps nothing of the old definition. */
function redefined(old: Definition, asked: AskedDefinition): AskedDefinition {
  const { data_type = old.data_type } = asked;
  return data_type === old.data_type ? { ...old, ...asked } : asked;
}

function sameKind(one: Definition, other: Definition): boolean {
  return one.data_type === other.data_type && one.accepts_multiple_values === other.accepts_multiple_values;
}

async function holdsValues(db: Database, field: number): Promise<boolean> {
  const value = await db
    .selectFrom('entry_value')
    .select('record_id')
    .where('field_id', '=', field)
    .limit(1)
    .executeTakeFirst();
  return value !== undefined;
}

/** Adds the new fields of a list and updates those that exist. */
export async function storeListFields(
  db: Database,
  list_id: number,
  fields: readonly ListField[],
): Promise<void> {
  for (const { id, ...definition } of fields) {
    const columns = definitionColumns(definition);
    if (id === undefined)
      await db
        .insertInto('list_field')
        .values({ list_id, ...columns })
        .execute();
    else await db.updateTable('list_field').set(columns).where('id', '=', id).execute();
  }
}
