import type { Client } from '../../client/client.ts';
import type { Model } from '../../contract/custom-fields.ts';
import { Failure } from '../../contract/errors.ts';
import type { ValueMap } from '../../contract/fields.ts';
import type { Received } from '../../contract/received.ts';
import { sanitizeLine } from '../../render/sanitize.ts';
import { isSameValue } from '../../values/field-values.ts';
import type { Session } from '../context.ts';
import {
  type DefinedField,
  type FieldAssignment,
  fieldOption,
  findField,
  listCustomFields,
  type NamedValue,
  parseAssignment,
  parseFieldValues,
  parseFlagValue,
} from './field-values.ts';
import { type OptionValues, repeated } from './options.ts';

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
    parse(text): FieldValue {
      const { name, value } = parseAssignment(text);
      if (value !== undefined) return { name, value };
      throw new Failure('usage', `"${text}" has no value.`, {
        hint: `To clear the field: --field "${text}"`,
      });
    },
  });
}

/** A value to add or remove, with the name of its field. */
interface FieldValue {
  readonly name: string;
  readonly value: string;
}

/** The changes that the flags ask for. */
type FieldChanges = OptionValues<typeof fieldChangeOptions>;

/** Reads from the record to change. */
interface FieldSource {
  /** Reads the definitions of its fields. */
  readonly definitions: () => Promise<readonly DefinedField[]>;
  /** Reads its `custom_fields` or `list_fields`. */
  readonly values: () => Promise<FieldMap>;
}

/** The values of a record by the ids of their fields. */
type FieldMap = Received<ValueMap> | null | undefined;

/** Whether the flags change any field. */
export function hasFieldChanges({ field, addField, removeField }: FieldChanges): boolean {
  return (field ?? addField ?? removeField) !== undefined;
}

/** Returns the custom fields to send; undefined if the flags change none. @throws {Failure} usage */
export async function resolveCustomFieldChanges(
  session: Session,
  changes: FieldChanges,
  model: Model,
  read: (client: Client) => Promise<{ readonly custom_fields?: FieldMap }>,
): Promise<NamedValue[] | undefined> {
  if (!hasFieldChanges(changes)) return undefined;
  const client = await session.client();
  return resolveFieldChanges(session, changes, {
    definitions: () => listCustomFields(client, model),
    values: async () => (await read(client)).custom_fields,
  });
}

const setFlag = '--field';
const addFlag = '--add-field';
const removeFlag = '--remove-field';

/**
 * Returns the values that the flags ask to send. The interface can only replace all values of a field, so the record is
 * read first to add or remove one. With --dry-run, prints the values before and after.
 * @throws {Failure} usage
 */
export async function resolveFieldChanges(
  session: Session,
  changes: FieldChanges,
  source: FieldSource,
): Promise<NamedValue[] | undefined> {
  if (!hasFieldChanges(changes)) return undefined;
  const { field = [], addField = [], removeField = [] } = changes;
  checkContradictions(field, addField, removeField);
  const definitions = await source.definitions();
  const replaced = parseFieldValues(field, definitions);
  const names = [...new Set([...addField, ...removeField].map(({ name }) => name))];
  const edited = names.map((name) => findMultipleField(name, definitions, getFlag(name, addField)));
  if (edited.length === 0 && !session.globals.dryRun) return replaced;
  const current = await source.values();
  const missing: FieldValue[] = [];
  const changed = edited.map((definition) => {
    const select = (values: readonly FieldValue[]) => values.filter(({ name }) => name === definition.name);
    return editValue(definition, current, select(addField), select(removeField), missing);
  });
  for (const { name, value } of missing)
    await session.note(sanitizeLine(`"${name}" does not have the value "${value}".`));
  const all = [...replaced, ...changed];
  if (session.globals.dryRun) await showChanges(session, all, current);
  return all;
}

const getFlag = (name: string, added: readonly FieldValue[]) =>
  added.some((one) => one.name === name) ? addFlag : removeFlag;

