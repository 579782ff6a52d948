import type { Session } from '../../cli/command/context.ts';
import { toEntryKind } from '../../cli/flags/references.ts';
import { createNames } from '../../cli/references/name-loader.ts';
import { filterBatches } from '../../cli/selection/batches.ts';
import { listDueFields } from '../../cli/selection/flag-expressions.ts';
import { createListSource } from '../../cli/selection/noun-records.ts';
import { compileFlags } from '../../cli/selection/select-records.ts';
import type { Client } from '../../client/client.ts';
import { type Entry, entries } from '../../contract/entries.ts';
import { Failure } from '../../contract/errors.ts';
import { type List, lists } from '../../contract/lists.ts';
import type { Received } from '../../contract/received.ts';
import type { Filter } from '../../filter/filter.ts';
import { createFieldFinder } from '../../filter/noun-fields.ts';
import { readAll } from '../../records/read-all.ts';
import type { DayDeal, DueField } from '../../render/screens/day.ts';
import type { Section } from '../../render/screens/relationship.ts';
import { createSemaphore } from '../../values/concurrency.ts';
import { createDayFormat } from '../../values/dates.ts';
import { type JsonObject, readObject } from '../../values/json-object.ts';
import { foldName } from '../../values/names.ts';
import { createSortedList } from '../../values/sorted-list.ts';
import type { PartyCollector } from './read-parties.ts';

/** A day, and its limits in milliseconds. */
export interface DayRange {
  readonly date: string;
  readonly start: number;
  readonly end: number;
  /** The time before which a value is overdue: now, or the start of another day. */
  readonly overdueBefore: number;
}

interface OpenDealQuery {
  /** The user to whom the deals are assigned; undefined for the deals of everyone. */
  readonly user: string | undefined;
  readonly range: DayRange;
  /** The only field that makes a deal due. */
  readonly field?: string | undefined;
  readonly staleDays?: number | undefined;
  readonly zone: string | undefined;
  /** Whether to read processes without a date field too. */
  readonly includesUndated: boolean;
}

interface DealQuery extends Omit<OpenDealQuery, 'includesUndated'> {
  /** Maximum number of deals of each section. */
  readonly limit: number;
  /** Receives all open deals. */
  readonly collector?: PartyCollector | undefined;
}

/** An open entry of a process, without the name of its contact or organization. */
export type UnnamedDeal = Omit<DayDeal, 'name'>;

interface DealSections {
  readonly due: Section<DayDeal>;
  readonly stale: Section<DayDeal>;
}

/** Maximum number of processes that are read at once. */
const maxProcesses = 4;

/**
 * Reads the open entries of all processes: those that are due by the end of the day, and
 * those that have not been updated for some days.
 * @throws {Failure} usage if no process has the field
 */
export async function readDeals(session: Session, query: DealQuery): Promise<DealSections> {
  const { limit, range, staleDays, collector, zone } = query;
  const toDay = createDayFormat(zone);
  const due = createSortedList<UnnamedDeal>((left, right) => readDueTime(left) - readDueTime(right), limit);
  const stale = createSortedList<UnnamedDeal>((left, right) => readUpdate(left) - readUpdate(right), limit);
  await visitOpenDeals(
    session,
    {
      ...query,
      range: { ...range, end: collector?.end ?? range.end },
      includesUndated: staleDays !== undefined || collector !== undefined,
    },
    (deal, isStale) => {
      collector?.addDeal(deal);
      const dueOnDay = deal.due.filter((field) => toDueDay(field, toDay).day <= range.date);
      if (dueOnDay.length > 0) due.add({ ...deal, due: dueOnDay });
      if (isStale) stale.add(deal);
    },
  );
  return addNames(session, { due: toSection(due), stale: toSection(stale) });
}

/** Reads the open entries of all processes, with the fields that make them due. @throws {Failure} as `readDeals` */
export async function visitOpenDeals(
  session: Session,
  query: OpenDealQuery,
  visit: (deal: UnnamedDeal, isStale: boolean) => void,
): Promise<void> {
  const { field } = query;
  const client = await session.client();
  const processes = await listProcesses(client);
  const processFields = processes.map((list) => ({ list, fields: listNamedFields(list, field) }));
  if (field !== undefined && processFields.every(({ fields }) => fields.length === 0))
    throw createFieldFailure(field, processes);
  const run = createSemaphore(maxProcesses);
  const relevant = processFields.filter(({ fields }) => fields.length > 0 || query.includesUndated);
  await Promise.all(
    relevant.map(({ list, fields }) =>
      run(async () => {
        const { findDue, isStale } = await compileProcess(session, list, fields, query);
        for await (const { entry, record } of readOpenEntries(session, client, list, query)) {
          visit({ entry, list, due: findDue(record) }, isStale(record));
        }
      }),
    ),
  );
}

