/** A tool as data: the commands that it runs, and its texts. Its parameters come from the definitions of the commands. */
export interface ToolDefinition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The parameter whose value selects the command; undefined if there is only one. */
  readonly selector?: 'noun' | 'action' | 'part' | 'view';
  /** The command by the value of the selector, or the only command. */
  readonly commands: Readonly<Record<string, string>> | string;
  /** The form of the structured result. */
  readonly output: 'list' | 'records' | 'document' | 'text';
  /** Whether the commands ask for confirmation before they write. */
  readonly isConfirmed?: true;
  /** Whether repeating a write changes nothing more. */
  readonly isIdempotent?: true;
  /** The parameter that is one text, although its argument takes several words. */
  readonly joined?: string;
  /** Parameters with another name than the argument of the command, by the name of the argument. */
  readonly renamed?: Readonly<Record<string, string>>;
  /** Parameters that the tool does not offer: others have the same effect, or they make the command write. */
  readonly omitted?: readonly string[];
  /** Descriptions of parameters; they replace the descriptions of the commands. */
  readonly texts?: Readonly<Record<string, string>>;
}

/** Returns the commands with a verb by their nouns, as tools name them. */
const forNouns = (verb: string, nouns: string) =>
  Object.fromEntries(nouns.split(' ').map((noun) => [noun, `${commandNouns[noun] ?? noun} ${verb}`]));

const commandNouns: Readonly<Record<string, string>> = { custom_fields: 'custom-fields', events: 'meetings' };

const entryId = 'Id, or key such as DEAL-1';
const relatedFields = 'Such as id; for contacts and notes organization.name';
const entryList = 'Id or name of the list; not needed before a key';

