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
  /** When the column is narrowed to fit the terminal: 3 first, 1 last, 0 never; 2 by default. */
  readonly shrink?: 0 | 1 | 2 | 3;
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

type HitLine = {
  readonly time: string;
  readonly speaker: string;
  readonly text: string;
};

/** A search hit with its meeting and its context. */
type HitRow = HitLine & {
  readonly event_id: string;
  readonly recording_id: string;
  readonly title: string;
  readonly start_at: string;
  readonly at: number | null;
  readonly before: readonly HitLine[];
  readonly after: readonly HitLine[];
};

/** The columns of every table. */
export const views = {
  contacts: defineView<Received<Contact>>([
    fieldColumn('id', { shrink: 0 }),
    {
      name: 'name',
      cell: ({ first_name, last_name }) => formatFullName(first_name, last_name),
      shrink: 1,
    },
    fieldColumn('emails', { shrink: 2 }),
    fieldColumn('phone_numbers', { shrink: 2 }),
    fieldColumn('organization_id', { shrink: 3 }),
  ]),
  organizations: defineView<Received<Organization>>([
    fieldColumn('id', { shrink: 0 }),
    fieldColumn('name', { shrink: 1 }),
    fieldColumn('domains', { shrink: 2 }),
  ]),
  lists: defineView<Received<List>>([
    fieldColumn('id', { shrink: 0 }),
    fieldColumn('name', { shrink: 1 }),
    { name: 'kind', cell: (list) => (list.process ? 'process' : 'list') },
    fieldColumn('entry_type'),
    fieldColumn('identifier'),
    { name: 'statuses', cell: (list) => list.statuses?.map(({ name }) => name), shrink: 2 },
    { name: 'fields', cell: (list) => list.fields?.map(({ name }) => name), shrink: 3 },
  ]),
  entries: createEntryColumns,
  events: defineView<Received<CalendarEvent>>([
    fieldColumn('id', { shrink: 0 }),
    fieldColumn('start_at', { display: formatStart }),
    fieldColumn('title', { shrink: 1 }),
    { name: 'attendees', cell: ({ attendees }) => attendees?.map(({ email }) => email), shrink: 3 },
    {
      name: 'recordings',
      cell: ({ recordings }) => recordings?.map(({ id }) => id),
      display: ({ recordings }) =>
        recordings?.map(({ id, status }) => (status === 'done' ? id : `${id} (${status})`)),
      shrink: 2,
    },
  ]),
  recordings: defineView<Received<Recording>>([
    fieldColumn('id', { shrink: 0 }),
    fieldColumn('calendar_event_id'),
    fieldColumn('status'),
    fieldColumn('started_at'),
    fieldColumn('audio_duration', { isRightAligned: true }),
  ]),
  hits: defineView<HitRow>([
    fieldColumn('event_id', { shrink: 0 }),
    fieldColumn('recording_id', { shrink: 0 }),
    fieldColumn('title', { shrink: 3 }),
    fieldColumn('start_at', { display: formatStart }),
    fieldColumn('at', { isRightAligned: true }),
    fieldColumn('time', { isRightAligned: true }),
    fieldColumn('speaker'),
    fieldColumn('text', { shrink: 1 }),
    { name: 'before', cell: ({ before }) => before.map(formatLine), shrink: 3 },
    { name: 'after', cell: ({ after }) => after.map(formatLine), shrink: 3 },
  ]),
  importedEvents: defineView<JsonObject>([
    fieldColumn('id', { shrink: 0 }),
    fieldColumn('start_at', { shrink: 0 }),
    fieldColumn('title', { shrink: 1 }),
    fieldColumn('action', { shrink: 0 }),
  ]),
  importedRecording: defineView<JsonObject>([
    fieldColumn('id', { shrink: 0 }),
    fieldColumn('calendar_event_id'),
    fieldColumn('status'),
    fieldColumn('audio_duration', { isRightAligned: true }),
    fieldColumn('action'),
  ]),
  importPlan: defineView<JsonObject>([
    fieldColumn('row', { shrink: 0, isRightAligned: true }),
    fieldColumn('action', { shrink: 0 }),
    fieldColumn('id'),
    { name: 'changes', cell: ({ changes }) => (changes === undefined ? '' : JSON.stringify(changes)) },
    fieldColumn('error'),
    fieldColumn('candidates'),
  ]),
  deleted: defineView<JsonObject>([fieldColumn('id', { shrink: 0 }), fieldColumn('deleted')]),
  notes: defineView<Received<Note>>([
    fieldColumn('id', { shrink: 0 }),
    fieldColumn('organization_id', { shrink: 0 }),
    fieldColumn('body', { shrink: 1 }),
    fieldColumn('deal_id'),
    fieldColumn('created_at', { shrink: 3 }),
  ]),
  customFields: defineView<Received<CustomField>>([
    fieldColumn('id', { shrink: 0 }),
    fieldColumn('model', { shrink: 0 }),
    fieldColumn('name', { shrink: 1 }),
    fieldColumn('data_type', { shrink: 0 }),
    fieldColumn('accepts_multiple_values', { title: 'multiple' }),
    fieldColumn('options', { shrink: 3 }),
  ]),
  config: defineView<JsonObject>([
    fieldColumn('name', { shrink: 0 }),
    fieldColumn('value'),
    fieldColumn('default'),
  ]),
  report: defineView<JsonObject>([
    fieldColumn('status', { shrink: 0 }),
    fieldColumn('type'),
    fieldColumn('entries', { isRightAligned: true }),
    fieldColumn('share', { isRightAligned: true }),
    ...[
      'one_time_value',
      'recurring_monthly_value',
      'recurring_annual_value',
      'recurring_one_time_value',
    ].map(
      (name): Column => ({ name, cell: (row) => formatCents(row[`${name}_cents`]), isRightAligned: true }),
    ),
  ]),
  keys: defineView<JsonObject>([
    fieldColumn('id', { shrink: 0 }),
    fieldColumn('name', { shrink: 1 }),
    fieldColumn('read_only'),
    fieldColumn('created_at'),
    fieldColumn('revoked_at'),
  ]),
  newKey: defineView<JsonObject>([
    fieldColumn('id'),
    fieldColumn('name'),
    fieldColumn('read_only'),
    fieldColumn('key', { shrink: 0 }),
  ]),
  status: defineView<JsonObject>([
    fieldColumn('profile'),
    fieldColumn('profile_from'),
    fieldColumn('workspace'),
    fieldColumn('workspace_from'),
    fieldColumn('base_url'),
    fieldColumn('base_url_from'),
    fieldColumn('key'),
    fieldColumn('key_from'),
    fieldColumn('works'),
  ]),
  profiles: defineView<JsonObject>([
    fieldColumn('name'),
    fieldColumn('active'),
    fieldColumn('workspace', { shrink: 1 }),
    fieldColumn('key'),
  ]),
  findings: defineView<JsonObject>([
    fieldColumn('state', { shrink: 0 }),
    fieldColumn('check', { shrink: 0 }),
    fieldColumn('found', { shrink: 1 }),
    fieldColumn('advice', { shrink: 1 }),
  ]),
} as const satisfies Record<string, View>;

