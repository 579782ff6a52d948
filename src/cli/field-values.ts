import type { Client } from '../client/client.ts';
import { customFields, type Model } from '../contract/custom-fields.ts';
import { Failure } from '../contract/errors.ts';
import { type Fields, fieldsOf } from '../output/columns.ts';
import { unescaped } from '../output/escaped.ts';
import { fitsJson } from './fits-json.ts';
import { allOf } from './listing.ts';
import { type Option, repeated } from './options.ts';

/** A value for a field, by its name; undefined clears it. */
interface Assignment {
  readonly name: string;
  readonly value: string | undefined;
}

/** What `custom_fields` and `list_fields` take in a body. */
type NamedValue = { readonly name: string; readonly value: unknown };

const assignment: Option<Assignment | undefined> = {
  summary: 'A value by the name of its field; NAME= clears it',
  value: 'NAME=VALUE',
  read(given) {
    const [, name, value] = /^((?:\\.|[^=\\])+)=(.*)$/s.exec(given) ?? [];
    if (name === undefined) throw new Failure('usage', `"${given}" is not NAME=VALUE.`);
    return { name: unescaped(name), value: value === '' ? undefined : value };
  },
};

/** The flag that gives values of custom fields or list fields. */
export const fieldOption = repeated(assignment);

/** The values of custom fields, each read by the data type of its field. Throws `usage`. */
export async function customValues(
  client: () => Promise<Client>,
  model: Model,
  given: readonly Assignment[] | undefined,
): Promise<NamedValue[] | undefined> {
  return given && namedValues(given, await definedFields(await client(), model));
}

/** The custom fields of a model, in the order of the service. */
export async function definedFields(client: Client, model: Model): Promise<Fields[]> {
  const defined: Fields[] = [];
  for await (const { value } of allOf(client, customFields.list, {})) {
    const field = fieldsOf(value);
    if (field.model === model) defined.push(field);
  }
  return defined;
}

/** The values of fields, each read by the data type of its definition. Throws `usage`. */
export function namedValues(given: readonly Assignment[], defined: readonly Fields[]): NamedValue[] {
  const names = new Set(given.map(({ name }) => name));
  return Array.from(names, (name) => {
    const field = defined.find((one) => one.name === name);
    if (!field) throw unknownField(name, defined);
    const texts = given.filter((one) => one.name === name).map(({ value }) => value);
    const values = texts.flatMap((text) => (text === undefined ? [] : [fieldValue(text, field)]));
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

function fieldValue(text: string, { name, data_type, options }: Fields): unknown {
  const wrong = (what: string) =>
    new Failure('usage', `--field: "${text}" is not ${what}, which "${name}" takes.`);
  if (data_type === 'number') {
    const number = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text) ? Number(text) : Number.NaN;
    if (!Number.isFinite(number)) throw wrong('a number');
    if (!fitsJson(number)) throw wrong('a number that JSON keeps whole');
    return number;
  }
  if (data_type === 'date' && !isDate(text)) throw wrong('a date as 2026-05-01');
  if (data_type === 'select' && Array.isArray(options) && options.length > 0 && !options.includes(text)) {
    throw wrong(`one of ${options.join(', ')}`);
  }
  return text;
}

function isDate(text: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

function unknownField(name: string, defined: readonly Fields[]): Failure {
  const names = defined.map((field) => String(field.name));
  return new Failure('usage', `--field: there is no field "${name}".`, {
    hint:
      names.length > 0 ? `The fields are ${names.join(', ')}.` : 'Make it with: kith custom-fields create',
  });
}
