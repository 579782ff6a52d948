import { type List, lists } from '../../contract/lists.ts';
import type { Received } from '../../contract/received.ts';
import { recurringPeriods } from '../../contract/record-fields.ts';
import type { WritableNoun } from '../../contract/singular-nouns.ts';
import type { GetName } from '../../render/collect-references.ts';
import type { FieldContainer } from '../../values/field-values.ts';
import { type JsonObject, readObject } from '../../values/json-object.ts';
import type { Session } from '../context.ts';
import { type FieldMap, readCurrentValue } from '../flags/field-changes.ts';
import { type DefinedField, readDefinitions } from '../flags/field-values.ts';
import { toEntryKind } from '../flags/references.ts';
import type { EditType } from './edit-types.ts';
import { formatEditValue } from './edit-values.ts';

/** A field of a record in the editor. */
export interface EditField {
  readonly name: string;
  readonly type: EditType;
  /** The value that the record has. */
  readonly value: unknown;
  /** The field of the body, if it has another name. */
  readonly bodyName?: string;
  /** The member of the record that holds it, if it is a custom field or a list field. */
  readonly container?: FieldContainer;
}

/** The definitions from which the fields of a record are built. */
export interface EditContext {
  readonly definitions: readonly DefinedField[];
  /** The list of an entry. */
  readonly list?: Received<List>;
}

/** A noun whose records can be edited. */
interface EditableNoun {
  readonly readContext?: (session: Session, path: JsonObject) => Promise<EditContext>;
  /** Returns the fields that an update can change. */
  readonly listFields: (record: JsonObject, context: EditContext) => readonly EditField[];
  /** The fields that cannot be changed, other than the id and the times. */
  readonly facts?: (
    record: JsonObject,
    getName: GetName,
  ) => readonly (readonly [name: string, value: unknown])[];
}

const text = (isRequired = false): EditType => ({ data_type: 'text', isMultiple: false, isRequired });
const several = (data_type: EditType['data_type']): EditType => ({ data_type, isMultiple: true, empty: [] });
const one = (data_type: EditType['data_type'], more: Partial<EditType> = {}): EditType => ({
  data_type,
  isMultiple: false,
  ...more,
});

const readCustomFields = (noun: 'contacts' | 'organizations') => async (session: Session) => ({
  definitions: await readDefinitions(session, noun),
});

/** Returns the custom fields or list fields of a record. */
function listDefined(
  container: FieldContainer,
  record: JsonObject,
  definitions: readonly DefinedField[],
): EditField[] {
  return definitions.flatMap(({ name, data_type, options, accepts_multiple_values }, index) => {
    // An update names a field, so only the first one of a name can be changed.
    if (!name || definitions.findIndex((one) => one.name === name) < index) return [];
    const value = readCurrentValue(record[container] as FieldMap, name);
    const isMultiple = accepts_multiple_values ?? (Array.isArray(value) || undefined);
    return [
      {
        name,
        container,
        value,
        type: { data_type: data_type ?? 'text', options: options ?? [], isMultiple },
      },
    ];
  });
}

const toFields = (record: JsonObject, types: Readonly<Record<string, EditType>>): EditField[] =>
  Object.entries(types).map(([name, type]) => ({ name, type, value: record[name] ?? null }));

/** The editable fields of each noun, as its update accepts them (specification, 4.1 to 4.6). */
export const editableNouns: Readonly<Record<WritableNoun, EditableNoun>> = {
  contacts: {
    readContext: readCustomFields('contacts'),
    listFields: (record, { definitions }) => [
      ...toFields(record, {
        first_name: text(),
        last_name: text(),
        emails: several('email'),
        phone_numbers: several('phone'),
        organization_id: one('organization'),
      }),
      ...listDefined('custom_fields', record, definitions),
    ],
  },
  organizations: {
    readContext: readCustomFields('organizations'),
    listFields: (record, { definitions }) => [
      ...toFields(record, { name: text(true), domains: several('domain') }),
      ...listDefined('custom_fields', record, definitions),
    ],
  },
  notes: {
    listFields: (record) =>
      toFields(record, { deal_id: text(), body: one('textarea', { isRequired: true }) }),
    facts: ({ organization_id }, getName) => [
      ['organization_id', formatEditValue(organization_id, one('organization'), getName)],
    ],
  },
  customFields: {
    listFields: (record) =>
      toFields(record, {
        name: text(true),
        ...(record.data_type === 'select' && { options: { ...several('text'), isRequired: true } }),
      }),
    facts: ({ model, data_type, accepts_multiple_values }) => [
      ['model', model],
      ['data_type', data_type],
      ['accepts_multiple_values', accepts_multiple_values],
    ],
  },
  lists: {
    listFields: (record) =>
      toFields(record, {
        name: text(true),
        ...(record.process === true && {
          identifier: text(true),
          entry_label: { ...text(), empty: '' },
          status_label: { ...text(), empty: '' },
          duplicates_allowed: one('boolean', { isRequired: true }),
          statuses: { ...several('status'), isRequired: true },
        }),
        fields: several('definition'),
      }),
    facts: ({ process, entry_type, archived_at }) => [
      ['process', process],
      ['entry_type', entry_type],
      ['archived_at', archived_at],
    ],
  },
  entries: {
    async readContext(session, { list_id }) {
      const list = await (await session.client()).read(lists.get, { list_id: String(list_id) });
      return { definitions: list.fields ?? [], list };
    },
    listFields: listEntryFields,
    facts: ({ key, entryable_type, entryable_id, closed_at }, getName) => [
      ['key', key],
      ['entryable_type', entryable_type],
      ['entryable_id', formatEditValue(entryable_id, one(toEntryKind(entryable_type)), getName)],
      ['closed_at', closed_at],
    ],
  },
};

function listEntryFields(record: JsonObject, { definitions, list }: EditContext): EditField[] {
  const options = (list?.statuses ?? []).flatMap(({ name }) => name ?? []);
  const cents = (name: string): EditField => ({
    name,
    bodyName: `${name}_cents`,
    value: record[`${name}_cents`] ?? null,
    type: one('money', { empty: 0 }),
  });
  const { email = null } = readObject(record.assignee);
  return [
    ...(list?.process === true
      ? [
          ...toFields(record, { status: one('select', { options, isAnyCase: true, isRequired: true }) }),
          cents('one_time_value'),
          cents('recurring_value'),
          ...toFields(record, {
            recurring_value_period: one('select', { options: recurringPeriods, isRequired: true }),
          }),
        ]
      : []),
    { name: 'assignee', bodyName: 'assignee_email', value: email, type: one('user') },
    ...toFields(record, { contact_id: one('contact') }),
    ...listDefined('list_fields', record, definitions),
  ];
}
