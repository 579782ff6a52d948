import type { CalendarEvent } from '../contract/calendar-events.ts';
import type { Contact } from '../contract/contacts.ts';
import type { CustomField } from '../contract/custom-fields.ts';
import type { Entry } from '../contract/entries.ts';
import type { RecordType } from '../contract/index.ts';
import type { List } from '../contract/lists.ts';
import type { Note } from '../contract/notes.ts';
import type { Organization } from '../contract/organizations.ts';
import type { Received } from '../contract/received.ts';
import type { Recording } from '../contract/recordings.ts';
import { normalizeTexts } from '../values/field-values.ts';
import type { JsonObject } from '../values/json-object.ts';
import { formatAmount, formatCents, formatRecurringAmount } from '../values/money.ts';
import { formatFullName } from '../values/record-names.ts';
import type { NameKind } from './collect-references.ts';

/** When a column is narrowed to fit the terminal: 3 first, 1 last, 0 never. */
type Shrink = 0 | 1 | 2 | 3;

/** A column of a table, CSV or TSV, for records of type `T`. */
export interface Column<T = JsonObject> {
  /** The name of the field, and the header in CSV and TSV. */
  readonly name: string;
  /** The header in a table, if it differs from the name. */
  readonly title?: string;
  cell(record: T): unknown;
  /** The value in a table, if it differs from the cell. */
  display?(record: T): unknown;
  /** The fields that the cell is computed from, if not just the field with the column's name. */
  readonly fields?: readonly string[];
  /** Returns the owners of the ids or addresses in the cell: a table shows their names instead. */
  reference?(record: T): NameKind | undefined;
  /** Whether the cell is a point in time, which a table shows as local time. */
  readonly isTime?: boolean;
  /** Whether the cell is a text of several lines; a table shows the first one. */
  readonly isText?: boolean;
  /** Whether the cell is Markdown, which the details in a terminal show formatted. */
  readonly isMarkdown?: boolean;
  /** The number of values that a table shows; it counts the others. */
  readonly maxItems?: number;
  readonly isRightAligned?: boolean;
  /** 2 by default. */
  readonly shrink?: Shrink;
  /** Where the column appears: first in a table; in a table only if there is room; only in CSV and TSV; in details. */
  readonly place?: 'lead' | 'extra' | 'data' | 'details';
}

/** Returns the columns of a table, in order. They may depend on the records. */
export interface View {
  (records: readonly JsonObject[]): readonly Column[];
  /** The record of the contract that the columns show, if any. */
  readonly recordType?: RecordType | undefined;
}

/** Creates a column that shows a field. */
export function fieldColumn<T = JsonObject>(
  name: NoInfer<string & keyof T>,
  options: Partial<Column<T>> = {},
): Column<T> {
  return { name, cell: (record) => normalizeTexts(name, record[name]), ...options };
}

/** Columns by name: how a field is narrowed, or what differs from a column that shows the field. */
type Columns<T, Computed extends string = never> = {
  readonly [Name in (string & keyof T) | Computed]?: Shrink | Partial<Column<T>>;
};

function createColumns<T extends JsonObject, Computed extends string = never>(
  columns: Columns<T, Computed>,
): Column<T>[] {
  return Object.entries<Shrink | Partial<Column<T>> | undefined>(columns).map(([name, options]) =>
    fieldColumn(name, typeof options === 'number' ? { shrink: options } : options),
  );
}

function defineView<T extends JsonObject = JsonObject, Computed extends string = never>(
  columns: Columns<T, Computed>,
): View {
  const created: readonly Column<T>[] = createColumns(columns);
  return () => created;
}

function defineRecordView<T extends JsonObject, Computed extends string = never>(
  recordType: RecordType,
  columns: Columns<T, Computed>,
): View {
  return Object.assign(defineView(columns), { recordType });
}

interface HitLine {
  readonly time: string;
  readonly speaker: string;
  readonly text: string;
}

interface Hit extends JsonObject {
  readonly before: readonly HitLine[];
  readonly after: readonly HitLine[];
}

