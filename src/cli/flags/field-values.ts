import { type CustomField, customFields, type Model } from '../../contract/custom-fields.ts';
import { Failure } from '../../contract/errors.ts';
import { type RecordField, toRecordField } from '../../contract/field-table.ts';
import { type List, lists } from '../../contract/lists.ts';
import type { Received } from '../../contract/received.ts';
import { type ListedNoun, toSingularNoun } from '../../contract/singular-nouns.ts';
import { readAll } from '../../records/read-all.ts';
import { removeEscapes } from '../../render/cells.ts';
import type { FieldContainer } from '../../values/field-values.ts';
import type { Session } from '../command/context.ts';
import { makeRepeatable } from '../command/options.ts';

/** A typed value of a field; undefined clears the field. */
export interface FieldAssignment {
  readonly name: string;
  readonly value: string | undefined;
}

/** A value in the `custom_fields` or `list_fields` of a body. */
export type NamedValue = { readonly name: string; readonly value: unknown };

export const fieldOption = makeRepeatable<FieldAssignment>({
  summary: 'Set a field; NAME= clears it',
  placeholder: 'NAME=VALUE',
  completion: 'fields',
  short: '-f',
  parse: parseAssignment,
});

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

/** Parses `NAME=VALUE`; a backslash before `=` makes it part of the name. @throws {Failure} usage */
function parseAssignment(text: string): FieldAssignment {
  const [, name, value] = /^((?:\\.|[^=\\])+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined) throw new Failure('usage', `"${text}" is not NAME=VALUE.`);
  return { name: removeEscapes(name), value: value === '' ? undefined : value };
}

/** Formats a value for a field as `parseAssignment` reads it. */
export function formatAssignment(name: string, value: string): string {
  return `${name.replace(/[=\\]/g, '\\$&')}=${value}`;
}

/** The nouns whose records have fields that a workspace defines, and the member with their values. */
export const nounContainers = {
  contacts: 'custom_fields',
  organizations: 'custom_fields',
  entries: 'list_fields',
} as const satisfies Partial<Record<ListedNoun, FieldContainer>>;

export const hasDefinedFields = (noun: string): noun is keyof typeof nounContainers =>
  Object.hasOwn(nounContainers, noun);

/** Returns the custom fields of a noun, or the fields of the list of its entries. */
export async function readDefinedFields(
  session: Session,
  noun: keyof typeof nounContainers,
  listId?: unknown,
): Promise<readonly RecordField[]> {
  if (noun === 'entries') {
    const client = await session.client();
    return toListFields(await client.read(lists.get, { list_id: String(listId) }));
  }
  const definitions = await listCustomFields(session, toSingularNoun(noun));
  return definitions.map((definition) => toRecordField('custom_fields', definition));
}

export const toListFields = ({ fields = [] }: Received<List>): RecordField[] =>
  fields.map((definition) => toRecordField('list_fields', definition));

export async function listCustomFields(session: Session, model: Model): Promise<Received<CustomField>[]> {
  const client = await session.client();
  return (await readAll(client, customFields.list, {})).filter((field) => field?.model === model);
}
