import { isReference, toEntryKind } from '../../cli/flags/references.ts';
import { listFields } from '../../contract/list-fields.ts';
import type { WritableNoun } from '../../contract/singular-nouns.ts';
import type { JsonObject } from '../../values/json-object.ts';
import { type EditContext, type EditField, listEditFields } from '../edit/edit-nouns.ts';

/** A field in a file. */
export interface DocumentField extends EditField {
  /** Whether only a new record can set the field. */
  readonly isFixed?: true;
}

/** The fields that only a new record can set, in order. A folder implies the others. */
const fixedFields: Readonly<Record<WritableNoun, readonly string[]>> = {
  contacts: [],
  organizations: [],
  notes: [],
  customFields: ['data_type', 'accepts_multiple_values'],
  lists: ['process', 'entry_type'],
  entries: [],
};

/** Returns the fields of a record's file in order, with the ids of other records as values. */
export function listDocumentFields(
  noun: WritableNoun,
  record: JsonObject,
  context: EditContext,
): DocumentField[] {
  const toFixed = (key: string): DocumentField[] =>
    listFields(noun)
      .filter((field) => field.key === key)
      .map((field) => ({ clear: null, ...field, name: key, value: record[key] ?? null, isFixed: true }));
  const hasKey = noun === 'entries' && typeof record.key === 'string';
  const fixed = ['id', ...(hasKey ? ['key'] : []), ...fixedFields[noun]].flatMap(toFixed);
  if (noun === 'entries') {
    const type = toEntryKind(context.list?.entry_type ?? record.entryable_type);
    fixed.push({ key: 'entryable_id', name: type, type, value: record.entryable_id ?? null, isFixed: true });
  }
  const names = new Set(fixed.map(({ name }) => name));
  const fields = listEditFields(noun, record, context).flatMap((field): DocumentField[] => {
    const name = field.container === undefined ? toDocumentName(field) : field.name;
    if (field.container !== undefined || !names.has(name)) return [{ ...field, name }];
    return field.value === null ? [] : [field];
  });
  return [...fixed, ...fields];
}

/** Returns the name of a field whose value is a word for another record: `organization` for `organization_id`. */
const toDocumentName = ({ name, key, type }: EditField) =>
  isReference(type) || key === 'deal_id' ? key.replace(/_id$/, '') : name;

/** Whether a field is the Markdown below the front matter. */
export const isDocumentBody = (noun: WritableNoun, { key, container }: DocumentField) =>
  noun === 'notes' && key === 'body' && container === undefined;
