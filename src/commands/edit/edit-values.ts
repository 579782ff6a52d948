import { buildFieldDefinition } from '../../cli/flags/definitions.ts';
import { isReference } from '../../cli/flags/references.ts';
import { describeProblem, describeValue, type ValueReader } from '../../cli/references/field-input.ts';
import { isMultiple, type RecordField } from '../../contract/field-table.ts';
import { dataTypes, type FieldType, readDataType, type TypedField } from '../../contract/field-types.ts';
import { statusTypes } from '../../contract/record-fields.ts';
import { formatCell } from '../../render/cells.ts';
import type { GetName } from '../../render/collect-references.ts';
import type { TypedMapping, TypedNode } from '../../render/edit/read-yaml.ts';
import type { YamlValue } from '../../render/edit/write-yaml.ts';
import { isEmpty, readTexts } from '../../values/field-values.ts';
import { type JsonObject, readObject } from '../../values/json-object.ts';
import { formatCents } from '../../values/money.ts';
import { describeUnknownField } from '../../values/names.ts';

/** An error in an edited document, and its line. */
export class EditError extends Error {
  override readonly name = 'EditError';
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/** A type whose values are objects: the statuses and the fields of a list. */
interface Structure {
  /** Describes the values for a comment. */
  readonly description: string;
  readonly members: readonly RecordField[];
}

const structures = {
  status: {
    description: `statuses, each with a name and a type: ${statusTypes.join(', ')}`,
    members: [
      { key: 'name', type: 'text' },
      { key: 'type', type: 'select', options: statusTypes },
    ],
  },
  definition: {
    description: `To add a field, add its name and data_type: ${dataTypes.join(', ')}. Fields cannot be removed or renamed.`,
    members: [
      { key: 'name', type: 'text' },
      { key: 'data_type', type: 'select', options: dataTypes, clear: null },
      { key: 'accepts_multiple_values', type: 'boolean', clear: null },
      { key: 'options', type: 'text', listUpdate: 'replace', clear: [] },
    ],
  },
} as const satisfies Readonly<Record<string, Structure>>;

type StructureType = keyof typeof structures;

const isStructure = (type: FieldType): type is StructureType => Object.hasOwn(structures, type);

/** Describes a field's valid values for a comment; undefined as in `describeValue`. */
export function describeValues(field: RecordField): string | undefined {
  const { type, container } = field;
  if (isStructure(type)) return structures[type].description;
  const description = describeValue(field);
  if (container === undefined || !isMultiple(field)) return description;
  return description === undefined ? 'several values' : `several values, each ${description}`;
}

/** Returns the value of a field as YAML, with the names of references as comments. */
export function toYaml(value: unknown, field: RecordField, getName: GetName): YamlValue {
  const { type } = field;
  if (Array.isArray(value)) return value.map((item) => toYaml(item, { type, key: field.key }, getName));
  if (value === null || value === undefined) return isMultiple(field) ? [] : { value: null };
  if (isStructure(type)) return toMembers(readObject(value), structures[type], getName);
  if (isReference(type)) {
    const id = formatCell(value, ', ');
    const name = getName(type, id);
    return { value: id, comment: name === id ? undefined : name };
  }
  if (type === 'money') {
    const text = String(formatCents(value));
    return Number(text).toFixed(2) === text ? { value: Number(text), decimals: 2 } : { value: text };
  }
  if (typeof value === 'number' || typeof value === 'boolean') return { value };
  const text = formatCell(value, ', ');
  return { value: hasCrlf(text) ? text.replaceAll('\r\n', '\n') : text, isBlock: type === 'textarea' };
}

/** Whether all line endings of a text are CRLF. The editor shows them as line feeds. */
const hasCrlf = (text: unknown) => typeof text === 'string' && /^([^\r\n]*\r\n)+[^\r\n]*$/.test(text);

/** Gives an edited text the line endings of the earlier one. */
export const restoreLineEnds = (value: unknown, before: unknown) =>
  typeof value === 'string' && hasCrlf(before) ? value.replace(/\r?\n/g, '\r\n') : value;

/** Formats a value for a person; undefined if it is empty. */
export function formatEditValue(value: unknown, type: FieldType, getName: GetName): string | undefined {
  if (isEmpty(value)) return undefined;
  if (Array.isArray(value)) return value.map((item) => formatEditValue(item, type, getName) ?? '').join(', ');
  if (type === 'money') return String(formatCents(value));
  const text = formatCell(value, ', ');
  if (isReference(type)) {
    const name = getName(type, text);
    return name === text ? text : `${text} (${name})`;
  }
  if (!isStructure(type)) return text;
  const item = readObject(value);
  const details = [
    item.type ?? item.data_type,
    item.accepts_multiple_values === true && 'several values',
    item.data_type === 'select' && formatCell(item.options, ', '),
  ];
  return `${item.name} (${details.filter(Boolean).join(': ')})`;
}

function toMembers(item: JsonObject, { members }: Structure, getName: GetName): YamlValue {
  const visibleMembers = members.filter(({ key }) => key !== 'options' || item.data_type === 'select');
  return {
    members: visibleMembers.map((member) => ({
      name: member.key,
      value: toYaml(item[member.key], member, getName),
    })),
  };
}

/** Reads a typed value of a field. @throws {EditError} if it is not valid */
export async function readTyped(
  read: ValueReader,
  node: TypedNode,
  field: TypedField & RecordField,
): Promise<unknown> {
  const { value, line } = node;
  const isBlank = isEmpty(value) || (typeof value === 'string' && value.trim() === '');
  if (isBlank && field.clear === undefined) {
    const description = describeValue(field);
    throw new EditError(line, `A value is required${description === undefined ? '' : `: ${description}`}.`);
  }
  if (isEmpty(value)) return field.clear;
  if (!isList(value)) {
    const item = await readItem(read, node, field);
    return isMultiple(field) ? [item] : item;
  }
  if (isMultiple(field) === false) throw new EditError(line, 'Only one value is allowed.');
  const items: unknown[] = [];
  // One after the other: a terminal shows one prompt at a time.
  for (const item of value) if (!isEmpty(item.value)) items.push(await readItem(read, item, field));
  return items;
}

const isList = (value: unknown): value is readonly TypedNode[] => Array.isArray(value);

async function readItem(read: ValueReader, node: TypedNode, field: TypedField): Promise<unknown> {
  const { line, value } = node;
  const { type } = field;
  try {
    if (isStructure(type)) return await readStructure(read, node, type);
    if (typeof value === 'string') return await read(value, field);
  } catch (error) {
    throw error instanceof EditError ? error : new EditError(line, describeProblem(error));
  }
  throw new EditError(line, 'Expected text, not a list or a mapping.');
}

/** Reads a status or the definition of a field. @throws {EditError} @throws {Failure} usage */
async function readStructure(
  read: ValueReader,
  { line, value }: TypedNode,
  type: StructureType,
): Promise<JsonObject> {
  const members: readonly RecordField[] = structures[type].members;
  const names = members.map(({ key }) => key);
  if (!(value instanceof Map))
    throw new EditError(line, `Each item requires ${names.slice(0, 2).join(' and ')}.`);
  const nodes: TypedMapping = value;
  const [unknownName] = listUnknownNames(nodes, names);
  if (unknownName) throw unknownName;
  const item: Record<string, unknown> = {};
  for (const member of members) {
    const node = nodes.get(member.key) ?? { line, value: null };
    try {
      item[member.key] = await readTyped(read, node, member);
    } catch (error) {
      throw nameField(error, member.key);
    }
  }
  return type === 'status' ? item : completeDefinition(item);
}

/** Returns the definition of a field with its defaults. @throws {Failure} usage if its members contradict each other */
function completeDefinition({ name, data_type, accepts_multiple_values, options }: JsonObject): JsonObject {
  const multiple = accepts_multiple_values === true;
  const texts = readTexts(options);
  const definition = buildFieldDefinition({
    name: String(name),
    type: readDataType(data_type),
    multiple,
    options: texts.length > 0 ? texts : undefined,
  });
  return { ...definition, accepts_multiple_values: multiple };
}

/** Puts the name of a field before an error in a document. @throws any other error */
export function nameField(error: unknown, name: string): EditError {
  if (!(error instanceof EditError)) throw error;
  return new EditError(error.line, `${name}: ${error.message}`);
}

/** Returns an error for each unknown name, with the closest one. */
export function listUnknownNames(nodes: TypedMapping, names: readonly string[]): EditError[] {
  return Array.from(nodes).flatMap(([name, { line }]) => {
    if (names.includes(name)) return [];
    return [new EditError(line, describeUnknownField(name, names))];
  });
}
