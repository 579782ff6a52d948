import type { ValueReader } from '../../cli/references/field-input.ts';
import { compare, type FieldReader, isSameFieldValue, listMissing } from '../../records/compare.ts';
import type { GetName } from '../../render/collect-references.ts';
import { isSameTyped, readYaml, type TypedMapping, type TypedNode } from '../../render/edit/read-yaml.ts';
import { writeYaml, type YamlMember } from '../../render/edit/write-yaml.ts';
import type { FieldContainer } from '../../values/field-values.ts';
import { findName } from '../../values/names.ts';
import type { EditField } from './edit-nouns.ts';
import {
  describeValues,
  EditError,
  listUnknownNames,
  nameField,
  readTyped,
  restoreLineEnds,
  toYaml,
} from './edit-values.ts';

/** A field with its new value. */
export interface FieldChange {
  readonly field: EditField;
  readonly after: unknown;
}

/** Writes the fields of a record as a YAML document. `describe`: returns the comment above a field. */
export function writeFields(
  header: readonly string[],
  fields: readonly EditField[],
  getName: GetName,
  describe: (field: EditField) => string | undefined = describeValues,
): string {
  const toMember = (field: EditField): YamlMember => ({
    name: field.name,
    value: toYaml(field.value, field, getName),
    comment: describe(field),
  });
  const members = groupFields(fields).flatMap(([container, group]): YamlMember[] =>
    container === undefined
      ? group.map(toMember)
      : [{ name: container, value: { members: group.map(toMember) } }],
  );
  return writeYaml(header, { members });
}

/** Returns the fields of the record itself, and then those of each container. */
function groupFields(fields: readonly EditField[]): [FieldContainer | undefined, readonly EditField[]][] {
  const containers = new Set(fields.map(({ container }) => container));
  return Array.from(containers, (name) => [name, fields.filter(({ container }) => container === name)]);
}

const listLineNames = (fields: readonly EditField[]) => fields.map(({ name }) => name);

/**
 * Returns how an edited document changes the fields, or its errors. A field does not change if its value is the same in
 * the document that was opened (`original`), or if its line was deleted.
 */
export async function readFieldChanges(
  read: ValueReader,
  text: string,
  original: TypedMapping,
  fields: readonly EditField[],
): Promise<{ readonly changes: readonly FieldChange[]; readonly errors: readonly EditError[] }> {
  const { mapping: typedMapping, problems } = readYaml(text);
  const errors = problems.map(({ line, message }) => new EditError(line, message));
  if (errors.length > 0) return { changes: [], errors };
  const changes: FieldChange[] = [];
  const groups = groupFields(fields);
  const topNames = groups.flatMap(([name, group]) => (name === undefined ? listLineNames(group) : [name]));
  const mapping = matchNames(typedMapping, topNames);
  errors.push(...listUnknownNames(mapping, topNames));
  for (const [container, group] of groups) {
    const nodes =
      container === undefined
        ? mapping
        : matchNames(readMembers(mapping.get(container), container, errors), listLineNames(group));
    const originalNodes =
      container === undefined ? original : readMembers(original.get(container), container, []);
    if (container !== undefined) errors.push(...listUnknownNames(nodes, listLineNames(group)));
    for (const field of group) {
      const node = nodes.get(field.name);
      const before = originalNodes.get(field.name);
      if (!node || (before && isSameTyped(before.value, node.value))) continue;
      try {
        const after = restoreLineEnds(await readTyped(read, node, field), field.value);
        checkDefinitions(field, after, node.line);
        if (!isSameFieldValue(field.value, after, field)) changes.push({ field, after });
      } catch (error) {
        errors.push(nameField(error, field.name));
      }
    }
  }
  return { changes, errors: errors.toSorted((left, right) => left.line - right.line) };
}

/** Whether two fields of a record are the same, whatever their values. */
export const isSameField = (left: EditField, right: EditField) =>
  left.key === right.key && left.container === right.container;

const readBase = ({ value }: EditField) => value;

/** Returns the values of a version of a record. */
const readFrom =
  (version: readonly EditField[]): FieldReader<EditField> =>
  (field) =>
    version.find((candidate) => isSameField(candidate, field))?.value;

