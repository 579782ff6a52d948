import type { WritableNoun } from '../../contract/singular-nouns.ts';
import type { Archive } from '../archive.ts';
import { type SourceRecord, toEntryKey, toRecordKey } from './transfer-nouns.ts';

/** The state of a source record: `pending` if its copy does not exist yet, `missing` if it will never exist. */
export type CopyState = 'copied' | 'pending' | 'missing';

/** The ids of the copies in the target, by the keys of the source. */
export class CopiedIds {
  readonly #ids = new Map<string, string>();
  /** Texts that stand for the ids of planned copies. */
  readonly #planned = new Map<string, string>();
  readonly #dropped = new Set<string>();
  readonly #taken = new Set<string>();
  readonly #isInSource: (noun: WritableNoun, key: string) => boolean;

  constructor(isInSource: (noun: WritableNoun, key: string) => boolean) {
    this.#isInSource = isInSource;
  }

  get(noun: WritableNoun, key: string): string | undefined {
    const name = `${noun} ${key}`;
    return this.#ids.get(name) ?? this.#planned.get(name);
  }

  /** Records the copy of a record. `targetKey`: its key in the target. */
  set(noun: WritableNoun, key: string, id: string, targetKey: string): void {
    this.#ids.set(`${noun} ${key}`, id);
    this.#dropped.delete(`${noun} ${key}`);
    this.#taken.add(`${noun} ${targetKey}`);
  }

  /** Records that a copy would exist. Until `clearPlanned`, later records refer to it. */
  plan(noun: WritableNoun, key: string): void {
    this.#planned.set(`${noun} ${key}`, `planned ${key}`);
  }

  clearPlanned(): void {
    this.#planned.clear();
  }

  /** Whether a record of the target is the copy of a source record. */
  isTaken(noun: WritableNoun, targetKey: string): boolean {
    return this.#taken.has(`${noun} ${targetKey}`);
  }

  /** Records that a record has no copy. */
  drop(noun: WritableNoun, key: string): void {
    this.#dropped.add(`${noun} ${key}`);
  }

  getState(noun: WritableNoun, key: string): CopyState {
    const name = `${noun} ${key}`;
    if (this.#ids.has(name) || this.#planned.has(name)) return 'copied';
    return !this.#dropped.has(name) && this.#isInSource(noun, key) ? 'pending' : 'missing';
  }

  /** Returns the key of an entry in the target; undefined if its list is not copied. */
  toTargetKey(noun: WritableNoun, id: string, list_id: unknown): string | undefined {
    if (noun !== 'entries') return id;
    const list = this.get('lists', String(list_id));
    return list === undefined ? undefined : toEntryKey(list, id);
  }
}

/** The entries that notes refer to as their deals, by id or by key. */
export class Deals {
  /** The record keys of the source entries by their ids and keys; null if several entries have the same. */
  readonly #entries = new Map<string, string | null>();
  /** The ids and keys of the copies in the target, by those of the source entries. */
  readonly #targets = new Map<string, string>();
  readonly #names = new Set<string>();

  /** Finds the entries that the notes of the source refer to. */
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
