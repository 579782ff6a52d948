import type { Session } from '../../cli/command/context.ts';
import { listDueFields } from '../../cli/selection/flag-expressions.ts';
import { addFlag } from '../../cli/selection/select-records.ts';
import { Failure } from '../../contract/errors.ts';
import type { FieldType } from '../../contract/field-types.ts';
import type { List } from '../../contract/lists.ts';
import type { Received } from '../../contract/received.ts';
import { getComparator } from '../../filter/comparators.ts';
import { type Field, isMissing } from '../../filter/filter.ts';
import { createFieldFinder, type FieldSource } from '../../filter/noun-fields.ts';
import type { NameKind } from '../../render/collect-references.ts';
import { formatMonth, formatTitle } from '../../render/display.ts';
import type { AllTotals } from '../../render/report/totals.ts';
import { createGroupView } from '../../render/views.ts';
import { createDayFormat, isDate } from '../../values/dates.ts';
import { formatAmount, formatCents } from '../../values/money.ts';
import { foldName } from '../../values/names.ts';
import { capitalize, joinNames, quoteShellWord } from '../../values/text.ts';
import { type Grouping, groupByStatus, noValue } from './grouping.ts';

/** Returns the grouping that `--by` names. @throws {Failure} usage if the list has no such field */
export async function chooseGrouping(
  session: Session,
  list: Received<List>,
  fields: FieldSource,
  by: string,
  zone: string | undefined,
): Promise<Grouping> {
  try {
    const name = foldName(by) === 'month' ? findDateField(list) : by;
    const field = await createFieldFinder(fields)(name);
    return field.name === 'status' ? groupByStatus(list) : groupByField(session, field, zone);
  } catch (error) {
    throw addFlag('by', error);
  }
}

/** Returns the name of a list's only date field. @throws {Failure} usage if the list has no date field, or several */
function findDateField(list: Received<List>): string {
  const names = listDueFields(list).map(({ key }) => key);
  const [name, ...others] = names;
  if (name !== undefined && others.length === 0) return `list_fields.${name}`;
  const suggest = (field: string) =>
    `kith lists report ${quoteShellWord(list.name)} --by ${quoteShellWord(field)}`;
  if (name === undefined)
    throw new Failure('usage', `"${list.name}" has no field of type date or datetime.`, {
      hint: suggest('created_at'),
    });
  throw new Failure('usage', `"${list.name}" has several date fields: ${joinNames(names)}.`, {
    hint: 'Use --by with one of these fields.',
    commands: names.map(suggest),
  });
}

/** The groups of one type of field. */
interface FieldGroups extends Pick<Grouping, 'arrange'> {
  readonly keys?: readonly string[];
  /** Returns the key of a value; undefined if the value is not of this type. */
  readonly toKey: (value: unknown) => string | undefined;
  readonly toLabel?: (key: string) => string;
  /** Returns the group in JSON and CSV; by default, the label. */
  readonly toText?: (key: string) => string;
  readonly noValueLabel?: string;
  readonly hasIds?: true;
}

/** Groups entries by a field: a date by its months, options in their order, other values with most entries first. */
function groupByField(session: Session, field: Field, zone: string | undefined): Grouping {
  const groups = createGroups(session, field, zone);
  const { toLabel = (key) => key, toText = toLabel, noValueLabel = 'None', hasIds = false } = groups;
  return {
    heading: capitalize(formatTitle(field)),
    view: createGroupView(noValueLabel, hasIds),
    keys: groups.keys ?? [],
    load: async (entries) => field.load?.(entries, []),
    readKeys: (entry) =>
      field.read(entry).flatMap((value) => (isMissing(value) ? [] : (groups.toKey(value) ?? []))),
    arrange: groups.arrange,
    describe: (key) =>
      key === noValue
        ? { label: noValueLabel, tone: 'none', fields: { group: null, ...(hasIds && { id: null }) } }
        : { label: toLabel(key), fields: { group: toText(key), ...(hasIds && { id: key }) } },
  };
}

