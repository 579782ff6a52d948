import { Failure } from '../../contract/errors.ts';
import { isMultiple, type RecordField } from '../../contract/field-table.ts';
import { dataTypes, type FieldType, parseValue } from '../../contract/field-types.ts';
import { statusTypes } from '../../contract/record-fields.ts';
import { formatCell } from '../../render/cells.ts';
import type { GetName } from '../../render/collect-references.ts';
import type { TypedMapping, TypedNode } from '../../render/edit/read-yaml.ts';
import type { YamlMember, YamlValue } from '../../render/edit/write-yaml.ts';
import { readObject } from '../../values/json-object.ts';
import { formatCents } from '../../values/money.ts';
import { createClosestNames, foldName } from '../../values/names.ts';
import type { Session } from '../command/context.ts';
import { buildFieldDefinition } from '../flags/definitions.ts';
import { describeProblem, isEmpty, isReference } from '../prompts/field-input.ts';
import { resolveReference } from '../references/resolve-reference.ts';
import type { EditField } from './edit-nouns.ts';

/** An error in an edited document. */
export class EditError extends Error {
  override readonly name = 'EditError';
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/** The members of the items of a list's statuses and fields. */
const memberNames = {
  status: ['name', 'type'],
  definition: ['name', 'data_type', 'accepts_multiple_values', 'options'],
} as const;

const isStructure = (name: string): name is keyof typeof memberNames => Object.hasOwn(memberNames, name);

/** Returns the value of a field as YAML, with the names of references as comments. */
export function toYaml(value: unknown, field: RecordField, getName: GetName): YamlValue {
  const { type } = field;
  if (Array.isArray(value)) return value.map((item) => toYaml(item, { type, key: field.key }, getName));
  if (value === null || value === undefined) return isMultiple(field) ? [] : { value: null };
  if (isStructure(type)) return toMembers(readObject(value), memberNames[type]);
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

/** Whether all line ends of a text are CRLF. The editor shows them as line feeds. */
const hasCrlf = (text: unknown) => typeof text === 'string' && /^([^\r\n]*\r\n)+[^\r\n]*$/.test(text);

/** Gives an edited text the line ends of the earlier one. */
export const restoreLineEnds = (value: unknown, before: unknown) =>
  typeof value === 'string' && hasCrlf(before) ? value.replace(/\r?\n/g, '\r\n') : value;

/** Formats a value for a person; undefined if there is none. */
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

function toMembers(item: Readonly<Record<string, unknown>>, names: readonly string[]): YamlValue {
  const members = names.flatMap((name): YamlMember[] => {
    const value = item[name];
    if (name === 'options' && item.data_type !== 'select') return [];
    if (Array.isArray(value)) return [{ name, value: value.map((one) => ({ value: String(one) })) }];
    return [{ name, value: { value: typeof value === 'boolean' ? value : String(value ?? '') } }];
  });
  return { members };
}

/** Reads a typed value of a field. References are resolved to ids. @throws {EditError} if it is not valid */
export async function readTyped(session: Session, node: TypedNode, field: EditField): Promise<unknown> {
  const { value, line } = node;
  if (isEmpty(value)) {
    if (field.clear === undefined) throw new EditError(line, 'A value is required.');
    return field.clear;
  }
  if (!isList(value)) {
    const item = await readItem(session, node, field);
    return isMultiple(field) ? [item] : item;
  }
  if (isMultiple(field) === false) throw new EditError(line, 'Only one value is allowed.');
  const items: unknown[] = [];
  // One after the other: a terminal shows one prompt at a time.
  for (const item of value) if (!isEmpty(item.value)) items.push(await readItem(session, item, field));
  return items;
}

const isList = (value: unknown): value is readonly TypedNode[] => Array.isArray(value);

async function readItem(session: Session, { line, value }: TypedNode, field: EditField): Promise<unknown> {
  const { type } = field;
  if (isStructure(type)) {
    if (value instanceof Map) return readStructure(value, line, type);
    throw new EditError(line, `Each item requires ${memberNames[type].slice(0, 2).join(' and ')}.`);
  }
  if (typeof value !== 'string') throw new EditError(line, 'Expected text, not a list or a mapping.');
  if (isReference(type)) {
    try {
      return await resolveReference(session, type, value);
    } catch (error) {
      if (!(error instanceof Failure) || !/^(not_found|usage)$/.test(error.code)) throw error;
      const { hint = '' } = error.detail;
      const advice = hint.startsWith('kith ') ? `See \`${hint}\`.` : hint;
      throw new EditError(line, `${error.message} ${advice}`.trim());
    }
  }
  const parsed = parseValue(value, field);
  if ('value' in parsed) return parsed.value;
  throw new EditError(line, describeProblem(value, parsed.expected));
}

function readStructure(members: TypedMapping, line: number, kind: keyof typeof memberNames): unknown {
  const [unknown] = listUnknownNames(members, memberNames[kind]);
  if (unknown) throw unknown;
  const read = (name: string) => {
    const value = members.get(name)?.value ?? null;
    return typeof value === 'string' && value.trim() !== '' ? value : undefined;
  };
  const choose = <T extends string>(name: string, choices: readonly T[]): T | undefined => {
    const typed = read(name);
    const value = choices.find((choice) => choice === typed);
    if (typed === undefined || value !== undefined) return value;
    throw new EditError(
      members.get(name)?.line ?? line,
      `${name}: "${typed}" is not one of ${choices.join(', ')}.`,
    );
  };
  const name = read('name');
  if (name === undefined) throw new EditError(line, 'The name is missing.');
  if (kind === 'status') {
    const type = choose('type', statusTypes);
    if (type === undefined)
      throw new EditError(line, `"${name}" requires a type: ${statusTypes.join(', ')}.`);
    return { name, type };
  }
  const data_type = choose('data_type', dataTypes) ?? 'text';
  const isMultiple = choose('accepts_multiple_values', ['true', 'false']) === 'true';
  const options = readTexts(members.get('options'));
  try {
    const definition = buildFieldDefinition({
      name,
      type: data_type,
      multiple: isMultiple,
      options: options.length > 0 ? options : undefined,
    });
    return { ...definition, accepts_multiple_values: isMultiple };
  } catch (error) {
    throw error instanceof Failure ? new EditError(line, error.message) : error;
  }
}

function readTexts(node: TypedNode | undefined): string[] {
  const { value } = node ?? { value: null };
  const items = isList(value) ? value.map((item) => item.value) : [value];
  return items.flatMap((item) => (typeof item === 'string' && item !== '' ? [item] : []));
}

/** Returns an error for each unknown name, with the closest one. */
export function listUnknownNames(typed: TypedMapping, names: readonly string[]): EditError[] {
  return Array.from(typed).flatMap(([name, { line }]) => {
    if (names.includes(name)) return [];
    const closest = createClosestNames<string>(name);
    for (const one of names) closest.add([foldName(one)], one);
    const [guess] = closest.list();
    const advice =
      guess === undefined ? `Available fields: ${names.join(', ')}.` : `Did you mean "${guess}"?`;
    return [new EditError(line, `Unknown field "${name}". ${advice}`)];
  });
}
