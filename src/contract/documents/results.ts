import * as v from 'valibot';
import { describe } from '../grammar.ts';
import { records } from '../index.ts';
import { recurringPeriods } from '../record-fields.ts';
import { Summary, Utterance } from '../recordings.ts';
import { orderedNouns } from '../singular-nouns.ts';
import * as documents from './schemas.ts';

// The JSON that commands print, by the names of `kith schema`. Only that command and the build load the schemas.

const { Contact, Organization, Note, CustomField, List, Entry, CalendarEvent, Recording } = records;
const { Count } = documents;
const Text = v.string();
const Texts = v.array(Text);
const Flag = v.boolean();
const Value = v.unknown();
const Whole = v.pipe(v.number(), v.integer());
const Sum = v.union([v.number(), v.string()]); // text if a double cannot hold it
const MaybeText = v.nullable(Text);
const MaybeCount = v.nullable(Count);

type Groups = readonly v.ObjectEntries[];
type Merged<G extends Groups> = G extends readonly [infer First, ...infer Others extends Groups]
  ? First & Merged<Others>
  : Record<never, never>;
type MergedSchema<G extends Groups> = v.ObjectSchema<Merged<G>, undefined>;

/** Creates the schema of an object from groups of its members. */
const createObject = <const G extends Groups>(...groups: G): MergedSchema<G> =>
  v.object(Object.assign({}, ...groups));

/** Creates the schema of an object with a title. */
const createDocument = <const G extends Groups>(title: string, ...groups: G): MergedSchema<G> =>
  v.pipe(v.object(Object.assign({}, ...groups)), v.title(title)) as unknown as MergedSchema<G>; // the same entries

/** Returns a function that creates members of one type. */
const repeat =
  <S extends v.GenericSchema>(schema: S) =>
  <const N extends readonly [string, ...string[]]>(...names: N) =>
    v.entriesFromList(names, schema);

const texts = repeat(Text);
const counts = repeat(Count);
const maybeTexts = repeat(MaybeText);
const optionalTexts = repeat(v.optional(Text));
const optionalValues = repeat(v.optional(Value));

/** Creates the schema of a part that is null if it could not be read. */
const createPart = <S extends v.GenericSchema>(item: S) => v.nullable(v.array(item));

const created = v.optional(
  describe(Flag, 'With --if-absent or upsert: whether the command created the record'),
);
const more = describe(v.record(Text, MaybeCount), 'Omitted records by part; null if unknown');
const error = v.optional(documents.ErrorDocument);

const Attendee = createObject(texts('email'), maybeTexts('name', 'organization_id', 'organization'));
const ShownRecording = createObject(texts('id', 'status', 'started_at', 'ended_at'), {
  summary: MaybeText,
  action_items: Texts,
});
const owners = { contact: v.nullable(Contact), organization: v.nullable(Organization) };
const people = { contacts: createPart(Contact) };
/** The parts of each record that `show` prints, except a meeting. */
const parts = {
  entries: createPart(createObject(Entry.entries, texts('list_name'))),
  notes: createPart(Note),
  upcoming: createPart(CalendarEvent),
  meetings: createPart(createObject(CalendarEvent.entries, { summary: MaybeText, action_items: Texts })),
  more,
};
const part = texts('id', 'started_at');

const deal = {
  ...texts('id', 'list_id', 'list_name', 'entryable_id', 'name'),
  ...maybeTexts('entryable_type', 'key', 'status'),
  one_time_value_cents: v.nullable(Sum),
};
const PartyKind = v.picklist(['contact', 'organization']);
const followUp = [
  texts('id', 'name'),
  maybeTexts('contact_id', 'contact'),
  {
    kind: PartyKind,
    score: describe(Whole, 'The sum of the scores of the reasons'),
    reasons: v.array(
      createObject(texts('text'), {
        part: v.picklist(['promise', 'close', 'rhythm', 'date', 'value']),
        score: Whole,
        id: describe(MaybeText, 'The action item, deal or note'),
      }),
    ),
  },
] as const;
const DueField = v.object({ field: Text, value: Text, is_overdue: Flag });
const action = {
  ...texts('id', 'text', 'event_id', 'title'),
  person: describe(MaybeText, 'The email address of the attendee whose name the text begins with'),
  start_at: describe(MaybeText, 'The start of the meeting: ISO 8601'),
};

