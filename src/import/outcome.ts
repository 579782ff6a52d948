import { Failure } from '../contract/errors.ts';
import type { Fields } from '../render/fields.ts';

/** The records that an import writes. */
export type What = 'contact' | 'organization' | 'entry';

/** A write that a row asks for. */
export interface Step {
  readonly what: What;
  /** Of the list that an entry is in. */
  readonly list_id?: string;
  /** The record that changes; without it one is made. */
  readonly id?: string;
  readonly body: Fields;
  /** What stood in the fields of the body, by their names. */
  readonly before?: Fields;
}

/** A write that was carried out. */
export interface Done {
  readonly what: What;
  readonly list_id?: string;
  readonly id: string;
  /** What stood there; without it the record was made. */
  readonly before?: Fields;
  /** What stands there now: the fields that changed, or the whole record that was made. */
  readonly after: Fields;
}

/** All that can become of a row, in the order in which it is counted. */
export const actions = ['create', 'update', 'same', 'refused', 'unknown'] as const;

/** What becomes of a row; `unknown`: a write was sent, and its answer lost. */
export type Action = (typeof actions)[number];

/** What became of a row, or would become of it. */
export interface Outcome {
  readonly action: Action;
  /** The record that the row is about. */
  readonly id?: string | undefined;
  /** Why the row was set aside. */
  readonly error?: string | undefined;
  /** The ids of the records that it may be about. */
  readonly candidates?: readonly string[] | undefined;
  /** What it takes, in order. */
  readonly steps: readonly Step[];
  readonly done: readonly Done[];
}

/** A row that is set aside. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly candidates: readonly string[] | undefined;

  constructor(message: string, candidates?: readonly string[]) {
    super(message);
    this.candidates = candidates;
  }
}

/** Whether a write was refused because something in it is somebody else's. */
export function isTaken(error: unknown): boolean {
  const faults = error instanceof Failure ? error.detail.fieldErrors : undefined;
  return faults?.some(({ code }) => code === 'taken') ?? false;
}
