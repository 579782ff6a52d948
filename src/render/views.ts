import { formatCents } from '../values/money.ts';
import { type Column, field, type View } from './columns.ts';
import { type Fields, fieldsOf, itemsOf } from './fields.ts';

/** Every table of the program, side by side. */
export const views = {
  contacts: fixed([
    field('id', { give: 0 }),
    {
      name: 'name',
      cell: ({ first_name, last_name }) => fullName(first_name, last_name),
      give: 1,
    },
    field('emails', { give: 2 }),
    field('phone_numbers', { give: 2 }),
    field('organization_id', { give: 3 }),
  ]),
  organizations: fixed([field('id', { give: 0 }), field('name', { give: 1 }), field('domains', { give: 2 })]),
  lists: fixed([
    field('id', { give: 0 }),
    field('name', { give: 1 }),
    { name: 'kind', cell: (list) => (list.process ? 'process' : 'list') },
    field('entry_type'),
    field('identifier'),
    { name: 'statuses', cell: (list) => names(list.statuses), give: 2 },
    { name: 'fields', cell: (list) => names(list.fields), give: 3 },
  ]),
  entries,
  events: fixed([
    field('id', { give: 0 }),
    field('start_at', { shown: minutes }),
    field('title', { give: 1 }),
    { name: 'attendees', cell: (event) => emails(event.attendees), give: 3 },
    { name: 'recordings', cell: ({ recordings }) => ids(recordings), shown: recordingsAtHand, give: 2 },
  ]),
  recordings: fixed([
    field('id', { give: 0 }),
    field('calendar_event_id'),
    field('status'),
    field('started_at'),
    field('audio_duration', { right: true }),
  ]),
  hits: fixed([
    field('event_id', { give: 0 }),
    field('recording_id', { give: 0 }),
    field('title', { give: 3 }),
    field('start_at', { shown: minutes }),
    field('at', { right: true }),
    field('time', { right: true }),
    field('speaker'),
    field('text', { give: 1 }),
    { name: 'before', cell: ({ before }) => itemsOf(before).map(spokenLine), give: 3 },
    { name: 'after', cell: ({ after }) => itemsOf(after).map(spokenLine), give: 3 },
  ]),
  importedEvents: fixed([
    field('id', { give: 0 }),
    field('start_at', { give: 0 }),
    field('title', { give: 1 }),
    field('action', { give: 0 }),
  ]),
  importedRecording: fixed([
    field('id', { give: 0 }),
    field('calendar_event_id'),
    field('status'),
    field('audio_duration', { right: true }),
    field('action'),
  ]),
  importPlan: fixed([
    field('row', { give: 0, right: true }),
    field('action', { give: 0 }),
    field('id'),
    { name: 'changes', cell: ({ changes }) => (changes === undefined ? '' : JSON.stringify(changes)) },
    field('error'),
    field('candidates'),
  ]),
  deleted: fixed([field('id', { give: 0 }), field('deleted')]),
  notes: fixed([
    field('id', { give: 0 }),
    field('organization_id', { give: 0 }),
    field('body', { give: 1 }),
    field('deal_id'),
    field('created_at', { give: 3 }),
  ]),
  customFields: fixed([
    field('id', { give: 0 }),
    field('model', { give: 0 }),
    field('name', { give: 1 }),
    field('data_type', { give: 0 }),
    field('accepts_multiple_values', { title: 'multiple' }),
    field('options', { give: 3 }),
  ]),
  config: fixed([field('name', { give: 0 }), field('value'), field('default')]),
  report: fixed([
    field('status', { give: 0 }),
    field('type'),
    field('entries', { right: true }),
    field('share', { right: true }),
    ...[
      'one_time_value',
      'recurring_monthly_value',
      'recurring_annual_value',
      'recurring_one_time_value',
    ].map((name): Column => ({ name, cell: (row) => formatCents(row[`${name}_cents`]), right: true })),
  ]),
  keys: fixed([
    field('id', { give: 0 }),
    field('name', { give: 1 }),
    field('read_only'),
    field('created_at'),
    field('revoked_at'),
  ]),
  newKey: fixed([field('id'), field('name'), field('read_only'), field('key', { give: 0 })]),
  status: fixed([
    field('profile'),
    field('profile_from'),
    field('workspace'),
    field('workspace_from'),
    field('base_url'),
    field('base_url_from'),
    field('key'),
    field('key_from'),
    field('works'),
  ]),
  profiles: fixed([field('name'), field('active'), field('workspace', { give: 1 }), field('key')]),
  findings: fixed([
    field('state', { give: 0 }),
    field('check', { give: 0 }),
    field('found', { give: 1 }),
    field('advice', { give: 1 }),
  ]),
} as const satisfies Record<string, View>;

