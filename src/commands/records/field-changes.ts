import type { Session } from '../../cli/command/context.ts';
import type { OptionValues } from '../../cli/command/options.ts';
import type { Body } from '../../cli/flags/body.ts';
import {
  type FieldAssignment,
  type fieldChangeOptions,
  type NamedValue,
  nounContainers,
  readDefinedFields,
} from '../../cli/flags/field-values.ts';
import { isReference } from '../../cli/flags/references.ts';
import { createValueReader, isCorrectable } from '../../cli/references/field-input.ts';
import { tryCall } from '../../cli/references/resolve-reference.ts';
import { addErrorPrefix, Failure } from '../../contract/errors.ts';
import { isMultiple, type RecordField } from '../../contract/field-table.ts';
import { isSameValue } from '../../contract/field-types.ts';
import type { ValueMap } from '../../contract/fields.ts';
import type { Received } from '../../contract/received.ts';
import { sanitizeLine } from '../../render/text/sanitize.ts';
import { findDefinedValue } from '../../values/field-values.ts';
import { type JsonObject, readObject } from '../../values/json-object.ts';
import { findName, findNamed } from '../../values/names.ts';

export interface ChangedRecord {
  readonly noun: keyof typeof nounContainers;
  /** The path parameters. */
  readonly path: JsonObject;
  /** Reads the record; undefined for a new record. */
  readonly read?: () => Promise<unknown>;
}

/** The values of a record by the ids of their fields. */
type FieldMap = Received<ValueMap> | null | undefined;

/**
 * Returns the `custom_fields` or `list_fields` to send. The API can only replace all values of a field, so the
 * record is read first to add or remove one. With --dry-run, prints the values before and after.
 * @throws {Failure} usage, not_found
 */
export async function resolveFieldChanges(
  session: Session,
  { noun, path, read }: ChangedRecord,
  flags: Partial<OptionValues<typeof fieldChangeOptions>>,
): Promise<Body> {
  const container = nounContainers[noun];
  const fields = await readDefinedFields(session, noun, path.list_id);
  const matchNames = <A extends FieldAssignment>(assignments: readonly A[] = [], flag: string) =>
    assignments.map((assignment) => ({
      ...assignment,
      name: findDefined(assignment.name, fields, flag).key,
    }));
  const field = matchNames(flags.field, setFlag);
  const edits = collectEdits(matchNames(flags.addField, addFlag), matchNames(flags.removeField, removeFlag));
  for (const edit of edits) checkContradictions(edit, field);
  const newValues = await readFieldValues(session, field, fields);
  const changes = edits.map((edit) => {
    const changedField = findDefined(edit.name, fields, edit.flag);
    if (isMultiple(changedField) === false) throw createSingleValueFailure(edit.name, edit.flag);
    return [edit, changedField] as const;
  });
  if (!read || (edits.length === 0 && !session.globals.dryRun)) return { [container]: newValues };
  const current = readObject(await read())[container] as FieldMap; // the client has checked the record
  const notes: string[] = [];
  for (const [edit, changedField] of changes)
    newValues.push(await applyEdit(session, edit, changedField, current, notes));
  for (const note of notes) await session.messages.note(sanitizeLine(note));
  if (session.globals.dryRun) await showChanges(session, newValues, current);
  return { [container]: newValues };
}

const setFlag = '--field';
const addFlag = '--add-field';
const removeFlag = '--remove-field';

interface Edit {
  readonly name: string;
  readonly additions: readonly string[];
  readonly removals: readonly string[];
  /** The flag to name in a failure. */
  readonly flag: string;
}

/** A value to add to a field, or to remove. */
type ValueChange = FieldAssignment & { readonly value: string };

function collectEdits(addField: readonly ValueChange[], removeField: readonly ValueChange[]): Edit[] {
  const names = new Set([...addField, ...removeField].map(({ name }) => name));
  return Array.from(names, (name): Edit => {
    const select = (changes: readonly ValueChange[]) =>
      changes.filter((change) => change.name === name).map(({ value }) => value);
    const [additions, removals] = [select(addField), select(removeField)];
    return { name, additions, removals, flag: additions.length > 0 ? addFlag : removeFlag };
  });
}

function checkContradictions(
  { name, additions, removals, flag }: Edit,
  assignments: readonly FieldAssignment[],
): void {
  if (assignments.some((assignment) => assignment.name === name)) {
    throw new Failure('usage', `--field and ${flag} both change "${name}".`, {
      hint: '--field replaces all values. Omit it, or pass every value with it.',
    });
  }
  const contradiction = additions.find((text) => removals.includes(text));
  if (contradiction !== undefined)
    throw new Failure('usage', `"${name}=${contradiction}" is both added and removed.`);
}

function createSingleValueFailure(name: string, flag: string): Failure {
  const hint = {
    [addFlag]: `To set it: --field "${name}=VALUE"`,
    [removeFlag]: `To clear it: --field "${name}="`,
  }[flag];
  return new Failure('usage', `${flag} "${name}": Only one value is allowed.`, { hint });
}

/** Reads the values of --field. @throws {Failure} usage, not_found */
async function readFieldValues(
  session: Session,
  assignments: readonly FieldAssignment[],
  definedFields: readonly RecordField[],
): Promise<NamedValue[]> {
  const names = new Set(assignments.map(({ name }) => name));
  const fields = Array.from(names, (name) => findDefined(name, definedFields, setFlag));
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
  const field = findNamed(fields, name, ({ key }) => key);
  if (field) return field;
  const names = fields.map(({ key }) => key).join(', ');
  throw new Failure('usage', `${flag}: unknown field "${name}".`, {
    hint: names === '' ? 'See `kith custom-fields create --help`.' : `Available fields: ${names}.`,
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
    return await createValueReader(session)(text, field);
  } catch (error) {
    throw isCorrectable(error) ? addErrorPrefix(`${flag} "${field.key}"`, error) : error;
  }
}

/** Reads a value to remove. A record may still have an option or a contact that no longer exists. */
async function readRemovedValue(session: Session, text: string, field: RecordField): Promise<unknown> {
  if (field.type !== 'number' && !isReference(field.type)) return text;
  const result = await tryCall(() => readFlagValue(session, text, field, removeFlag));
  return 'value' in result ? result.value : text;
}

/** Returns the values of a field after an edit, null if the field becomes empty. `notes` gets a note for each value that the field did not have. */
async function applyEdit(
  session: Session,
  edit: Edit,
  field: RecordField,
  map: FieldMap,
  notes: string[],
): Promise<NamedValue> {
  const { name, additions, removals } = edit;
  const isEqual = (left: unknown, right: unknown) => isSameValue(left, right, field.type);
  let values = readCurrentValues(edit, field, map);
  for (const text of removals) {
    const options = field.type === 'select' ? values.map(String) : [];
    const value = findName(options, text) ?? (await readRemovedValue(session, text, field));
    const remaining = values.filter((stored) => !isEqual(stored, value));
    if (remaining.length === values.length) notes.push(`"${name}" does not have the value "${text}".`);
    values = remaining;
  }
  for (const text of additions) {
    const value = await readFlagValue(session, text, field, addFlag);
    if (!values.some((stored) => isEqual(stored, value))) values = [...values, value];
  }
  return { name, value: values.length > 0 ? values : null };
}

/** Returns a record's values of a field. @throws {Failure} if the field has one value, or kith cannot compare its values */
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
    await session.messages.note(sanitizeLine(`${name}: ${before} ${change}`));
  }
}
