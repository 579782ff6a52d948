import type { Journal } from '../disk/journal.ts';
import type { KeptMeeting } from './ledger-lines.ts';

/** The meetings of a ledger by their ids: of each is held where its line begins, for a long ledger is larger than memory. */
export class KeptMeetings {
  readonly #journal: Journal;
  readonly #starts = new Map<string, number>();

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  get size(): number {
    return this.#starts.size;
  }

  get(id: string): KeptMeeting | undefined {
    const line = this.#line(id);
    // It was checked when it was read or written.
    return line === undefined ? undefined : JSON.parse(line).meeting;
  }

  /** Those that are there when it begins, each as it is when its turn comes. */
  *all(isWanted: (id: string) => boolean = () => true): Generator<KeptMeeting> {
    for (const id of [...this.#starts.keys()]) {
      const meeting = isWanted(id) ? this.get(id) : undefined;
      if (meeting) yield meeting;
    }
  }

  /** Their lines, in an order that tells nothing of a run. */
  *lines(): Generator<string> {
    for (const id of [...this.#starts.keys()].sort()) {
      const line = this.#line(id);
      if (line !== undefined) yield line;
    }
  }

  /** The last line of a meeting, from now on. */
  place(id: string, start: number): void {
    this.#starts.set(id, start);
  }

  forget(id: string): void {
    this.#starts.delete(id);
  }

  #line(id: string): string | undefined {
    const start = this.#starts.get(id);
    return start === undefined ? undefined : this.#journal.lineAt(start);
  }
}
