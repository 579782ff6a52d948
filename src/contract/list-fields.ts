import { type FieldDescription, type FieldTable, isWritable, type RecordField } from './field-table.ts';
import type { FieldType } from './field-types.ts';
import { recordFields } from './record-fields.ts';
import type { ListedNoun } from './singular-nouns.ts';

const tables: readonly FieldTable[] = Object.values(recordFields);

/** Returns a noun's built-in fields in order. */
export const listFields = (noun: ListedNoun): RecordField[] =>
  Object.entries<FieldDescription>(recordFields[noun].ownFields).map(([key, field]) => ({ ...field, key }));

/** Returns the built-in fields that a create or an update may write. */
export const listWritable = (noun: ListedNoun, action: 'create' | 'update'): RecordField[] =>
  listFields(noun).filter(({ type, write }) => type !== 'defined' && isWritable(write, action));

/** Returns the names of the fields that an update cannot write. */
export const listReadOnly = (noun: ListedNoun): string[] =>
  listFields(noun).flatMap(({ key, write }) => (isWritable(write, 'update') ? [] : [key]));

/** Returns the names of the writable fields that only processes and their entries have. */
export const listProcessFields = (noun: ListedNoun): string[] =>
  listWritable(noun, 'create').flatMap(({ key, isOfProcess }) => (isOfProcess ? [key] : []));

/** Finds a field by its key or its name. */
export const findField = (noun: ListedNoun, name: string): RecordField | undefined =>
  listFields(noun).find((field) => field.key === name || field.name === name);

/** Finds the type of a field by its key, in any noun. */
export const findType = (key: string): FieldType | undefined =>
  tables.find(({ ownFields }) => Object.hasOwn(ownFields, key))?.ownFields[key]?.type;

/** Returns all names of a field. An import accepts each as a column header. */
export const listFieldNames = ({ key, name, singular, aliases = [] }: RecordField): string[] => [
  key,
  ...[name ?? [], singular ?? [], aliases].flat(),
];

const recordTypes: readonly FieldType[] = ['contact', 'organization', 'list'];

/** Returns the fields that refer to other records, without `_id`: `--fields` takes `NAME.name` for each. */
export function listRelatedRecords(noun: ListedNoun): string[] {
  const computedFields: [string, { readonly type: FieldType }][] = Object.entries(
    recordFields[noun].computedFields,
  );
  const fields = [...computedFields, ...listFields(noun).map((field) => [field.key, field] as const)];
  const names = fields.flatMap(([name, { type }]) =>
    recordTypes.includes(type) ? [name.replace(/_id$/, '')] : [],
  );
  return [...new Set(names)];
}
