import type { Session } from '../../cli/command/context.ts';
import { hasDefinedFields, readDefinedFields, toListFields } from '../../cli/flags/field-values.ts';
import { toEntryKind } from '../../cli/flags/references.ts';
import type { TaggedRecord } from '../../client/responses.ts';
import { isMultiple, type RecordField, readField } from '../../contract/field-table.ts';
import { readMember } from '../../contract/field-types.ts';
import type { Route } from '../../contract/grammar.ts';
import { findField, listWritable } from '../../contract/list-fields.ts';
import { type List, lists } from '../../contract/lists.ts';
import { isUnknownList, type Received } from '../../contract/received.ts';
import type { WritableNoun } from '../../contract/singular-nouns.ts';
import type { GetName } from '../../render/collect-references.ts';
import type { JsonObject } from '../../values/json-object.ts';
import { formatEditValue } from './edit-values.ts';

/** The record to edit. */
export interface EditTarget {
  readonly noun: WritableNoun;
  readonly routes: {
    readonly get: Route;
    readonly update: Route;
    /** Removes the values that an update only adds. */
    readonly removal?: Route | undefined;
  };
  /** The path parameters. */
  readonly path: Readonly<Record<string, string>>;
  readonly record: TaggedRecord;
  /** The words of the command, for the hint that repeats it. */
  readonly words: readonly string[];
}

export interface EditField extends RecordField {
  /** Its name in the editor. */
  readonly name: string;
  /** Its value in the record. */
  readonly value: unknown;
}

/** The data that the editor needs besides the record. */
export interface EditContext {
  readonly defined: readonly RecordField[];
  /** The list of an entry. */
  readonly list?: Received<List>;
}

const firstFields: Readonly<Partial<Record<WritableNoun, readonly string[]>>> = {
  lists: ['name', 'identifier', 'entry_label', 'status_label'],
  entries: ['status', 'one_time_value_cents', 'recurring_value_cents', 'recurring_value_period'],
};

/** The read-only fields in the comment, between the id and the times. */
const readOnlyFieldNames: Readonly<Record<WritableNoun, readonly string[]>> = {
  contacts: [],
  organizations: [],
  notes: ['organization_id'],
  customFields: ['model', 'data_type', 'accepts_multiple_values'],
  lists: ['process', 'entry_type', 'archived_at'],
  entries: ['key', 'entryable_type', 'entryable_id', 'closed_at'],
};

export async function readEditContext(
  session: Session,
  noun: WritableNoun,
  { list_id }: JsonObject,
): Promise<EditContext> {
  if (noun !== 'entries')
    return { defined: hasDefinedFields(noun) ? await readDefinedFields(session, noun) : [] };
  const list = await (await session.client()).read(lists.get, { list_id: String(list_id) });
  return { defined: toListFields(list), list };
}

/**
 * Returns the fields of a record that an update can change. Omits lists that the service does not return: an update
 * would replace their items.
 */
export function listEditFields(noun: WritableNoun, record: JsonObject, context: EditContext): EditField[] {
  const { defined, list } = context;
  const isProcess = (noun === 'lists' ? record : list)?.process === true;
  const own = listWritable(noun, 'update').filter(
    ({ key, isOfProcess }) =>
      (isProcess || !isOfProcess) &&
      !isUnknownList(record, key) &&
      (noun !== 'customFields' || key !== 'options' || record.data_type === 'select'),
  );
  const isFirst = ({ key }: RecordField) => firstFields[noun]?.includes(key) ?? false;
  const ordered = [...own.filter(isFirst), ...own.filter((field) => !isFirst(field))];
  const statuses = (list?.statuses ?? []).map(({ name }) => name);
  const fields = ordered.map((field): EditField => {
    const { key, type, name = key } = field;
    const isStatus = noun === 'entries' && key === 'status';
    const value = readField(record, field) ?? null;
    return {
      ...field,
      ...(isStatus && { options: statuses }),
      name: type === 'money' ? name : key, // the editor shows ids, not names
      value: type === 'user' ? (readMember(value, type) ?? null) : value,
    };
  });
  // An update names a field, so only the first one of a name can be changed.
  const definedNames = defined.map(({ key }) => key);
  const namedFields = defined.filter(({ key }, index) => key !== '' && definedNames.indexOf(key) === index);
  const definedFields = namedFields.map((field): EditField => {
    const value = readField(record, field);
    const hasSeveral = isMultiple(field) === undefined && Array.isArray(value);
    return { ...field, ...(hasSeveral && { listUpdate: 'replace' }), name: field.key, value };
  });
  return [...fields, ...definedFields];
}

/** Returns the read-only fields with their formatted values. */
export function listReadOnlyFields(
  noun: WritableNoun,
  record: JsonObject,
  getName: GetName,
): [string, string][] {
  const names = ['id', ...readOnlyFieldNames[noun], 'created_at', 'updated_at'];
  return names.flatMap((name): [string, string][] => {
    const field = findField(noun, name);
    if (!field) return [];
    const type = name === 'entryable_id' ? toEntryKind(record.entryable_type) : field.type;
    const text = formatEditValue(record[name], type, getName);
    return text === undefined ? [] : [[name, text]];
  });
}
