import { fieldsOf } from '../../render/fields.ts';
import { extractHost } from '../../values/domain.ts';
import { readTexts } from '../../values/field-values.ts';
import type { RawJson } from '../../values/raw-json.ts';

/**
 * By the id of each organization, a text that stands for it and for no other, however it is read: its name, else
 * one of its domains, else its id.
 */
export async function nameOrganizations(
  organizations: AsyncIterable<RawJson>,
): Promise<ReadonlyMap<string, string>> {
  const words = new Bearers();
  const hosts = new Bearers();
  const called = new Map<string, readonly string[]>();
  for await (const { value } of organizations) {
    const { id: sentId, name, domains } = fieldsOf(value);
    const id = String(sentId);
    const names = [name].filter(isText);
    const addresses = readTexts(domains).filter(isText);
    for (const word of [id, ...names]) words.add(folded(word), id);
    for (const address of addresses) hosts.add(hostIn(address), id);
    called.set(id, [...names, ...addresses]);
  }
  // A text with space around it might be read without.
  const isClear = (text: string, id: string) =>
    text === text.trim() && !words.hasOther(folded(text), id) && !hosts.hasOther(hostIn(text), id);
  return new Map(Array.from(called, ([id, texts]) => [id, texts.find((text) => isClear(text, id)) ?? id]));
}

/** Who goes by which word. */
class Bearers {
  /** null: several do. */
  readonly #ids = new Map<string, string | null>();

  add(word: string, id: string): void {
    this.#ids.set(word, this.hasOther(word, id) ? null : id);
  }

  hasOther(word: string, id: string): boolean {
    const bearer = this.#ids.get(word);
    return bearer !== undefined && bearer !== id;
  }
}

const folded = (text: string) => text.trim().toLowerCase();
const hostIn = (text: string) => extractHost(text) ?? folded(text);
const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';