const right = { isRightAligned: true };
const amount = (name: string) => ({
  ...right,
  fields: [`${name}_cents`],
  cell: (row: JsonObject) => formatCents(row[`${name}_cents`]),
});
const lead = { place: 'lead', shrink: 0 } as const;
const extra = { place: 'extra' } as const;
const refersTo = (kind: NameKind) => ({ reference: () => kind });

/** The columns of every table. */
export const views = {
  contacts: defineRecordView<Received<Contact>, 'name'>('Contact', {
    id: 0,
    name: {
      cell: ({ first_name, last_name }) => formatFullName(first_name, last_name),
      fields: ['first_name', 'last_name'],
      shrink: 1,
    },
    emails: { maxItems: 1 },
    phone_numbers: { title: 'phones', maxItems: 1, ...extra },
    organization_id: refersTo('organization'),
  }),
  organizations: defineRecordView<Received<Organization>>('Organization', {
    id: 0,
    name: 1,
    domains: { maxItems: 2 },
  }),
  lists: defineRecordView<Received<List>, 'kind'>('List', {
    id: 0,
    name: 1,
    kind: { cell: ({ process }) => (process ? 'process' : 'list'), fields: ['process'] },
    entry_type: 2,
    identifier: extra,
    statuses: { cell: ({ statuses }) => statuses?.map(({ name }) => name), maxItems: 3, ...extra },
    fields: { cell: ({ fields }) => fields?.map(({ name }) => name), maxItems: 3, ...extra },
  }),
  entries: Object.assign(createEntryColumns, { recordType: 'Entry' as const }),
  events: defineRecordView<Received<CalendarEvent>>('CalendarEvent', {
    id: 0,
    start_at: { title: 'start', isTime: true },
    title: 1,
    attendees: {
      cell: ({ attendees }) => attendees?.map(({ email }) => email),
      ...refersTo('email'),
      maxItems: 2,
      shrink: 1,
    },
    recordings: {
      maxItems: 1,
      cell: ({ recordings }) => recordings?.map(({ id }) => id),
      display: ({ recordings }) =>
        recordings?.map(({ id, status }) => (status === 'done' ? id : `${id} (${status})`)),
    },
  }),
  recordings: defineRecordView<Received<Recording>>('Recording', {
    id: 0,
    calendar_event_id: 2,
    status: 2,
    started_at: { title: 'started', isTime: true },
    audio_duration: right,
  }),
  hits: defineView<Hit>({
    event_id: 0,
    recording_id: 0,
    title: 3,
    start_at: { title: 'start', isTime: true },
    at: right,
    time: right,
    speaker: 2,
    text: 1,
    before: { cell: ({ before }) => before.map(formatLine), shrink: 3 },
    after: { cell: ({ after }) => after.map(formatLine), shrink: 3 },
  }),
  importedEvents: defineView({ id: 0, start_at: 0, title: 1, action: 0 }),
  importedRecording: defineView({ id: 0, calendar_event_id: 2, status: 2, audio_duration: right, action: 2 }),
  copiedRows: defineView({ table: 0, rows: right }),
  importPlan: defineView({
    row: { ...right, shrink: 0 },
    action: 0,
    id: 2,
    changes: { cell: ({ changes }) => (changes === undefined ? '' : JSON.stringify(changes)) },
    error: 2,
    candidates: 2,
  }),
  deleted: defineView({ id: 0, deleted: 2 }),
  recorded: defineView({ at: 0, command: 0, changes: right, status: 0 }),
  duplicates: defineView({ score: right, reasons: 2, id: 0, name: 1, other_id: 0, other_name: 1 }),
  notes: defineRecordView<Received<Note>>('Note', {
    id: 0,
    organization_id: refersTo('organization'),
    body: { isText: true, isMarkdown: true, shrink: 1 },
    deal_id: extra,
    created_at: { title: 'created', isTime: true },
  }),
  customFields: defineRecordView<Received<CustomField>>('CustomField', {
    id: 0,
    model: 2,
    name: 1,
    data_type: 2,
    accepts_multiple_values: { title: 'multiple' },
    options: { maxItems: 3, shrink: 3 },
  }),
  aliases: defineView({ name: 0, command: 1 }),
  config: defineView({ name: 0, value: 2, default: 2, from: 1 }),
  report: defineView({
    status: 0,
    type: 2,
    entries: right,
    share: right,
    one_time_value: amount('one_time_value'),
    recurring_monthly_value: amount('recurring_monthly_value'),
    recurring_annual_value: amount('recurring_annual_value'),
    recurring_one_time_value: amount('recurring_one_time_value'),
  }),
  keys: defineView({ id: 0, name: 1, read_only: 2, created_at: 2, revoked_at: 2 }),
  migrations: defineView({ version: 0, action: 2 }),
  newKey: defineView({ id: 2, name: 2, read_only: 2, key: 0 }),
  status: defineView({
    profile: 2,
    profile_from: 2,
    workspace: 2,
    workspace_from: 2,
    base_url: 2,
    base_url_from: 2,
    key: 2,
    key_from: 2,
    works: 2,
  }),
  profiles: defineView({ name: 2, active: 2, workspace: 1, key: 2 }),
  findings: defineView({ state: 0, check: 0, found: 1, advice: 1 }),
} as const satisfies Record<string, View>;

