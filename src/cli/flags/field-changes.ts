import { Failure } from '../../contract/errors.ts';
import { isMultiple, type RecordField } from '../../contract/field-table.ts';
import { isSameValue } from '../../contract/field-types.ts';
import type { ValueMap } from '../../contract/fields.ts';
import type { Received } from '../../contract/received.ts';
import { sanitizeLine } from '../../render/text/sanitize.ts';
import { findDefinedValue } from '../../values/field-values.ts';
import { type JsonObject, readObject } from '../../values/json-object.ts';
import type { Session } from '../command/context.ts';
import type { Body } from './body.ts';
import {
  type FieldAssignment,
  fieldOption,
  findDefined,
  hasDefinedFields,
  type NamedValue,
  nounContainers,
  parseAssignment,
  parseFieldValues,
  parseFlagValue,
  readDefinedFields,
  resolveContactValue,
} from './field-values.ts';
import { makeRepeatable, type OptionValues } from './options.ts';

/** The flags of an update that change custom fields or list fields. */
export const fieldChangeOptions = {
  field: { ...fieldOption, summary: 'Set a field, replacing all its values; NAME= clears it' },
  addField: createChangeOption('Add one value to a field with several values'),
  removeField: createChangeOption('Remove one value from a field with several values'),
};

function createChangeOption(summary: string) {
  return makeRepeatable<{ readonly name: string; readonly value: string }>({
    summary,
    placeholder: 'NAME=VALUE',
    completion: 'fields',
    parse(text) {
      const { name, value } = parseAssignment(text);
      if (value !== undefined) return { name, value };
      throw new Failure('usage', `"${text}" has no value.`, {
        hint: `To clear the field: --field "${text}"`,
      });
    },
  });
}

type FieldChanges = Partial<OptionValues<typeof fieldChangeOptions>>;

/** The record that gets the values. */
interface ChangedRecord {
  readonly noun: string;
  /** The path parameters. */
  readonly path: JsonObject;
  /** Reads the record; undefined if it is to be created. */
  readonly read?: () => Promise<unknown>;
}

/** The values of a record by the ids of their fields. */
type FieldMap = Received<ValueMap> | null | undefined;

/**
 * Returns the `custom_fields` or `list_fields` to send; nothing if the flags change none. The interface can only replace
 * all values of a field, so the record is read first to add or remove one. With --dry-run, prints the values before and
 * after.
 * @throws {Failure} usage
 */
export async function resolveFieldChanges(
  session: Session,
  { noun, path, read }: ChangedRecord,
  { field = [], addField = [], removeField = [] }: FieldChanges,
): Promise<Body> {
  if (!hasDefinedFields(noun) || field.length + addField.length + removeField.length === 0) return {};
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
    changed.push(applyEdit(await resolveEdit(session, edit, changedField), changedField, current, missing));
  for (const text of missing) await session.note(sanitizeLine(text));
  const all = [...replaced, ...changed];
  if (session.globals.dryRun) await showChanges(session, all, current);
  return { [container]: all };
}

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
  return new Failure('usage', `${flag}: "${name}" accepts one value.`, {
    hint: flag === addFlag ? `To set it: --field "${name}=VALUE"` : `To clear it: --field "${name}="`,
  });
}

/** Replaces the contacts that an edit names by their ids. A contact that no longer exists can still be removed by its id. */
async function resolveEdit(session: Session, edit: Edit, field: RecordField): Promise<Edit> {
  if (field.type !== 'contact') return edit;
  const { tryCall } = await import('../references/resolve-reference.ts');
  const [added, removed]: [string[], string[]] = [[], []];
  for (const value of edit.added) added.push(await resolveContactValue(session, value, field));
  for (const value of edit.removed) {
    const resolved = await tryCall(() => resolveContactValue(session, value, field));
    removed.push('value' in resolved ? resolved.value : value);
  }
  return { ...edit, added, removed };
}

/** Returns the values of a field after an edit, null if none remain; `missing` gets a note for each value not found. */
function applyEdit(edit: Edit, field: RecordField, map: FieldMap, missing: string[]): NamedValue {
  const { name, added, removed } = edit;
  const isEqual = (left: unknown, right: unknown) => isSameValue(left, right, field.type);
  let values = readCurrentValues(edit, field, map);
  for (const value of removed) {
    // The record may still have an option that was dropped from the field, so only numbers are validated.
    const typed = field.type === 'number' ? parseFlagValue(value, field, removeFlag) : value;
    const others = values.filter((stored) => !isEqual(stored, typed));
    if (others.length === values.length) missing.push(`"${name}" does not have the value "${value}".`);
    values = others;
  }
  for (const value of added) {
    const typed = parseFlagValue(value, field, addFlag);
    if (!values.some((stored) => isEqual(stored, typed))) values = [...values, typed];
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
