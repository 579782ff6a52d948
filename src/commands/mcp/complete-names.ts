import type { Session } from '../../cli/command/context.ts';
import { isObject, type JsonObject } from '../../values/json-object.ts';
import type { NameSource, ToolReader } from './resources.ts';

/** Maximum number of values of a completion, by the protocol. */
const maxValues = 100;

/**
 * Completes the name of a record from the name cache, newest first. If the cache has no lists or no meetings, they are
 * read from the service; contacts and organizations are not, because the list may be long.
 */
export async function completeNames(
  session: Session,
  source: NameSource,
  value: string,
  read: ToolReader,
): Promise<{ values: string[]; hasMore: boolean }> {
  const find = (start: string, limit: number) => session.references.names.findNamed(source, start, limit);
  let names = (await find(value, maxValues + 1)).flatMap(({ names: [name] }) => name ?? []);
  const isEmpty = names.length === 0 && (await find('', 1)).length === 0;
  if (isEmpty && (source === 'lists' || source === 'events'))
    names = (await readNames(source, read)).filter((name) =>
      name.toLowerCase().startsWith(value.toLowerCase()),
    );
  const distinct = [...new Set(names)];
  return { values: distinct.slice(0, maxValues), hasMore: distinct.length > maxValues };
}

/** Reads the names of lists or meetings from the service. */
async function readNames(source: 'lists' | 'events', read: ToolReader): Promise<string[]> {
  const { structured } =
    source === 'events'
      ? await read('events_list', { limit: maxValues, fields: 'title' })
      : await read('records_list', { noun: 'lists', limit: maxValues, fields: 'name' });
  const records: readonly unknown[] = Array.isArray(structured.records) ? structured.records : [];
  return records.filter(isObject).flatMap(({ name, title }: JsonObject) => {
    const text = name ?? title;
    return typeof text === 'string' && text !== '' ? [text] : [];
  });
}
