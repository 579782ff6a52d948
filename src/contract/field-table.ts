import { type FieldContainer, findDefinedValue, normalizeTexts } from '../values/field-values.ts';
import type { JsonObject } from '../values/json-object.ts';
import { type FieldType, readDataType } from './field-types.ts';
import type { FieldDefinition } from './fields.ts';
import type { Received } from './received.ts';
import type { RecordOf } from './record-schemas.ts';

/** The description of one field. Schemas, flags, filters, forms, columns and views are derived from it. */
export interface FieldDescription {
  readonly type: FieldType;
  /** The name in help and questions. A description of the values may follow a comma or a semicolon. */
  readonly label?: string;
  /** The placeholder of a value in help. */
  readonly placeholder?: string;
  /** The name in flags, filters and columns if it differs: `organization` for `organization_id`. */
  readonly name?: string;
  /** The singular name of a field with several values: `email` for `emails`. */
  readonly singular?: string;
  /** Other names that an import, a filter and --fields accept. */
  readonly aliases?: readonly string[];
  /** The header of a table. */
  readonly title?: string;
  /**
   * Set if the field may have several values. An update adds values (`add`) or replaces all values (`replace`).
   * `readonly`: only the service writes them. `unknown`: the service does not say whether the field may have several
   * values.
   */
  readonly listUpdate?: 'add' | 'replace' | 'readonly' | 'unknown';
  /** Whether the text is the name of a record, from which invisible characters are removed. */
  readonly isName?: true;
  /** The values to choose from. */
  readonly options?: readonly string[];
  /** When a client may write the field. Default: never. */
  readonly write?: 'create' | 'always';
  /** The name in a request body, if it differs from the name in the record. */
  readonly body?: string;
  /** Whether a new record requires the field. */
  readonly isRequired?: true;
  /** The value that clears the field. If omitted, the value can only be replaced. */
  readonly clear?: null | '' | 0 | readonly [];
  /** Whether a record may contain null. Clients never send it. */
  readonly isNullable?: true;
  /** Whether only processes and their entries have the field. */
  readonly isOfProcess?: true;
  /** Whether the service may omit the field. */
  readonly isOptional?: true;
  /** The maximum number of characters. The minimum is then 1. */
  readonly maxLength?: number;
  /** For the OpenAPI document. */
  readonly description?: string;
}

export type FieldDescriptions = Readonly<Record<string, FieldDescription>>;

/** A field that is computed from other fields of the record. */
export interface ComputedField<R = never> {
  readonly type: FieldType;
  /** The fields from which the value is computed. */
  readonly from: readonly (string & keyof R)[];
  readonly read: (record: R) => unknown;
}

/** A noun's fields: the record's own fields and the computed ones. */
export interface FieldTable<F extends FieldDescriptions = FieldDescriptions> {
  readonly ownFields: F;
  readonly computedFields: Readonly<Record<string, ComputedField>>;
}

export function defineFields<const F extends FieldDescriptions>(
  ownFields: F,
  computedFields: Readonly<Record<string, ComputedField<Received<RecordOf<F>>>>> = {},
): FieldTable<F> {
  return { ownFields, computedFields: computedFields as FieldTable<F>['computedFields'] }; // computed fields read only records of this noun
}

/** A field at run time: a built-in field, a custom field or a list field. */
export interface RecordField extends FieldDescription {
  /** The name of the field in a record. */
  readonly key: string;
  /** The member of a record that contains the value of a custom field or list field. */
  readonly container?: FieldContainer;
}

/** The definition of a field. Only its name is certain. */
export type NamedDefinition = Partial<Received<FieldDefinition>> & { readonly name: string };

/** Converts the definition of a custom field or list field. */
export function toRecordField(
  container: FieldContainer,
  { name, data_type, options = [], accepts_multiple_values: isMultiple }: NamedDefinition,
): RecordField {
  return {
    key: name,
    container,
    type: readDataType(data_type),
    ...(options.length > 0 && { options }),
    ...(isMultiple === false ? {} : { listUpdate: isMultiple ? 'replace' : 'unknown' }),
    write: 'always',
    clear: null,
  };
}

/** Whether a client may write a field in a create or an update. */
export const isWritable = (write: FieldDescription['write'], action: 'create' | 'update'): boolean =>
  write === 'always' || (write === 'create' && action === 'create');

/** Whether a field may have several values; undefined if unknown. */
export const isMultiple = ({ listUpdate }: Pick<FieldDescription, 'listUpdate'>): boolean | undefined =>
  listUpdate === 'unknown' ? undefined : listUpdate !== undefined;

/** Returns the value of a field in a record; undefined if the record has no value. */
export function readField(record: JsonObject, { key, container }: RecordField): unknown {
  return container === undefined
    ? normalizeTexts(key, record[key])
    : findDefinedValue(record[container], key);
}
