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
    const start = this.#starts.get(id);
    if (start === undefined) return undefined;
    try {
      // It was checked when it was read or written.
      return JSON.parse(this.#journal.lineAt(start)).meeting;
    } catch (error) {
      throw error instanceof SyntaxError ? this.#journal.changed() : error;
    }
  }

  /** Those that are there when it begins, each as it is when its turn comes. */
  *all(isWanted: (id: string) => boolean = () => true): Generator<KeptMeeting> {
    yield* this.#each([...this.#starts.keys()].filter(isWanted));
  }

  /** All of them, in an order that tells nothing of a run. */
  *inOrder(): Generator<KeptMeeting> {
    yield* this.#each([...this.#starts.keys()].sort());
  }

  /** The last line of a meeting, from now on. */
  place(id: string, start: number): void {
    this.#starts.set(id, start);
  }

  forget(id: string): void {
    this.#starts.delete(id);
  }

  *#each(ids: readonly string[]): Generator<KeptMeeting> {
    for (const id of ids) {
      const meeting = this.get(id);
      if (meeting) yield meeting;
    }
  }
}
