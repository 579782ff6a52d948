import { isSameJson } from '../changes/reversal.ts';
import type { StoredRecord, Values } from '../changes/values.ts';
import type { CopiedNoun } from './merge-nouns.ts';
import type { LoggedCopy, StoredMerge } from './stored-merge.ts';

/** The members of a stored merge with the ids of the entries and notes that the record to keep had before the merge. */
const earlierIds = { entry: 'entries', note: 'notes' } as const;

interface CopiesOptions {
  readonly noun: CopiedNoun;
  /** The entries or notes of the record to keep, and those of the other record. */
  readonly ownRecords: readonly StoredRecord[];
  readonly otherRecords: readonly StoredRecord[];
  readonly interrupted: StoredMerge | undefined;
  /** Returns the body that creates a copy of a record. A record and its copy have the same body. */
  readonly toBody: (record: StoredRecord) => Values;
}

/** The copies that an interrupted merge has made of the other record's entries or notes. */
export class Copies {
  readonly #options: CopiesOptions;
  readonly #loggedCopies: ReadonlyMap<string, LoggedCopy>;
  /** The records that may be copies whose responses were lost. */
  readonly #unknownCopies: Set<StoredRecord>;

  constructor(options: CopiesOptions) {
    const { noun, ownRecords, interrupted } = options;
    this.#options = options;
    this.#loggedCopies = interrupted?.copies ?? new Map();
    const earlier = interrupted?.[earlierIds[noun]] ?? ownRecords.map(({ id }) => id);
    const knownIds = new Set([...earlier, ...Array.from(this.#loggedCopies.values(), ({ id }) => id)]);
    this.#unknownCopies = new Set(ownRecords.filter(({ id }) => !knownIds.has(id)));
  }

  /** Returns the copy of a record; undefined if there is none, or the record has changed since. Returns each copy once. */
  take(record: StoredRecord): StoredRecord | undefined {
    const body = this.#options.toBody(record);
    const logged = this.#loggedCopies.get(record.id);
    const copy = this.findLogged(record);
    if (copy && (isSameJson(logged?.body, body) || this.#hasBody(copy, body))) return copy;
    // Any other equal record is not a copy: someone else may have added it.
    const { lostCopies } = this.#options.interrupted ?? {};
    const mayHaveCopy = !lostCopies || lostCopies.has(record.id);
    return mayHaveCopy ? this.#takeEqual(this.#unknownCopies, body) : undefined;
  }

  /**
   * Returns the deleted records whose copies another merge has deleted at the same time, unless that merge has copied
   * them in the opposite direction. `deleted`: the records of one list that this merge has deleted.
   */
  findLost(deleted: readonly StoredRecord[]): StoredRecord[] {
    const otherRecords = new Set(this.#options.otherRecords);
    const presentIds = new Set(this.#options.otherRecords.map(({ id }) => id));
    return deleted.filter((record) => {
      if (presentIds.has(record.id) || this.findLogged(record)) return false;
      const body = this.#options.toBody(record);
      return !this.#takeEqual(this.#unknownCopies, body) && !this.#takeEqual(otherRecords, body);
    });
  }

  /** Returns the copy that the log names, if it still exists. */
  findLogged({ id }: StoredRecord): StoredRecord | undefined {
    const copyId = this.#loggedCopies.get(id)?.id;
    return this.#options.ownRecords.find((own) => own.id === copyId);
  }

  #takeEqual(records: Set<StoredRecord>, body: Values): StoredRecord | undefined {
    const match = [...records].find((record) => this.#hasBody(record, body));
    if (match) records.delete(match);
    return match;
  }

  #hasBody(record: StoredRecord, body: Values): boolean {
    return isSameJson(this.#options.toBody(record), body);
  }
}
