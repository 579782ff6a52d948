import type { Archive } from '../archive.ts';
import type { CopiedIds, CopyState } from './copied-ids.ts';
import { type SourceRecord, toRecordKey } from './transfer-nouns.ts';

/** The entries that notes name as their deals, by id or by key. */
export class Deals {
  /** The key of the entry in the source; null if several entries have the name. */
  readonly #entries = new Map<string, string | null>();
  /** The name of the copy in the target, of the same form. */
  readonly #targets = new Map<string, string>();
  readonly #names = new Set<string>();

  /** Finds the entries that the notes of the source name. */
  static read(archive: Archive): Deals {
    const deals = new Deals();
    for (const { value } of archive.records('notes')) if (value.deal_id) deals.#names.add(value.deal_id);
    if (deals.#names.size === 0) return deals;
    for (const { value } of archive.records('entries')) {
      const entryKey = toRecordKey('entries', { ...value });
      for (const name of [value.id, value.key])
        if (typeof name === 'string' && deals.#names.has(name))
          deals.#entries.set(name, deals.#entries.has(name) ? null : entryKey);
    }
    return deals;
  }

  /** Records the copy of an entry. */
  addCopy({ record }: SourceRecord, id: string, key: unknown): void {
    if (this.#names.has(record.id)) this.#targets.set(record.id, id);
    const name = String(record.key);
    if (this.#names.has(name)) this.#targets.set(name, typeof key === 'string' ? key : id);
  }

  getState(name: string, ids: CopiedIds): CopyState {
    const entryKey = this.#entries.get(name);
    return entryKey ? ids.getState('entries', entryKey) : 'missing';
  }

  toTarget(name: string): string | undefined {
    return this.#targets.get(name);
  }
}
