import type { SingularNoun } from '../contract/singular-nouns.ts';
import type { rowActions } from '../writes/log.ts';
import type { StoredRecord, Values } from '../writes/values.ts';

/** A write that a row needs. */
export interface Step {
  readonly noun: SingularNoun;
  /** The list of an entry. */
  readonly list_id?: string | undefined;
  /** The id of the record to update. If omitted, a record is created. */
  readonly id?: string | undefined;
  /** The values by field name. */
  readonly body: Values;
  /** The earlier values of the fields in the body. */
  readonly before?: Values;
  /** The record that was written; undefined in a dry run. */
  readonly recordId?: string;
}

/** The action of a row. `unknown`: a write was sent and its response was lost. */
export type Action = (typeof rowActions)[number];

/** The outcome of a row, or of its dry run. */
export interface Outcome {
  readonly action: Action;
  /** The record of the row. */
  readonly id?: string | undefined;
  /** Why the row was refused. */
  readonly error?: string | undefined;
  /** The invalid cells of a row that was imported without them. */
  readonly leftOut?: string | undefined;
  /** The ids of the records that match the row, if several do. */
  readonly candidates?: readonly string[] | undefined;
  /** The writes of the row, in order. */
  readonly steps: readonly Step[];
}

/** The refusal of one row. The other rows are still imported. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly candidates: readonly string[] | undefined;

  constructor(message: string, candidates?: readonly string[]) {
    super(message);
    this.candidates = candidates;
  }
}

/**
 * Returns the only record among matches, undefined if there is none. `message` introduces the ids of several.
 * @throws {Refusal} if several records match: kith does not guess
 */
export function requireOne(matches: readonly StoredRecord[], message: string): StoredRecord | undefined {
  const byId = new Map(matches.map((record) => [record.id, record]));
  if (byId.size < 2) return [...byId.values()][0];
  const ids = [...byId.keys()];
  throw new Refusal(`${message}: ${ids.join(', ')}.`, ids);
}

/** Whether an id belongs to a record that a dry run predicts. */
export const isPredictedId = (id: unknown) => typeof id === 'string' && /^row \d+$/.test(id);
