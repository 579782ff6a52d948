import * as v from 'valibot';
import { type FieldDescription, type FieldDescriptions, type FieldTable, isWritable } from './field-table.ts';
import type { FieldType } from './field-types.ts';
import { FieldDefinition, fieldDefinitionInput, fieldValueInputs, ValueMap } from './fields.ts';
import { createClosedObject, describe, Id, Timestamp } from './grammar.ts';
import { statusTypes } from './record-fields.ts';
import { EventRecording } from './recordings.ts';

const Status = v.object({ name: v.string(), type: v.picklist(statusTypes) });
export type Status = v.InferOutput<typeof Status>;

const Cents = v.pipe(v.number(), v.integer());

/** The schema of one value in a record, by the type of its field. */
const recordSchemas = {
  id: Id,
  text: v.string(),
  textarea: v.string(),
  select: v.string(),
  url: v.string(),
  number: v.number(),
  money: Cents,
  boolean: v.boolean(),
  date: v.string(),
  datetime: Timestamp,
  localtime: describe(v.string(), 'ISO 8601 with a numeric UTC offset'),
  user: v.object({ email: v.string() }),
  email: v.string(),
  phone: describe(v.string(), 'E.164'),
  domain: v.string(),
  contact: Id,
  organization: Id,
  list: Id,
  status: Status,
  definition: FieldDefinition,
  recording: EventRecording,
  defined: ValueMap,
} satisfies Record<FieldType, v.GenericSchema>;

/** The schema of one value in a request body. */
const bodySchemas = {
  ...recordSchemas,
  money: describe(v.pipe(Cents, v.minValue(0), v.maxValue(Number.MAX_SAFE_INTEGER)), 'Whole cents'),
  user: v.string(),
  phone: v.string(),
  domain: describe(v.string(), 'A URL or a domain name'),
  status: createClosedObject(Status.entries),
  definition: createClosedObject(fieldDefinitionInput),
  defined: fieldValueInputs,
};

type Schemas = Readonly<Record<FieldType, v.GenericSchema>>;

/** The type of one value. */
type OneValue<D extends FieldDescription, S extends Schemas> = D extends {
  readonly options: readonly (infer Option)[];
}
  ? Option
  : v.InferOutput<S[D['type']]>;

type Value<D extends FieldDescription, S extends Schemas> =
  | (D extends { readonly listUpdate: string } ? OneValue<D, S>[] : OneValue<D, S>)
  | (D extends { readonly clear: null } ? null : never);

type RecordValue<D extends FieldDescription> =
  | Value<D, typeof recordSchemas>
  | (D extends { readonly isNullable: true } ? null : never);

/** The names of the fields that the service may omit. */
type OptionalName<F extends FieldDescriptions> = {
  [Name in keyof F]: F[Name] extends { readonly isOfProcess: true } | { readonly isOptional: true }
    ? Name
    : never;
}[keyof F];

/** A record with these fields. */
export type RecordOf<F extends FieldDescriptions> = {
  -readonly [Name in Exclude<keyof F, OptionalName<F>>]: RecordValue<F[Name]>;
} & { -readonly [Name in OptionalName<F>]?: RecordValue<F[Name]> | undefined };

/** The schema of a record, with the schemas of its fields. */
type RecordSchema<F extends FieldDescriptions> = v.GenericSchema<RecordOf<F>> & {
  readonly entries: Readonly<Record<keyof F, v.GenericSchema>>;
};

type Action = 'create' | 'update';

type WritableName<F extends FieldDescriptions, A extends Action> = {
  [Name in keyof F]: F[Name] extends { readonly write: A extends 'create' ? 'create' | 'always' : 'always' }
    ? Name
    : never;
}[keyof F];

type BodyName<F extends FieldDescriptions, Name extends keyof F> = F[Name] extends {
  readonly body: infer Body;
}
  ? Body
  : Name;

type BodySchema<D extends FieldDescription, A extends Action> = [A, D] extends [
  'create',
  { readonly isRequired: true },
]
  ? v.GenericSchema<Value<D, typeof bodySchemas>>
  : v.OptionalSchema<v.GenericSchema<Value<D, typeof bodySchemas>>, undefined>;

/** The schemas of the fields of a body. */
type BodySchemas<F extends FieldDescriptions, A extends Action> = {
  readonly [Name in WritableName<F, A> as BodyName<F, Name> & string]: BodySchema<F[Name], A>;
};

/** Creates the schema of a noun's records. */
export function createRecordSchema<F extends FieldDescriptions>({
  ownFields,
}: FieldTable<F>): RecordSchema<F> {
  const schemas = Object.entries(ownFields).map(([name, field]) => {
    const { type, write, description, isNullable, isOptional, isOfProcess } = field;
    const schema = recordSchemas[type];
    const isReadOnly = write === undefined && description !== undefined; // a writable field has its description in the body schema
    const value = createValueSchema(field, isReadOnly ? describe(schema, description) : schema);
    const received = isNullable ? v.nullable(value) : value;
    return [name, isOptional || isOfProcess ? v.optional(received) : received];
  });
  return v.object(Object.fromEntries(schemas)) as unknown as RecordSchema<F>; // the type is derived from the same table
}

/** Creates the schemas of the fields that a create or an update may write. */
export function createBodySchemas<F extends FieldDescriptions, A extends Action>(
  { ownFields }: FieldTable<F>,
  action: A,
): BodySchemas<F, A> {
  const writable = Object.entries(ownFields).filter(([, { write }]) => isWritable(write, action));
  const schemas = writable.map(([name, field]) => {
    const { body = name, type, maxLength, isRequired, description } = field;
    const schema =
      maxLength === undefined
        ? bodySchemas[type]
        : v.pipe(v.string(), v.minLength(1), v.maxLength(maxLength));
    const value = createValueSchema(
      field,
      description === undefined ? schema : describe(schema, description),
    );
    return [body, action === 'create' && isRequired ? value : v.optional(value)];
  });
  return Object.fromEntries(schemas); // the type is derived from the same table
}

function createValueSchema({ options, listUpdate, clear }: FieldDescription, schema: v.GenericSchema) {
  const item = options ? v.picklist(options) : schema;
  const value = listUpdate ? v.array(item) : item;
  return clear === null ? v.nullable(value) : value;
}
