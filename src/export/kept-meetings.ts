import { numbers } from '../dense/numbers.ts';
import { TextSet } from '../dense/text-set.ts';
import type { Journal } from '../files/journal.ts';
import type { LedgerMeeting } from './ledger-format.ts';

/** The meetings of a ledger by their ids: of each is held where its line begins, for a long ledger is larger than memory. */
export class MeetingIndex {
  readonly #journal: Journal;
  /** The ids, also of those that are forgotten. */
  readonly #ids = new TextSet();
  /** Where the line of each begins, by the place of its id. */
  readonly #starts = numbers();
  #size = 0;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  get size(): number {
    return this.#size;
  }

  get(id: string): LedgerMeeting | undefined {
    return this.#at(this.#ids.placeOf(id));
  }

  /** Each as it is when its turn comes; none whose id is new since it began. */
  *entries(isWanted?: (id: string) => boolean): Generator<LedgerMeeting> {
    const last = this.#ids.size;
    for (let place = 1; place <= last; place += 1) {
      if (isWanted && !isWanted(this.#ids.at(place))) continue;
      const meeting = this.#at(place);
      if (meeting) yield meeting;
    }
  }

  /** All of them, in an order that tells nothing of a run. */
  *sorted(): Generator<LedgerMeeting> {
    const places = Int32Array.from({ length: this.#ids.size }, (_, index) => index + 1);
    for (const place of places.sort((one, other) => this.#ids.compare(one, other))) {
      const meeting = this.#at(place);
      if (meeting) yield meeting;
    }
  }

  /** From now on the line of a meeting is the one that begins at `start`. */
  set(id: string, start: number): void {
    const place = this.#ids.put(id);
    if (this.#starts.get(place) === undefined) this.#size += 1;
    this.#starts.set(place, start);
  }

  delete(id: string): void {
    const place = this.#ids.placeOf(id);
    if (this.#starts.get(place) === undefined) return;
    this.#size -= 1;
    this.#starts.delete(place);
  }

  #at(place: number): LedgerMeeting | undefined {
    const start = this.#starts.get(place);
    if (start === undefined) return undefined;
    try {
      // It was checked when it was read or written.
      return JSON.parse(this.#journal.lineAt(start)).meeting;
    } catch (error) {
      throw error instanceof SyntaxError ? this.#journal.changed() : error;
    }
  }
}