/** All tools; the tools that read come first. A test checks that they cover each command about records. */
export const toolTable: readonly ToolDefinition[] = [
  {
    name: 'search',
    title: 'Search everything',
    description:
      'Search contacts, organizations, entries, notes, and meetings with summaries and transcripts. A record matches if ' +
      'it contains all words; the last one may be incomplete. Quotes make a phrase; a minus sign excludes a word. ' +
      'Results have an excerpt and a place (organization, or list and status). Start here if the kind of record ' +
      'is unknown.',
    commands: 'search',
    output: 'list',
    joined: 'query',
    renamed: { 'search words': 'query' },
    texts: {
      fields: 'Such as kind,id,title',
      in: 'Such as contacts,meetings',
      max_age: 'Of the index: 0 updates it for all tools (default 1h)',
    },
  },
  {
    name: 'workspace_info',
    title: 'Describe the workspace',
    description:
      'Show the user, time zone, guards, lists with fields and ordered statuses, custom fields, and assignees: the ' +
      'names that other tools take.',
    commands: 'workspace info',
    output: 'records',
    texts: { fields: 'Such as lists,assignees' },
  },
  {
    name: 'today',
    title: 'Show a day',
    description:
      "Show a day: its meetings with attendees, the user's due deals, open action items, and for today also whom to contact first.",
    commands: 'today',
    output: 'document',
    omitted: ['max_age'],
    texts: {
      date: 'Default today',
      limit: 'Per section (default 25 or fewer)',
      fields: 'Such as kind,id,title',
      user: 'Email address, its part before the @, or me (default me; everyone if no user is set)',
      field: 'Only deals with a date in this field',
      stale: 'Also open deals without an update for this many days',
    },
  },
  {
    name: 'brief',
    title: 'Prepare for a call',
    description:
      'Show what to know before a call or a meeting: people, open deals, quotes with a promise, a date or an amount (with ' +
      'speaker and time in the recording), open action items, changes since the last meeting, and what is unclear.',
    commands: 'brief',
    output: 'document',
    omitted: ['tz', 'max_age', 'fields'],
    texts: {
      who: 'Organization, contact, deal or meeting: id, name, domain, email address, key, date, latest or next (default: the organization met last)',
      limit: 'Per section (default 3 or 4)',
    },
  },
  {
    name: 'followup',
    title: 'Show whom to contact',
    description:
      'Show whom to contact next, the most pressing first, and why: open promises, deals due to close, long silence, ' +
      'dates in notes. The id of a reason is the id of its action item, entry or note.',
    commands: 'followup',
    output: 'list',
    omitted: ['snooze', 'explain', 'mine', 'contact', 'tz', 'max_age'],
    texts: {
      fields: 'Such as name,score,reasons',
      user: 'Email address, its part before the @, or me (default everyone)',
    },
  },
  {
    name: 'records_find',
    title: 'Find records or duplicates',
    description:
      'Find contacts by email or phone, or organizations by domain or exact name. Pass exactly one value. Or find pairs ' +
      'that are likely duplicates, with a score and the reasons.',
    selector: 'noun',
    commands: {
      contacts: 'contacts find',
      organizations: 'organizations find',
      duplicate_contacts: 'contacts duplicates',
      duplicate_organizations: 'organizations duplicates',
    },
    output: 'list',
  },
  {
    name: 'records_list',
    title: 'List records',
    description: 'List and filter records of one noun. Entries and meetings have their own tools.',
    selector: 'noun',
    commands: forNouns('list', 'contacts organizations notes custom_fields lists'),
    output: 'list',
    omitted: ['today'],
    texts: {
      fields: relatedFields,
      list: 'In this list or process',
      contact: 'About the organization of this contact',
      deal: 'Such as DEAL-1',
    },
  },
  {
    name: 'entries_read',
    title: 'List or report on entries',
    description:
      'List the entries (deals) of a list or process, or report their number, share and value by status or another field.',
    selector: 'view',
    commands: { list: 'entries list', report: 'lists report' },
    output: 'list',
    texts: {
      fields: 'Such as key,organization.name,Rooms; for a report status,entries',
      list: 'Id or name of the list or process',
      status: 'One or more, comma-separated',
      by: 'assignee, organization, month or a field (default status)',
    },
  },
  {
    name: 'events_list',
    title: 'List meetings',
    description: 'List and filter recorded meetings, latest first.',
    commands: 'meetings list',
    output: 'list',
    omitted: ['today', 'last_week', 'this_month', 'sum'],
    texts: {
      fields: 'Such as id,title,start_at',
      organization: 'Of an attendee: id, domain or name',
      contact: 'Attendee: id, email address, phone number or name',
    },
  },
  {
    name: 'records_get',
    title: 'Get one record',
    description: 'Get one record with all its fields.',
    selector: 'noun',
    commands: forNouns('get', 'contacts organizations notes custom_fields lists entries events recordings'),
    output: 'records',
    renamed: { 'lists get list': 'id' },
    texts: {
      fields: relatedFields,
      id: 'Id or name; also an email address, phone number, domain, or key such as DEAL-1; for events and recordings also title, date or latest',
      list: entryList,
    },
  },
  {
    name: 'records_show',
    title: 'Show a record with its context',
    description:
      'Show a record with everything around it: people, open entries, latest notes, and meetings with summaries and ' +
      'action items. For a meeting: attendees, summary and action items.',
    selector: 'noun',
    commands: forNouns('show', 'contacts organizations entries events'),
    output: 'document',
    texts: {
      id: 'Id or name; also an email address, domain, key, title, date or latest',
      list: entryList,
      limit: 'Per section (default 25 or fewer)',
    },
  },
  {
    name: 'events_grep',
    title: 'Search transcripts',
    description:
      'Find exact text in the transcripts of all meetings, latest first. Case is ' +
      'ignored unless the pattern has a capital.',
    commands: 'meetings grep',
    output: 'list',
    texts: {
      organization: 'Of an attendee: id, domain or name',
      contact: 'Attendee: id, email address, phone number or name',
      fields: 'Such as title,time,text',
      regex: 'JavaScript regular expression',
      context: 'Seconds to show before and after each match',
      max: 'Number of matches',
      speaker: 'Full names',
    },
  },
  {
    name: 'recordings_read',
    title: 'Read a summary or transcript',
    description: 'Read the summary (Markdown) or the transcript of a recorded meeting.',
    selector: 'part',
    commands: { summary: 'recordings summary', transcript: 'recordings transcript' },
    output: 'text',
    texts: {
      id: 'Id of the recording or meeting, title, date, or latest',
      at: 'Time of the first utterance',
      from: 'Start, such as 12:30 or seconds',
      to: 'End',
      speaker: 'Full names',
    },
  },
  {
    name: 'actions_list',
    title: 'List action items',
    description:
      'List the action items in the summaries of meetings, latest meetings first. An item is open until it is marked as ' +
      'done; one that left its summary is listed as removed. Its person is the attendee whose name it begins with; `mine` ' +
      'selects the items of the user.',
    commands: 'actions list',
    output: 'list',
    omitted: ['max_age'],
    texts: {
      fields: 'Such as id,text,organization.name',
      organization: 'Of an attendee: id, domain or name',
    },
  },
  {
    name: 'records_create',
    title: 'Create a record',
    description:
      'Create a contact (first name or email required), an organization (name or domain required), or a note about an ' +
      'organization or a deal, or add a contact or an organization to a list or process (noun entries). Changes no existing record.',
    selector: 'noun',
    commands: {
      contacts: 'contacts create',
      organizations: 'organizations create',
      notes: 'notes create',
      entries: 'entries add',
    },
    output: 'records',
    texts: {
      organization: 'Id, domain or name; for contacts, auto uses the domain of the email address',
      list: 'Id or name',
      deal: 'Such as DEAL-1, instead of the organization',
      contact_id: 'Contact at the organization',
      field: 'NAME=VALUE',
      one_time_value: 'Decimal',
      recurring_value: 'Decimal',
    },
  },
  {
    name: 'contacts_write',
    title: 'Update a contact',
    description:
      'Update a contact, or remove email addresses from one. An update adds email addresses and replaces phone numbers. ' +
      'An upsert updates the contact that it finds, or creates one.',
    selector: 'action',
    commands: {
      update: 'contacts update',
      upsert: 'contacts upsert',
      remove_emails: 'contacts remove-emails',
    },
    output: 'records',
    texts: {
      id: 'Id, email address, phone number or exact name',
      organization: 'Id, domain or name; auto uses the domain of the email address',
    },
  },
  {
    name: 'organizations_write',
    title: 'Update an organization',
    description:
      'Update an organization, or remove domains from one. An update adds domains. An upsert updates the organization ' +
      'that it finds, or creates one.',
    selector: 'action',
    commands: {
      update: 'organizations update',
      upsert: 'organizations upsert',
      remove_domains: 'organizations remove-domains',
    },
    output: 'records',
    texts: { id: 'Id, domain or exact name' },
  },
  {
    name: 'notes_write',
    title: 'Update a note',
    description: 'Change the body or the deal of a note.',
    selector: 'action',
    commands: { update: 'notes update' },
    output: 'records',
    texts: { id: '', deal: 'Such as DEAL-1' },
  },
  {
    name: 'entries_write',
    title: 'Update an entry',
    description: 'Update an entry of a list or process, such as the status of a deal. Amounts are decimals.',
    selector: 'action',
    commands: { update: 'entries update' },
    output: 'records',
    texts: {
      id: entryId,
      list: entryList,
      contact_id: 'Contact at the organization',
    },
  },
  {
    name: 'workspace_write',
    title: 'Create or update a list, process or custom field',
    description:
      'Create or update a list, a process (a list with statuses and values), or a custom field of contacts, organizations ' +
      'or deals. An update replaces all statuses of a process.',
    selector: 'action',
    commands: {
      create_list: 'lists create',
      update_list: 'lists update',
      create_custom_field: 'custom-fields create',
      update_custom_field: 'custom-fields update',
    },
    output: 'records',
    renamed: { 'lists update list': 'id' },
    texts: {
      id: 'Id or name',
      field: 'NAME:TYPE, such as "Met at:date" or "Size:select:Small,Large"',
      status: 'NAME:TYPE, such as Won:won; types: active, won, lost',
      identifier: 'Prefix of entry keys; required for a process',
      type: 'Default text',
      option: 'Values of a select field',
    },
  },
  {
    name: 'records_write_many',
    title: 'Write many records',
    description:
      'Run many calls of the tools that create or update records: one question to the user, and one undo. The result ' +
      'says for each line whether it was done, unchanged or failed.',
    commands: 'batch',
    output: 'records',
    isConfirmed: true,
    texts: {
      line: 'The calls, such as {"tool": "entries_write", "action": "update", "id": "DEAL-1", "status": "Won"}; "$1.id" is the id from line 1',
    },
  },
  {
    name: 'records_delete',
    title: 'Delete records',
    description:
      'Delete records and everything that belongs to them, such as the entries of a contact. The user confirms the deletion.',
    selector: 'noun',
    commands: forNouns('delete', 'contacts organizations notes custom_fields lists entries'),
    output: 'records',
    isConfirmed: true,
    isIdempotent: true,
    renamed: { 'lists delete list': 'id' },
    texts: { id: 'Ids, or other exact references', list: entryList },
  },
  {
    name: 'records_merge',
    title: 'Merge two records',
    description:
      'Merge one record (`other`) into another (`keep`), and delete it. If both have a value, `keep` keeps its own, unless ' +
      '`take` names the field. The user confirms the merge.',
    selector: 'noun',
    commands: { contacts: 'contacts merge', organizations: 'organizations merge' },
    output: 'records',
    isConfirmed: true,
    isIdempotent: true,
    texts: {
      keep: 'Exact reference',
      other: 'Exact reference',
      take: 'Field names, such as first_name, or custom fields',
    },
  },
  {
    name: 'actions_mark',
    title: 'Mark action items',
    description: 'Mark action items as done, or as open again.',
    selector: 'action',
    commands: { done: 'actions done', reopen: 'actions reopen' },
    output: 'records',
    isIdempotent: true,
    renamed: { 'actions done actions': 'id', 'actions reopen actions': 'id' },
    texts: { id: 'Ids of action items' },
  },
  {
    name: 'undo',
    title: 'Undo or redo a write',
    description:
      "Revert the last recorded write from this machine, which may be the user's, or revert the last undo. " +
      'Preview it first. Nothing is written if a record has changed since. The user confirms the undo.',
    selector: 'action',
    commands: { undo: 'undo', redo: 'redo' },
    output: 'document',
    isConfirmed: true,
    texts: { list: 'List the recorded writes instead', number: 'Number of the write, from `list`' },
  },
];

