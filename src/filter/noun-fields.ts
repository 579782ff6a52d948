import type { CalendarEvent } from '../contract/calendar-events.ts';
import type { Contact } from '../contract/contacts.ts';
import type { CustomField } from '../contract/custom-fields.ts';
import type { Entry } from '../contract/entries.ts';
import { Failure } from '../contract/errors.ts';
import { type DataType, dataTypes, type FieldDefinition } from '../contract/fields.ts';
import type { List } from '../contract/lists.ts';
import type { Note } from '../contract/notes.ts';
import type { Organization } from '../contract/organizations.ts';
import type { Received } from '../contract/received.ts';
import { readPath } from '../render/select.ts';
import type { FieldContainer } from '../values/field-values.ts';
import type { JsonObject } from '../values/json-object.ts';
import { foldName } from '../values/names.ts';
import { formatFullName } from '../values/record-names.ts';
import type { FieldKind } from './comparators.ts';
import type { Field, FieldFinder } from './filter.ts';

/** The kind of a field of the API, or a computed field. */
type FieldDescription<T> =
  | FieldKind
  | {
      readonly kind: FieldKind;
      readonly read: (record: T) => unknown;
    };

type FieldTable<T extends JsonObject> = Readonly<Record<string, FieldDescription<T>>> & {
  readonly [Name in keyof T]?: FieldDescription<T>;
};

const stamps = { created_at: 'time', updated_at: 'time' } as const;

function createFields<T extends JsonObject>(table: FieldTable<T>): readonly Field[] {
  return Object.entries(table).map(([name, description]): Field => {
    const { kind, read } =
      typeof description === 'string'
        ? { kind: description, read: (record: T): unknown => record[name] }
        : description;
    // The client has checked the shape of the records.
    return { name, kind, read: (record) => [read(record as T)].flat() };
  });
}

/** The fields of each noun that need no request, in the order in which they are listed. */
export const nounFields = {
  contacts: createFields<Received<Contact>>({
    id: 'id',
    name: {
      kind: 'text',
      read: ({ first_name, last_name }) => formatFullName(first_name, last_name),
    },
    first_name: 'text',
    last_name: 'text',
    emails: 'text',
    phone_numbers: 'phone',
    organization: { kind: 'organization', read: ({ organization_id }) => organization_id },
    organization_id: 'organization',
    ...stamps,
  }),
  organizations: createFields<Received<Organization>>({ id: 'id', name: 'text', domains: 'text', ...stamps }),
  notes: createFields<Received<Note>>({
    id: 'id',
    organization: { kind: 'organization', read: ({ organization_id }) => organization_id },
    organization_id: 'organization',
    body: 'text',
    deal_id: 'text',
    ...stamps,
  }),
  entries: createFields<Received<Entry>>({
    id: 'id',
    key: 'text',
    list_id: 'id',
    entryable_id: 'id',
    entryable_type: 'text',
    contact: {
      kind: 'contact',
      read: ({ contact_id, entryable_id, entryable_type }) => [
        contact_id,
        entryable_type === 'Contact' ? entryable_id : undefined,
      ],
    },
    contact_id: 'contact',
    organization: {
      kind: 'organization',
      read: ({ entryable_id, entryable_type }) =>
        entryable_type === 'Organization' ? entryable_id : undefined,
    },
    status: 'text',
    assignee: { kind: 'person', read: ({ assignee }) => assignee?.email },
    one_time_value: { kind: 'money', read: ({ one_time_value_cents }) => one_time_value_cents },
    one_time_value_cents: 'number',
    recurring_value: { kind: 'money', read: ({ recurring_value_cents }) => recurring_value_cents },
    recurring_value_cents: 'number',
    recurring_period: { kind: 'text', read: ({ recurring_value_period }) => recurring_value_period },
    recurring_value_period: 'text',
    closed_at: 'time',
    next_entry_id: 'id',
    ...stamps,
  }),
  events: createFields<Received<CalendarEvent>>({
    id: 'id',
    title: 'text',
    start_at: 'time',
    end_at: 'time',
    conference_link: 'text',
    conference_type: 'text',
    attendees: { kind: 'person', read: ({ attendees }) => attendees?.map(({ email }) => email) },
    recordings: { kind: 'id', read: ({ recordings }) => recordings?.map(({ id }) => id) },
    ...stamps,
  }),
  lists: createFields<Received<List>>({
    id: 'id',
    name: 'text',
    kind: { kind: 'text', read: ({ process }) => (process ? 'process' : 'list') },
    process: 'boolean',
    entry_type: 'text',
    identifier: 'text',
    duplicates_allowed: 'boolean',
    entry_label: 'text',
    status_label: 'text',
    statuses: { kind: 'text', read: ({ statuses }) => statuses?.map(({ name }) => name) },
    fields: { kind: 'text', read: ({ fields }) => fields?.map(({ name }) => name) },
    ...stamps,
    archived_at: 'time',
  }),
  customFields: createFields<Received<CustomField>>({
    id: 'id',
    name: 'text',
    model: 'text',
    data_type: 'text',
    accepts_multiple_values: 'boolean',
    options: 'text',
    ...stamps,
  }),
};

