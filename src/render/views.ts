import type { CalendarEvent } from '../contract/calendar-events.ts';
import type { Result } from '../contract/documents/results.ts';
import type { Entry } from '../contract/entries.ts';
import { isDateType, readDataType } from '../contract/field-types.ts';
import type { RecordType } from '../contract/index.ts';
import type { Received } from '../contract/received.ts';
import type { ListedNoun } from '../contract/singular-nouns.ts';
import type { JsonObject } from '../values/json-object.ts';
import { formatAmount, formatCents, formatRecurringAmount } from '../values/money.ts';
import type { NameKind } from './collect-references.ts';
import { type Column, createFieldColumn, createPlainColumn, describeType, type View } from './columns.ts';
import type { DifferenceRow } from './differences.ts';
import type { Shrink } from './text/fit-columns.ts';

/** Columns by field name: the way to narrow the column, or differences from its type's default column. */
type Columns<T> = Readonly<Record<string, Shrink | Partial<Column<T>>>>;

function createColumns<T extends JsonObject>(
  columns: Columns<T>,
  create: (name: string) => Column,
): Column<T>[] {
  return Object.entries(columns).map(([name, options]) => ({
    ...create(name),
    ...(typeof options === 'number' ? { shrink: options } : options),
  }));
}

function defineView<T extends JsonObject = JsonObject>(columns: Columns<T>): View {
  const created: readonly Column<T>[] = createColumns(columns, (name) => createPlainColumn(name));
  return () => created;
}

/** Defines the view of a noun. Fields that are not listed appear only in details or if --fields selects them. */
function defineRecordView<T extends JsonObject = JsonObject>(
  noun: ListedNoun,
  recordType: RecordType,
  columns: Columns<T>,
): View {
  const created: readonly Column<T>[] = createColumns(columns, (name) => createFieldColumn(noun, name));
  return Object.assign(() => created, { recordType, noun });
}

const formatGuard = ({ name, value, from }: Result<'workspace'>['guards'][number]) =>
  `${name} ${value} (${from})`;

const right = { isRightAligned: true };
const createAmountColumn = (name: string) => ({
  ...right,
  fields: [`${name}_cents`],
  cell: (row: JsonObject) => formatCents(row[`${name}_cents`]),
});
const lead = { place: 'lead', shrink: 0 } as const;
const extra = { place: 'extra' } as const;

/** The columns with the totals of a report's groups. */
const reportTotals = {
  entries: right,
  share: right,
  one_time_value: createAmountColumn('one_time_value'),
  recurring_monthly_value: createAmountColumn('recurring_monthly_value'),
  recurring_annual_value: createAmountColumn('recurring_annual_value'),
  recurring_one_time_value: createAmountColumn('recurring_one_time_value'),
  first_year_value: createAmountColumn('first_year_value'),
};

/**
 * Creates the view of a report by a field other than the status. `noValue`: the name of the group of entries without a
 * value. `hasIds`: whether the groups are records.
 */
export const createGroupView = (noValue: string, hasIds: boolean): View =>
  defineView({
    group: { cell: ({ group }) => group ?? noValue, shrink: 0 },
    ...(hasIds && { id: 2 }),
    ...reportTotals,
  });

