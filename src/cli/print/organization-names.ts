import type { Organization } from '../../contract/organizations.ts';
import type { Received } from '../../contract/received.ts';
import { extractHost } from '../../values/domain.ts';
import { readTexts } from '../../values/field-values.ts';
import type { RawJson } from '../../values/raw-json.ts';

/** Returns an unambiguous text for an import by organization id: its name, else one of its domains, else its id. */
export async function nameOrganizations(
  organizations: AsyncIterable<RawJson<Received<Organization>>>,
): Promise<ReadonlyMap<string, string>> {
  const words = new Owners();
  const hosts = new Owners();
  const textsById = new Map<string, readonly string[]>();
  for await (const { value } of organizations) {
    const id = value.id ?? '';
    const names = [value.name].filter(isText);
    const domainTexts = readTexts(value.domains).filter(isText);
    for (const word of [id, ...names]) words.add(toKey(word), id);
    for (const address of domainTexts) hosts.add(hostIn(address), id);
    textsById.set(id, [...names, ...domainTexts]);
  }
  // An import trims texts.
  const isUnambiguous = (text: string, id: string) =>
    text === text.trim() && !words.hasOther(toKey(text), id) && !hosts.hasOther(hostIn(text), id);
  return new Map(
    Array.from(textsById, ([id, texts]) => [id, texts.find((text) => isUnambiguous(text, id)) ?? id]),
  );
}

/** The organizations that a word identifies. */
class Owners {
  /** The id by word; null if several organizations have the word. */
  readonly #ids = new Map<string, string | null>();

  add(word: string, id: string): void {
    this.#ids.set(word, this.hasOther(word, id) ? null : id);
  }

  hasOther(word: string, id: string): boolean {
    const owner = this.#ids.get(word);
    return owner !== undefined && owner !== id;
  }
}

const toKey = (text: string) => text.trim().toLowerCase();
const hostIn = (text: string) => extractHost(text) ?? toKey(text);
const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';
