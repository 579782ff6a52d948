import { Failure } from '../../contract/errors.ts';
import { isSameValue } from '../../import/row-writer.ts';
import { type Fields, fieldsOf } from '../../render/fields.ts';
import { sanitizeLine } from '../../render/sanitize.ts';
import type { Session } from '../context.ts';
import {
  type FieldAssignment,
  fieldOption,
  findField,
  type NamedValue,
  parseAssignment,
  parseFieldValues,
  parseFlagValue,
} from './field-values.ts';
import { repeated } from './options.ts';

/** The flags of an update that change custom fields or list fields. */
export const fieldChangeOptions = {
  field: { ...fieldOption, summary: 'Set a field, replacing all its values; NAME= clears it' },
  addField: oneValueOption('Add one value to a field with several values'),
  removeField: oneValueOption('Remove one value from a field with several values'),
};

function oneValueOption(summary: string) {
  return repeated<FieldValue>({
    summary,
    placeholder: 'NAME=VALUE',
    parse(given): FieldValue {
      const { name, value } = parseAssignment(given);
      if (value !== undefined) return { name, value };
      throw new Failure('usage', `"${given}" has no value.`, {
        hint: `To clear the field: --field "${given}"`,
      });
    },
  });
}

/** A value to add or remove, with the name of its field. */
export interface FieldValue {
  readonly name: string;
  readonly value: string;
}

/** The changes that the flags ask for. */
export interface FieldChanges {
  readonly field: readonly FieldAssignment[] | undefined;
  readonly addField: readonly FieldValue[] | undefined;
  readonly removeField: readonly FieldValue[] | undefined;
}

/** Reads from the record to change. */
export interface FieldSource {
  /** Reads the definitions of its fields. */
  readonly definitions: () => Promise<readonly Fields[]>;
  /** Reads its `custom_fields` or `list_fields`. */
  readonly values: () => Promise<unknown>;
}

/** Whether the flags change any field. */
export function hasFieldChanges({ field, addField, removeField }: FieldChanges): boolean {
  return (field ?? addField ?? removeField) !== undefined;
}

/**
 * Returns the values to send; undefined if the flags change no field. Loads the code for it only if they do.
 * @throws {Failure} `usage`
 */
export async function resolveFieldChanges(
  session: Session,
  changes: FieldChanges,
  source: FieldSource,
): Promise<NamedValue[] | undefined> {
  if (!hasFieldChanges(changes)) return undefined;
  const { readChangedValues } = await import('./field-changes.ts');
  return readChangedValues(session, changes, source);
}

const setFlag = '--field';
const addFlag = '--add-field';
const removeFlag = '--remove-field';

/**
 * Returns the values that the flags ask to send. The interface can only replace all values of a field, so the record is
 * read first to add or remove one. With --dry-run, prints the values before and after.
 * @throws {Failure} `usage`
 */
export async function readChangedValues(
  session: Session,
  changes: FieldChanges,
  source: FieldSource,
): Promise<NamedValue[]> {
  const { field = [], addField = [], removeField = [] } = changes;
  checkContradictions(field, addField, removeField);
  const defined = await source.definitions();
  const replaced = parseFieldValues(field, defined);
  const names = [...new Set([...addField, ...removeField].map(({ name }) => name))];
  for (const name of names) checkTakesSeveral(name, defined, flagFor(name, addField));
  if (names.length === 0 && !session.globals.dryRun) return replaced;
  const held = await source.values();
  const absent: FieldValue[] = [];
  const edited = names.map((name) => {
    const ofField = (values: readonly FieldValue[]) => values.filter((one) => one.name === name);
    const definition = findField(name, defined, flagFor(name, addField));
    return editedValue(definition, held, ofField(addField), ofField(removeField), absent);
  });
  for (const { name, value } of absent)
    await session.note(sanitizeLine(`"${name}" does not have the value "${value}".`));
  const all = [...replaced, ...edited];
  if (session.globals.dryRun) await showChanges(session, all, held);
  return all;
}

const flagFor = (name: string, added: readonly FieldValue[]) =>
  added.some((one) => one.name === name) ? addFlag : removeFlag;

