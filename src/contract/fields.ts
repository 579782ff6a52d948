import * as v from 'valibot';
import { closedObject, described } from './grammar.ts';

/** Specification, 2.2. */
export const dataTypes = [
  'text',
  'textarea',
  'url',
  'number',
  'date',
  'datetime',
  'select',
  'user',
  'contact',
] as const;
export type DataType = (typeof dataTypes)[number];

/** The data types of which a definition must say whether a record may hold several values. */
export const cardinalityTypes: readonly DataType[] = ['select', 'user', 'contact'];

/** A field of a list, as a list shows it (specification, 2.2). */
export const FieldDefinition = v.object({
  name: v.string(),
  data_type: v.picklist(dataTypes),
  accepts_multiple_values: v.boolean(),
  options: v.array(v.string()),
});

/** What a field definition is made from; which of it is required depends on the data type (2.2). */
export const fieldDefinitionInput = {
  name: v.string(),
  data_type: v.optional(v.picklist(dataTypes)),
  accepts_multiple_values: v.optional(v.boolean()),
  options: v.optional(v.array(v.string())),
};

/** Fields to be defined: those of a list. */
export const fieldDefinitionInputs = v.optional(v.array(closedObject(fieldDefinitionInput)));

const Value = v.unknown();

/** The values that a record holds: a map keyed by field id (specification, 2.3). */
export const ValueMap = v.record(
  v.string(),
  v.object({ name: v.string(), data_type: v.picklist(dataTypes), value: Value }),
);
export type ValueMap = v.InferOutput<typeof ValueMap>;

/** Values to be written, by the names of their fields; null clears. */
export const fieldValueInputs = v.optional(
  described(v.array(closedObject({ name: v.string(), value: Value })), 'Values by the names of their fields'),
);
