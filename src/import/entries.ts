import { readAssigneeEmail, type StoredRecord, type Values } from '../changes/values.ts';
import { entries } from '../contract/entries.ts';
import type { EntryType, List } from '../contract/lists.ts';
import type { Received } from '../contract/received.ts';
import { recurringPeriods } from '../contract/record-fields.ts';
import { isEmail } from '../values/domain.ts';
import { parseCents } from '../values/money.ts';
import { findName } from '../values/names.ts';
import { type RowBody, toNamedValues } from './body-errors.ts';
import { contactColumns, loadContacts } from './contacts.ts';
import type { OwnColumns, RowPlan } from './mapping.ts';
import { loadOrganizations, organizationColumns } from './organizations.ts';
import { Refusal, requireOne } from './outcome.ts';
import { createRecordIndex, type Identity, type ImporterOptions, loadList, toIdKey } from './record-index.ts';
import { RecordWriter, type RowWrites } from './record-writer.ts';
import type { Importer } from './run.ts';

const checkAmount = (text: string) =>
  parseCents(text.trim()) === undefined ? 'an amount such as 1200 or 1200.50' : undefined;

const checkChoice = (choices: readonly string[]) => (text: string) =>
  choices.includes(text.trim()) ? undefined : `one of ${choices.join(', ')}`;

/** Returns the columns of entries, apart from the fields of the list. */
export function listEntryColumns(type: EntryType, list: Received<List>): OwnColumns {
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
  const statuses = readStatuses(list);
  const process: OwnColumns = {
    status: { check: checkChoice(statuses), parse: (text) => findName(statuses, text) ?? text },
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

/** Returns the bodies that a row may need for its entry, to check them. */
export const planEntryBodies = (plan: RowPlan): RowBody[] => [
  { what: 'entry', body: { ...readFields(plan), list_fields: toNamedValues(plan.list) } },
];

/** Imports entries of existing contacts or organizations. Each record is added once. */
export async function createEntryImporter(options: ImporterOptions & TargetList): Promise<Importer> {
  const { type } = options;
  const membership = await loadMembership(options, options);
  const matcher = await (type === 'Contact' ? loadContacts(options) : loadOrganizations(options));
  return {
    main: 'entry',
    readKeys: (plan) => [...readIdKeys(plan), ...matcher.readKeys(plan)],
    identifyPlan(plan) {
      const names = readEntryNames(plan);
      if (names.length > 0) return [names.map(toIdentity)];
      const ids = readIdKeys(plan).map((key) => ({ key }));
      return ids.length > 0 ? [ids] : matcher.identifyPlan(plan);
    },
    compared: comparedColumns,
    async match(plan) {
      const [id] = plan.own.entryable_id ?? [];
      const record = await (id === undefined ? matcher.match(plan) : matcher.read(id.trim()));
      if (!record) throw new Refusal(`The ${type.toLowerCase()} of this row was not found.`);
      return record;
    },
    identify(record, plan) {
      const entries = membership.findEntries(record);
      const byRecord = entries.length > 1 ? [] : [{ key: toIdKey(record.id) }, ...matcher.identify(record)];
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

const readIdKeys = ({ own }: RowPlan) => (own.entryable_id ?? []).map((id) => toIdKey(id.trim()));

/** A list to which an import adds its records. */
interface TargetList {
  readonly list_id: string;
  readonly type: EntryType;
  /** The status of new entries. */
  readonly status?: string | undefined;
}

/** Returns the names of a process's statuses; of a list that is not a process, none. */
export function readStatuses({ statuses }: Received<List>): string[] {
  return (statuses ?? []).map(({ name }) => name ?? '');
}

/** Reads the entries of a list. */
export async function loadMembership(options: ImporterOptions, { list_id, type, status }: TargetList) {
  const index = createRecordIndex(options, ({ entryable_id }) => [entryable_id ?? '']);
  const { reload } = await loadList(options, index, entries.list, { path: { list_id } });
  const recordWriter = new RecordWriter(options.client, index, { what: 'entry', list_id });
  /** Returns the entry of a record and its row. @throws {Refusal} if the record has several */
  const find = ({ id }: StoredRecord, plan: RowPlan) => findEntry(index.find(id ?? ''), readEntryNames(plan));
  return {
    find,
    /**
     * Adds a record to the list, once, and updates its entry with the values of its row.
     * @throws {Refusal} if the record has several entries
     */
    async join(record: StoredRecord, plan: RowPlan, writes: RowWrites): Promise<StoredRecord> {
      const { id } = record;
      const fields = readFields(plan);
      const key = id ?? '';
      const known = find(record, plan);
      const current = known && (await recordWriter.refresh(known));
      const entry = await recordWriter.save(writes, current, {
        planFields: (existing) =>
          existing
            ? findChanges(existing, fields)
            : { entryable_id: id, entryable_type: type, ...(status !== undefined && { status }), ...fields },
        values: plan.list,
        keys: [key],
        lookUp: (onlyNew) => reload(onlyNew).then(() => find(record, plan)),
      });
      if (entry !== known) index.put({ ...entry, entryable_id: key });
      return entry;
    },
    /** Returns the entries of a record. */
    findEntries: ({ id }: StoredRecord) => index.find(id ?? ''),
  };
}

/** Returns the id and the key by which a row names its entry: a record may have several. */
const readEntryNames = ({ own }: RowPlan): string[] =>
  [...(own.id ?? []), ...(own.key ?? [])].map((name) => name.trim());

/** Returns the entry that a row names among those of one record. @throws {Refusal} if several match */
function findEntry(candidates: readonly StoredRecord[], names: readonly string[]): StoredRecord | undefined {
  const isNamed = ({ id, key }: StoredRecord) => names.includes(id ?? '') || names.includes(key ?? '');
  const [entry, ...more] = candidates.filter(isNamed);
  return entry && more.length === 0 ? entry : requireOne(candidates, 'The list contains it several times');
}

/** Returns the fields that a row has for its entry. */
function readFields({ own }: RowPlan): Values {
  const read = (name: string) => own[name]?.[0]?.trim();
  const fields: Values = {
    status: read('status'),
    assignee_email: read('assignee'),
    one_time_value_cents: parseCents(read('one_time_value') ?? ''),
    recurring_value_cents: parseCents(read('recurring_value') ?? ''),
    recurring_value_period: read('recurring_period'),
    contact_id: read('contact_id'),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function findChanges(entry: StoredRecord, fields: Values): Values {
  const current: Values = { ...entry, assignee_email: readAssigneeEmail(entry) };
  const isSame = (name: string, value: unknown) => {
    const stored = current[name] ?? null;
    if (name !== 'assignee_email') return stored === value;
    return String(stored ?? '').toLowerCase() === String(value ?? '').toLowerCase();
  };
  return Object.fromEntries(Object.entries(fields).filter(([name, value]) => !isSame(name, value)));
}