function defineView<T extends JsonObject>(columns: readonly Column<T>[]): View {
  return () => columns;
}

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
  const processColumns: Column<Received<Entry>>[] = isProcess
    ? [
        fieldColumn('key', { shrink: 0 }),
        fieldColumn('status', { shrink: 0 }),
        { name: 'assignee', cell: (entry) => entry.assignee?.email, shrink: 3 },
        {
          name: 'one_time_value',
          cell: (entry) => formatCents(entry.one_time_value_cents),
          isRightAligned: true,
          shrink: 1,
        },
        {
          name: 'recurring_value',
          cell: (entry) => formatCents(entry.recurring_value_cents),
          isRightAligned: true,
          shrink: 1,
        },
        { name: 'recurring_period', cell: (entry) => entry.recurring_value_period },
      ]
    : [];
  return [
    fieldColumn('id', { shrink: 0 }),
    ...processColumns,
    fieldColumn('entryable_id', { shrink: 0, title: type }),
    // Only an entry of an organization has a contact.
    ...(type === 'Contact' ? [] : [fieldColumn('contact_id')]),
    ...listFields,
  ];
}

/** Formats the start of a meeting without seconds. */
function formatStart({ start_at }: { readonly start_at?: unknown }): string {
  return String(start_at ?? '').replace(/(T\d\d:\d\d):\d\d(\.\d+)?/, '$1');
}

function formatLine({ time, speaker, text }: HitLine): string {
  return `[${time}] ${speaker}: ${text}`;
}