const sums = repeat(Sum);
const totals = {
  entries: Count,
  share: describe(v.number(), 'Percentage of all entries'),
  ...sums('one_time_value_cents', 'recurring_monthly_value_cents', 'recurring_annual_value_cents'),
  ...sums('recurring_one_time_value_cents', 'first_year_value_cents'),
  currency: MaybeText,
};
const values = {
  one_time_value_cents: v.nullable(Sum),
  recurring_value_cents: v.nullable(Sum),
  recurring_value_period: v.nullable(v.picklist(recurringPeriods)),
};

const Spoken = v.object({ at: v.nullable(v.number()), time: Text, speaker: Text, text: Text });
const Span = v.object({ start: Count, end: Count });
const spokenLists = repeat(v.array(Spoken));
const spans = repeat(v.array(Span));

const MeetingProblem = createObject(texts('id', 'title'), optionalTexts('reason'));
const Unavailable = createObject(texts('id', 'name'), { is_new: Flag });
const meetingProblems = repeat(v.array(MeetingProblem));
const folder = [
  meetingProblems('pending', 'late', 'failed'),
  { exported: Count, deleted_upstream: Count, edited: Texts, missing: Texts },
] as const;

const Problem = createObject(texts('noun', 'reason'), optionalTexts('field'), { count: Count, ids: Texts });
const Unread = v.optional(v.object({ nouns: Texts, lists: Texts, recordings: Texts }));
const BackupFile = createObject(counts('records', 'bytes'), texts('sha256'), {
  requested: v.optional(Count),
  reused: v.optional(Count),
  is_changed: Flag,
});
const nounCounts = v.entriesFromList(orderedNouns, Count);
const CopiedTable = createDocument('Table or noun of a complete copy', { table: Text, rows: Count });
const TransferredNoun = createObject(
  texts('noun'),
  counts('records', 'create', 'update', 'same', 'skip', 'fail', 'kept'),
);
const TransferredRecord = createObject(
  texts('noun', 'action', 'id', 'name'),
  maybeTexts('target_id', 'problem'),
  { kept: Texts },
);

/** The changes to this machine that install or remove a schedule. */
const Step = createObject(optionalTexts('path', 'text', 'name', 'block'), {
  kind: v.picklist(['write', 'remove', 'crontab', 'run']),
  permissions: v.optional(v.object({ file: Count, folder: Count })),
  command: v.optional(Texts),
  revert: v.optional(Texts),
  mayFail: v.optional(Flag),
});
const steps = v.optional(describe(v.array(Step), 'With --dry-run: the planned changes'));

const ImportedChange = createObject(texts('field'), optionalValues('from'), {
  to: Value,
  added: v.optional(Flag),
});
const RevertedChange = createObject(texts('record'), optionalTexts('id', 'name'), {
  action: v.picklist(['update', 'delete', 'create']),
  fields: v.optional(v.record(Text, v.object(optionalValues('from', 'to')))),
  related: v.optional(v.record(Text, Count)),
  references: v.optional(v.record(Text, Count)),
});
const Difference = createObject(texts('field'), optionalValues('before', 'after'));
const guards = v.array(v.object(texts('name', 'value', 'from')));
const DescribedField = createObject(texts('name'), maybeTexts('data_type'), {
  accepts_multiple_values: v.optional(Flag),
  options: v.optional(Texts),
});
const DescribedList = createObject(texts('id', 'name'), maybeTexts('entry_type'), {
  identifier: v.optional(MaybeText),
  statuses: List.entries.statuses,
  fields: v.array(DescribedField),
});
const writeStatus = v.picklist([
  ...(['updated', 'deleted', 'added', 'done'] as const),
  ...(['unchanged', 'failed', 'unknown', 'skipped', 'planned'] as const),
]);
const importStatus = v.picklist(['new', 'updated', 'unchanged']);
const index = [
  texts('file'),
  counts('records', 'contacts', 'organizations', 'entries', 'notes', 'meetings', 'bytes'),
  { updated_at: MaybeText, age_seconds: MaybeCount },
] as const;

