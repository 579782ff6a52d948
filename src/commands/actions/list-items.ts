import type { CommandInput, CommandResult } from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import { type SelectableList, selectRecords } from '../../cli/selection/select-records.ts';
import type { Batch } from '../../client/pagination.ts';
import { requireFailure } from '../../contract/errors.ts';
import type { Field } from '../../filter/filter.ts';
import { toRawJson } from '../../values/raw-json.ts';
import { markAsRemoved } from './change-items.ts';
import { type ActionFilters, type ActionItem, readActionItems } from './read-items.ts';

/** Reads a member of an action item, which may have several values. */
const createField = (name: string, type: Field['type'], key = name): Field => ({
  name,
  type,
  read: ({ [key]: value }) => [value].flat(),
});

/** The fields of --where and --sort. */
const fields: readonly Field[] = [
  createField('id', 'id'),
  { ...createField('state', 'select'), options: ['open', 'done', 'removed'] },
  createField('text', 'textarea'),
  createField('person', 'user'),
  { ...createField('title', 'text'), aliases: ['meeting'] },
  createField('event_id', 'id'),
  createField('start_at', 'localtime'),
  { ...createField('organization', 'organization', 'organization_ids'), isUnsortable: true },
  createField('changed_at', 'datetime'),
];

/** Returns the action items that the flags select. Items that are listed as removed are not listed again. */
export async function selectActionItems(
  session: Session,
  filters: ActionFilters,
  input: CommandInput,
): Promise<AsyncIterable<Batch>> {
  const batches = await selectRecords(session, createList(session, filters), input);
  return markListed(session, filters.ledger, batches);
}

/** Counts the action items that the flags select. */
export async function readActionFigures(
  session: Session,
  filters: ActionFilters,
  input: CommandInput,
): Promise<CommandResult> {
  const { readFigures } = await import('../../cli/selection/figures.ts');
  return readFigures(session, createList(session, filters), input);
}

const createList = (session: Session, filters: ActionFilters): SelectableList => ({
  fields,
  readPages: ({ limit }) => toBatches(readActionItems(session, filters), limit),
});

async function* toBatches(
  pages: AsyncIterable<readonly ActionItem[]>,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<Batch> {
  let remaining = limit;
  const toBatch = (items: readonly ActionItem[], hasNext: boolean): Batch => {
    const records = items.slice(0, remaining).map(toRawJson);
    remaining -= records.length;
    return { records, total: undefined, hasMore: hasNext || records.length < items.length };
  };
  // Only the next page shows whether there are more items.
  let last: readonly ActionItem[] = [];
  for await (const items of pages) {
    if (items.length === 0) continue;
    if (last.length > 0) yield toBatch(last, true);
    if (remaining === 0) return;
    last = items;
  }
  yield toBatch(last, false);
}

async function* markListed(
  session: Session,
  ledger: string | undefined,
  batches: AsyncIterable<Batch>,
): AsyncGenerator<Batch> {
  const removed: ActionItem[] = [];
  for await (const batch of batches) {
    yield batch;
    const items = batch.records.map(({ value }) => value as ActionItem); // as createList reads them
    removed.push(...items.filter(({ state }) => state === 'removed'));
  }
  // An agent's list does not count: the person has not seen it.
  if (removed.length === 0 || session.call.commandLine === undefined) return;
  try {
    await markAsRemoved(session, removed, ledger);
  } catch (error) {
    await session.messages.note(`The removed items will be listed again. ${requireFailure(error).message}`);
  }
}
