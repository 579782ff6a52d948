import type { Client } from '../client/client.ts';
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

/** Knows one kind of record, and brings rows of it in. */
export interface Importer {
  /** What a row is about. */
  readonly main: What;
  /** What rows of one record have in common. Throws nothing. */
  keysOf(wish: Wish): readonly string[];
  /** Writes what a row wants and is not there yet; gives the id of its record. Throws `Refusal`. */
  bring(wish: Wish, worker: Worker, claim: Claim): Promise<string>;
  close(): void;
}
