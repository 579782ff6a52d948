import type { NamedDefinition } from '../../contract/field-table.ts';
import { entryTypes } from '../../contract/record-fields.ts';
import type { WorkspaceRecords } from '../../contract/workspace.ts';
import { isEmail } from '../../values/domain.ts';
import { readObject } from '../../values/json-object.ts';
import { insertRow, insertRows } from '../db/statements.ts';
import {
  createFieldRows,
  findReference,
  parseTime,
  type RestoreContext,
  readStamps,
  type StoreRecords,
} from './restore-context.ts';
import { type NumberedRecord, storeForeignIds } from './restore-numbers.ts';
import { storeValues, toFieldColumns } from './restore-parts.ts';

type List = WorkspaceRecords['lists'];

export const storeLists: StoreRecords<'lists'> = async (context, records) => {
  const stored = records.filter(({ id, value }) => {
    if (entryTypes.some((type) => type === value.entry_type)) return true;
    context.dropped.add('lists', id, undefined, 'unknown type of entries');
    return false;
  });
  const rows = stored.map(({ row, value }) => ({
    id: row,
    name: value.name,
    entry_type: value.entry_type,
    ...toProcessColumns(value),
    ...readStamps(context, value),
    archived_at: parseTime(value.archived_at),
  }));
  await insertRows(context.db, 'list', rows);
  for (const record of stored) await storeListFields(context, record);
  return stored;
};

function toProcessColumns({ process, identifier, statuses, ...list }: List) {
  const isProcess = process ?? (identifier !== null && identifier !== undefined);
  const types = (statuses ?? []).map(({ name, type }) => ({ name, type: type ?? 'active' }));
  return {
    process: Number(isProcess),
    identifier: isProcess ? (identifier ?? '') : null,
    duplicates_allowed: isProcess ? Number(list.duplicates_allowed ?? false) : null,
    entry_label: isProcess ? (list.entry_label ?? '') : null,
    status_label: isProcess ? (list.status_label ?? '') : null,
    statuses: isProcess ? JSON.stringify(types) : null,
  };
}

/** Stores the fields of a list, also those that only its entries show. */
async function storeListFields(
  context: RestoreContext,
  { row: list_id, id, value }: NumberedRecord<'lists'>,
): Promise<void> {
  const { db, dropped, numbers, plan } = context;
  const known = plan.entryFields.get(id) ?? new Map();
  const definitions = new Map<string, NamedDefinition>();
  for (const definition of value.fields ?? []) {
    if (definitions.has(definition.name)) dropped.add('lists', id, 'fields', 'duplicate name');
    else definitions.set(definition.name, definition);
  }
  for (const [name, { data_type }] of known)
    if (!definitions.has(name)) definitions.set(name, { name, data_type });
  const fields = createFieldRows();
  const foreign: { row: number; id: string }[] = [];
  const rows = Array.from(definitions.values(), (definition) => {
    const { name, accepts_multiple_values = known.get(name)?.isMultiple } = definition;
    const key = known.get(name)?.id;
    const ownRow = plan.listFields.areOwn && key !== undefined ? plan.listFields.decode(key) : undefined;
    const row = ownRow ?? numbers.take('list_field', plan.listFields.highest);
    if (ownRow === undefined && key !== undefined) foreign.push({ row, id: key });
    if (key !== undefined) fields.byId.set(key, row);
    fields.byName.set(name, row);
    return { id: row, list_id, ...toFieldColumns({ ...definition, accepts_multiple_values }) };
  });
  context.listFields.set(list_id, fields);
  await insertRows(db, 'list_field', rows);
  await storeForeignIds(db, 'listField', foreign);
}

export const storeEntries: StoreRecords<'entries'> = async (context, records) => {
  const { numbers } = context;
  const lists = await numbers.find(
    'lists',
    records.map(({ value }) => value.list_id),
  );
  const contacts = await numbers.find(
    'contacts',
    records.flatMap(({ value }) => [value.entryable_id, value.contact_id]),
  );
  const organizations = await numbers.find(
    'organizations',
    records.map(({ value }) => value.entryable_id),
  );
  const stored: NumberedRecord<'entries'>[] = [];
  const rows = records.flatMap((record) => {
    const { row, id, value } = record;
    const list_id = lists.get(value.list_id);
    const isContact = value.entryable_type !== 'Organization';
    const target = (isContact ? contacts : organizations).get(value.entryable_id);
    if (list_id === undefined || target === undefined) {
      const problem = list_id === undefined ? 'missing list' : 'missing contact or organization';
      context.dropped.add('entries', id, undefined, problem);
      return [];
    }
    stored.push(record);
    return [
      {
        id: row,
        list_id,
        key: keepKey(context, record, list_id),
        entryable_contact_id: isContact ? target : null,
        entryable_organization_id: isContact ? null : target,
        contact_id: findReference(context, contacts, ['entries', id, 'contact_id'], value.contact_id),
        ...toEntryColumns(value),
        ...readStamps(context, value),
      },
    ];
  });
  await insertRows(context.db, 'entry', rows);
  const values = stored.map(({ row, id, value }, index) => {
    const fields = context.listFields.get(rows[index]?.list_id ?? 0);
    return { row, id, values: value.list_fields, fields };
  });
  await storeValues(context, 'entries', values);
  return stored;
};

function toEntryColumns(value: WorkspaceRecords['entries']) {
  const { status, assignee, recurring_value_period, closed_at } = value;
  const email: unknown = typeof assignee === 'string' ? assignee : readObject(assignee).email;
  return {
    status: status ?? null,
    assignee_email: typeof email === 'string' && isEmail(email) ? email : null,
    one_time_value_cents: toCents(value.one_time_value_cents),
    recurring_value_cents: toCents(value.recurring_value_cents),
    recurring_value_period: recurring_value_period ?? null,
    closed_at: parseTime(closed_at),
  };
}

const toCents = (value: unknown) => (Number.isSafeInteger(value) ? value : null);

/** The longest key of an entry in characters: an index of PostgreSQL takes no long texts. */
const maxKey = 500;

/** Returns the key of an entry, unless another entry of the list has the same. */
function keepKey(
  { dropped, entryKeys }: RestoreContext,
  { id, value: { key } }: NumberedRecord<'entries'>,
  list: number,
): string | null {
  if (key === null || key === '') return null;
  const keys = entryKeys.get(list) ?? new Set();
  entryKeys.set(list, keys);
  const problem = keys.has(key) ? 'duplicate key' : key.length > maxKey ? 'key too long' : undefined;
  if (problem !== undefined) dropped.add('entries', id, 'key', problem);
  else keys.add(key);
  return problem === undefined ? key : null;
}

/** Continues the keys of each process after its highest one. */
export async function storeLastKeys({ db, entryKeys }: RestoreContext): Promise<void> {
  for (const [list, keys] of entryKeys) {
    let last = 0;
    for (const key of keys) last = Math.max(last, Number(/-(\d{1,15})$/.exec(key)?.[1] ?? 0));
    await insertRow(db, 'key_counter', { list_id: list, last_key: last });
  }
}
