import type { NamedDefinition } from '../contract/field-table.ts';
import { dataTypes } from '../contract/field-types.ts';
import { listFieldNames, listFields } from '../contract/list-fields.ts';
import { recordFields } from '../contract/record-fields.ts';
import { removeEscapes, splitUnescaped } from './cells.ts';

/** Headers with a fixed meaning, case-insensitive, even if a custom field has the same name. */
const reservedHeaders: ReadonlySet<string> = new Set(
  (['contacts', 'organizations'] as const).flatMap((noun) => [
    ...listFields(noun).flatMap(listFieldNames),
    ...Object.keys(recordFields[noun].computedFields),
  ]),
);

/** The prefix of a header that always names a custom field. */
export const fieldPrefix = 'custom_fields.';

/** Returns the header of a custom field: its name, with the prefix if the name has another meaning. */
export function formatHeaderName(name: string): string {
  const lower = name.toLowerCase();
  const isUnambiguous =
    name !== '' && name.trim() === name && !reservedHeaders.has(lower) && !lower.startsWith(fieldPrefix);
  return isUnambiguous ? name : `${fieldPrefix}${name}`;
}

/**
 * Parses a definition `NAME:TYPE[:multiple][:OPTION,…]`; undefined if it has no name or no known type. A backslash
 * escapes a colon or comma.
 */
export function parseDefinition(text: string) {
  const [name = '', typeName, ...rest] = splitUnescaped(text, ':');
  const type = dataTypes.find((dataType) => dataType === typeName);
  if (name === '' || type === undefined) return undefined;
  const multiple = rest[0] === 'multiple';
  // An empty part means "not multiple" if the only option is called multiple.
  const isMarked = multiple || (rest[0] === '' && rest.length > 1);
  const [options, ...more] = isMarked ? rest.slice(1) : rest;
  return {
    name: removeEscapes(name),
    type,
    multiple,
    options: options === undefined ? undefined : splitUnescaped(options, ',').map(removeEscapes),
    /** Whether the text has more parts than a definition. */
    isTooLong: more.length > 0,
  };
}

/**
 * Returns the header of a custom field's column in an export: `NAME` for a single text, `NAME:TYPE[:multiple][:OPTION,…]` for
 * any other field, so that an import can create the field as it was.
 */
export function formatFieldHeader(field: NamedDefinition): string {
  const { name, data_type, accepts_multiple_values, options } = field;
  const header = formatHeaderName(name);
  const type = dataTypes.find((dataType) => dataType === data_type);
  const multiple = accepts_multiple_values === true;
  const isPlainText = type === 'text' && !multiple && !parseDefinition(header);
  if (type === undefined || isPlainText) return header;
  const typedDefinition = formatDefinition({
    name: header,
    type,
    multiple,
    options: (type === 'select' && options) || [],
  });
  // An import trims only headers without the prefix.
  return typedDefinition.trim() === typedDefinition ? typedDefinition : `${fieldPrefix}${typedDefinition}`;
}

/** Formats a definition as `parseDefinition` reads it. */
export function formatDefinition({
  name,
  type,
  multiple,
  options,
}: {
  readonly name: string;
  readonly type: string;
  readonly multiple: boolean;
  readonly options: readonly string[];
}): string {
  const parts = [
    name.replace(/[:\\]/g, '\\$&'),
    type,
    ...(multiple ? ['multiple'] : options.join() === 'multiple' ? [''] : []),
    ...(options.length > 0 ? [options.map((option) => option.replace(/[,:\\]/g, '\\$&')).join(',')] : []),
  ];
  return parts.join(':');
}

/** Parses a header into the name of a custom field, and its definition if the header states a type. */
export function parseFieldHeader(header: string): {
  name: string;
  parts?: NonNullable<ReturnType<typeof parseDefinition>>;
} {
  const parts = parseDefinition(header);
  const isDefinition = parts && !parts.isTooLong && (parts.options === undefined || parts.type === 'select');
  return isDefinition ? { name: stripPrefix(parts.name), parts } : { name: stripPrefix(header) };
}

/** Returns a header without the prefix of custom fields. */
export function stripPrefix(header: string): string {
  return header.startsWith(fieldPrefix) ? header.slice(fieldPrefix.length) : header;
}
