import type { Client } from '../../client/client.ts';
import { customFields, type Model } from '../../contract/custom-fields.ts';
import { Failure } from '../../contract/errors.ts';
import { removeEscapes } from '../../render/cells.ts';
import { type Fields, fieldsOf } from '../../render/fields.ts';
import { parseFieldValue } from '../../values/field-values.ts';
import { iterateRecords } from '../listing.ts';
import { repeated } from './options.ts';

/** A value for a field, by its name; undefined clears it. */
export interface FieldAssignment {
  readonly name: string;
  readonly value: string | undefined;
}

/** What `custom_fields` and `list_fields` take in a body. */
export type NamedValue = { readonly name: string; readonly value: unknown };

/** The flag that sets custom fields or list fields. */
export const fieldOption = repeated<FieldAssignment>({
  summary: 'Set a field; NAME= clears it',
  placeholder: 'NAME=VALUE',
  parse: parseAssignment,
});

/** Parses `NAME=VALUE`; a backslash before `=` makes it part of the name. @throws {Failure} `usage` */
export function parseAssignment(given: string): FieldAssignment {
  const [, name, value] = /^((?:\\.|[^=\\])+)=(.*)$/s.exec(given) ?? [];
  if (name === undefined) throw new Failure('usage', `"${given}" is not NAME=VALUE.`);
  return { name: removeEscapes(name), value: value === '' ? undefined : value };
}

/** The values of custom fields, each read by the data type of its field. Throws `usage`. */
export async function parseCustomFields(
  client: () => Promise<Client>,
  model: Model,
  given: readonly FieldAssignment[] | undefined,
): Promise<NamedValue[] | undefined> {
  return given && parseFieldValues(given, await listCustomFields(await client(), model));
}

/** The values of fields, each read by the data type of its definition. Throws `usage`. */
export function parseFieldValues(
  given: readonly FieldAssignment[],
  defined: readonly Fields[],
): NamedValue[] {
  const names = new Set(given.map(({ name }) => name));
  return Array.from(names, (name) => {
    const field = findField(name, defined, '--field');
    const texts = given.filter((one) => one.name === name).map(({ value }) => value);
    const values = texts.flatMap((text) =>
      text === undefined ? [] : [parseFlagValue(text, field, '--field')],
    );
    return { name, value: combined(name, values, texts.length, field) };
  });
}

function combined(name: string, values: readonly unknown[], count: number, field: Fields): unknown {
  if (values.length < count && count > 1) {
    throw new Failure('usage', `--field: "${name}=" clears the field; leave out its other values.`);
  }
  if (values.length === 0) return null;
  if (field.accepts_multiple_values === true) return values;
  if (values.length === 1) return values[0];
  if (field.accepts_multiple_values === undefined) return values;
  throw new Failure('usage', `--field: "${name}" takes one value.`);
}

/** Parses a text according to the data type of a field; the error names `flag`. @throws {Failure} `usage` */
export function parseFlagValue(text: string, field: Fields, flag: string): unknown {
  const read = parseFieldValue(text, field);
  if ('value' in read) return read.value;
  throw new Failure('usage', `${flag}: "${text}" is not ${read.wanted}, which "${field.name}" takes.`);
}

/** Finds the definition of a field by its name; the error names `flag`. @throws {Failure} `usage` */
export function findField(name: string, defined: readonly Fields[], flag: string): Fields {
  const field = defined.find((one) => one.name === name);
  if (field) return field;
  const names = defined.map((field) => String(field.name));
  throw new Failure('usage', `${flag}: there is no field "${name}".`, {
    hint:
      names.length > 0 ? `The fields are ${names.join(', ')}.` : 'Make it with: kith custom-fields create',
  });
}

/** The custom fields of a model, as the service defines them. */
export async function listCustomFields(client: Client, model: Model): Promise<Fields[]> {
  const defined: Fields[] = [];
  for await (const { value } of iterateRecords(client, customFields.list, {})) {
    const field = fieldsOf(value);
    if (field.model === model) defined.push(field);
  }
  return defined;
}
