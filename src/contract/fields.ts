import * as v from 'valibot';
import { type DataType, dataTypes } from './field-types.ts';
import { createClosedObject, describe } from './grammar.ts';

/** The data types whose definition must say whether a record may have several values. */
export const cardinalityTypes: readonly DataType[] = ['select', 'user', 'contact'];

/** A field of a list (specification, 2.2). */
export const FieldDefinition = v.object({
  name: v.string(),
  data_type: v.picklist(dataTypes),
  accepts_multiple_values: v.boolean(),
  options: v.array(v.string()),
});
export type FieldDefinition = v.InferOutput<typeof FieldDefinition>;

/** The input of a field definition. The data type decides which members are required (specification, 2.2). */
export const fieldDefinitionInput = { ...v.partial(FieldDefinition).entries, name: v.string() };

/** The values of a record, keyed by field id (specification, 2.3). */
export const ValueMap = v.record(
  v.string(),
  v.object({ name: v.string(), data_type: v.picklist(dataTypes), value: v.unknown() }),
);
export type ValueMap = v.InferOutput<typeof ValueMap>;

/** Values to write, by field name; null clears a field. */
export const fieldValueInputs = describe(
  v.array(createClosedObject({ name: v.string(), value: v.unknown() })),
  'Values by field name',
);
