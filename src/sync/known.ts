import type { Client } from '../client/client.ts';
import type { Reading } from '../client/pages.ts';
import type { Route } from '../contract/grammar.ts';
import { fieldsOf } from '../output/fields.ts';
import type { Shelf } from './shelf.ts';

/** How lists are read: records to a page. */
export type PageSize = Pick<Reading, 'size'>['size'];

const sideBySide = 4;

/**
 * Puts all records of a list on a shelf, unless that takes more requests than `most`. False: it would, and what is
 * on the shelf is not all.
 */
export async function shelved(
  client: Client,
  route: Route,
  path: Readonly<Record<string, string>>,
  shelf: Shelf,
  size: PageSize,
  most: number,
): Promise<boolean> {
  if (most < 2) return false;
  let pages = 0;
  for await (const { records, total, more } of client.pages(route, path, {
    size,
    limit: undefined,
    sideBySide,
  })) {
    for (const { value } of records) shelf.put(fieldsOf(value));
    pages += 1;
    const isTooLong = pages >= most || (total !== undefined && total / Math.max(records.length, 1) > most);
    if (more && isTooLong) return false;
  }
  return true;
}
