import { isEmpty, isFieldContainer, normalizeTexts } from '../values/field-values.ts';
import { isObject, readObject } from '../values/json-object.ts';
import {
  findRawMember,
  joinElements,
  joinMembers,
  listRawElements,
  listRawMembers,
  type RawJson,
  toRawJson,
} from '../values/raw-json.ts';
import { removeEscapes, splitUnescaped } from './cells.ts';
import type { Column } from './columns.ts';

/** The path to a value within a record: names of fields, or indexes of an array. */
export type Path = readonly string[];

/** Parses paths such as `id,emails.0,custom_fields.Industry`. A backslash escapes a comma or dot in a name. */
export function parsePaths(text: string): Path[] {
  return splitUnescaped(text, ',').map((path) => splitUnescaped(path, '.').map(removeEscapes));
}

const missingValue = toRawJson(null);

/** Returns only the values at the paths, in their order and as received; null for a missing value. */
export function selectFields(json: RawJson, paths: readonly Path[]): RawJson {
  if (paths.some((path) => path.length === 0)) return json;
  const names = [...new Set(paths.map(([name]) => name ?? ''))];
  const listRestPaths = (name: string) =>
    paths.filter(([first]) => first === name).map(([, ...restPath]) => restPath);
  const { value } = json;
  if (Array.isArray(value)) {
    const elements = listRawElements(json);
    const indexes = names.filter(isIndex);
    const selectedElements = indexes.map((index) =>
      selectFields(elements[Number(index)] ?? missingValue, listRestPaths(index)),
    );
    const parts =
      indexes.length > 0 ? selectedElements : elements.map((element) => selectFields(element, paths));
    return joinElements(parts);
  }
  if (!isObject(value)) return missingValue;
  return joinMembers(
    names.map((name) => [name, selectFields(findMember(json, name) ?? missingValue, listRestPaths(name))]),
  );
}

function findMember(json: RawJson, name: string): RawJson | undefined {
  const ownMember = findRawMember(json, name);
  if (ownMember) return ownMember;
  const field = listRawMembers(json).find(([, { value }]) => isFieldNamed(name, value))?.[1];
  return field && findRawMember(field, 'value');
}

/** Replaces custom fields and list fields in a JSON value with their values by name: `{"Rooms": 5}`. Omits empty values. */
export function compactFields(json: RawJson): RawJson {
  const { text, value } = json;
  if (!/"(?:custom|list)_fields"/.test(text)) return json;
  if (Array.isArray(value)) return joinElements(listRawElements(json).map(compactFields));
  if (!isObject(value)) return json;
  const members = listRawMembers(json).map(([name, member]): [string, RawJson] => {
    const isContainer = isFieldContainer(name) && isObject(member.value);
    return [
      name,
      isContainer ? joinMembers(listRawMembers(member).flatMap(toValueByName)) : compactFields(member),
    ];
  });
  return joinMembers(members);
}

function toValueByName([id, field]: [id: string, field: RawJson]): [name: string, value: RawJson][] {
  const { name } = readObject(field.value);
  const value = findRawMember(field, 'value');
  if (!value) return [[id, field]];
  return isEmpty(value.value) ? [] : [[typeof name === 'string' ? name : id, value]];
}

/** Returns a record without empty values, such as null and `{"name": null}`. */
export const omitEmptyValues = (record: RawJson): RawJson =>
  joinMembers(listRawMembers(record).filter(([, { value }]) => !isBlank(value)));

const isBlank = (value: unknown) =>
  isEmpty(value) || (isObject(value) && Object.values(value).every(isEmpty));

/** Creates a column for a path. */
export function createPathColumn(path: Path): Column {
  return { name: path.join('.'), cell: (record) => normalizeTexts(path[0], readPath(record, path)) };
}

/** Returns the value at a path; undefined if there is none. */
export function readPath(value: unknown, path: Path): unknown {
  const [name, ...restPath] = path;
  if (name === undefined) return value;
  if (Array.isArray(value)) {
    return isIndex(name)
      ? readPath(value[Number(name)], restPath)
      : value.map((item) => readPath(item, path));
  }
  const fields = readObject(value);
  if (Object.hasOwn(fields, name)) return readPath(fields[name], restPath);
  const field = Object.values(fields).find((candidate) => isFieldNamed(name, candidate));
  return field === undefined ? undefined : readPath(readObject(field).value, restPath);
}

/** Whether a value is the custom field or list field with a name. Records contain these fields by id. */
function isFieldNamed(name: string, value: unknown): boolean {
  const field = readObject(value);
  return field.name === name && 'value' in field;
}

/** Whether a part of a path is the index of an array. */
export const isIndex = (name: string) => /^\d+$/.test(name);
