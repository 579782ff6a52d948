import type { Client, ListInput } from '../client/client.ts';
import type { Batch, PagingOptions } from '../client/pagination.ts';
import { Failure } from '../contract/errors.ts';
import type { Route } from '../contract/grammar.ts';
import type { RouteRecord } from '../contract/received.ts';

/** Maximum number of times that `repeatIfChanged` repeats a read. */
const maxRepeats = 3;

/** Someone deleted records of a list while it was read. */
class ListChanged extends Failure {}

/**
 * Yields the batches of a list. @throws {Failure} busy if records are deleted while it is read: call this function within
 * `repeatIfChanged`
 */
export async function* requireUnchanged<B extends Pick<Batch, 'isReread'>>(
  batches: AsyncIterable<B>,
): AsyncGenerator<B> {
  for await (const batch of batches) {
    if (batch.isReread) throw new ListChanged('busy', 'Records were deleted while kith read a list.');
    yield batch;
  }
}

/**
 * Calls a function that reads lists, and calls it again from the start if `requireUnchanged` stops one of them. A command
 * that makes a decision from a list must read it like this: a deletion may move another record to a page that was already
 * read. A list that is only printed needs no second read, because `client.pages` delivers the records that moved.
 * @throws {Failure} busy if a list changes each time
 */
export async function repeatIfChanged<T>(read: () => Promise<T>): Promise<T> {
  for (let repeats = 0; ; repeats += 1) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof ListChanged)) throw error;
      if (repeats < maxRepeats) continue;
      throw new Failure(
        'busy',
        `Someone deleted records each of the ${repeats + 1} times kith read a list.`,
        {
          hint: 'Run the command again when the deletions are done.',
        },
      );
    }
  }
}

/** Returns the results of `pick` for the records of a list, which do not stay in memory. @throws {Failure} as `repeatIfChanged` */
export async function pickAll<R extends Route, T>(
  client: Client,
  route: R,
  input: ListInput<R>,
  pick: (record: RouteRecord<R>) => readonly T[],
  paging?: Partial<PagingOptions>,
): Promise<T[]> {
  return repeatIfChanged(async () => {
    const picked: T[] = [];
    for await (const { records } of requireUnchanged(client.pages(route, input, paging)))
      for (const { value } of records) picked.push(...pick(value));
    return picked;
  });
}

/** Returns the values of all records of a list. @throws {Failure} as `repeatIfChanged` */
export const readAll = <R extends Route>(
  client: Client,
  route: R,
  input: ListInput<R>,
  paging?: Partial<PagingOptions>,
): Promise<RouteRecord<R>[]> => pickAll(client, route, input, (record) => [record], paging);
