import type { Route } from '../contract/grammar.ts';
import { type Fields, fieldsOf, plain } from '../render/fields.ts';
import type { ImporterOptions } from './run.ts';

/** How many records say enough about a key that very many records may have. */
const sampleSize = 10;

/** Records by their keys. They are stored as JSON, which takes less memory than objects. */
export class RecordIndex<T extends { readonly id?: unknown } = Fields> {
  readonly #records = new Map<string, string>();
  /** The ids of the records with a key. Most keys have one. */
  readonly #ids = new Map<string, string | Set<string>>();
  readonly #readKeys: (record: T) => readonly string[];

  constructor(readKeys: (record: T) => readonly string[]) {
    this.#readKeys = readKeys;
  }

  /** Adds a record, or replaces the one with its id. */
  put(record: T): void {
    const id = plain(record.id);
    const json = JSON.stringify(record);
    if (this.#records.get(id) === json) return;
    const earlier = this.get(id);
    const keys = new Set(this.#readKeys(record));
    for (const key of new Set(earlier && this.#readKeys(earlier)))
      if (!keys.has(key)) this.#removeKey(key, id);
    for (const key of keys) this.#addKey(key, id);
    this.#records.set(id, json);
  }

  get(id: unknown): T | undefined {
    const json = this.#records.get(plain(id));
    return json === undefined ? undefined : JSON.parse(json);
  }

  /** Returns the records that have a key, in the order in which they got it. */
  find(key: string): T[] {
    return this.#idsOf(key).flatMap((id) => this.get(id) ?? []);
  }

  /** Returns at most ten of them. */
  findSome(key: string, isWanted: (record: T) => boolean = () => true): T[] {
    const records: T[] = [];
    for (const id of this.#idsOf(key).reverse()) {
      const record = this.get(id);
      if (record && isWanted(record)) records.push(record);
      if (records.length === sampleSize) break;
    }
    return records.reverse();
  }

  has(key: string): boolean {
    return this.#ids.has(key);
  }

  #idsOf(key: string): string[] {
    const ids = this.#ids.get(key) ?? [];
    return typeof ids === 'string' ? [ids] : [...ids];
  }

  #addKey(key: string, id: string): void {
    const ids = this.#ids.get(key);
    if (ids === undefined) this.#ids.set(key, id);
    else if (typeof ids !== 'string') ids.add(id);
    else if (ids !== id) this.#ids.set(key, new Set([ids, id]));
  }

  #removeKey(key: string, id: string): void {
    const ids = this.#ids.get(key);
    if (typeof ids === 'object' && ids.size > 1) ids.delete(id);
    else this.#ids.delete(key);
  }
}

/** The key under which rows about one record wait for each other. */
export const idKey = (id: unknown) => `id:${plain(id)}`;

/**
 * Reads the records of a list into an index, unless that takes more than `maxRequests` requests. Returns whether the
 * index has all of them.
 */
export async function loadRecords(
  { client, pageSize }: ImporterOptions,
  index: RecordIndex,
  route: Route,
  maxRequests = Number.POSITIVE_INFINITY,
): Promise<boolean> {
  if (maxRequests < 2) return false;
  let pages = 0;
  for await (const { records, total, hasMore } of client.pages(route, {}, { size: pageSize })) {
    for (const { value } of records) index.put(fieldsOf(value));
    pages += 1;
    const isTooLong =
      pages >= maxRequests || (total !== undefined && total / Math.max(records.length, 1) > maxRequests);
    if (hasMore && isTooLong) return false;
  }
  return true;
}

/** Finds a record again on the service, whatever the index has. */
export interface FreshLookup {
  /** Reads everything. */
  readonly lookUp: () => Promise<Fields | undefined>;
  /** Reads only what was added since, in as few requests as possible. */
  readonly lookUpNew: () => Promise<Fields | undefined>;
}

/** A list of the service that was read into an index. */
export interface SyncedList {
  /** Returns lookups that read the list again, then search the index with `find`. */
  freshly(find: () => Fields | undefined): FreshLookup;
}

/** Reads a whole list into an index. */
export async function syncList(
  { client, pageSize }: ImporterOptions,
  index: RecordIndex,
  route: Route,
  path: Readonly<Record<string, string>> = {},
): Promise<SyncedList> {
  let count = 0;
  let lastId = '';
  const readAll = async () => {
    let read = 0;
    for await (const { records } of client.pages(route, path, { size: pageSize })) {
      for (const { value } of records) {
        const record = fieldsOf(value);
        index.put(record);
        lastId = plain(record.id);
      }
      read += records.length;
    }
    count = read;
  };
  const readNew = async () => {
    const after = Math.max(0, count - 1);
    const { data, total } = await client.page(route, { ...path, first: pageSize, after });
    const records = data.map(({ value }) => fieldsOf(value));
    const end = after + records.length;
    // Otherwise a record was removed, there is more than a page, or this service does not add at the end.
    const isContinued = count === 0 || plain(records[0]?.id) === lastId;
    if (!isContinued || end !== (total ?? end)) return readAll();
    for (const record of records) {
      // A write of this run may be newer than the record that was read.
      if (!index.get(record.id)) index.put(record);
      lastId = plain(record.id);
    }
    count = end;
  };
  await readAll();
  const readNewOnce = coalesce(readNew);
  return {
    freshly: (find) => ({
      lookUp: () => readAll().then(find),
      lookUpNew: () => readNewOnce().then(find),
    }),
  };
}

/** Returns `work` so that it never runs twice at once. A call during a run gets the result of the next run. */
function coalesce(work: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const start = () => {
    current = work().finally(() => {
      current = undefined;
    });
    return current;
  };
  return () => {
    if (!current) return start();
    next ??= current
      .catch(() => {})
      .then(() => {
        next = undefined;
        return start();
      });
    return next;
  };
}