/** The columns of every table. */
export const views = {
  contacts: defineRecordView('contacts', 'Contact', {
    id: 0,
    name: 1,
    emails: { maxItems: 1 },
    phone_numbers: { maxItems: 1, ...extra },
    organization_id: 1,
  }),
  organizations: defineRecordView('organizations', 'Organization', {
    id: 0,
    name: 1,
    domains: { maxItems: 2 },
  }),
  lists: defineRecordView('lists', 'List', {
    id: 0,
    name: 1,
    kind: 2,
    entry_type: 2,
    identifier: extra,
    statuses: { maxItems: 3, ...extra },
    fields: { maxItems: 3, ...extra },
  }),
  entries: Object.assign(createEntryColumns, { recordType: 'Entry' as const, noun: 'entries' as const }),
  events: defineRecordView<Received<CalendarEvent>>('events', 'CalendarEvent', {
    id: 0,
    start_at: 1,
    title: 1,
    attendees: { reference: () => 'email', maxItems: 2, shrink: 1 },
    recordings: {
      ...{ place: 'wide', maxItems: 1 },
      display: ({ recordings }) =>
        recordings.map(({ id, status }) => (status === 'done' ? id : `${id} (${status})`)),
    },
  }),
  recordings: Object.assign(
    defineView({
      id: 0,
      calendar_event_id: 2,
      status: 2,
      started_at: { isTime: true },
      audio_duration: right,
    }),
    { recordType: 'Recording' as const },
  ),
  hits: defineView<Result<'transcript-match'>>({
    event_id: 0,
    recording_id: 0,
    title: 3,
    start_at: { isTime: true },
    at: right,
    time: right,
    speaker: 2,
    text: 1,
    before: { cell: ({ before }) => before.map(formatLine), shrink: 3 },
    after: { cell: ({ after }) => after.map(formatLine), shrink: 3 },
  }),
  actions: defineView({
    id: 0,
    state: 0,
    text: 1,
    person: { reference: () => 'email' },
    start_at: { isTime: true },
    title: { title: 'meeting', shrink: 3 },
    event_id: { place: 'wide' },
    organization_ids: { title: 'organization', reference: () => 'organization', maxItems: 2 },
    changed_at: { isTime: true, ...extra },
  }),
  importedEvents: defineView({ id: 0, start_at: 0, title: 1, action: 0 }),
  importedRecording: defineView({ id: 0, calendar_event_id: 2, status: 2, audio_duration: right, action: 2 }),
  copiedRows: defineView({ table: 0, rows: right }),
  transferCounts: defineView({
    noun: 0,
    records: right,
    create: right,
    update: right,
    same: right,
    skip: right,
    fail: right,
    kept: right,
  }),
  transferRecords: defineView({
    noun: 0,
    action: 0,
    id: 0,
    target_id: 0,
    name: 1,
    kept: 2,
    problem: 2,
  }),
  importPlan: defineView({
    row: { ...right, shrink: 0 },
    action: 0,
    id: 2,
    changes: { cell: ({ changes }) => (changes === undefined ? '' : JSON.stringify(changes)) },
    error: 2,
    candidates: 2,
  }),
  deleted: defineView({ id: 0, deleted: 2 }),
  recorded: defineView({
    at: { isTime: true, shrink: 0 },
    command: 1,
    changes: right,
    status: 0,
    number: right,
  }),
  differences: defineView<DifferenceRow>({
    change: 0,
    noun: 0,
    id: 0,
    name: 1,
    fields: { cell: ({ fields }) => fields.map(({ field }) => field) },
  }),
  followUps: defineView<Result<'follow-up'>>({
    score: right,
    kind: 0,
    id: 0,
    name: 1,
    contact: 2,
    reasons: { cell: ({ reasons }) => reasons.map(({ text }) => text), shrink: 1 },
    parts: { cell: ({ reasons }) => reasons.map(({ part, score }) => `${part} ${score}`), ...extra },
  }),
  duplicates: defineView({ score: right, reasons: 2, id: 0, name: 1, other_id: 0, other_name: 1 }),
  notes: defineRecordView('notes', 'Note', {
    id: 0,
    organization_id: 1,
    body: { isMarkdown: true, shrink: 1 },
    deal_id: extra,
    created_at: 2,
  }),
  customFields: defineRecordView('customFields', 'CustomField', {
    id: 0,
    model: 2,
    name: 1,
    data_type: 2,
    accepts_multiple_values: 2,
    options: { maxItems: 3, shrink: 3 },
  }),
  dealChanges: defineView({
    change: 0,
    id: extra,
    key: 0,
    name: 1,
    from: 2,
    to: 2,
    one_time_value: createAmountColumn('one_time_value'),
    recurring_value: createAmountColumn('recurring_value'),
  }),
  day: defineView({
    kind: 0,
    date: 0,
    id: 0,
    title: 1,
    people: 2,
    organization: 2,
    state: 2,
    field: 2,
    status: 2,
    list: 2,
    one_time_value: createAmountColumn('one_time_value'),
  }),
  brief: defineView({ section: 0, date: 0, id: 0, text: 1, detail: 2 }),
  agents: defineView({ agent: 0, status: 2, path: 1 }),
  aliases: defineView({ name: 0, command: 1 }),
  schedules: defineView({
    name: 0,
    scheduler: 0,
    schedule: 2,
    state: 0,
    next_run: { isTime: true },
    last_run: { isTime: true },
    last_exit_code: { title: 'exit', ...right },
    log: 1,
    command: extra,
    time_zone: extra,
    on_failure: extra,
    last_error: extra,
  }),
  config: defineView({ name: 0, value: 2, default: 2, from: 1 }),
  report: defineView({ status: 0, type: 2, ...reportTotals }),
  keys: defineView({ id: 0, name: 1, read_only: 2, created_at: 2, revoked_at: 2 }),
  migrations: defineView({ version: 0, action: 2 }),
  newKey: defineView({ id: 2, name: 2, read_only: 2, key: 0 }),
  status: defineView<Result<'auth-status'>>({
    profile: 2,
    profile_from: 2,
    workspace: 2,
    workspace_from: 2,
    base_url: 2,
    base_url_from: 2,
    key: 2,
    key_from: 2,
    settings: { place: 'details' },
    works: 2,
    guards: { cell: ({ guards }) => guards.map(formatGuard), shrink: 2 },
    pulled_at: { isTime: true },
  }),
  workspace: defineView<Result<'workspace'>>({
    profile: 2,
    workspace: 2,
    user: 2,
    time_zone: 2,
    guards: { cell: ({ guards }) => guards.map(formatGuard), shrink: 2 },
    lists: { cell: ({ lists }) => lists.map(({ name }) => name), shrink: 2 },
    fields: { cell: ({ fields }) => fields.map(({ name }) => name), shrink: 2 },
    assignees: 2,
  }),
  profiles: defineView({ name: 2, active: 2, workspace: 1, key: 2 }),
  commands: defineView({
    command: { shrink: 0, cell: ({ path }) => ['kith', ...(Array.isArray(path) ? path : [])].join(' ') },
    summary: 1,
    writes: 0,
  }),
  schemas: defineView({ name: 0, title: 1 }),
  findings: defineView({ state: 0, check: 0, found: 1, advice: 1 }),
} as const satisfies Record<string, View>;

