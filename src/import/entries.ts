import { entries } from '../contract/entries.ts';
import type { EntryType, List } from '../contract/lists.ts';
import type { Received } from '../contract/received.ts';
import { findName } from '../values/names.ts';
import type { StoredRecord } from '../writes/values.ts';
import { type RowBody, toNamedValues } from './body-errors.ts';
import { loadContacts } from './contacts.ts';
import type { OwnColumns, RowPlan } from './mapping.ts';
import { loadOrganizations } from './organizations.ts';
import { Refusal, requireOne } from './outcome.ts';
import {
  createColumns,
  createComparedColumns,
  findNewValues,
  listImported,
  readOwnValues,
} from './own-fields.ts';
import { createRecordIndex, type ImporterOptions, loadList, toIdKey } from './record-index.ts';
import { type GroupWrites, RecordWriter } from './record-writer.ts';
import type { Importer } from './run.ts';

/** Returns the columns of entries, apart from the fields of the list. */
export function listEntryColumns(type: EntryType, list: Received<List>): OwnColumns {
  const statuses = readStatuses(list);
  const fields = listImported('entries')
    .filter(({ isOfProcess }) => list.process === true || !isOfProcess)
    .map((field) => (field.key === 'status' ? { ...field, options: statuses } : field));
  const { contact_id, status, ...values } = createColumns('entries', fields);
  const { emails = {}, phone_numbers = {} } = createColumns('contacts');
  const { name = {}, domains = {} } = createColumns('organizations');
  const record: OwnColumns =
    type === 'Contact'
      ? { entryable_id: { aliases: ['contact', 'contact_id'] }, emails, phone_numbers }
      : {
          entryable_id: { aliases: ['organization_id'] },
          organization: { headers: name.headers },
          domains,
          contact_id: { ...contact_id, aliases: ['contact'] },
        };
  return {
    id: {},
    key: {},
    ...record,
    ...(status && { status: { ...status, parse: (text) => findName(statuses, text) ?? text } }),
    ...values,
  };
}

/** Returns the bodies that a row may need for its entry, to check them. */
export const planEntryBodies = (plan: RowPlan): RowBody[] => [
  { noun: 'entry', body: { ...readOwnValues('entries', plan), list_fields: toNamedValues(plan.list) } },
];

/** Imports entries of existing contacts or organizations. Adds each record once. */
export async function createEntryImporter(options: ImporterOptions & TargetList): Promise<Importer> {
  const { type } = options;
  const membership = await loadMembership(options, options);
  const matcher = await (type === 'Contact' ? loadContacts(options) : loadOrganizations(options));
  return {
    main: 'entry',
    readKeys: (plan) => [...readIdKeys(plan), ...matcher.readKeys(plan)],
    comparedColumns: createComparedColumns('entries'),
    prefetch: async (plan) => matcher.match(plan),
    async match(plan) {
      const [id] = plan.ownTexts.entryable_id ?? [];
      const record = await (id === undefined ? matcher.match(plan) : matcher.read(id.trim()));
      if (!record) throw new Refusal(`The ${type.toLowerCase()} of this row was not found.`);
      return membership.find(record.id, [plan])?.id ?? toIdKey(record.id);
    },
    write(group) {
      const recordId = membership.findRecordId(group.key) ?? group.key.slice(toIdKey('').length);
      return membership.join(recordId, group);
    },
  };
}

const readIdKeys = ({ ownTexts }: RowPlan) => (ownTexts.entryable_id ?? []).map((id) => toIdKey(id.trim()));

/** A list to which an import adds its records. */
interface TargetList {
  readonly list_id: string;
  readonly type: EntryType;
  /** The status of new entries. */
  readonly status?: string | undefined;
}

/** Returns the names of a process's statuses; empty for a regular list. */
export function readStatuses({ statuses = [] }: Received<List>): string[] {
  return statuses.map(({ name }) => name);
}

/** Reads the entries of a list. */
export async function loadMembership(options: ImporterOptions, { list_id, type, status }: TargetList) {
  const index = createRecordIndex(options, ({ entryable_id }) => [entryable_id ?? '']);
  const { reload } = await loadList(options, index, entries.list, { path: { list_id } });
  const recordWriter = new RecordWriter(options.client, { noun: 'entry', list_id });
  /** Returns the entry of a record and its rows. @throws {Refusal} if the record has several */
  const find = (recordId: string, plans: readonly RowPlan[]) =>
    findEntry(index.find(recordId), plans.flatMap(readEntryNames));
  return {
    find,
    /** Returns the id of the record that an entry is about. */
    findRecordId: (entryId: string) => index.get(entryId)?.entryable_id ?? undefined,
    /**
     * Adds a record to the list unless it has an entry, and writes the values of its rows to the entry.
     * @throws {Refusal} if the record has several entries
     */
    async join(recordId: string, group: GroupWrites): Promise<StoredRecord> {
      const plans = group.rows.map(({ plan }) => plan);
      const storedEntry = find(recordId, plans);
      const entry = await recordWriter.save(group, storedEntry, {
        planFields: ({ plan }, existing) =>
          existing
            ? findNewValues('entries', plan, existing)
            : {
                entryable_id: recordId,
                entryable_type: type,
                ...(status !== undefined && { status }),
                ...readOwnValues('entries', plan),
              },
        listValues: ({ plan }) => plan.list,
        keys: [recordId],
        lookUp: (onlyNew) => reload(onlyNew).then(() => find(recordId, plans)),
      });
      if (entry !== storedEntry) index.put({ ...entry, entryable_id: recordId });
      return entry;
    },
  };
}

/** Returns the entry id and the entry key in a row. A record may have several entries. */
const readEntryNames = ({ ownTexts }: RowPlan): string[] =>
  [...(ownTexts.id ?? []), ...(ownTexts.key ?? [])].map((name) => name.trim());

/** Returns the entry that a row names among those of one record. @throws {Refusal} if several match */
function findEntry(candidates: readonly StoredRecord[], names: readonly string[]): StoredRecord | undefined {
  const isNamed = ({ id, key }: StoredRecord) => names.includes(id) || names.includes(key ?? '');
  const [entry, ...more] = candidates.filter(isNamed);
  return entry && more.length === 0 ? entry : requireOne(candidates, 'The list contains it several times');
}
