import type { Client } from '../client/client.ts';
import type { Compared, Identity } from './contradictions.ts';
import type { Claim } from './in-order.ts';
import type { What } from './outcome.ts';
import type { Wish } from './wishes.ts';
import type { Worker } from './worker.ts';

/** What importers of all kinds of records need. */
export interface Importing {
  readonly client: Client;
  /** Records to a request. */
  readonly pageSize: number;
  /** Rows that will be worked on: whether a look-up for each or all pages take fewer requests. */
  readonly rows: number;
  /** What tells the files of this run from those of another. */
  readonly name: string;
}

/** The import of one row. */
interface RowImport {
  readonly worker: Worker;
  readonly claim: Claim;
  /** Returns what the row wants without the fields in which another row about the same record contradicts it. */
  readonly agreed: (identities: readonly Identity[]) => Wish;
}

/** Knows one kind of record, and brings rows of it in. */
export interface Importer {
  /** What a row is about. */
  readonly main: What;
  /** What rows of one record have in common. Throws nothing. */
  keysOf(wish: Wish): readonly string[];
  /** Which fields of rows about one record must not differ. */
  readonly compared: Compared;
  /** Writes what a row wants and is not there yet; gives the id of its record. Throws `Refusal`. */
  bring(wish: Wish, row: RowImport): Promise<string>;
  close(): void;
}
