import type { Client } from '../client/client.ts';
import type { contacts } from '../contract/contacts.ts';
import type { entries } from '../contract/entries.ts';
import type { notes } from '../contract/notes.ts';
import type { organizations } from '../contract/organizations.ts';
import { repeatIfChanged, requireUnchanged } from '../records/read-all.ts';
import { RecordIndex } from '../records/record-index.ts';
import type { StoredRecord } from '../writes/values.ts';

/** The options of all importers. */
export interface ImporterOptions {
  readonly client: Client;
  readonly pageSize: number;
  /** The number of rows. With few rows, lookups take fewer requests than reading all pages. */
  readonly rows: number;
  /** The own columns of the file. */
  readonly ownFields: ReadonlySet<string>;
  /** The names of the custom fields and list fields that have a column. */
  readonly fieldNames: ReadonlySet<string>;
}

/** An index of contacts, organizations or entries. */
export type StoredIndex = RecordIndex<StoredRecord>;

type ListRoute = typeof contacts.list | typeof organizations.list;

/** Returns an index that stores the parts of records with which rows are matched and compared. */
export function createRecordIndex(
  { fieldNames }: ImporterOptions,
  readKeys: (record: StoredRecord) => readonly string[],
): StoredIndex {
  const trimMap = (map: StoredRecord['custom_fields']) => {
    const fields = Object.entries(map ?? {}).filter(([, field]) => fieldNames.has(field?.name ?? ''));
    return Object.fromEntries(
      fields.map(([id, field]) => [id, { name: field?.name ?? null, value: field?.value }]),
    );
  };
  return new RecordIndex(
    readKeys,
    ({ created_at: _, updated_at: __, custom_fields, list_fields, ...record }) => ({
      ...record,
      ...(custom_fields && { custom_fields: trimMap(custom_fields) }),
      ...(list_fields && { list_fields: trimMap(list_fields) }),
    }),
  );
}

/** The key under which rows about one record wait for each other. */
export const toIdKey = (id: string) => `id:${id}`;

/** Reads a list into an index, unless that takes more than `maxRequests` requests. */
export async function loadList(
  { client, pageSize }: ImporterOptions,
  index: Pick<StoredIndex, 'get' | 'put'>,
  listRoute: ListRoute | typeof entries.list | typeof notes.list,
  {
    path = {},
    maxRequests = Number.POSITIVE_INFINITY,
  }: { path?: { readonly list_id?: string }; maxRequests?: number } = {},
) {
  const route = listRoute as ListRoute; // `path` has the list of entries
  let count = 0;
  let lastId = '';
  const readOnce = async (limit: number) => {
    let read = 0;
    let pages = 0;
    const list = requireUnchanged(client.pages(route, path, { size: pageSize }));
    for await (const { records, total, hasMore } of list) {
      for (const { value } of records) {
        index.put(value);
        lastId = value.id;
      }
      read += records.length;
      pages += 1;
      const isTooLong = pages >= limit || (total ?? 0) / Math.max(records.length, 1) > limit;
      if (hasMore && isTooLong) return false;
    }
    count = read;
    return true;
  };
  const readAll = (limit = Number.POSITIVE_INFINITY) => repeatIfChanged(() => readOnce(limit));
  const readNew = coalesce(async () => {
    const start = { offset: count, lastId };
    const list = client.pages(route, path, { size: pageSize, start });
    for await (const { records, total, hasMore, isShifted, isReread } of list) {
      // The service may also add records elsewhere.
      const isOther = !hasMore && count + records.length !== (total ?? count + records.length);
      if (isShifted || isReread || isOther) return readAll();
      for (const { value } of records) {
        // A write of this run may be newer than the record that was read.
        if (!index.get(value.id)) index.put(value);
        lastId = value.id;
      }
      count += records.length;
    }
    return true;
  });
  return {
    /** Whether the index has all records. */
    isComplete: maxRequests > 1 && (await readAll(maxRequests)),
    /** Reads the list again. `onlyNew`: reads only the records added since, in as few requests as possible. */
    reload: (onlyNew: boolean) => (onlyNew ? readNew() : readAll()),
  };
}

/**
 * Returns a function that runs `work`, but never twice at once. A call during a run gets the result of the next run.
 */
function coalesce<T>(work: () => Promise<T>): () => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;
  return () => {
    next ??= last.then(() => {
      next = undefined;
      const run = work();
      last = run.catch(() => {});
      return run;
    });
    return next;
  };
}
