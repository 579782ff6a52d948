/** The ids of records by their keys, in the order in which they got them. Most keys have one record, and no array. */
export class KeyIndex {
  readonly #ids = new Map<string, string | string[]>();

  add(key: string, id: string): void {
    const known = this.#ids.get(key);
    if (known === undefined) this.#ids.set(key, id);
    else if (typeof known === 'string') this.#ids.set(key, [known, id]);
    else known.push(id);
  }

  remove(key: string, id: string): void {
    const others = this.find(key).filter((other) => other !== id);
    if (others.length > 0) this.#ids.set(key, others);
    else this.#ids.delete(key);
  }

  find(key: string): readonly string[] {
    const ids = this.#ids.get(key) ?? [];
    return typeof ids === 'string' ? [ids] : ids;
  }

  has(key: string): boolean {
    return this.#ids.has(key);
  }
}

/** The number of records to read for a key that very many records may have. */
const sampleSize = 10;

/** Records by their keys. They are stored as JSON, which takes less memory than objects. */
export class RecordIndex<T extends { readonly id: string }> {
  readonly #records = new Map<string, string>();
  readonly #keys = new KeyIndex();
  readonly #readKeys: (record: T) => readonly string[];
  readonly #trim: (record: T) => T;
  readonly #base: RecordIndex<T> | undefined;

  /** `trim` returns the part of a record to store. */
  constructor(
    readKeys: (record: T) => readonly string[],
    trim = (record: T) => record,
    base?: RecordIndex<T>,
  ) {
    this.#readKeys = readKeys;
    this.#trim = trim;
    this.#base = base;
  }

  /** Returns an index on top of this one. Records put into it do not change this one. */
  createOverlay(): RecordIndex<T> {
    return new RecordIndex(this.#readKeys, this.#trim, this);
  }

  /** Adds a record, or replaces the record with the same id. */
  put(all: T): void {
    const record = this.#trim(all);
    const { id } = record;
    const json = JSON.stringify(record);
    if (this.#records.get(id) === json) return;
    const earlier = this.#getOwn(id);
    const earlierKeys = new Set(earlier && this.#readKeys(earlier));
    const keys = new Set(this.#readKeys(record));
    for (const key of earlierKeys) if (!keys.has(key)) this.#keys.remove(key, id);
    for (const key of keys) if (!earlierKeys.has(key)) this.#keys.add(key, id);
    this.#records.set(id, json);
  }

  get(id: string): T | undefined {
    return this.#getOwn(id) ?? this.#base?.get(id);
  }

  /** Returns the records that have a key, in the order in which they got it. */
  find(key: string): T[] {
    const base = (this.#base?.find(key) ?? []).filter(({ id }) => !this.#getOwn(id));
    return [...base, ...this.#keys.find(key).flatMap((id) => this.#getOwn(id) ?? [])];
  }

  /** Returns at most ten records that have a key. */
  findSome(key: string, isWanted: (record: T) => boolean = () => true): T[] {
    const records = this.findChanged(key, isWanted);
    if (!this.#base || records.length === sampleSize) return records;
    const base = this.#base.findSome(key, (record) => !this.#getOwn(record.id) && isWanted(record));
    return [...base, ...records].slice(-sampleSize);
  }

  /** Returns at most ten records with a key that were put into this index, not into the index below it. */
  findChanged(key: string, isWanted: (record: T) => boolean = () => true): T[] {
    const records: T[] = [];
    for (const id of this.#keys.find(key).toReversed()) {
      const record = this.#getOwn(id);
      if (record && isWanted(record)) records.push(record);
      if (records.length === sampleSize) break;
    }
    return records.reverse();
  }

  has(key: string): boolean {
    return this.#keys.has(key) || (this.#base?.has(key) ?? false);
  }

  #getOwn(id: string): T | undefined {
    const json = this.#records.get(id);
    return json === undefined ? undefined : JSON.parse(json);
  }
}
