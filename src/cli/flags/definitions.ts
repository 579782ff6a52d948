import { Failure } from '../../contract/errors.ts';
import { type DataType, dataTypes } from '../../contract/field-types.ts';
import { cardinalityTypes } from '../../contract/fields.ts';
import { statusTypes } from '../../contract/record-fields.ts';
import type { Status } from '../../contract/record-schemas.ts';
import { parseDefinition } from '../../render/field-headers.ts';
import type { Option } from '../command/options.ts';

/** A field definition as a body has it (specification, 2.2). */
export interface FieldDefinition {
  readonly name: string;
  readonly data_type?: DataType;
  readonly accepts_multiple_values?: boolean;
  readonly options?: string[];
}

export const fieldDefinitionOption: Option<FieldDefinition | undefined> = {
  summary: `A field; TYPE is ${dataTypes.join(', ')}`,
  placeholder: 'NAME:TYPE[:multiple][:OPTION,…]',
  parse(text) {
    const parts = parseDefinition(text);
    if (parts && !parts.isTooLong) return buildFieldDefinition(parts);
    const problem = parts ? 'has too many parts' : `is not NAME:TYPE; TYPE is one of ${dataTypes.join(', ')}`;
    throw new Failure('usage', `"${text}" ${problem}.`, {
      hint: 'Put a backslash before a colon that is part of a name.',
    });
  },
};

export const statusOption: Option<Status | undefined> = {
  summary: `A status; TYPE is ${statusTypes.join(', ')}`,
  placeholder: 'NAME:TYPE',
  parse(text) {
    const [, name, word] = /^(.+):([^:]*)$/s.exec(text) ?? [];
    const type = statusTypes.find((statusType) => statusType === word);
    if (name === undefined || type === undefined) {
      throw new Failure('usage', `"${text}" is not NAME:${statusTypes.join('|')}.`);
    }
    return { name, type };
  },
};

/** @throws {Failure} usage if a select field has no options or an empty one, or another field has options */
export function buildFieldDefinition({
  name,
  type,
  multiple,
  options,
}: {
  readonly name: string;
  readonly type: DataType | undefined;
  readonly multiple: boolean;
  readonly options: readonly string[] | undefined;
}): FieldDefinition {
  if (type === 'select' && (options ?? []).length === 0) {
    throw new Failure('usage', `The select field "${name}" requires options.`);
  }
  if (options !== undefined && type !== 'select') {
    throw new Failure('usage', `The field "${name}" cannot have options; only select fields can.`);
  }
  if (options?.some((option) => option.trim() === '')) {
    throw new Failure('usage', `The field "${name}" has an empty option.`);
  }
  const hasCardinality = type !== undefined && cardinalityTypes.includes(type);
  return {
    name,
    ...(type && { data_type: type }),
    ...((hasCardinality || multiple) && { accepts_multiple_values: multiple }),
    ...(options && { options: [...options] }),
  };
}
