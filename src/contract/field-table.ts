import { type FieldContainer, findDefinedValue, normalizeTexts } from '../values/field-values.ts';
import type { JsonObject } from '../values/json-object.ts';
import { type FieldType, readDataType } from './field-types.ts';
import type { FieldDefinition } from './fields.ts';
import type { Received } from './received.ts';
import type { RecordOf } from './record-schemas.ts';

/** What a noun states about a field. The schemas, flags, filters, forms, columns and views derive from it. */
export interface FieldDescription {
  readonly type: FieldType;
  /** Its name in help and questions; after a comma or a semicolon, what its values are. */
  readonly label?: string;
  /** The placeholder of a value in help. */
  readonly placeholder?: string;
  /** The name that people use instead of the record's: `organization` for `organization_id`. */
  readonly name?: string;
  /** The name of one value, if there may be several: `email` for `emails`. */
  readonly one?: string;
  /** Other names that an import and a filter accept. */
  readonly aliases?: readonly string[];
  /** The header of a table. */
  readonly title?: string;
  /**
   * Set if there may be several values: what an update does with those that it gets. `shown`: only the service writes
   * them; `unknown`: the service does not say whether there may be several.
   */
  readonly many?: 'added' | 'replaced' | 'shown' | 'unknown';
  /** The values to choose from. */
  readonly options?: readonly string[];
  /** When a client may write it; if omitted, never. */
  readonly write?: 'create' | 'always';
  /** The name in a body, if it is not that of the record. */
  readonly body?: string;
  /** Whether a new record must have it. */
  readonly isRequired?: true;
  /** The value that clears it; if omitted, it can only be replaced. */
  readonly clear?: null | '' | 0 | readonly [];
  /** Whether a record may have null although a client cannot write it. */
  readonly isNullable?: true;
  /** Whether only processes and their entries have it. */
  readonly isOfProcess?: true;
  /** Whether the service may omit it. */
  readonly isOptional?: true;
  /** The maximum number of characters; there must be one at least. */
  readonly maxLength?: number;
  /** For the OpenAPI document. */
  readonly description?: string;
}

export type FieldDescriptions = Readonly<Record<string, FieldDescription>>;

/** A field that is computed from others of the record. */
export interface ComputedField<R = never> {
  readonly type: FieldType;
  /** The fields from which it is computed. */
  readonly from: readonly (string & keyof R)[];
  readonly read: (record: R) => unknown;
}

/** The fields of a noun: those of its records, and those that are computed from them. */
export interface FieldTable<F extends FieldDescriptions = FieldDescriptions> {
  readonly own: F;
  readonly computed: Readonly<Record<string, ComputedField>>;
}

/** States the fields of a noun. */
export function defineFields<const F extends FieldDescriptions>(
  own: F,
  computed: Readonly<Record<string, ComputedField<Received<RecordOf<F>>>>> = {},
): FieldTable<F> {
  return { own, computed: computed as FieldTable<F>['computed'] }; // they read records of this noun
}

/** A field at run time: one that a noun states, or one that the workspace defines. */
export interface RecordField extends FieldDescription {
  /** Its name in a record. */
  readonly key: string;
  /** The member of a record that holds its value, if the workspace defines it. */
  readonly container?: FieldContainer;
}

/** Returns a custom field or list field as a field of its records. */
export function toRecordField(
  container: FieldContainer,
  { name, data_type, options, accepts_multiple_values: isMultiple }: Received<FieldDefinition>,
): RecordField {
  return {
    key: name ?? '',
    container,
    type: readDataType(data_type),
    ...(options && { options }),
    ...(isMultiple === false ? {} : { many: isMultiple ? 'replaced' : 'unknown' }),
    write: 'always',
    clear: null,
  };
}

/** Whether a create or an update may write a field. */
export const isWritable = (write: FieldDescription['write'], action: 'create' | 'update'): boolean =>
  write === 'always' || (write === 'create' && action === 'create');

/** Whether a field may have several values; undefined if the service does not say. */
export const isMultiple = ({ many }: Pick<FieldDescription, 'many'>): boolean | undefined =>
  many === 'unknown' ? undefined : many !== undefined;

/** Returns the value of a field in a record; undefined if the record has none. */
export function readField(record: JsonObject, { key, container }: RecordField): unknown {
  return container === undefined
    ? normalizeTexts(key, record[key])
    : findDefinedValue(record[container], key);
}
