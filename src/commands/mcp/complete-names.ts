import type { Session } from '../../cli/command/context.ts';
import type { ListedNoun } from '../../contract/singular-nouns.ts';
import { findNames } from '../../settings/name-cache.ts';
import { isObject, type JsonObject } from '../../values/json-object.ts';
import type { NameSource, ToolReader } from './resources.ts';

/** Maximum number of values of a completion, by the protocol. */
const maxValues = 100;

const nouns: Readonly<Record<NameSource, readonly ListedNoun[]>> = {
  contacts: ['contacts'],
  organizations: ['organizations'],
  people: ['contacts', 'organizations'],
  lists: ['lists'],
  processes: ['lists'],
  events: ['events'],
};

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
  const cache = await session.references.names.open();
  session.references.names.flush();
  const find = (start: string, limit: number) =>
    nouns[source]
      .flatMap((noun) => findNames(cache, noun, start, limit))
      .filter(({ statuses = [] }) => source !== 'processes' || statuses.length > 0); // only a process has statuses
  let names = find(value, maxValues + 1).flatMap(({ names: [name] }) => name ?? []);
  const isEmpty = names.length === 0 && find('', 1).length === 0;
  if (isEmpty && (source === 'lists' || source === 'processes' || source === 'events'))
    names = (await readNames(source, read)).filter((name) =>
      name.toLowerCase().startsWith(value.toLowerCase()),
    );
  const distinct = [...new Set(names)];
  return { values: distinct.slice(0, maxValues), hasMore: distinct.length > maxValues };
}

/** Reads the names of lists or meetings from the service. */
async function readNames(source: 'lists' | 'processes' | 'events', read: ToolReader): Promise<string[]> {
  const { structured } =
    source === 'events'
      ? await read('events_list', { limit: maxValues, fields: 'title' })
      : await read('records_list', {
          noun: 'lists',
          limit: maxValues,
          fields: 'name',
          ...(source === 'processes' && { where: 'process = true' }),
        });
  const records: readonly unknown[] = Array.isArray(structured.records) ? structured.records : [];
  return records.filter(isObject).flatMap(({ name, title }: JsonObject) => {
    const text = name ?? title;
    return typeof text === 'string' && text !== '' ? [text] : [];
  });
}
