import type { Client } from '../client/client.ts';
import { Failure } from '../contract/errors.ts';
import { lists } from '../contract/lists.ts';
import { fieldsOf } from '../output/columns.ts';
import { allOf } from './listing.ts';

/**
 * Calls with the id of a list that was given as an id or as its exact name. What looks like an id is tried as
 * one first, so that an id costs no look-up. Throws `not_found`, or `usage` where several lists have the name.
 */
export async function onList<T>(client: Client, given: string, call: (id: string) => Promise<T>): Promise<T> {
  if (/^[\w-]+$/.test(given)) {
    try {
      return await call(given);
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'not_found') throw error;
    }
  }
  return call(await listNamed(client, given));
}

async function listNamed(client: Client, name: string): Promise<string> {
  const found: string[] = [];
  for await (const list of allOf(client, lists.list, {})) {
    const fields = fieldsOf(list);
    if (fields.name === name) found.push(String(fields.id));
  }
  const [id, ...others] = found;
  if (id === undefined) {
    throw new Failure('not_found', `No list or process has the id or the name "${name}".`, {
      hint: 'kith lists list',
    });
  }
  if (others.length > 0) {
    throw new Failure('usage', `${found.length} lists have the name "${name}".`, {
      hint: `Give one of their ids: ${found.join(', ')}.`,
    });
  }
  return id;
}