function fixed(columns: readonly Column[]): View {
  return () => columns;
}

/** A name as its bearer writes it: in Korean, Japanese and Chinese the family name comes first. */
export function fullName(first_name: unknown, last_name: unknown): string {
  const [first, last] = [String(first_name ?? ''), String(last_name ?? '')];
  const both = `${last}${first}`;
  if (/^[\p{Script=Hangul}\p{Script=Han}]+$/u.test(both)) return both;
  if (/^[\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+$/u.test(both))
    return `${last} ${first}`.trim();
  return `${first} ${last}`.trim();
}

/** The columns of entries: what the records of the list have, and a column for each of its fields. */
function entries(records: readonly unknown[]): readonly Column[] {
  const all = records.map(fieldsOf);
  // A service need not send every field with every entry: what one of them has, the table has.
  const process = all.some((entry) => 'status' in entry);
  const type = String(all.find(({ entryable_type }) => entryable_type)?.entryable_type ?? 'entryable');
  const defined = new Map(all.flatMap(({ list_fields }) => Object.entries(fieldsOf(list_fields))));
  const listFields = Array.from(
    defined,
    ([id, definition]): Column => ({
      name: String(fieldsOf(definition).name ?? id),
      cell: (entry) => fieldsOf(fieldsOf(entry.list_fields)[id]).value,
      give: 3,
    }),
  );
  const own: Column[] = process
    ? [
        field('key', { give: 0 }),
        field('status', { give: 0 }),
        { name: 'assignee', cell: (entry) => fieldsOf(entry.assignee).email, give: 3 },
        {
          name: 'one_time_value',
          cell: (entry) => formatCents(entry.one_time_value_cents),
          right: true,
          give: 1,
        },
        {
          name: 'recurring_value',
          cell: (entry) => formatCents(entry.recurring_value_cents),
          right: true,
          give: 1,
        },
        { name: 'recurring_period', cell: (entry) => entry.recurring_value_period },
      ]
    : [];
  return [
    field('id', { give: 0 }),
    ...own,
    field('entryable_id', { give: 0, title: type }),
    // Only beside an organization does the entry name a contact.
    ...(type === 'Contact' ? [] : [field('contact_id')]),
    ...listFields,
  ];
}

/** The start of a meeting without its seconds. */
function minutes({ start_at }: Fields): string {
  return String(start_at ?? '').replace(/(T\d\d:\d\d):\d\d(\.\d+)?/, '$1');
}

/** What somebody said, as a paragraph of a transcript. */
function spokenLine({ time, speaker, text }: Fields): string {
  return `[${time}] ${speaker}: ${text}`;
}

function names(value: unknown): unknown[] {
  return itemsOf(value).map(({ name }) => name);
}

function emails(value: unknown): unknown[] {
  return itemsOf(value).map(({ email }) => email);
}

function ids(value: unknown): unknown[] {
  return itemsOf(value).map(({ id }) => id);
}

function recordingsAtHand({ recordings }: Fields): unknown[] {
  return itemsOf(recordings).map(({ id, status }) => (status === 'done' ? id : `${id} (${status})`));
}