/** Returns the name of a field, and the day of its value. */
export const toDueDay = ({ name: field, value }: DueField, toDay: (time: number) => string) => ({
  field,
  day: value.includes('T') ? toDay(Date.parse(value)) : value,
});

const readDueTime = ({ due: [first] }: UnnamedDeal) => Date.parse(first?.value ?? '');
const readUpdate = ({ entry }: UnnamedDeal) => Date.parse(entry.updated_at) || 0;

function toSection<T>(list: ReturnType<typeof createSortedList<T>>): Section<T> {
  const records = list.toArray();
  return { records, more: list.getCount() - records.length };
}

async function listProcesses(client: Client): Promise<Received<List>[]> {
  return (await readAll(client, lists.list, {})).filter((list) => list.process && !list.archived_at);
}

/** Lists the fields that make the entries of a process due. */
const listNamedFields = (list: Received<List>, name: string | undefined) =>
  listDueFields(list).filter(({ key }) => name === undefined || foldName(key) === foldName(name));

function createFieldFailure(name: string, processes: readonly Received<List>[]): Failure {
  const names = new Set(processes.flatMap((list) => listDueFields(list).map(({ key }) => key)));
  const problem = `--field: no process has a field "${name}" of type date or datetime.`;
  return new Failure('usage', problem, { hint: `Available fields: ${[...names].join(', ')}.` });
}

/** Yields the open entries of a process, of the user if there is one. */
async function* readOpenEntries(
  session: Session,
  client: Client,
  list: Received<List>,
  { user: assignee, zone: tz }: OpenDealQuery,
) {
  const filters = await compileFlags(session, createListSource(session, list), { assignee, open: true, tz });
  const pages = client.pages(entries.list, { list_id: list.id }, { concurrency: 2, size: 500 });
  for await (const { records } of filterBatches(pages, filters, { limit: undefined, isSent: false }))
    for (const { value: entry } of records) yield { entry, record: readObject(entry) };
}

/** Compiles the flags that select due and stale entries for the entries of a process. */
async function compileProcess(
  session: Session,
  list: Received<List>,
  fields: readonly { readonly key: string }[],
  { range, staleDays, zone: tz }: OpenDealQuery,
) {
  const source = createListSource(session, list);
  const findField = createFieldFinder(source);
  const compileDue = async (dueField: string, time: number) =>
    compileFlags(session, { ...source, dueField }, { dueBefore: () => Math.ceil(time / 1000), tz });
  const dueFields = await Promise.all(
    fields.map(async ({ key }) => ({
      field: await findField(`list_fields.${key}`),
      due: await compileDue(key, range.end),
      overdue: await compileDue(key, range.overdueBefore),
    })),
  );
  const stale =
    staleDays === undefined ? undefined : await compileFlags(session, source, { stale: staleDays, tz });
  return {
    findDue: (record: JsonObject): DueField[] =>
      dueFields
        .filter(({ due }) => matchesAll(due, record))
        .map(({ field, overdue }) => ({
          name: field.name,
          value: String(field.read(record)[0]),
          isOverdue: matchesAll(overdue, record),
        }))
        .sort((left, right) => Date.parse(left.value) - Date.parse(right.value)),
    isStale: (record: JsonObject) => stale !== undefined && matchesAll(stale, record),
  };
}

const matchesAll = (filters: readonly Filter[], record: JsonObject) =>
  filters.every((filter) => filter.matches(record));

/** Adds the names of the contacts and organizations that the deals are about. */
async function addNames(
  session: Session,
  { due, stale }: { readonly due: Section<UnnamedDeal>; readonly stale: Section<UnnamedDeal> },
): Promise<DealSections> {
  const names = createNames(session, { isRequired: true });
  const toReference = ({ entryable_type, entryable_id }: Received<Entry>) => ({
    kind: toEntryKind(entryable_type),
    id: entryable_id,
  });
  await names.load([...due.records, ...stale.records].map(({ entry }) => toReference(entry)));
  const addName = (deal: UnnamedDeal): DayDeal => {
    const { kind, id } = toReference(deal.entry);
    return { ...deal, name: names.get(kind, id) };
  };
  return {
    due: { ...due, records: due.records.map(addName) },
    stale: { ...stale, records: stale.records.map(addName) },
  };
}