const processColumns: Columns<Received<Entry>, 'one_time_value' | 'recurring_value' | 'recurring_period'> = {
  key: lead,
  status: 2,
  assignee: { cell: ({ assignee }) => assignee?.email, ...extra },
  one_time_value: {
    ...amount('one_time_value'),
    title: 'one-time',
    display: (entry) => formatAmount(entry.one_time_value_cents),
    shrink: 1,
  },
  recurring_value: {
    ...amount('recurring_value'),
    title: 'recurring',
    fields: ['recurring_value_cents', 'recurring_value_period'],
    display: ({ recurring_value_cents: cents, recurring_value_period: period }) =>
      formatRecurringAmount(cents, period),
    shrink: 1,
  },
  recurring_period: {
    cell: (entry) => entry.recurring_value_period,
    fields: ['recurring_value_period'],
    place: 'data',
  },
};

/** Creates the columns of entries: the columns that any of the entries has, and one for each list field. */
function createEntryColumns(records: readonly JsonObject[]): readonly Column[] {
  const entries = records as readonly Received<Entry>[]; // the client has checked their shape
  const isProcess = entries.some((entry) => 'status' in entry);
  const type = entries.find(({ entryable_type }) => entryable_type)?.entryable_type ?? 'entryable';
  const definitions = new Map(entries.flatMap(({ list_fields }) => Object.entries(list_fields ?? {})));
  const listFields = Array.from(
    definitions,
    ([id, definition]): Column<Received<Entry>> => ({
      name: definition?.name ?? id,
      cell: (entry) => entry.list_fields?.[id]?.value,
      ...describeFieldType(definition?.data_type),
      ...extra,
    }),
  );
  const columns = createColumns<Received<Entry>, string>({
    id: lead,
    ...(isProcess && processColumns),
    entryable_id: { ...lead, shrink: 1, title: type.toLowerCase(), reference: getEntryKind },
    // Only an entry of an organization has a contact.
    ...(type !== 'Contact' && { contact_id: { ...refersTo('contact'), ...extra } }),
  });
  return [...columns, ...listFields];
}

const getEntryKind = ({ entryable_type }: Received<Entry>): NameKind | undefined =>
  entryable_type === 'Organization' ? 'organization' : entryable_type === 'Contact' ? 'contact' : undefined;

/** Returns how a table shows the values of a custom field or list field. */
export function describeFieldType(
  dataType: unknown,
): Pick<Column<unknown>, 'reference' | 'isTime' | 'isText'> {
  if (dataType === 'textarea') return { isText: true };
  if (dataType === 'contact') return refersTo('contact');
  return dataType === 'datetime' ? { isTime: true } : {};
}

function formatLine({ time, speaker, text }: HitLine): string {
  return `[${time}] ${speaker}: ${text}`;
}
