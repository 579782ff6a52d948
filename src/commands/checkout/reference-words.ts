import type { Archive } from '../../archive/archive.ts';
import type { Noun, PartyNoun } from '../../contract/singular-nouns.ts';
import { getLabel } from '../../records/label.ts';
import { listIndexKeys, listMatchKeys, toMatchKey } from '../../records/match.ts';
import { yieldToSignals } from '../../values/concurrency.ts';
import { readTexts } from '../../values/field-values.ts';
import type { JsonObject } from '../../values/json-object.ts';

/** The word for a contact or an organization in a file. */
export interface ReferenceWord {
  /** An email address, a domain or a name that only this record has; otherwise its id. */
  readonly word: string;
  readonly name: string;
}

/** The words for the contacts and organizations of a workspace. */
export class ReferenceWords {
  readonly #words = {
    contact: new Map<string, ReferenceWord>(),
    organization: new Map<string, ReferenceWord>(),
  };

  find(kind: PartyNoun, id: string): ReferenceWord {
    return this.#words[kind].get(id) ?? { word: id, name: id };
  }

  has(kind: PartyNoun, id: string): boolean {
    return this.#words[kind].has(id);
  }

  add(kind: PartyNoun, id: string, word: ReferenceWord): void {
    this.#words[kind].set(id, word);
  }

  /** Adds the word for a record of a noun, if files can refer to it: its first address, without regard to other records. */
  addRecord(noun: Noun, record: JsonObject): void {
    if (noun !== 'contacts' && noun !== 'organizations') return;
    const id = String(record.id);
    const name = getLabel(noun, record) || id;
    if (noun === 'contacts') this.add('contact', id, { word: readTexts(record.emails)[0] ?? id, name });
    else this.add('organization', id, { word: readTexts(record.domains)[0] ?? name, name });
  }
}

/** Reads the words for all contacts and organizations of an archive. */
export async function readReferenceWords(archive: Archive, signal: AbortSignal): Promise<ReferenceWords> {
  const words = new ReferenceWords();
  const uses = new Map<string, number>();
  const count = (key: string) => void uses.set(key, (uses.get(key) ?? 0) + 1);
  const isUnique = (key: string) => uses.get(key) === 1;
  const ids = new Set<string>();
  for (const { value } of archive.records('organizations')) {
    ids.add(value.id);
    listIndexKeys('organizations', value).forEach(count);
  }
  for (const { value } of archive.records('organizations')) {
    const { id } = value;
    const domain = readTexts(value.domains).find((text) => isUnique(toMatchKey('domain', text)));
    const name = getLabel('organizations', value);
    const isNamed =
      name.trim() !== '' &&
      isUnique(toMatchKey('name', name)) &&
      !uses.has(toMatchKey('domain', name)) &&
      !ids.has(name);
    words.add('organization', id, { word: domain ?? (isNamed ? name : id), name: name || id });
  }
  await yieldToSignals(signal);
  for (const { value } of archive.records('contacts'))
    listMatchKeys('contacts', 'email', value).forEach(count);
  await yieldToSignals(signal);
  for (const { value } of archive.records('contacts')) {
    const email = readTexts(value.emails).find((text) => isUnique(toMatchKey('email', text)));
    words.add('contact', value.id, {
      word: email ?? value.id,
      name: getLabel('contacts', value) || value.id,
    });
  }
  return words;
}
