import { contacts } from '../contract/contacts.ts';
import { recurringPeriods } from '../contract/entries.ts';
import type { EntryType, List } from '../contract/lists.ts';
import type { Received } from '../contract/received.ts';
import { isEmail } from '../values/domain.ts';
import { parseCents } from '../values/money.ts';
import { identifyContactPlan, loadContacts, readContactPlanKeys } from './contact-match.ts';
import { contactColumns } from './contacts.ts';
import type { OwnColumns } from './mapping.ts';
import { loadMembership, readEntryNames, readStatuses, type TargetList } from './membership.ts';
import {
  identifyOrganizationPlan,
  loadOrganizations,
  organizationColumns,
  readOrganizationPlanKeys,
} from './organizations.ts';
import { type Identity, type ImporterOptions, idKey } from './record-index.ts';
import { Refusal, type RowPlan, type StoredRecord } from './rows.ts';
import type { Importer } from './run.ts';

const checkAmount = (text: string) =>
  parseCents(text.trim()) === undefined ? 'an amount such as 1200 or 1200.50' : undefined;

const checkChoice = (choices: readonly string[]) => (text: string) =>
  choices.includes(text.trim()) ? undefined : `one of ${choices.join(', ')}`;

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
  const process: OwnColumns = {
    status: { check: checkChoice(readStatuses(list)) },
    one_time_value: { check: checkAmount },
    recurring_value: { check: checkAmount },
    recurring_period: { aliases: ['recurring_value_period'], check: checkChoice(recurringPeriods) },
  };
  const assignee = {
    aliases: ['assignee_email'],
    check: (text: string) => (isEmail(text.trim()) ? undefined : 'an email address'),
  };
  return { id: {}, key: {}, ...record, ...(list.process === true && process), assignee };
}

/** Imports entries of existing contacts or organizations. Each record is added once. */
export async function createEntryImporter(options: ImporterOptions & TargetList): Promise<Importer> {
  const { type } = options;
  const membership = await loadMembership(options, options);
  const matcher = await loadMatcher(options);
  return {
    main: 'entry',
    readKeys: (plan) => [...readIdKeys(plan), ...matcher.readKeys(plan)],
    compared: {
      identify(plan) {
        const names = readEntryNames(plan);
        if (names.length > 0) return [names.map(toIdentity)];
        const ids = readIdKeys(plan).map((key) => ({ key }));
        return ids.length > 0 ? [ids] : matcher.identifyPlan(plan);
      },
      own: comparedColumns,
    },
    async match(plan) {
      const [id] = plan.own.entryable_id ?? [];
      const record = await (id === undefined ? matcher.match(plan) : matcher.read(id.trim()));
      if (!record) throw new Refusal(`The ${type.toLowerCase()} of this row was not found.`);
      return record;
    },
    identify(record, plan) {
      const entries = membership.findEntries(record);
      const byRecord = entries.length > 1 ? [] : [{ key: idKey(record.id) }, ...matcher.identify(record)];
      const byName = readEntryNames(plan).length > 0 ? [] : entries.flatMap(identifyEntry);
      return [...byRecord, ...byName];
    },
    write: ({ agreed, record, writes }) => membership.join(record ?? {}, agreed, writes),
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

const toIdentity = (name: string): Identity => ({ key: `entry:${name}` });

const identifyEntry = ({ id, key }: StoredRecord) => [id ?? '', key ?? ''].map(toIdentity);

const readIdKeys = ({ own }: RowPlan) => (own.entryable_id ?? []).map((id) => idKey(id.trim()));

/** Reads the contacts or organizations that rows may name, and returns functions that find them. */
async function loadMatcher(options: ImporterOptions & TargetList) {
  const { client, type } = options;
  if (type === 'Contact') {
    const { index, isComplete, match, identify } = await loadContacts(options);
    const read = (contact_id: string) =>
      index.get(contact_id) ?? (isComplete ? undefined : client.read(contacts.get, { contact_id }));
    return { readKeys: readContactPlanKeys, identifyPlan: identifyContactPlan, identify, match, read };
  }
  const { index, match, find, identify } = await loadOrganizations(options);
  return {
    readKeys: readOrganizationPlanKeys,
    identifyPlan: ({ own }: RowPlan) =>
      identifyOrganizationPlan({ own: { ...own, name: own.organization ?? [] } }),
    identify,
    match(plan: RowPlan) {
      const [name] = plan.own.organization ?? [];
      return match(plan) ?? (name === undefined ? undefined : find(name));
    },
    read: (id: string) => index.get(id),
  };
}