const processColumns: Columns<Received<Entry>> = {
  key: lead,
  status: 1,
  assignee: 2,
  one_time_value: { display: (entry) => formatAmount(entry.one_time_value_cents), shrink: 1 },
  recurring_value: {
    fields: ['recurring_value_cents', 'recurring_value_period'],
    display: ({ recurring_value_cents: cents, recurring_value_period: period }) =>
      formatRecurringAmount(cents, period),
    shrink: 1,
  },
  recurring_period: { place: 'data' },
};

/** Creates the columns of entries: the columns that any of the entries has, and one for each list field. */
function createEntryColumns(records: readonly JsonObject[]): readonly Column[] {
  const entries = records as readonly Received<Entry>[]; // the client has checked their shape
  const isProcess = entries.some((entry) => 'status' in entry);
  const type = entries.find(({ entryable_type }) => entryable_type)?.entryable_type ?? 'entryable';
  const definitions = new Map(entries.flatMap(({ list_fields }) => Object.entries(list_fields ?? {})));
  const firstDate = [...definitions.values()].find((definition) =>
    isDateType(readDataType(definition?.data_type)),
  );
  const listFields = Array.from(
    definitions,
    ([id, definition]): Column<Received<Entry>> => ({
      name: definition?.name ?? id,
      cell: (entry) => entry.list_fields?.[id]?.value,
      ...describeType(readDataType(definition?.data_type)),
      ...(definition !== undefined && definition === firstDate ? {} : extra),
    }),
  );
  const columns = createColumns<Received<Entry>>(
    {
      id: lead,
      ...(isProcess && processColumns),
      entryable_id: { ...lead, shrink: 1, title: type.toLowerCase(), reference: getEntryKind },
      // Only an entry of an organization has a contact.
      ...(type !== 'Contact' && { contact_id: extra }),
    },
    (name) => createFieldColumn('entries', name),
  );
  return [...columns, ...listFields];
}

const getEntryKind = ({ entryable_type }: Received<Entry>): NameKind | undefined =>
  entryable_type === 'Organization' ? 'organization' : entryable_type === 'Contact' ? 'contact' : undefined;

function formatLine({ time, speaker, text }: Result<'transcript-match'>['before'][number]): string {
  return `[${time}] ${speaker}: ${text}`;
}