/** A noun whose list can be filtered. */
export type FilteredNoun = keyof typeof nounFields;

/** Other names of fields: the singular, as one value is compared, and the headers of tables. */
const aliases: ReadonlyMap<string, string> = new Map([
  ['created', 'created_at'],
  ['start', 'start_at'],
  ['phones', 'phone_numbers'],
  ['one-time', 'one_time_value'],
  ['recurring', 'recurring_value'],
  ['multiple', 'accepts_multiple_values'],
  ['email', 'emails'],
  ['phone', 'phone_numbers'],
  ['phone_number', 'phone_numbers'],
  ['domain', 'domains'],
  ['attendee', 'attendees'],
]);

const kindsByDataType: Readonly<Record<DataType, FieldKind>> = {
  text: 'text',
  textarea: 'text',
  url: 'text',
  number: 'number',
  date: 'date',
  datetime: 'time',
  select: 'choice',
  user: 'person',
  contact: 'contact',
};

/** Converts the definition of a custom field or a list field to a field. */
export function createDefinedField(
  container: FieldContainer,
  { name, data_type, options }: Received<FieldDefinition>,
): Field {
  const text = name ?? '';
  const kind = kindsByDataType[dataTypes.find((type) => type === data_type) ?? 'text'];
  const hasOptions = (options ?? []).length > 0;
  return {
    name: text,
    kind: kind === 'choice' && !hasOptions ? 'text' : kind,
    ...(hasOptions && { options: options ?? [] }),
    read: (record) => [readPath(record[container], [text])].flat(),
  };
}

/** The fields of a list, and their source. */
export interface FieldSource {
  readonly fields: readonly Field[];
  /** The member with the defined fields: `custom_fields`. A name may begin with it. */
  readonly container?: FieldContainer | undefined;
  /** Reads the defined fields, if a name is no field of the noun. */
  readonly readDefined?: (() => Promise<readonly Field[]>) | undefined;
}

/** Creates a function that finds fields by their names, which ignore case. */
export function createFieldFinder({ fields, container, readDefined }: FieldSource): FieldFinder {
  const find = (among: readonly Field[], name: string) =>
    among.find((field) => field.name === name) ??
    among.find((field) => foldName(field.name) === foldName(name));
  return async (name) => {
    const prefix = `${container}.`;
    const isDefined = container !== undefined && name.startsWith(prefix);
    const own = isDefined
      ? undefined
      : (find(fields, aliases.get(name.toLowerCase()) ?? name) ?? find(fields, name));
    if (own) return own.define ? own.define() : own;
    const definedFields = (await readDefined?.()) ?? [];
    const field = find(definedFields, isDefined ? name.slice(prefix.length) : name);
    if (field) return field;
    const names = [...fields, ...definedFields].map((one) => one.name).join(', ');
    throw new Failure('usage', `unknown field "${name}".`, { hint: `Available fields: ${names}.` });
  };
}
