import type { Route } from '../contract/grammar.ts';
import { fieldsOf, plain } from '../render/fields.ts';
import type { Importing } from './importer.ts';
import { idKey, type Shelf } from './shelf.ts';

/** A whole list of the service, on a shelf. */
export interface ShelvedList {
  /** Reads the list again, whatever is on the shelf. */
  reread(): Promise<void>;
  /** Reads the entries added to the list since then, usually in one request. */
  readNew(): Promise<void>;
}

/** Puts a list on a shelf. */
export async function shelvedList(
  { client, pageSize }: Importing,
  shelf: Shelf,
  route: Route,
  path: Readonly<Record<string, string>> = {},
): Promise<ShelvedList> {
  /** How many records the service listed, and the id of the last one. */
  let listed = 0;
  let last = '';
  const reread = async () => {
    let count = 0;
    for await (const { records } of client.pages(route, path, { size: pageSize })) {
      for (const { value } of records) {
        const record = fieldsOf(value);
        shelf.put(record);
        last = plain(record.id);
      }
      count += records.length;
    }
    listed = count;
  };
  const readNew = async () => {
    const after = Math.max(0, listed - 1);
    const { data, total } = await client.page(route, { ...path, first: pageSize, after });
    const records = data.map(({ value }) => fieldsOf(value));
    const end = after + records.length;
    // Something was removed, or there is more than a page, or this service does not add at the end.
    const isSame = listed === 0 || plain(records[0]?.id) === last;
    if (!isSame || end !== (total ?? end)) return reread();
    for (const record of records) {
      // A write of this run may be newer than the record that was read.
      if (!shelf.mayHave(idKey(record.id))) shelf.put(record);
      last = plain(record.id);
    }
    listed = end;
  };
  await reread();
  return { reread, readNew: oneAtATime(readNew) };
}

/** Work that is never done twice at once. Whoever asks for it while it is under way gets the result of the next one. */
function oneAtATime(work: () => Promise<void>): () => Promise<void> {
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