/** @throws {Failure} `usage` if two flags contradict each other. */
function checkContradictions(
  set: readonly FieldAssignment[],
  added: readonly FieldValue[],
  removed: readonly FieldValue[],
): void {
  for (const { name } of set) {
    if (![...added, ...removed].some((one) => one.name === name)) continue;
    const flag = flagFor(name, added);
    throw new Failure('usage', `${setFlag} and ${flag} both change "${name}".`, {
      hint: `${setFlag} replaces all values. Omit it, or pass every value with it.`,
    });
  }
  for (const { name, value } of added) {
    if (!removed.some((one) => one.name === name && one.value === value)) continue;
    throw new Failure('usage', `"${name}=${value}" is both added and removed.`);
  }
}

/** @throws {Failure} `usage` if a field is unknown or takes only one value. */
function checkTakesSeveral(name: string, defined: readonly Fields[], flag: string): void {
  const { accepts_multiple_values } = findField(name, defined, flag);
  if (accepts_multiple_values === false) throw takesOne(name, flag);
}

function takesOne(name: string, flag: string): Failure {
  return new Failure('usage', `${flag}: "${name}" takes one value.`, {
    hint: flag === addFlag ? `To set it: --field "${name}=VALUE"` : `To clear it: --field "${name}="`,
  });
}

/**
 * Returns the values of a field after the changes; null if none remain, as `--field NAME=` sends. Adds values to remove
 * that the field does not have to `absent`.
 */
function editedValue(
  field: Fields,
  map: unknown,
  added: readonly FieldValue[],
  removed: readonly FieldValue[],
  absent: FieldValue[],
): NamedValue {
  const flag = added.length > 0 ? addFlag : removeFlag;
  const isEqual = (one: unknown, other: unknown) => isSameValue(one, other, field.data_type);
  let values = currentValues(field, map, flag);
  for (const { value } of removed) {
    // The record may still have an option that was dropped from the field, so only numbers are validated.
    const given = field.data_type === 'number' ? parseFlagValue(value, field, removeFlag) : value;
    const others = values.filter((one) => !isEqual(one, given));
    if (others.length === values.length) absent.push({ name: String(field.name), value });
    values = others;
  }
  for (const { value } of added) {
    const given = parseFlagValue(value, field, addFlag);
    if (!values.some((one) => isEqual(one, given))) values = [...values, given];
  }
  return { name: String(field.name), value: values.length > 0 ? values : null };
}

/**
 * Returns a record's values of a field.
 * @throws {Failure} if the service does not return them, returns objects, or the field has one value
 */
function currentValues(field: Fields, map: unknown, flag: string): readonly unknown[] {
  const name = String(field.name);
  const unreadable = (problem: string) =>
    new Failure('failed', `${flag}: ${problem}`, {
      hint: `Pass all values of the field: --field "${name}=VALUE"`,
    });
  if (typeof map !== 'object' || map === null)
    throw unreadable('the service does not return the current values of the record.');
  const value = currentValue(map, name);
  if (value === null) return [];
  // A value to remove would never equal an object, and the service may not take back what it sent.
  if ([value].flat().some((one) => typeof one === 'object'))
    throw unreadable(`the service shows values of "${name}" as objects, which kith cannot compare.`);
  if (Array.isArray(value)) return value;
  // The definition may not say whether the field takes several values (specification, 2.1).
  if (field.accepts_multiple_values === undefined) throw takesOne(name, flag);
  return [value];
}

/** Returns the value of a field from a map keyed by id or by name; null if there is none. */
function currentValue(map: unknown, name: string): unknown {
  const fields = fieldsOf(map);
  const named = Object.values(fields)
    .map(fieldsOf)
    .find((field) => field.name === name);
  return (named ? named.value : fields[name]) ?? null;
}

async function showChanges(session: Session, values: readonly NamedValue[], map: unknown): Promise<void> {
  for (const { name, value } of values) {
    const [before, after] = [valueText(currentValue(map, name)), valueText(value)];
    await session.note(
      sanitizeLine(`${name}: ${before} ${before === after ? '(unchanged)' : `-> ${after}`}`),
    );
  }
}

const valueText = (value: unknown) => (value === null ? '(none)' : JSON.stringify(value));
