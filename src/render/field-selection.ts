import { readDataType } from '../contract/field-types.ts';
import { fieldContainers, isFieldContainer, listDefinedValues } from '../values/field-values.ts';
import { isObject, type JsonObject, readObject } from '../values/json-object.ts';
import { type Column, describeType } from './columns.ts';
import { formatTitle } from './display.ts';
import { createPathColumn, isIndex, type Path, readPath } from './select.ts';

/** The column of a table, CSV or TSV that --fields selects, and its paths in JSON. */
export interface SelectedField {
  readonly column: Column;
  readonly paths: readonly Path[];
}

/** The known fields of records. */
export interface KnownFields {
  /** The columns of the view. */
  readonly columns: readonly Column[];
  readonly records: readonly JsonObject[];
  /** The fields of the record in the contract. */
  readonly fields: readonly string[];
  /** The names of custom fields that the records may lack; undefined if any name may be one. */
  readonly customFields: readonly string[] | undefined;
}

/**
 * Resolves a selected field: the path of a value, or the header of a column or the name of a custom field in any case.
 * Undefined if no record can have it.
 */
export function resolveField(path: Path, knownFields: KnownFields): SelectedField | undefined {
  const name = path.join('.');
  const key = toKey(name);
  const { columns, records, fields } = knownFields;
  const exact = columns.find((column) => column.name === name);
  if (exact)
    return selectColumn(exact, knownFields, toKey(formatTitle(exact)) === key && exact.place !== 'details');
  const [first = ''] = path;
  if (fields.includes(first) || records.some((record) => Object.hasOwn(record, first)))
    return isPossible(path, knownFields) ? selectPath(path) : undefined;
  const titledColumn = columns.find((column) =>
    [formatTitle(column), column.name, ...(column.aliases ?? [])].map(toKey).includes(key),
  );
  if (titledColumn) return selectColumn(titledColumn, knownFields, true);
  const custom = listKnownCustomFields(knownFields).find((field) => toKey(field.name) === key);
  if (custom) return selectCustomField(custom);
  const isAny = knownFields.customFields === undefined && records.length === 0;
  return isAny ? selectPath(path) : undefined;
}

/** Returns the names of all fields that --fields accepts. */
export function listAvailableFields(knownFields: KnownFields): readonly string[] {
  const names = [
    ...knownFields.columns.filter(({ place }) => place !== 'data').map(formatTitle),
    ...knownFields.records.slice(0, 1).flatMap((record) => Object.keys(record)),
    ...knownFields.fields,
    ...listKnownCustomFields(knownFields).map(({ name }) => name),
  ];
  return [...new Set(names)];
}

/** `ONE TIME`, `one-time` and `one_time` are the same header. */
const toKey = (text: string) => text.toLowerCase().replace(/[\s_-]+/g, ' ');

/** Selects the value at a path. */
export const selectPath = (path: Path): SelectedField => ({ column: createPathColumn(path), paths: [path] });

/** `isHeader`: as in the table, with all values; otherwise as in CSV. */
function selectColumn(column: Column, knownFields: KnownFields, isHeader: boolean): SelectedField {
  const { name, cell, fields = [name] } = column;
  const custom = knownFields.records.some((record) => Object.hasOwn(record, name))
    ? undefined
    : listKnownCustomFields(knownFields).find((field) => field.name === name);
  const paths = custom ? [[custom.container, name]] : fields.map((field) => [field]);
  const { place: _, maxItems: __, ...visibleColumn } = column;
  // `organization_id` has ids, unlike the column `organization`.
  const plainColumn = { name, title: name.replaceAll('_', ' '), cell };
  return { column: isHeader ? visibleColumn : plainColumn, paths };
}

interface CustomField {
  readonly container: string;
  readonly name: string;
  readonly dataType: unknown;
}

function selectCustomField({ container, name, dataType }: CustomField): SelectedField {
  const path = [container, name];
  const column: Column = {
    name: path.join('.'),
    title: name,
    cell: (record) => readPath(record, path),
    ...describeType(readDataType(dataType)),
  };
  return { column, paths: [path] };
}

/** Lists the custom fields that a record has, and those that are defined. */
function listKnownCustomFields({ records, fields, customFields = [] }: KnownFields): readonly CustomField[] {
  const recordFields = records.flatMap((record) =>
    fieldContainers.flatMap((container) =>
      listDefinedValues(record[container]).map((field) => ({ container, ...field })),
    ),
  );
  const container = fields.includes('list_fields') ? 'list_fields' : 'custom_fields';
  return [...recordFields, ...customFields.map((name) => ({ container, name, dataType: undefined }))];
}

/** Whether a record may have a value at a path whose first field is known. */
function isPossible(path: Path, { records, customFields }: KnownFields): boolean {
  const [first = '', second = ''] = path;
  const owners = records.filter((record) => Object.hasOwn(record, first));
  const isCustom = isFieldContainer(first) && path.length > 1;
  if (isCustom && (customFields ?? [second]).includes(second)) return true;
  return owners.some((record) => mayHave(record, path)) || (owners.length === 0 && !isCustom);
}

/** Whether there may be a value at a path: no object along the path lacks the next member. */
function mayHave(value: unknown, [name, ...restPath]: Path): boolean {
  if (name === undefined || value === null || value === undefined) return true;
  if (Array.isArray(value)) {
    if (isIndex(name)) return mayHave(value[Number(name)], restPath);
    return value.length === 0 || value.some((item) => mayHave(item, [name, ...restPath]));
  }
  if (!isObject(value)) return false;
  if (Object.hasOwn(value, name)) return mayHave(value[name], restPath);
  const field = Object.values(value).find((item) => readObject(item).name === name);
  return field !== undefined && mayHave(readObject(field).value, restPath);
}
