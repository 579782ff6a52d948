import { Failure, prefixError } from '../../contract/errors.ts';
import { isMultiple, type RecordField } from '../../contract/field-table.ts';
import { isSameValue } from '../../contract/field-types.ts';
import type { ValueMap } from '../../contract/fields.ts';
import type { Received } from '../../contract/received.ts';
import { sanitizeLine } from '../../render/text/sanitize.ts';
import { findDefinedValue } from '../../values/field-values.ts';
import { type JsonObject, readObject } from '../../values/json-object.ts';
import type { Session } from '../command/context.ts';
import type { Body } from '../flags/body.ts';
import {
  type DefiningNoun,
  type FieldAssignment,
  type fieldChangeOptions,
  type NamedValue,
  nounContainers,
  readDefinedFields,
} from '../flags/field-values.ts';
import type { OptionValues } from '../flags/options.ts';
import { isReference } from '../flags/references.ts';
import { tryCall } from '../references/resolve-reference.ts';
import { isCorrectable, readValue } from './field-input.ts';

type FieldChanges = Partial<OptionValues<typeof fieldChangeOptions>>;

/** The record that gets the values. */
export interface ChangedRecord {
  readonly noun: DefiningNoun;
  /** The path parameters. */
  readonly path: JsonObject;
  /** Reads the record; undefined if it is to be created. */
  readonly read?: () => Promise<unknown>;
}

/** The values of a record by the ids of their fields. */
type FieldMap = Received<ValueMap> | null | undefined;

/**
 * Returns the `custom_fields` or `list_fields` to send. The interface can only replace all values of a field, so the
 * record is read first to add or remove one. With --dry-run, prints the values before and after.
 * @throws {Failure} usage, not_found
 */
export async function resolveFieldChanges(
  session: Session,
  { noun, path, read }: ChangedRecord,
  { field = [], addField = [], removeField = [] }: FieldChanges,
): Promise<Body> {
  const container = nounContainers[noun];
  const names = new Set([...addField, ...removeField].map(({ name }) => name));
  const edits = Array.from(names, (name): Edit => {
    const select = (all: typeof addField) =>
      all.filter((assignment) => assignment.name === name).map(({ value }) => value);
    const [added, removed] = [select(addField), select(removeField)];
    return { name, added, removed, flag: added.length > 0 ? addFlag : removeFlag };
  });
  for (const edit of edits) checkContradictions(edit, field);
  const defined = await readDefinedFields(session, noun, path.list_id);
  const replaced = await parseFieldValues(session, field, defined);
  const changes = edits.map((edit) => {
    const changedField = findDefined(edit.name, defined, edit.flag);
    if (isMultiple(changedField) === false) throw createSingleValueFailure(edit.name, edit.flag);
    return [edit, changedField] as const;
  });
  if (!read || (edits.length === 0 && !session.globals.dryRun)) return { [container]: replaced };
  const current = readObject(await read())[container] as FieldMap; // the client has checked the record
  const missing: string[] = [];
  const changed: NamedValue[] = [];
  for (const [edit, changedField] of changes)
    changed.push(await applyEdit(session, edit, changedField, current, missing));
  for (const text of missing) await session.note(sanitizeLine(text));
  const all = [...replaced, ...changed];
  if (session.globals.dryRun) await showChanges(session, all, current);
  return { [container]: all };
}

const setFlag = '--field';
const addFlag = '--add-field';
const removeFlag = '--remove-field';

interface Edit {
  readonly name: string;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** The flag to name in a failure. */
  readonly flag: string;
}

function checkContradictions({ name, added, removed, flag }: Edit, set: readonly FieldAssignment[]): void {
  if (set.some((assignment) => assignment.name === name)) {
    throw new Failure('usage', `--field and ${flag} both change "${name}".`, {
      hint: '--field replaces all values. Omit it, or pass every value with it.',
    });
  }
  const both = added.find((value) => removed.includes(value));
  if (both !== undefined) throw new Failure('usage', `"${name}=${both}" is both added and removed.`);
}

function createSingleValueFailure(name: string, flag: string): Failure {
  const hint = {
    [addFlag]: `To set it: --field "${name}=VALUE"`,
    [removeFlag]: `To clear it: --field "${name}="`,
  }[flag];
  return new Failure('usage', `${flag} "${name}": Only one value is allowed.`, { hint });
}

