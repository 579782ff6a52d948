import type { Batch, PagingOptions } from '../../client/pagination.ts';
import { addErrorPrefix, Failure } from '../../contract/errors.ts';
import type { ReferenceKind } from '../../contract/singular-nouns.ts';
import type { FilterContext } from '../../filter/comparators.ts';
import {
  type CompiledComparison,
  compileFilter,
  type Field,
  type FieldFinder,
  type Filter,
} from '../../filter/filter.ts';
import { createFieldFinder, type FieldSource } from '../../filter/noun-fields.ts';
import { parseSortOrder } from '../../filter/order.ts';
import { compileWhere } from '../../filter/where.ts';
import { createDayFormat } from '../../values/dates.ts';
import { foldName } from '../../values/names.ts';
import type { CommandInput } from '../command/command.ts';
import type { Session } from '../command/context.ts';
import { toFlagName } from '../command/options.ts';
import { readLimit } from '../command/records.ts';
import { type Moment, parseMoment } from '../flags/moment.ts';
import { kinds } from '../references/reference-kinds.ts';
import { resolveReference } from '../references/resolve-reference.ts';
import { filterBatches, sortBatches } from './batches.ts';
import { type FlagTarget, flagExpressions } from './flag-expressions.ts';

/** A list that is filtered and sorted here. */
export interface SelectableList extends FieldSource, FlagTarget {
  /** Set if the whole list is read, unless `--limit` is set. */
  readonly isUnlimited?: boolean;
  /** Whether the service applies the shortcuts too. */
  readonly isServiceFiltered?: boolean;
  /** Other filters for each record. */
  readonly filters?: readonly Filter[];
  /** Reads the list. `required`: comparisons that each record must meet. The service may support them. */
  readPages(paging: Partial<PagingOptions>, required: readonly CompiledComparison[]): AsyncIterable<Batch>;
}

/**
 * Returns the records of a list that the flags select, in the order of --sort.
 * @throws {Failure} usage if a flag is invalid, not_found if a reference does not exist
 */
export async function selectRecords(
  session: Session,
  list: SelectableList,
  input: CommandInput,
): Promise<AsyncIterable<Batch>> {
  const limit = list.isUnlimited ? session.globals.limit : await readLimit(session);
  const { pageSize } = await session.preferences();
  const findField = createFieldFinder(list);
  const filters = [...(list.filters ?? []), ...(await compileFlags(session, list, input))];
  const order = typeof input.sort === 'string' ? await readOrder(session, input.sort, findField) : undefined;
  const isSent = list.isServiceFiltered === true && input.where === undefined;
  const required = filters.flatMap((filter) => filter.required);
  const pages = list.readPages(
    {
      ...(isSent && limit !== undefined && !order && { size: Math.min(pageSize, limit) }),
      limit: filters.length > 0 || order ? undefined : limit,
    },
    required,
  );
  const matches =
    filters.length === 0
      ? pages
      : filterBatches(pages, filters, { limit: order ? undefined : limit, isSent });
  return order ? sortBatches(matches, order, limit) : matches;
}

async function readOrder(session: Session, text: string, findField: FieldFinder) {
  try {
    const { name, isDescending } = parseSortOrder(text);
    return { field: await createSortableField(session, await findField(name)), isDescending };
  } catch (error) {
    throw addFlag('sort', error);
  }
}

/** Returns a field that is sorted by the names of the records it refers to. */
async function createSortableField(session: Session, field: Field): Promise<Field> {
  if (field.isUnsortable) throw new Failure('usage', `cannot sort by "${field.name}".`);
  if (field.type !== 'contact' && field.type !== 'organization') return field;
  const names = new Map<string, string>();
  for await (const { id, name } of readCandidates(session, field.type)) names.set(id, name);
  return {
    ...field,
    type: 'text',
    read: (record) => field.read(record).map((id) => names.get(String(id)) ?? id),
  };
}

/** Compiles the flags that select records. @throws {Failure} as `selectRecords` */
export async function compileFlags(
  session: Session,
  list: FieldSource & FlagTarget,
  input: CommandInput,
): Promise<Filter[]> {
  const findField = createFieldFinder(list);
  const zone = typeof input.tz === 'string' ? input.tz : undefined;
  const context = createFilterContext(session, list, zone);
  const filters: Filter[] = [];
  const add = async (flag: string, compile: () => Promise<Filter>) => {
    try {
      filters.push(await compile());
    } catch (error) {
      throw addFlag(flag, error);
    }
  };
  const { where } = input;
  if (typeof where === 'string') await add('where', () => compileWhere(where, list, context));
  for (const [flag, build] of Object.entries(flagExpressions)) {
    const value = readFlag(input[flag], { now: context.now, zone });
    if (value === undefined) continue;
    const compile = async () =>
      compileFilter(await build(value, { ...list, findField, session }), findField, context);
    await add(flag, compile);
  }
  return filters;
}

/** Returns the value of a flag as it would be written in an expression; undefined if the flag is omitted. */
function readFlag(value: unknown, where: Parameters<Moment>[0]): string | undefined {
  if (value === undefined || value === false) return undefined;
  if (typeof value === 'function') return new Date((value as Moment)(where) * 1000).toISOString();
  return String(value);
}

/** Adds a flag to a usage failure. Other failures, such as those of a request, are not about the flag. */
export function addFlag(flag: string, error: unknown): unknown {
  return error instanceof Failure && error.code === 'usage' ? addErrorPrefix(toFlagName(flag), error) : error;
}

/** Creates the context in which a session evaluates the values of an expression, with times in a zone. */
function createFilterContext(
  session: Session,
  { readList }: FlagTarget,
  zone: string | undefined,
): FilterContext {
  const now = session.runtime.now();
  const formatDay = createDayFormat(zone);
  return {
    now,
    readTime: (text) => parseMoment(text)({ now, zone }),
    toDay: formatDay,
    resolve: (kind, text) => resolveReference(session, kind, text),
    async search(kind, text) {
      const part = foldName(text);
      const ids: string[] = [];
      for await (const { id, keys } of readCandidates(session, kind))
        if (keys.some((key) => key.includes(part))) ids.push(id);
      return ids;
    },
    completeAddress: async (text) => {
      const { completeAddress } = await import('../references/complete-address.ts');
      return completeAddress(session, text, (await readList?.())?.id);
    },
  };
}

async function* readCandidates(session: Session, kind: ReferenceKind) {
  for await (const { candidates } of kinds[kind].list(await session.client())) yield* candidates;
}
