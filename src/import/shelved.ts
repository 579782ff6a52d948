import type { Route } from '../contract/grammar.ts';
import { fieldsOf } from '../render/fields.ts';
import type { Importing } from './importer.ts';
import type { Shelf } from './shelf.ts';

/**
 * Puts all records of a list on a shelf, unless that takes more requests than `most`. False: it would, and what is
 * on the shelf is not all.
 */
export async function shelved(
  { client, pageSize }: Importing,
  shelf: Shelf,
  route: Route,
  path: Readonly<Record<string, string>> = {},
  most = Number.POSITIVE_INFINITY,
): Promise<boolean> {
  if (most < 2) return false;
  let pages = 0;
  for await (const { records, total, hasMore: more } of client.pages(route, path, { size: pageSize })) {
    for (const { value } of records) shelf.put(fieldsOf(value));
    pages += 1;
    const isTooLong = pages >= most || (total !== undefined && total / Math.max(records.length, 1) > most);
    if (more && isTooLong) return false;
  }
  return true;
}