/** Parses the values of fields by their types, and resolves references to contacts. @throws {Failure} usage, not_found */
async function parseFieldValues(
  session: Session,
  assignments: readonly FieldAssignment[],
  defined: readonly RecordField[],
): Promise<NamedValue[]> {
  const names = new Set(assignments.map(({ name }) => name));
  const fields = Array.from(names, (name) => findDefined(name, defined, setFlag));
  const values: NamedValue[] = [];
  for (const field of fields) {
    const name = field.key;
    const texts = assignments.filter((assignment) => assignment.name === name).map(({ value }) => value);
    if (texts.length > 1 && texts.includes(undefined))
      throw new Failure('usage', `${setFlag}: "${name}=" clears the field; omit its other values.`);
    if (texts.length > 1 && isMultiple(field) === false) throw createSingleValueFailure(name, setFlag);
    const items: unknown[] = [];
    // One after the other: a terminal shows one prompt at a time.
    for (const text of texts)
      if (text !== undefined) items.push(await readFlagValue(session, text, field, setFlag));
    // The definition may not say whether the field accepts several values (specification, 2.1).
    const isSingle = items.length === 1 && !isMultiple(field);
    values.push({ name, value: items.length === 0 ? null : isSingle ? items[0] : items });
  }
  return values;
}

/** Finds a custom field or list field by its name; the error names `flag`. @throws {Failure} usage */
function findDefined(name: string, fields: readonly RecordField[], flag: string): RecordField {
  const field = fields.find(({ key }) => key === name);
  if (field) return field;
  const names = fields.map(({ key }) => key).join(', ');
  throw new Failure('usage', `${flag}: unknown field "${name}".`, {
    hint: names === '' ? 'Create it with: kith custom-fields create' : `Available fields: ${names}.`,
  });
}

/** Reads a value as `readValue`; the error names the flag and the field. */
async function readFlagValue(
  session: Session,
  text: string,
  field: RecordField,
  flag: string,
): Promise<unknown> {
  try {
    return await readValue(session, text, field);
  } catch (error) {
    throw isCorrectable(error) ? prefixError(`${flag} "${field.key}"`, error) : error;
  }
}

/** Reads a value to remove. A record may still have an option or a contact that no longer exists. */
async function readRemovedValue(session: Session, text: string, field: RecordField): Promise<unknown> {
  if (field.type !== 'number' && !isReference(field.type)) return text;
  const result = await tryCall(() => readFlagValue(session, text, field, removeFlag));
  return 'value' in result ? result.value : text;
}

/** Returns the values of a field after an edit, null if none remain; `missing` gets a note for each value not found. */
async function applyEdit(
  session: Session,
  edit: Edit,
  field: RecordField,
  map: FieldMap,
  missing: string[],
): Promise<NamedValue> {
  const { name, added, removed } = edit;
  const isEqual = (left: unknown, right: unknown) => isSameValue(left, right, field.type);
  let values = readCurrentValues(edit, field, map);
  for (const text of removed) {
    const value = await readRemovedValue(session, text, field);
    const remaining = values.filter((stored) => !isEqual(stored, value));
    if (remaining.length === values.length) missing.push(`"${name}" does not have the value "${text}".`);
    values = remaining;
  }
  for (const text of added) {
    const value = await readFlagValue(session, text, field, addFlag);
    if (!values.some((stored) => isEqual(stored, value))) values = [...values, value];
  }
  return { name, value: values.length > 0 ? values : null };
}

/** Returns a record's values of a field. @throws {Failure} if it has one value, or none or objects are returned */
function readCurrentValues({ name, flag }: Edit, field: RecordField, map: FieldMap): readonly unknown[] {
  const unreadable = (problem: string) =>
    new Failure('failed', `${flag}: ${problem}`, {
      hint: `Pass all values of the field: --field "${name}=VALUE"`,
    });
  if (!map) throw unreadable('the service does not return the current values of the record.');
  const value = findDefinedValue(map, name);
  if (value === null) return [];
  // A value to remove would never equal an object, and the service may not accept the objects that it sends.
  if ([value].flat().some((item) => typeof item === 'object'))
    throw unreadable(`the service shows values of "${name}" as objects, which kith cannot compare.`);
  if (Array.isArray(value)) return value;
  // The definition may not say whether the field accepts several values (specification, 2.1).
  if (isMultiple(field) === undefined) throw createSingleValueFailure(name, flag);
  return [value];
}

async function showChanges(session: Session, values: readonly NamedValue[], map: FieldMap): Promise<void> {
  const format = (value: unknown) => (value === null ? '(none)' : JSON.stringify(value));
  for (const { name, value } of values) {
    const [before, after] = [format(findDefinedValue(map, name)), format(value)];
    const change = before === after ? '(unchanged)' : `-> ${after}`;
    await session.note(sanitizeLine(`${name}: ${before} ${change}`));
  }
}