/** Returns the fields whose values differ in another version of a record, with the values in it. */
export const listDifferences = (before: readonly EditField[], after: readonly EditField[]): FieldChange[] =>
  compare(before, readBase, readBase, readFrom(after)).flatMap(({ field, theirs, state }) =>
    state === 'theirs' ? [{ field, after: theirs }] : [],
  );

/** The changes of a record, and those on the service. */
export interface MergedChanges {
  /** The changes that the service does not have yet, relative to its current values. */
  readonly changes: readonly FieldChange[];
  /** The changes on the service that the record does not have. `after`: the value on the service. */
  readonly serviceChanges: readonly FieldChange[];
  /** The changes to fields that also changed on the service. */
  readonly conflicts: readonly FieldChange[];
}

/** Compares the changes of a record with the changes on the service. `base`: the fields before all changes. */
export function mergeChanges(
  changes: readonly FieldChange[],
  base: readonly EditField[],
  current: readonly EditField[],
): MergedChanges {
  const readMine: FieldReader<EditField> = (field) => {
    const change = changes.find((candidate) => isSameField(candidate.field, field));
    return change ? change.after : field.value;
  };
  const compared = compare(base, readBase, readMine, readFrom(current));
  const select = (...states: readonly string[]) => compared.filter(({ state }) => states.includes(state));
  const toServiceChange = ({ field, theirs }: (typeof compared)[number]) => ({ field, after: theirs });
  return {
    changes: select('mine', 'conflict').map(({ field, mine, theirs }) => ({
      field: { ...field, value: theirs },
      after: mine,
    })),
    serviceChanges: select('theirs', 'conflict').map(toServiceChange),
    conflicts: select('conflict').map(toServiceChange),
  };
}

/** Returns a mapping with the names of the fields as the record has them: case does not matter. */
function matchNames(nodes: TypedMapping, names: readonly string[]): TypedMapping {
  return new Map(
    Array.from(nodes, ([name, node]) => {
      const match = findName(names, name);
      return [match === undefined || nodes.has(match) ? name : match, node];
    }),
  );
}

function readMembers(node: TypedNode | undefined, container: string, errors: EditError[]): TypedMapping {
  if (!node || node.value === null) return new Map();
  if (node.value instanceof Map) return node.value;
  errors.push(new EditError(node.line, `${container}: Put each field on its own line: NAME: VALUE.`));
  return new Map();
}

interface NamedItem {
  readonly name?: unknown;
}

/** @throws {EditError} if a field of a list is missing: the API cannot remove it */
function checkDefinitions({ type, value }: EditField, after: unknown, line: number): void {
  if (type !== 'definition') return;
  const names = listItems(after).map(({ name }) => name);
  const missingItem = listItems(value).find(({ name }) => !names.includes(name));
  if (!missingItem) return;
  throw new EditError(line, `The API cannot remove or rename the field "${missingItem.name}". Put it back.`);
}

const listItems = (value: unknown) => [value ?? []].flat() as readonly NamedItem[]; // as the type of the field says

/** Returns the body of the update, and the values to remove by another request. */
export function buildWrites(changes: readonly FieldChange[]): {
  readonly body: Readonly<Record<string, unknown>>;
  readonly removals: Readonly<Record<string, readonly string[]>>;
} {
  const body: Record<string, unknown> = {};
  const removals: Record<string, readonly string[]> = {};
  for (const { field, after } of changes) {
    const { key, body: bodyName = key, container, type, listUpdate, value } = field;
    if (container !== undefined) {
      const values = (body[container] ?? []) as readonly NamedItem[]; // set in an earlier iteration
      body[container] = [...values, { name: key, value: after }];
    } else if (listUpdate === 'add') {
      const newValues = listMissing(after, value, type);
      if (newValues.length > 0) body[key] = newValues;
      const oldValues = listMissing(value, after, type);
      if (oldValues.length > 0) removals[key] = oldValues;
    } else if (type === 'definition') {
      const storedItems = listItems(value);
      const isStored = (item: NamedItem) =>
        storedItems.some((storedItem) => isSameFieldValue([storedItem], [item], field));
      body[key] = listItems(after).filter((item) => !isStored(item));
    } else body[bodyName] = after;
  }
  return { body, removals };
}
