import { Failure } from '../contract/errors.ts';
import { type FieldTable, type RecordField, readField } from '../contract/field-table.ts';
import { type FieldType, readMember } from '../contract/field-types.ts';
import { listFields } from '../contract/list-fields.ts';
import { recordFields } from '../contract/record-fields.ts';
import type { ListedNoun } from '../contract/singular-nouns.ts';
import type { FieldContainer } from '../values/field-values.ts';
import { foldName } from '../values/names.ts';
import type { Field, FieldFinder } from './filter.ts';

/** Returns a noun's built-in and computed fields, in the order in which help lists them. */
export function listFilterFields(noun: ListedNoun): readonly Field[] {
  const computedFields = Object.entries<FieldTable['computedFields'][string]>(
    recordFields[noun].computedFields,
  ).map(
    // The client has checked the shape of the records.
    ([name, { type, read }]): Field => ({ name, type, read: (record) => [read(record as never)].flat() }),
  );
  const [id = [], ...ownFields] = listFields(noun)
    .filter(({ type }) => type !== 'defined')
    .map((field) => {
      const { name, key, type } = field;
      const storedField = toFilterField({ ...field, type: storedTypes[type] ?? type }, key);
      const isNamed =
        name !== undefined && !computedFields.some((computedField) => computedField.name === name);
      return isNamed ? [toFilterField(field, name), storedField] : [storedField];
    });
  return [...id, ...computedFields, ...ownFields.flat()];
}

/** The types to compare a field by its key: an amount in cents is a number, a list is an id. */
const storedTypes: Readonly<Partial<Record<FieldType, FieldType>>> = { money: 'number', list: 'id' };

/** Returns a field for filters. Only select fields of the workspace have a closed set of options. */
export function toFilterField(field: RecordField, name = field.key): Field {
  const { type, container, options = [], singular, title, aliases = [] } = field;
  return {
    name,
    type,
    aliases: [singular ?? [], title ?? [], aliases].flat(),
    ...(container && type === 'select' && { options }),
    read: (record) => [readMember(readField(record, field), type)].flat(),
  };
}

/** The fields of a list, and their source. */
export interface FieldSource {
  readonly fields: readonly Field[];
  /** The member with the defined fields: `custom_fields`. A name may begin with it. */
  readonly container?: FieldContainer | undefined;
  /** Reads the defined fields. Called only if a name is not a field of the noun. */
  readonly readDefined?: (() => Promise<readonly Field[]>) | undefined;
}

/** Creates a function that finds fields by their names, which ignore case. */
export function createFieldFinder({ fields, container, readDefined }: FieldSource): FieldFinder {
  const find = (candidates: readonly Field[], name: string) =>
    candidates.find((field) => field.name === name) ??
    candidates.find((field) => foldName(field.name) === foldName(name)) ??
    candidates.find(({ aliases = [] }) => aliases.includes(name.toLowerCase()));
  return async (name) => {
    const prefix = `${container}.`;
    const isDefined = container !== undefined && name.startsWith(prefix);
    const ownField = isDefined ? undefined : find(fields, name);
    if (ownField) return ownField.define ? ownField.define() : ownField;
    const definedFields = (await readDefined?.()) ?? [];
    const field = find(definedFields, isDefined ? name.slice(prefix.length) : name);
    if (field) return field;
    const names = [...fields, ...definedFields].map((field) => field.name).join(', ');
    throw new Failure('usage', `unknown field "${name}".`, { hint: `Available fields: ${names}.` });
  };
}

/** Returns the folded names of fields in expressions. A field in a container also has a name with its prefix. */
export function foldFieldNames(fields: readonly Field[], { container }: FieldSource): ReadonlySet<string> {
  const names = fields.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  const prefixed = container === undefined ? [] : names.map((name) => `${container}.${name}`);
  return new Set([...names, ...prefixed].map(foldName));
}
