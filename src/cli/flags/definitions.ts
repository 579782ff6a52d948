import { Failure } from '../../contract/errors.ts';
import { cardinalityTypes, type DataType, dataTypes } from '../../contract/fields.ts';
import { type Status, statusTypes } from '../../contract/lists.ts';
import { parseDefinition } from '../../render/field-headers.ts';
import type { Option } from './options.ts';

/** A field definition as a body has it (specification, 2.2). */
export interface FieldDefinition {
  readonly name: string;
  readonly data_type?: DataType;
  readonly accepts_multiple_values?: boolean;
  readonly options?: string[];
}

/** The field of a list, in one word: `NAME:TYPE[:multiple][:opt,opt]`. */
export const fieldDefinitionOption: Option<FieldDefinition | undefined> = {
  summary: `A field; TYPE is ${dataTypes.join(', ')}`,
  placeholder: 'NAME:TYPE[:multiple][:OPTION,…]',
  parse: definitionIn,
};

/** A status of a process. */
export const statusOption: Option<Status | undefined> = {
  summary: `A status; TYPE is ${statusTypes.join(', ')}`,
  placeholder: 'NAME:TYPE',
  parse(given) {
    const [, name, type] = /^(.+):([^:]*)$/s.exec(given) ?? [];
    const known = statusTypes.find((one) => one === type);
    if (name === undefined || known === undefined) {
      throw new Failure('usage', `"${given}" is not NAME:${statusTypes.join('|')}.`);
    }
    return { name, type: known };
  },
};

/** What the flags say of a field. */
interface GivenDefinition {
  readonly name: string;
  readonly type: DataType | undefined;
  readonly multiple: boolean;
  readonly options: readonly string[] | undefined;
}

/** A definition with what its data type requires. Throws `usage` where that is missing. */
export function buildFieldDefinition({ name, type, multiple, options }: GivenDefinition): FieldDefinition {
  if (type === 'select' && (options ?? []).length === 0) {
    throw new Failure('usage', `The field "${name}" is a select: give its options.`);
  }
  if (options !== undefined && type !== 'select') {
    throw new Failure('usage', `The field "${name}" takes no options: only a select does.`);
  }
  if (options?.some((option) => option.trim() === '')) {
    throw new Failure('usage', `The field "${name}" has an option without a name.`);
  }
  const isCounted = type !== undefined && cardinalityTypes.includes(type);
  return {
    name,
    ...(type && { data_type: type }),
    ...((isCounted || multiple) && { accepts_multiple_values: multiple }),
    ...(options && { options: [...options] }),
  };
}

function definitionIn(given: string): FieldDefinition {
  const hint = 'Put a backslash before a colon that is part of a name.';
  const parts = parseDefinition(given);
  if (!parts) {
    throw new Failure(
      'usage',
      `"${given}" is not NAME:TYPE, with one of the types ${dataTypes.join(', ')}.`,
      { hint },
    );
  }
  if (parts.isTooLong) throw new Failure('usage', `"${given}" has too many parts.`, { hint });
  return buildFieldDefinition(parts);
}
