import type { RecordField } from '../../contract/field-table.ts';
import { cleanValue, type FieldType, getSeparator, requireValue } from '../../contract/field-types.ts';
import { listWritable } from '../../contract/list-fields.ts';
import type { ListedNoun } from '../../contract/singular-nouns.ts';
import { splitFieldValues } from '../../render/cells.ts';
import {
  createChoiceOption,
  createTextOption,
  makeClearable,
  makeRepeatable,
  type Option,
  type Options,
} from '../command/options.ts';
import { createReferenceOption, isReference } from './references.ts';

/** The parts of a field's flag that a command overrides. */
interface FlagDetails extends Pick<Partial<Option<unknown>>, 'completion'> {
  readonly label?: string;
  /** A value that is not a reference, such as `auto`. */
  readonly literal?: string;
  /** The flag that creates the organization that the value names. */
  readonly createFlag?: string;
  /** Converts the typed text to the value to send. */
  readonly convert?: (text: string) => string;
}

/** Returns a flag for each field that has a label, by the flag's name, in the order of the fields. */
export function createFieldOptions(
  noun: ListedNoun,
  action: 'create' | 'update',
  details: Readonly<Record<string, FlagDetails>> = {},
): Options {
  const fields = listWritable(noun, action).filter(({ label }) => label !== undefined);
  const options = fields.map((field) => {
    const { label = '', key, body = key, listUpdate, clear } = field;
    const valueOption = createValueOption({ ...field, label }, details[key] ?? {});
    const option = listUpdate
      ? makeRepeatable(valueOption)
      : clear === null && action === 'update'
        ? makeClearable(valueOption)
        : valueOption;
    return [toOptionName(field), { ...option, field: body, recordField: field }];
  });
  return Object.fromEntries(options);
}

/** Returns the name of a field's flag: `firstName`, `email` for `emails`, `organization` for `organization_id`. */
const toOptionName = ({ key, name = key, singular = name }: RecordField) =>
  singular.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

const placeholders: Readonly<Partial<Record<FieldType, string>>> = {
  email: 'ADDRESS',
  user: 'ADDRESS',
  phone: 'NUMBER',
  domain: 'DOMAIN',
  date: 'DATE',
  datetime: 'TIME',
  number: 'NUMBER',
  money: 'AMOUNT',
  url: 'URL',
};

/** The types that kith validates. The service validates all others. */
const checkedTypes: readonly FieldType[] = ['number', 'money', 'boolean', 'date', 'datetime', 'url'];

function createValueOption(
  field: RecordField & { readonly label: string },
  { label = field.label, literal, createFlag, convert = (text) => text, ...details }: FlagDetails,
): Option<unknown> {
  const { type, options, placeholder = placeholders[type] ?? 'TEXT' } = field;
  if (isReference(type)) return createReferenceOption(type, label, literal, createFlag);
  if (options) return createChoiceOption(label, options, placeholder);
  const option = createTextOption(label, placeholder);
  const parse = checkedTypes.includes(type)
    ? (text: string) => requireValue(text, field)
    : (text: string) => convert(cleanValue(String(option.parse(text)), field));
  const split = getSeparator(type) && ((text: string) => splitFieldValues(text, type));
  return { ...option, ...details, ...(split && { split }), parse };
}