function createGroups(session: Session, field: Field, zone: string | undefined): FieldGroups {
  const { type, options = [] } = field;
  if (type === 'date' || type === 'datetime') return createMonthGroups(session, type, zone);
  if (type === 'organization' || type === 'contact') return createRecordGroups(session, type);
  if (options.length > 0) return createOptionGroups(options);
  if (type === 'number' || type === 'money')
    return {
      toKey: String,
      arrange: (keys) => keys.toSorted((left, right) => Number(left) - Number(right)),
      ...(type === 'money' && {
        toLabel: (cents: string) => formatAmount(Number(cents)),
        toText: (cents: string) => String(formatCents(Number(cents))),
      }),
    };
  return createTextGroups(type);
}

/** Groups texts without regard to case. The first spelling becomes the label. */
function createTextGroups(type: FieldType): FieldGroups {
  const labels = new Map<string, string>();
  const { toKey } = getComparator(type);
  const toLabel = (key: string) => labels.get(key) ?? key;
  return {
    toKey(value) {
      const key = toKey(value);
      if (key === undefined) return undefined;
      if (!labels.has(String(key))) labels.set(String(key), String(value));
      return String(key);
    },
    toLabel,
    arrange: (keys, totals) => sortBySize(keys, totals, toLabel),
  };
}

/** Groups by options in the order of their definition. Values that are no longer options come last. */
function createOptionGroups(options: readonly string[]): FieldGroups {
  const names = new Map(options.map((option) => [foldName(option), option]));
  return {
    keys: options,
    toKey: (value) => names.get(foldName(String(value))) ?? String(value),
    arrange: (keys) => keys, // the options were added first
  };
}

function createRecordGroups(session: Session, kind: NameKind): FieldGroups {
  let getName = (id: string) => id;
  return {
    toKey: String,
    toLabel: (id) => getName(id),
    hasIds: true,
    async arrange(ids, totals) {
      const { createNames } = await import('../../cli/references/name-loader.ts');
      const names = createNames(session, { isRequired: true });
      await names.load(ids.map((id) => ({ kind, id })));
      getName = (id) => names.get(kind, id);
      return sortBySize(ids, totals, getName);
    },
  };
}

/** Sorts groups by the number of their entries, then by their one-time value, then by name. */
function sortBySize(keys: readonly string[], totals: AllTotals, toLabel: (key: string) => string): string[] {
  const { compare } = getComparator('text');
  return keys
    .map((key) => ({ key, label: toLabel(key), ...totals.get(key) }))
    .toSorted(
      (left, right) =>
        right.entries - left.entries ||
        Number(right.one_time_value_cents) - Number(left.one_time_value_cents) ||
        compare(left.label, right.label),
    )
    .map(({ key }) => key);
}

/** The longest time for which months without entries are shown: a typo must not add thousands of months. */
const maxMonths = 120;

/** Groups by months, including the months without entries between the first and the last one. */
function createMonthGroups(
  session: Session,
  type: 'date' | 'datetime',
  zone: string | undefined,
): FieldGroups {
  const toDay = createDayFormat(zone);
  const readDay = (text: string) => {
    if (type === 'date') return isDate(text.slice(0, 10)) ? text : undefined;
    const time = Date.parse(text);
    return Number.isNaN(time) ? undefined : toDay(time);
  };
  return {
    toKey: (value) => readDay(String(value))?.slice(0, 'YYYY-MM'.length),
    toLabel: formatMonth,
    toText: (month) => month,
    noValueLabel: 'No date',
    async arrange(keys) {
      const months = keys.toSorted();
      const allMonths = listMonths(months.at(0), months.at(-1));
      if (allMonths.length <= maxMonths) return allMonths;
      await session.messages.note(
        `The dates span ${allMonths.length} months, from ${months.at(0)} to ${months.at(-1)}. Months without entries are omitted.`,
      );
      return months;
    },
  };
}

/** Lists the months from the first to the last one: `2026-05`. */
function listMonths(first: string | undefined, last: string | undefined): string[] {
  if (first === undefined || last === undefined) return [];
  const toIndex = (text: string) => Number(text.slice(0, 4)) * 12 + Number(text.slice(5)) - 1;
  const toText = (index: number) =>
    `${String(Math.floor(index / 12)).padStart(4, '0')}-${String((index % 12) + 1).padStart(2, '0')}`;
  const start = toIndex(first);
  return Array.from({ length: toIndex(last) - start + 1 }, (_, offset) => toText(start + offset));
}
