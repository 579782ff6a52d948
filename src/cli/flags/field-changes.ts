import { Failure } from '../../contract/errors.ts';
import type { Fields } from '../../render/fields.ts';
import type { Session } from '../context.ts';
import { type FieldAssignment, fieldOption, type NamedValue, parseAssignment } from './field-values.ts';
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
  const { readChangedValues } = await import('./changed-values.ts');
  return readChangedValues(session, changes, source);
}