const BriefDeal = createObject(
  texts('id', 'list_id', 'list_name', 'updated_at'),
  maybeTexts('key', 'status', 'next_step', 'expected_close'),
  values,
  {
    status_since: describe(MaybeText, 'When this machine set the status; null if it did not'),
  },
);
const BriefPassage = createObject(
  texts('quote', 'speaker', 'event_id', 'title', 'start_at', 'recording_id', 'reason'),
  {
    score: describe(Whole, 'The sum of the weights of the reasons'),
    start: describe(v.nullable(v.number()), 'Seconds from the start of the recording'),
    time: describe(MaybeText, 'The start for the flag --at: 12:31'),
    reasons: describe(Texts, 'All rules that chose the passage: promise, date, amount, deal'),
    accepted_by: describe(MaybeText, 'The speaker who accepted the request'),
  },
);
/** A record that a brief mentions, with a text about it. */
const mention = { ...texts('id', 'at', 'text'), kind: v.picklist(['contact', 'deal', 'note', 'meeting']) };

/** The schema of each result, by the name that `kith schema` has for it. */
export const resultSchemas = {
  contacts: createDocument('Contact', Contact.entries, { created }),
  organizations: createDocument('Organization', Organization.entries, { created }),
  notes: createDocument('Note', Note.entries),
  'custom-fields': createDocument('Custom field', CustomField.entries, { created }),
  lists: createDocument('List or process', List.entries, { created }),
  entries: createDocument('Entry of a list or process', Entry.entries),
  events: createDocument('Meeting', CalendarEvent.entries),
  recordings: createDocument('Recording with its summary and transcript', Recording.entries),
  actions: createDocument('Action item of a meeting', action, maybeTexts('changed_at'), {
    state: v.picklist(['open', 'done', 'removed']),
    organization_ids: describe(Texts, 'The organizations of the attendees'),
  }),
  commands: createDocument('Commands of kith', documents.CommandsDocument.entries),
  error: createDocument('Error, as --json prints it on stderr', documents.PrintedError.entries),
  envelope: createDocument('Result with --json-envelope', documents.EnvelopeDocument.entries),
  compact: v.pipe(documents.CompactRow, v.title('Row with --format compact')),
  request: createDocument('Request of a dry run', texts('method', 'path'), optionalValues('body')),
  deletion: createDocument('Deleted record or setting', { id: Text, deleted: Flag }),
  'write-result': createDocument('Result for one of many records', texts('id'), optionalTexts('list_id'), {
    status: writeStatus,
    error,
    record: v.optional(v.union([Contact, Organization, Note, CustomField, List, Entry])),
  }),
  'batch-line': createDocument('Result of a line of a batch, with the JSON of its command', {
    line: Count,
    command: Text,
    status: writeStatus,
    error,
    data: v.optional(Value),
  }),
  figures: createDocument('Count and sum of a list', { count: v.optional(Count), sum: v.optional(Sum) }),
  'contact-overview': createDocument('Contact with its records', owners, parts),
  'organization-overview': createDocument('Organization with its records', people, parts, {
    organization: owners.organization,
  }),
  'entry-overview': createDocument('Entry with the records of its contact or organization', owners, parts, {
    entry: Entry,
    list: List,
    contacts: v.optional(people.contacts),
  }),
  'event-overview': createDocument('Meeting with its summaries', {
    event: CalendarEvent,
    attendees: createPart(Attendee),
    summary: MaybeText,
    action_items: Texts,
    recordings: v.array(ShownRecording),
  }),
  summary: v.pipe(Summary, v.title('Summary of a recording')),
  'recording-summary': createDocument('Summary of one of several recordings', part, { summary: Summary }),
  utterance: createDocument('Utterance of a transcript', Utterance.entries),
  'recording-transcript': createDocument('Transcript of one of several recordings', part, {
    transcript: v.array(Utterance),
  }),
  'transcript-match': createDocument(
    'Match in a transcript',
    texts('event_id', 'recording_id', 'title', 'start_at'),
    Spoken.entries,
    spokenLists('before', 'after'),
    { matches: v.array(createObject(texts('text'), Span.entries)) },
  ),
  'search-result': createDocument(
    'Record that a search found',
    texts('id', 'title', 'excerpt'),
    optionalTexts('list_id', 'key', 'place'),
    spans('title_matches', 'matches'),
    { kind: v.picklist(['contact', 'organization', 'entry', 'note', 'meeting']) },
    { at: MaybeText, score: v.number() },
  ),
  day: createDocument('Meetings, deals and action items of a day', {
    date: Text,
    user: MaybeText,
    meetings: createPart(
      createObject(texts('id', 'title', 'start_at', 'end_at'), { attendees: v.array(Attendee) }),
    ),
    deals: createPart(createObject(deal, { due: v.array(DueField) })),
    actions: createPart(createObject(action)),
    stale: v.optional(createPart(createObject(deal, texts('updated_at')))),
    followups: v.optional(describe(createPart(createObject(...followUp)), 'The first three; only for today')),
    more,
  }),
  brief: createDocument('Brief before a call', texts('id', 'name'), {
    kind: v.picklist(['organization', 'contact', 'deal', 'meeting']),
    about: describe(Texts, 'Domains, and values of custom fields'),
    people: v.array(createObject(texts('id', 'name'), maybeTexts('email', 'last_met_at'))),
    deals: v.array(BriefDeal),
    passages: v.array(BriefPassage),
    actions: v.array(createObject(action)),
    changes: describe(v.array(createObject(mention, { is_new: Flag })), 'Since the last meeting'),
    last_contact: createObject({
      us: v.nullable(createObject(mention)),
      them: v.nullable(createObject(mention)),
    }),
    unclear: Texts,
    more,
  }),
  'changed-action': createDocument('Changed action item', texts('id', 'text', 'event_id', 'title'), {
    state: v.picklist(['open', 'done']),
    changed: Flag,
    changed_at: MaybeText,
  }),
  'follow-up': createDocument('Contact or organization to contact, with the reasons', ...followUp),
  snoozed: createDocument('Snoozed contact or organization', texts('id', 'name', 'until'), {
    kind: PartyKind,
  }),
  'duplicate-pair': createDocument('Likely duplicates', texts('id', 'name', 'other_id', 'other_name'), {
    score: Whole,
    reasons: Texts,
  }),
  'report-status': createDocument('Deals of a status', maybeTexts('status', 'type'), totals),
  'report-group': createDocument('Deals with a value of a field', maybeTexts('group'), totals, {
    id: v.optional(MaybeText),
  }),
  'report-change': createDocument(
    'Deal that has changed since an archive',
    texts('id', 'name', 'entryable_id'),
    maybeTexts('entryable_type', 'key', 'from', 'to'),
    { change: v.picklist(['won', 'lost', 'reopened', 'moved', 'value', 'new', 'removed']) },
    { ...values, before: v.nullable(v.object(values)) },
  ),
  'export-result': createDocument(
    'Result of an export',
    counts('new', 'updated', 'unchanged', 'pending', 'late', 'deleted_upstream'),
    {
      edited: Texts,
      skipped: v.array(v.object({ name: Text, reason: Text })),
      unavailable: v.array(Unavailable),
    },
    { pruned: v.object(counts('files', 'meetings', 'unused')) },
    meetingProblems('failed'),
  ),
  'export-status': createDocument('Status of an export folder', ...folder),
  'verified-export': createDocument(
    'Export folder compared with the service',
    ...folder,
    meetingProblems('changed', 'new', 'unlisted'),
  ),
  'import-result': createDocument(
    'Result of an import',
    counts('rows', 'create', 'update', 'same', 'refused', 'unknown', 'left_out'),
    maybeTexts('report'),
  ),
  'import-row': createDocument('Row of an import', optionalTexts('id', 'error', 'left_out'), {
    row: Count,
    action: v.picklist(['create', 'update', 'same', 'refused', 'unknown']),
    changes: v.optional(v.array(ImportedChange)),
    candidates: v.optional(Texts),
  }),
  'import-revert': createDocument(
    'Result of --undo',
    counts('undone', 'already', 'changed', 'failed', 'unknown'),
    texts('report'),
  ),
  revert: createDocument('Command that undo or redo reverts', texts('command', 'at'), {
    number: Count,
    unrecorded: v.array(v.object(maybeTexts('command', 'at'))),
    changes: v.array(RevertedChange),
    not_restored: Texts,
    undone: Flag,
  }),
  'recorded-command': createDocument('Recorded command', maybeTexts('command', 'at'), texts('status'), {
    changes: MaybeCount,
    number: Count,
  }),
  'api-response': v.pipe(Value, v.title('Response of the API: any JSON')),
  login: createDocument('Profile after signing in', texts('profile'), optionalTexts('database', 'base_url')),
  'auth-status': createDocument(
    'Workspace in use',
    maybeTexts('profile', 'profile_from'),
    optionalTexts('workspace', 'workspace_from', 'base_url', 'base_url_from', 'key', 'key_from'),
    { pulled_at: v.optional(MaybeText), settings: Text, works: Flag },
    { guards },
  ),
  profile: createDocument('Profile', { name: Text, active: Flag, workspace: Text, key: MaybeText }),
  'chosen-profile': createDocument('Chosen or removed profile', texts('profile'), {
    forgotten: v.optional(Flag),
  }),
  'stopped-server': createDocument('Server that was stopped', { stopped: Flag }),
  migration: createDocument('Version of the schema', {
    version: Count,
    action: v.picklist(['applied', 'pending']),
  }),
  key: createDocument('API key', texts('id', 'name', 'created_at'), optionalTexts('key'), {
    read_only: Flag,
    revoked_at: MaybeText,
  }),
  workspace: createDocument('Workspace', texts('workspace', 'time_zone'), maybeTexts('profile', 'user'), {
    guards,
    lists: v.array(DescribedList),
    fields: v.array(createObject(maybeTexts('model'), DescribedField.entries)),
    assignees: Texts,
  }),
  'backup-result': createDocument(
    'Result of a backup',
    texts('kith_version', 'started_at', 'completed_at', 'workspace'),
    optionalTexts('folder', 'archive'),
    {
      kith_archive: v.literal(1),
      identity: v.object(optionalTexts('id', 'key_hash')),
      meetings_until: v.optional(Count),
      archive_bytes: v.optional(Count),
      files: v.object(v.entriesFromList(orderedNouns, BackupFile)),
      bytes: Count,
      unread: Unread,
      pending: Texts,
      older: Texts,
    },
  ),
  'archive-check': createDocument('Archive that was checked', texts('archive', 'workspace', 'completed_at'), {
    records: v.object(nounCounts),
    unread: Unread,
    problems: v.array(createObject(texts('noun', 'problem'), optionalTexts('id'))),
  }),
  'planned-copy': createDocument('Copy with --dry-run', texts('from', 'to'), {
    action: v.picklist(['backup', 'copy', 'restore']),
  }),
  'copied-table': CopiedTable,
  'incomplete-copy': createDocument('Copy that lacks values', {
    rows: v.array(CopiedTable),
    dropped: v.array(Problem),
  }),
  'merged-copy': createDocument('Copy into a workspace with records', {
    state: v.picklist(['planned', 'copied']),
    nouns: v.array(TransferredNoun),
    problems: v.array(Problem),
    not_copied: Texts,
    records: v.optional(v.array(TransferredRecord)),
  }),
  difference: createDocument('Record that differs between workspaces', texts('noun', 'id', 'name'), {
    change: v.picklist(['added', 'removed', 'changed']),
    fields: v.array(Difference),
  }),
  'pull-result': createDocument(
    'Offline copy of a workspace',
    texts('workspace', 'file', 'archive', 'pulled_at'),
    nounCounts,
    { profile: MaybeText, changed: Flag, records: Count, age_seconds: Whole },
    { dropped: v.array(Problem), unread: Unread },
  ),
  removal: createDocument('Whether something was removed', { removed: Flag }),
  'checkout-result': createDocument(
    'Result of a checkout',
    counts('new', 'updated', 'moved', 'removed', 'unchanged', 'edited', 'deleted', 'conflict'),
    { files: v.object({ edited: Texts, deleted: Texts, conflict: Texts }) },
  ),
  'file-status': createDocument('Changed file of a working copy', maybeTexts('noun', 'id', 'file'), {
    state: v.picklist(['edited', 'new', 'deleted', 'invalid', 'changed', 'added', 'removed', 'conflict']),
    fields: Texts,
  }),
  'pushed-file': createDocument('Sent file of a working copy', texts('noun', 'file'), maybeTexts('id'), {
    status: v.picklist(['created', 'updated', 'deleted', 'conflict', 'failed', 'unknown', 'skipped']),
    error,
  }),
  'imported-event': createDocument('Imported meeting', texts('id', 'start_at', 'title'), {
    action: importStatus,
  }),
  'imported-recording': createDocument('Imported recording', texts('id', 'calendar_event_id', 'status'), {
    audio_duration: v.nullable(v.number()),
    action: importStatus,
  }),
  'removable-recording': createDocument(
    'Recording that a dry run would remove',
    texts('id', 'calendar_event_id', 'title', 'start_at'),
    { isLast: Flag },
  ),
  'installed-schedule': createDocument(
    'Installed schedule',
    texts('name', 'scheduler', 'schedule', 'time_zone', 'log'),
    { next_run: MaybeText, command: Texts, steps },
  ),
  schedule: createDocument(
    'Schedule',
    texts('name', 'state'),
    maybeTexts('scheduler', 'schedule', 'time_zone', 'next_run', 'last_run'),
    maybeTexts('log', 'command', 'on_failure', 'last_error'),
    { last_exit_code: v.nullable(Whole) },
  ),
  'scheduled-run': createDocument('Run of a schedule', { name: Text, exit_code: Whole, log: Text }),
  'removed-schedule': createDocument('Removed schedule', { id: Text, deleted: Flag, steps }),
  'index-update': createDocument('Search index after an update', ...index, { changes: Count }),
  'index-status': createDocument('Search index', ...index),
  setting: createDocument('Setting with its source', texts('name'), maybeTexts('value', 'default', 'from')),
  'changed-setting': createDocument('Changed setting', { name: Text, value: MaybeText }),
  path: createDocument('Path', texts('path')),
  alias: createDocument('Alias', texts('name', 'command')),
  finding: createDocument('Result of a check', texts('check', 'found', 'advice'), {
    state: v.picklist(['ok', 'warning', 'error']),
  }),
  version: createDocument('Version', texts('version', 'node', 'platform', 'architecture'), {
    commit: MaybeText,
  }),
  agent: createDocument('Agent with its skill file', texts('agent', 'status', 'path')),
  skill: createDocument('Skill file', texts('name', 'version', 'text')),
  'schema-title': createDocument('Name of a schema', texts('name', 'title')),
  schema: v.pipe(v.record(Text, Value), v.title('JSON Schema')),
  completion: createDocument('Completion script', texts('shell', 'file')),
};

/** The name of a result: `contacts[]` is an array of `contacts`. */
export type ResultName = keyof typeof resultSchemas | `${keyof typeof resultSchemas}[]`;

type Constant<T> = T extends object ? { readonly [Name in keyof T]: Constant<T[Name]> } : T;

export type Result<Name extends keyof typeof resultSchemas> = Constant<
  v.InferOutput<(typeof resultSchemas)[Name]>
>;
