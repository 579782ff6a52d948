import { normalizeTexts } from '../values/field-values.ts';
import { type RawJson, rawElements, rawMember, rawMembers, toRawJson } from '../values/raw-json.ts';
import type { Column } from './columns.ts';
import { removeEscapes, splitUnescaped } from './escapes.ts';
import { fieldsOf } from './fields.ts';

/** The way to a value within a record: names of fields, or places in an array. */
export type Path = readonly string[];

/** `id,emails.0,custom_fields.Industry` -> paths. A backslash stands before a comma or dot that is part of a name. */
export function parsePaths(text: string): Path[] {
  return splitUnescaped(text, ',').map((path) => splitUnescaped(path, '.').map(removeEscapes));
}

/**
 * A record with nothing but what the paths lead to, in their order, each value as it was sent; null where there is
 * none.
 */
export function selectFields(sent: RawJson, paths: readonly Path[]): RawJson {
  if (paths.some((path) => path.length === 0)) return sent;
  const heads = [...new Set(paths.map(([head]) => head ?? ''))];
  const tailsOf = (head: string) => paths.filter(([first]) => first === head).map(([, ...tail]) => tail);
  if (Array.isArray(sent.value)) {
    const places = heads.filter(isPlace);
    const elements = rawElements(sent);
    const parts =
      places.length > 0
        ? places.map((head) => selectFields(elements[Number(head)] ?? toRawJson(null), tailsOf(head)))
        : elements.map((element) => selectFields(element, paths));
    return { value: undefined, text: `[${parts.map(({ text }) => text).join(',')}]` };
  }
  if (typeof sent.value !== 'object' || sent.value === null) return toRawJson(null);
  const members = heads.map(
    (head) =>
      `${JSON.stringify(head)}:${selectFields(member(sent, head) ?? toRawJson(null), tailsOf(head)).text}`,
  );
  return { value: undefined, text: `{${members.join(',')}}` };
}

function member(sent: RawJson, name: string): RawJson | undefined {
  const own = rawMember(sent, name);
  if (own) return own;
  const held = rawMembers(sent).find(([, { value }]) => isFieldNamed(name, value))?.[1];
  return held && rawMember(held, 'value');
}

/** Columns that show what the paths lead to. */
export function createPathColumns(paths: readonly Path[]): Column[] {
  return paths.map((path) => ({
    name: path.join('.'),
    cell: (record) => normalizeTexts(path[0], readPath(record, path)),
  }));
}

/** What a path leads to in a value; undefined where there is nothing. */
export function readPath(value: unknown, path: Path): unknown {
  const [head, ...tail] = path;
  if (head === undefined) return value;
  if (Array.isArray(value)) {
    return isPlace(head) ? readPath(value[Number(head)], tail) : value.map((item) => readPath(item, path));
  }
  const fields = fieldsOf(value);
  if (Object.hasOwn(fields, head)) return readPath(fields[head], tail);
  const held = Object.values(fields).find((field) => isFieldNamed(head, field));
  return held === undefined ? undefined : readPath(fieldsOf(held).value, tail);
}

/** A custom field or list field stands under its id; people know it by its name. */
function isFieldNamed(name: string, value: unknown): boolean {
  const field = fieldsOf(value);
  return field.name === name && 'value' in field;
}

const isPlace = (head: string) => /^\d+$/.test(head);