/** @throws {Failure} usage if two flags contradict each other */
function checkContradictions(
  set: readonly FieldAssignment[],
  added: readonly FieldValue[],
  removed: readonly FieldValue[],
): void {
  for (const { name } of set) {
    if (![...added, ...removed].some((one) => one.name === name)) continue;
    const flag = getFlag(name, added);
    throw new Failure('usage', `${setFlag} and ${flag} both change "${name}".`, {
      hint: `${setFlag} replaces all values. Omit it, or pass every value with it.`,
    });
  }
  for (const { name, value } of added) {
    if (!removed.some((one) => one.name === name && one.value === value)) continue;
    throw new Failure('usage', `"${name}=${value}" is both added and removed.`);
  }
}

/** @throws {Failure} usage if a field is unknown or accepts only one value */
function findMultipleField(name: string, definitions: readonly DefinedField[], flag: string): DefinedField {
  const definition = findField(name, definitions, flag);
  if (definition.accepts_multiple_values === false) throw createSingleValueFailure(name, flag);
  return definition;
}

function createSingleValueFailure(name: string, flag: string): Failure {
  return new Failure('usage', `${flag}: "${name}" accepts one value.`, {
    hint: flag === addFlag ? `To set it: --field "${name}=VALUE"` : `To clear it: --field "${name}="`,
  });
}

/**
 * Returns the values of a field after the changes; null if none remain, as `--field NAME=` sends. Adds values to remove
 * that the field does not have to `missing`.
 */
function editValue(
  field: DefinedField,
  map: FieldMap,
  added: readonly FieldValue[],
  removed: readonly FieldValue[],
  missing: FieldValue[],
): NamedValue {
  const flag = added.length > 0 ? addFlag : removeFlag;
  const isEqual = (one: unknown, other: unknown) => isSameValue(one, other, field.data_type);
  let values = readCurrentValues(field, map, flag);
  for (const { value } of removed) {
    // The record may still have an option that was dropped from the field, so only numbers are validated.
    const typed = field.data_type === 'number' ? parseFlagValue(value, field, removeFlag) : value;
    const others = values.filter((one) => !isEqual(one, typed));
    if (others.length === values.length) missing.push({ name: String(field.name), value });
    values = others;
  }
  for (const { value } of added) {
    const typed = parseFlagValue(value, field, addFlag);
    if (!values.some((one) => isEqual(one, typed))) values = [...values, typed];
  }
  return { name: String(field.name), value: values.length > 0 ? values : null };
}

/**
 * Returns a record's values of a field.
 * @throws {Failure} if the service does not return them, returns objects, or the field has one value
 */
function readCurrentValues(field: DefinedField, map: FieldMap, flag: string): readonly unknown[] {
  const name = String(field.name);
  const unreadable = (problem: string) =>
    new Failure('failed', `${flag}: ${problem}`, {
      hint: `Pass all values of the field: --field "${name}=VALUE"`,
    });
  if (!map) throw unreadable('the service does not return the current values of the record.');
  const value = readCurrentValue(map, name);
  if (value === null) return [];
  // A value to remove would never equal an object, and the service may not accept the objects that it sends.
  if ([value].flat().some((one) => typeof one === 'object'))
    throw unreadable(`the service shows values of "${name}" as objects, which kith cannot compare.`);
  if (Array.isArray(value)) return value;
  // The definition may not say whether the field accepts several values (specification, 2.1).
  if (typeof field.accepts_multiple_values !== 'boolean') throw createSingleValueFailure(name, flag);
  return [value];
}

/** Returns the value of a field from a map keyed by id or by name; null if there is none. */
function readCurrentValue(map: FieldMap, name: string): unknown {
  const values: Readonly<Record<string, unknown>> = map ?? {};
  const field = Object.values(map ?? {}).find((field) => field?.name === name);
  return (field ? field.value : values[name]) ?? null;
}

async function showChanges(session: Session, values: readonly NamedValue[], map: FieldMap): Promise<void> {
  for (const { name, value } of values) {
    const [before, after] = [formatValue(readCurrentValue(map, name)), formatValue(value)];
    await session.note(
      sanitizeLine(`${name}: ${before} ${before === after ? '(unchanged)' : `-> ${after}`}`),
    );
  }
}

const formatValue = (value: unknown) => (value === null ? '(none)' : JSON.stringify(value));