/** The grammar of `where`, for the description of each tool that takes it. */
export const whereGrammar =
  'where: status = Won and Rooms >= 10, name ~ cold (contains), Country in (Japan, "South Korea"), email = null; also ' +
  'or, not, (), custom and list fields. Times: 2026-05-01, today, "last week", +7d; updated_at > 7d: in the last 7 days.';

/** Parameters whose names say enough. */
const plainNames = (
  'query tz created_after updated_after starts_before closed_after closed_before due_before ignore_case timestamps open ' +
  'done first_name last_name name domain body status recurring_period one_time_value recurring_value model multiple ' +
  'process duplicates_allowed no_duplicates parallel stop_on_error where overdue won lost min_score email phone dry_run'
).split(' ');

/** Descriptions of parameters that mean the same in every tool. */
export const sharedTexts: Readonly<Record<string, string>> = {
  ...Object.fromEntries(plainNames.map((name) => [name, ''])),
  organization: 'Id, domain or name',
  contact: 'Id, email address, phone number or name',
  assignee: 'Email address, its part before the @, or me',
  sort: 'Field; -FIELD for descending',
  count: 'Only the number',
  sum: 'Only the sum of this field',
  limit: 'Default 25',
  fields: 'Such as id,name',
  since: 'Time, such as 2026-05-01 or 90d',
  starts_after: 'Time, such as 2026-05-01 or 7d',
  closed: 'Won or lost',
  stale: 'Without an update for this many days',
  mine: "The user's own",
  data: 'More fields; null clears one',
  field: 'NAME=VALUE; NAME= clears it',
  add_field: 'NAME=VALUE, for a field with several values',
  remove_field: 'NAME=VALUE',
  by: 'Field that finds the record',
  if_absent: 'Return the record that has the same value, if any',
};
