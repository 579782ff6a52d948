import { type Fields, plain } from '../render/fields.ts';
import { Refusal } from './outcome.ts';

/**
 * The record that was found, undefined where there is none. Throws `Refusal` for several: which of them is meant is
 * never guessed. `what` begins the sentence that ends with their ids.
 */
export function onlyOne(found: readonly Fields[], what: string): Fields | undefined {
  const each = new Map(found.map((record) => [plain(record.id), record]));
  if (each.size < 2) return [...each.values()][0];
  const ids = [...each.keys()];
  throw new Refusal(`${what}: ${ids.join(', ')}.`, ids);
}
