import { contacts } from '../contract/contacts.ts';
import { recurringPeriods } from '../contract/entries.ts';
import type { EntryType, List } from '../contract/lists.ts';
import { organizations } from '../contract/organizations.ts';
import type { Received } from '../contract/received.ts';
import { isEmail } from '../values/email.ts';
import { parseCents } from '../values/money.ts';
import type { Identity } from './conflicts.ts';
import {
  createContactMatcher,
  identifyContact,
  identifyContactPlan,
  readContactKeys,
  readContactPlanKeys,
} from './contact-match.ts';
import { contactColumns } from './contacts.ts';
import type { OwnColumn, OwnColumns } from './mapping.ts';
import { type EntryPlan, entryKey, loadMembership, readStatuses } from './membership.ts';
import {
  findOrganization,
  identifyOrganization,
  identifyOrganizationPlan,
  matchOrganization,
  organizationColumns,
  readOrganizationKeys,
  readOrganizationPlanKeys,
} from './organizations.ts';
import { createRecordIndex, idKey, loadRecords } from './record-index.ts';
import { Refusal, type RowPlan, type StoredRecord, type Values } from './rows.ts';
import type { Importer, ImporterOptions } from './run.ts';

const checkAmount = (text: string) =>
  parseCents(text.trim()) === undefined ? 'an amount such as 1200 or 1200.50' : undefined;

const checkChoice = (choices: readonly string[]) => (text: string) =>
  choices.includes(text.trim()) ? undefined : `one of ${choices.join(', ')}`;

const assigneeColumn: OwnColumn = {
  aliases: ['assignee_email'],
  check: (text) => (isEmail(text.trim()) ? undefined : 'an email address'),
};

/** The columns of a process's entries, apart from the status. */
const processColumns: OwnColumns = {
  one_time_value: { check: checkAmount },
  recurring_value: { check: checkAmount },
  recurring_period: { aliases: ['recurring_value_period'], check: checkChoice(recurringPeriods) },
};

/** Returns the columns of entries, apart from the fields of the list. */
export function entryColumns(type: EntryType, list: Received<List>): OwnColumns {
  const { emails, phone_numbers } = contactColumns;
  const record: OwnColumns =
    type === 'Contact'
      ? { entryable_id: { aliases: ['contact', 'contact_id'] }, emails, phone_numbers }
      : {
          entryable_id: { aliases: ['organization_id'] },
          organization: {},
          domains: organizationColumns.domains,
          contact_id: { aliases: ['contact'] },
        };
  const process = list.process === true && {
    status: { check: checkChoice(readStatuses(list)) },
    ...processColumns,
  };
  return { id: {}, key: {}, ...record, ...process, assignee: assigneeColumn };
}

/** Imports entries of existing contacts or organizations. Each record is added once. */
export async function createEntryImporter(
  options: ImporterOptions & { readonly list_id: string; readonly type: EntryType },
): Promise<Importer> {
  const { list_id, type } = options;
  const membership = await loadMembership(list_id, options, planEntry);
  const matcher = await (type === 'Contact' ? matchContacts(options) : matchOrganizations(options));
  return {
    main: 'entry',
    readKeys: matcher.readKeys,
    compared: { identify: (plan) => identifyEntryPlan(plan, matcher), own: comparedColumns },
    async match(plan) {
      const record = await matcher.match(plan);
      if (!record) throw new Refusal(`The ${type.toLowerCase()} of this row was not found.`);
      return record;
    },
    recordKey: ({ id }) => entryKey(id),
    identify(record, plan) {
      const entries = membership.findEntries(record);
      const byRecord = entries.length > 1 ? [] : [{ key: idKey(record.id) }, ...matcher.identify(record)];
      const byName = readEntryNames(plan).length > 0 ? [] : entries.flatMap(identifyEntry);
      return [...byRecord, ...byName];
    },
    async write({ agreed, record, writer }) {
      const entry = await membership.join(record ?? {}, type, agreed, writer);
      return entry?.id ?? '';
    },
  };
}

