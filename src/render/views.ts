import { normalizeTexts } from '../values/field-values.ts';
import { formatCents } from '../values/money.ts';
import { type Fields, fieldsOf, itemsOf } from './fields.ts';

/** A column of a table, CSV or TSV. */
export interface Column {
  /** The name of the field, and the header in CSV and TSV. */
  readonly name: string;
  /** The header in a table, if it differs from the name. */
  readonly title?: string;
  readonly cell: (record: Fields) => unknown;
  /** The value in a table, if it differs from the cell. */
  readonly display?: (record: Fields) => unknown;
  readonly isRightAligned?: boolean;
  /** When the column is narrowed to fit the terminal: 3 first, 1 last, 0 never; 2 by default. */
  readonly shrink?: 0 | 1 | 2 | 3;
}

/** Returns the columns of a table, in order. They may depend on the records. */
export type View = (records: readonly unknown[]) => readonly Column[];

/** Creates a column that shows a field. */
export function fieldColumn(name: string, options: Partial<Column> = {}): Column {
  return { name, cell: (record) => normalizeTexts(name, record[name]), ...options };
}

/** The columns of every table. */
export const views = {
  contacts: fixed([
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
  organizations: fixed([
    fieldColumn('id', { shrink: 0 }),
    fieldColumn('name', { shrink: 1 }),
    fieldColumn('domains', { shrink: 2 }),
  ]),
  lists: fixed([
    fieldColumn('id', { shrink: 0 }),
    fieldColumn('name', { shrink: 1 }),
    { name: 'kind', cell: (list) => (list.process ? 'process' : 'list') },
    fieldColumn('entry_type'),
    fieldColumn('identifier'),
    { name: 'statuses', cell: (list) => listNames(list.statuses), shrink: 2 },
    { name: 'fields', cell: (list) => listNames(list.fields), shrink: 3 },
  ]),
  entries: createEntryColumns,
  events: fixed([
    fieldColumn('id', { shrink: 0 }),
    fieldColumn('start_at', { display: formatStart }),
    fieldColumn('title', { shrink: 1 }),
    { name: 'attendees', cell: (event) => listEmails(event.attendees), shrink: 3 },
    {
      name: 'recordings',
      cell: ({ recordings }) => listIds(recordings),
      display: formatRecordings,
      shrink: 2,
    },
  ]),
  recordings: fixed([
    fieldColumn('id', { shrink: 0 }),
    fieldColumn('calendar_event_id'),
    fieldColumn('status'),
    fieldColumn('started_at'),
    fieldColumn('audio_duration', { isRightAligned: true }),
  ]),
  hits: fixed([
    fieldColumn('event_id', { shrink: 0 }),
    fieldColumn('recording_id', { shrink: 0 }),
    fieldColumn('title', { shrink: 3 }),
    fieldColumn('start_at', { display: formatStart }),
    fieldColumn('at', { isRightAligned: true }),
    fieldColumn('time', { isRightAligned: true }),
    fieldColumn('speaker'),
    fieldColumn('text', { shrink: 1 }),
    { name: 'before', cell: ({ before }) => itemsOf(before).map(formatUtterance), shrink: 3 },
    { name: 'after', cell: ({ after }) => itemsOf(after).map(formatUtterance), shrink: 3 },
  ]),
  importedEvents: fixed([
    fieldColumn('id', { shrink: 0 }),
    fieldColumn('start_at', { shrink: 0 }),
    fieldColumn('title', { shrink: 1 }),
    fieldColumn('action', { shrink: 0 }),
  ]),
  importedRecording: fixed([
    fieldColumn('id', { shrink: 0 }),
    fieldColumn('calendar_event_id'),
    fieldColumn('status'),
    fieldColumn('audio_duration', { isRightAligned: true }),
    fieldColumn('action'),
  ]),
  importPlan: fixed([
    fieldColumn('row', { shrink: 0, isRightAligned: true }),
    fieldColumn('action', { shrink: 0 }),
    fieldColumn('id'),
    { name: 'changes', cell: ({ changes }) => (changes === undefined ? '' : JSON.stringify(changes)) },
    fieldColumn('error'),
    fieldColumn('candidates'),
  ]),
  deleted: fixed([fieldColumn('id', { shrink: 0 }), fieldColumn('deleted')]),
  notes: fixed([
    fieldColumn('id', { shrink: 0 }),
    fieldColumn('organization_id', { shrink: 0 }),
    fieldColumn('body', { shrink: 1 }),
    fieldColumn('deal_id'),
    fieldColumn('created_at', { shrink: 3 }),
  ]),
  customFields: fixed([
    fieldColumn('id', { shrink: 0 }),
    fieldColumn('model', { shrink: 0 }),
    fieldColumn('name', { shrink: 1 }),
    fieldColumn('data_type', { shrink: 0 }),
    fieldColumn('accepts_multiple_values', { title: 'multiple' }),
    fieldColumn('options', { shrink: 3 }),
  ]),
  config: fixed([fieldColumn('name', { shrink: 0 }), fieldColumn('value'), fieldColumn('default')]),
  report: fixed([
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
  keys: fixed([
    fieldColumn('id', { shrink: 0 }),
    fieldColumn('name', { shrink: 1 }),
    fieldColumn('read_only'),
    fieldColumn('created_at'),
    fieldColumn('revoked_at'),
  ]),
  newKey: fixed([
    fieldColumn('id'),
    fieldColumn('name'),
    fieldColumn('read_only'),
    fieldColumn('key', { shrink: 0 }),
  ]),
  status: fixed([
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
  profiles: fixed([
    fieldColumn('name'),
    fieldColumn('active'),
    fieldColumn('workspace', { shrink: 1 }),
    fieldColumn('key'),
  ]),
  findings: fixed([
    fieldColumn('state', { shrink: 0 }),
    fieldColumn('check', { shrink: 0 }),
    fieldColumn('found', { shrink: 1 }),
    fieldColumn('advice', { shrink: 1 }),
  ]),
} as const satisfies Record<string, View>;

function fixed(columns: readonly Column[]): View {
  return () => columns;
}

/** Formats a full name. In Korean, Japanese and Chinese the family name comes first. */
export function formatFullName(first_name: unknown, last_name: unknown): string {
  const [first, last] = [String(first_name ?? ''), String(last_name ?? '')];
  const both = `${last}${first}`;
  if (/^[\p{Script=Hangul}\p{Script=Han}]+$/u.test(both)) return both;
  if (/^[\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+$/u.test(both))
    return `${last} ${first}`.trim();
  return `${first} ${last}`.trim();
}

/** Creates the columns of entries: the columns that any of the entries has, and one for each list field. */
function createEntryColumns(records: readonly unknown[]): readonly Column[] {
  const rows = records.map(fieldsOf);
  const isProcess = rows.some((entry) => 'status' in entry);
  const type = String(rows.find(({ entryable_type }) => entryable_type)?.entryable_type ?? 'entryable');
  const defined = new Map(rows.flatMap(({ list_fields }) => Object.entries(fieldsOf(list_fields))));
  const listFields = Array.from(
    defined,
    ([id, definition]): Column => ({
      name: String(fieldsOf(definition).name ?? id),
      cell: (entry) => fieldsOf(fieldsOf(entry.list_fields)[id]).value,
      shrink: 3,
    }),
  );
  const processColumns: Column[] = isProcess
    ? [
        fieldColumn('key', { shrink: 0 }),
        fieldColumn('status', { shrink: 0 }),
        { name: 'assignee', cell: (entry) => fieldsOf(entry.assignee).email, shrink: 3 },
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
function formatStart({ start_at }: Fields): string {
  return String(start_at ?? '').replace(/(T\d\d:\d\d):\d\d(\.\d+)?/, '$1');
}

/** Formats an utterance as a paragraph of a transcript. */
function formatUtterance({ time, speaker, text }: Fields): string {
  return `[${time}] ${speaker}: ${text}`;
}

function listNames(value: unknown): unknown[] {
  return itemsOf(value).map(({ name }) => name);
}

function listEmails(value: unknown): unknown[] {
  return itemsOf(value).map(({ email }) => email);
}

function listIds(value: unknown): unknown[] {
  return itemsOf(value).map(({ id }) => id);
}

function formatRecordings({ recordings }: Fields): unknown[] {
  return itemsOf(recordings).map(({ id, status }) => (status === 'done' ? id : `${id} (${status})`));
}
