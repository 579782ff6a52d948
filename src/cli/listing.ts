import type { Client } from '../client/client.ts';
import type { Batch, Reading } from '../client/pages.ts';
import type { Input, Route } from '../contract/grammar.ts';
import { pageSize } from '../contract/grammar.ts';
import type { View } from '../output/columns.ts';
import type { Answer } from './command.ts';
import type { Globals, Session } from './context.ts';

/** Records to a request where all are wanted. */
const bulkSize = 100;

/** Requests side by side, once the total of a list is known. */
const sideBySide = 4;

/** How the global flags say that a list is to be read: 25 records unless `--limit N` or `--all`. */
export function readingOf({ limit, all, pageSize: size }: Globals): Reading {
  const most = limit ?? (all ? undefined : pageSize.default);
  return { size: size ?? bulkSize, limit: most, sideBySide };
}

/** The answer of a command that lists what a route gives. */
export async function listed<R extends Route>(
  session: Session,
  route: R,
  input: Omit<Input<R>, 'first' | 'after'>,
  view: View,
): Promise<Answer> {
  const client = await session.client();
  return { kind: 'records', view, batches: client.pages(route, input, readingOf(session.globals)) };
}

/** All records of a list, for a search in it. */
export async function* allOf<R extends Route>(
  client: Client,
  route: R,
  input: Omit<Input<R>, 'first' | 'after'>,
): AsyncGenerator<unknown> {
  const batches: AsyncIterable<Batch> = client.pages(route, input, {
    size: bulkSize,
    limit: undefined,
    sideBySide,
  });
  for await (const { records } of batches) yield* records;
}