/** The columns that are compared with those of other rows. */
const comparedColumns = {
  status: (text: string) => text,
  assignee: (text: string) => text.toLowerCase(),
  one_time_value: (text: string) => String(parseCents(text)),
  recurring_value: (text: string) => String(parseCents(text)),
  recurring_period: (text: string) => text,
  contact_id: (text: string) => text,
};

/** Returns the id and the key by which a row names its entry: a record may have several. */
const readEntryNames = ({ own }: RowPlan): string[] =>
  [...(own.id ?? []), ...(own.key ?? [])].map((name) => name.trim());

const toIdentity = (name: string): Identity => ({ key: `entry:${name}` });

const identifyEntry = ({ id, key }: StoredRecord) => [id ?? '', key ?? ''].map(toIdentity);

/** Returns the identities of a row: the name of its entry, or else the record that the entry belongs to. */
function identifyEntryPlan(plan: RowPlan, matcher: EntryMatcher): readonly (readonly Identity[])[] {
  const names = readEntryNames(plan);
  if (names.length > 0) return [names.map(toIdentity)];
  const ids = readIdKeys(plan).map((key) => ({ key }));
  return ids.length > 0 ? [ids] : matcher.identifyPlan(plan);
}

function planEntry({ own, list }: RowPlan): EntryPlan {
  const read = (name: string) => own[name]?.[0]?.trim();
  const readCents = (name: string) => {
    const text = read(name);
    return text === undefined ? undefined : parseCents(text);
  };
  const all: Values = {
    status: read('status'),
    assignee_email: read('assignee'),
    one_time_value_cents: readCents('one_time_value'),
    recurring_value_cents: readCents('recurring_value'),
    recurring_value_period: read('recurring_period'),
    contact_id: read('contact_id'),
  };
  const fields = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  const names = [read('id'), read('key')].filter((name) => name !== undefined);
  return { names, initial: {}, fields, values: list };
}

/** Finds the contacts or organizations that rows name. */
interface EntryMatcher {
  readKeys(plan: RowPlan): readonly string[];
  match(plan: RowPlan): Promise<StoredRecord | undefined>;
  identifyPlan(plan: RowPlan): readonly (readonly Identity[])[];
  identify(record: StoredRecord): readonly Identity[];
}

const readIdKeys = ({ own }: RowPlan) => (own.entryable_id ?? []).map((id) => idKey(id.trim()));

async function matchContacts(options: ImporterOptions): Promise<EntryMatcher> {
  const { client, rows } = options;
  const index = createRecordIndex(options, readContactKeys);
  const isComplete = await loadRecords(options, index, contacts.list, rows);
  const { match } = createContactMatcher(client, index, isComplete);
  return {
    readKeys: (plan) => [...readIdKeys(plan), ...readContactPlanKeys(plan)],
    identifyPlan: identifyContactPlan,
    identify: (record) => identifyContact(index, record),
    async match(plan) {
      const contact_id = plan.own.entryable_id?.[0]?.trim();
      if (contact_id === undefined) return match(plan);
      const contact = index.get(contact_id);
      return contact || isComplete ? contact : client.read(contacts.get, { contact_id });
    },
  };
}

async function matchOrganizations(options: ImporterOptions): Promise<EntryMatcher> {
  const index = createRecordIndex(options, readOrganizationKeys);
  await loadRecords(options, index, organizations.list);
  return {
    readKeys: (plan) => [...readIdKeys(plan), ...readOrganizationPlanKeys(plan)],
    identifyPlan: ({ own, ...plan }) =>
      identifyOrganizationPlan({ ...plan, own: { ...own, name: own.organization ?? [] } }),
    identify: (record) => identifyOrganization(index, record),
    async match(plan) {
      const [id] = plan.own.entryable_id ?? [];
      if (id !== undefined) return index.get(id.trim());
      const [name] = plan.own.organization ?? [];
      return (
        matchOrganization(index, plan) ?? (name === undefined ? undefined : findOrganization(index, name))
      );
    },
  };
}
