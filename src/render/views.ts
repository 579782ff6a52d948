import type { CalendarEvent } from '../contract/calendar-events.ts';
import type { Contact } from '../contract/contacts.ts';
import type { CustomField } from '../contract/custom-fields.ts';
import type { Entry } from '../contract/entries.ts';
import type { List } from '../contract/lists.ts';
import type { Note } from '../contract/notes.ts';
import type { Organization } from '../contract/organizations.ts';
import type { Received } from '../contract/received.ts';
import type { Recording } from '../contract/recordings.ts';
import { normalizeTexts } from '../values/field-values.ts';
import type { JsonObject } from '../values/json-object.ts';
import { formatCents } from '../values/money.ts';

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
  readonly isRightAligned?: boolean;
  /** 2 by default. */
  readonly shrink?: Shrink;
}

/** Returns the columns of a table, in order. They may depend on the records. */
export type View = (records: readonly JsonObject[]) => readonly Column[];

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
  cell: (row: JsonObject) => formatCents(row[`${name}_cents`]),
});

/** The columns of every table. */
export const views = {
  contacts: defineView<Received<Contact>, 'name'>({
    id: 0,
    name: { cell: ({ first_name, last_name }) => formatFullName(first_name, last_name), shrink: 1 },
    emails: 2,
    phone_numbers: 2,
    organization_id: 3,
  }),
  organizations: defineView<Received<Organization>>({ id: 0, name: 1, domains: 2 }),
  lists: defineView<Received<List>, 'kind'>({
    id: 0,
    name: 1,
    kind: { cell: ({ process }) => (process ? 'process' : 'list') },
    entry_type: 2,
    identifier: 2,
    statuses: { cell: ({ statuses }) => statuses?.map(({ name }) => name) },
    fields: { cell: ({ fields }) => fields?.map(({ name }) => name), shrink: 3 },
  }),
  entries: createEntryColumns,
  events: defineView<Received<CalendarEvent>>({
    id: 0,
    start_at: { display: formatStart },
    title: 1,
    attendees: { cell: ({ attendees }) => attendees?.map(({ email }) => email), shrink: 3 },
    recordings: {
      cell: ({ recordings }) => recordings?.map(({ id }) => id),
      display: ({ recordings }) =>
        recordings?.map(({ id, status }) => (status === 'done' ? id : `${id} (${status})`)),
    },
  }),
  recordings: defineView<Received<Recording>>({
    id: 0,
    calendar_event_id: 2,
    status: 2,
    started_at: 2,
    audio_duration: right,
  }),
  hits: defineView<Hit>({
    event_id: 0,
    recording_id: 0,
    title: 3,
    start_at: { display: formatStart },
    at: right,
    time: right,
    speaker: 2,
    text: 1,
    before: { cell: ({ before }) => before.map(formatLine), shrink: 3 },
    after: { cell: ({ after }) => after.map(formatLine), shrink: 3 },
  }),
  importedEvents: defineView({ id: 0, start_at: 0, title: 1, action: 0 }),
  importedRecording: defineView({ id: 0, calendar_event_id: 2, status: 2, audio_duration: right, action: 2 }),
  importPlan: defineView({
    row: { ...right, shrink: 0 },
    action: 0,
    id: 2,
    changes: { cell: ({ changes }) => (changes === undefined ? '' : JSON.stringify(changes)) },
    error: 2,
    candidates: 2,
  }),
  deleted: defineView({ id: 0, deleted: 2 }),
  notes: defineView<Received<Note>>({ id: 0, organization_id: 0, body: 1, deal_id: 2, created_at: 3 }),
  customFields: defineView<Received<CustomField>>({
    id: 0,
    model: 0,
    name: 1,
    data_type: 0,
    accepts_multiple_values: { title: 'multiple' },
    options: 3,
  }),
  config: defineView({ name: 0, value: 2, default: 2 }),
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

/** Formats a full name. In Korean, Japanese and Chinese the family name comes first. */
export function formatFullName(
  first_name: string | null | undefined,
  last_name: string | null | undefined,
): string {
  const [first, last] = [first_name ?? '', last_name ?? ''];
  const both = `${last}${first}`;
  if (/^[\p{Script=Hangul}\p{Script=Han}]+$/u.test(both)) return both;
  if (/^[\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+$/u.test(both))
    return `${last} ${first}`.trim();
  return `${first} ${last}`.trim();
}

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
      shrink: 3,
    }),
  );
  const ofProcess: Columns<Received<Entry>, 'one_time_value' | 'recurring_value' | 'recurring_period'> = {
    key: 0,
    status: 0,
    assignee: { cell: ({ assignee }) => assignee?.email, shrink: 3 },
    one_time_value: { ...amount('one_time_value'), shrink: 1 },
    recurring_value: { ...amount('recurring_value'), shrink: 1 },
    recurring_period: { cell: (entry) => entry.recurring_value_period },
  };
  const columns = createColumns<Received<Entry>, string>({
    id: 0,
    ...(isProcess && ofProcess),
    entryable_id: { shrink: 0, title: type },
    // Only an entry of an organization has a contact.
    ...(type !== 'Contact' && { contact_id: 2 }),
  });
  return [...columns, ...listFields];
}

/** Formats the start of a meeting without seconds. */
function formatStart({ start_at }: JsonObject): string {
  return String(start_at ?? '').replace(/(T\d\d:\d\d):\d\d(\.\d+)?/, '$1');
}

function formatLine({ time, speaker, text }: HitLine): string {
  return `[${time}] ${speaker}: ${text}`;
}
