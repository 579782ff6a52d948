import type { Client } from '../client/client.ts';
import type { Batch, PagingOptions } from '../client/pagination.ts';
import type { Input, Route } from '../contract/grammar.ts';
import type { View } from '../render/views.ts';
import type { RawJson } from '../values/raw-json.ts';
import type { CommandResult } from './command.ts';
import type { Session } from './context.ts';
import type { SheetModel } from './print/import-model.ts';

/** Returns the page size and limit of a list, as the flags set them. */
export async function readPaging({
  globals,
  preferences,
}: Session): Promise<Pick<PagingOptions, 'size' | 'limit'>> {
  const { limit, pageSize } = await preferences();
  return { size: pageSize, limit: globals.all ? undefined : limit };
}

/** Lists the records of a route. */
export async function listRecords<R extends Route>(
  session: Session,
  route: R,
  input: Omit<Input<R>, 'first' | 'after'>,
  view: View,
  importModel?: SheetModel,
): Promise<CommandResult> {
  const client = await session.client();
  const batches = client.pages(route, input, await readPaging(session));
  return { kind: 'records', view, batches, importModel };
}

/** Reads one record of a route. */
export async function showRecord<R extends Route>(
  session: Session,
  route: R,
  input: Input<R>,
  view: View,
  importModel?: SheetModel,
): Promise<CommandResult> {
  const record = await (await session.client()).record(route, input);
  return { kind: 'record', record, view, importModel };
}

/** Reads the first page now, so that its failure is thrown here and not while printing. */
export async function prefetchFirstPage(pages: AsyncIterable<Batch>): Promise<AsyncIterable<Batch>> {
  const iterator = pages[Symbol.asyncIterator]();
  const first = await iterator.next();
  return (async function* () {
    try {
      for (let page = first; !page.done; page = await iterator.next()) yield page.value;
    } finally {
      await iterator.return?.();
    }
  })();
}

/** Reads a list to its end, page by page. */
export function allPages<R extends Route>(
  client: Client,
  route: R,
  input: Omit<Input<R>, 'first' | 'after'>,
  paging?: Partial<PagingOptions>,
): AsyncIterable<Batch> {
  return client.pages(route, input, paging);
}

/** Reads a list to its end, record by record. */
export async function* iterateRecords<R extends Route>(
  client: Client,
  route: R,
  input: Omit<Input<R>, 'first' | 'after'>,
  paging?: Partial<PagingOptions>,
): AsyncGenerator<RawJson> {
  for await (const { records } of allPages(client, route, input, paging)) yield* records;
}
