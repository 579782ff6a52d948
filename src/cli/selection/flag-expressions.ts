import { Failure } from '../../contract/errors.ts';
import type { RecordField } from '../../contract/field-table.ts';
import { isDateType } from '../../contract/field-types.ts';
import type { List } from '../../contract/lists.ts';
import type { Received } from '../../contract/received.ts';
import { createComparison, type Expression, type Operator } from '../../filter/expression.ts';
import type { FieldFinder } from '../../filter/filter.ts';
import { removeEscapes, splitUnescaped } from '../../render/cells.ts';
import { findName } from '../../values/names.ts';
import { joinNames } from '../../values/text.ts';
import type { Session } from '../command/context.ts';
import { requireProcess } from '../command/records.ts';
import { toListFields } from '../flags/field-values.ts';
import { isEntryKey } from '../flags/references.ts';
import type { Shortcut } from '../flags/selection.ts';

/** The list that the flags select from. */
export interface FlagTarget {
  /** The field of `--today`. */
  readonly today?: string;
  /** Reads the list or process of entries. */
  readonly readList?: () => Promise<Received<List>>;
  /** The key of the only list field that makes an entry due; if omitted, all fields of type date and datetime do. */
  readonly dueField?: string;
}

type FlagExpression = (
  value: string,
  target: FlagTarget & { readonly findField: FieldFinder; readonly session: Session },
) => Expression | Promise<Expression>;

const compareWith =
  (name: string, operator: Operator): FlagExpression =>
  (value) =>
    createComparison(name, operator, [value]);

/** Builds the expression of each flag from its value, which is `true` for a flag that takes no value. */
export const flagExpressions: Readonly<Record<Shortcut, FlagExpression>> = {
  organization: compareWith('organization', '='),
  contact: compareWith('contact', '='),
  list: compareWith('list', '='),
  async deal(text, { session }) {
    if (!isEntryKey(text)) return createComparison('deal', '=', [text]);
    const { findEntryByKey } = await import('../references/entry-keys.ts');
    const { entry } = await findEntryByKey(session, text);
    // The id of a deal is opaque, so a note may have the key of its deal instead.
    return createComparison('deal', 'in', [entry.id, entry.key ?? text]);
  },
  assignee: compareWith('assignee', '='),
  mine: () => createComparison('assignee', '=', ['me']),
  createdAfter: compareWith('created_at', '>'),
  updatedAfter: compareWith('updated_at', '>'),
  stale: (days) => createComparison('updated_at', '<', [`${days}d`]),
  today: (_, { today = 'created_at' }) => createComparison(today, '=', ['today']),
  async status(text, { findField }) {
    const { options = [] } = await findField('status');
    // The comma may be part of a name.
    const names = findName(options, text) ? [text] : splitUnescaped(text, ',').map(removeEscapes);
    return createComparison('status', 'in', names);
  },
  open: async (_, target) => createStatusComparison(await readList(target), ['active']),
  closed: async (_, target) => createStatusComparison(await readList(target), ['won', 'lost']),
  won: async (_, target) => createOutcomeComparison(await readList(target), 'won'),
  lost: async (_, target) => createOutcomeComparison(await readList(target), 'lost'),
  closedAfter: async (time, target) => createClosedComparison(await readList(target), '>=', time),
  closedBefore: async (time, target) => createClosedComparison(await readList(target), '<', time),
  overdue: (_, target) => createDueComparison(target, 'now'),
  dueBefore: (time, target) => createDueComparison(target, time),
};

function readList({ readList }: FlagTarget): Promise<Received<List>> {
  if (!readList) throw new Error('only entries have statuses');
  return readList();
}

/** @throws {Failure} usage if the list is not a process */
function createStatusComparison(list: Received<List>, types: readonly string[]): Expression {
  requireProcess(list);
  const statuses = (list.statuses ?? []).filter(({ type }) =>
    types.some((statusType) => statusType === type),
  );
  return createComparison(
    'status',
    'in',
    statuses.map(({ name }) => name),
  );
}

/** @throws {Failure} usage if no status has the type, because the flag would then select nothing */
function createOutcomeComparison(list: Received<List>, outcome: 'won' | 'lost'): Expression {
  requireProcess(list);
  const { name, statuses = [] } = list;
  if (statuses.some(({ type }) => type === outcome)) return createStatusComparison(list, [outcome]);
  throw new Failure('usage', `"${name}" has no status of type ${outcome}.`, {
    hint: `Its statuses: ${joinNames(statuses.map((status) => `${status.name} (${status.type})`))}. Use --status.`,
  });
}

/** Compares the time at which entries were closed. An open entry has no such time. @throws {Failure} usage */
function createClosedComparison(list: Received<List>, operator: '>=' | '<', time: string): Expression {
  requireProcess(list);
  return createComparison('closed_at', operator, [time]);
}

/** Lists the fields of a process that make an entry due. */
export const listDueFields = (list: Received<List>): readonly RecordField[] =>
  toListFields(list).filter(({ type }) => isDateType(type));

/** Selects the open entries with an earlier date or time in any field of their process. @throws {Failure} usage */
async function createDueComparison(target: FlagTarget, time: string): Promise<Expression> {
  const list = await readList(target);
  const isOpen = createStatusComparison(list, ['active']);
  const { dueField } = target;
  const fields = listDueFields(list).filter(({ key }) => dueField === undefined || key === dueField);
  if (fields.length === 0)
    throw new Failure('usage', `"${list.name}" has no field of type date or datetime, so no entry is due.`);
  const comparisons = fields.map(({ key }) => createComparison(`list_fields.${key}`, '<', [time]));
  return { kind: 'and', operands: [isOpen, { kind: 'or', operands: comparisons }] };
}
