import type { Contact } from '../contract/contacts.ts';
import type { Entry } from '../contract/entries.ts';
import { Failure } from '../contract/errors.ts';
import type { Organization } from '../contract/organizations.ts';
import type { Received } from '../contract/received.ts';

/** A contact, organization or entry, as the service returned it or as a dry run predicts it. */
export type StoredRecord = Received<Contact & Organization & Entry> & {
  /** Whether it exists only in a dry run. */
  readonly isPredicted?: boolean;
};

/** Values of a record or a request body, by field name. */
export type Values = Readonly<Record<string, unknown>>;

/** The records that an import writes. */
export type RecordKind = 'contact' | 'organization' | 'entry';

/** A write that a row asks for. */
export interface Step {
  readonly what: RecordKind;
  /** The list of an entry. */
  readonly list_id?: string;
  /** The record to update; if omitted, one is created. */
  readonly id?: string;
  readonly body: Values;
  /** The values that the fields of the body had, by field name. */
  readonly before?: Values;
}

/** A step that the service has carried out. */
export interface CompletedStep {
  readonly what: RecordKind;
  readonly list_id?: string;
  readonly id: string;
  /** The earlier values; if omitted, the record was created. */
  readonly before?: Values;
  /** The new values of the changed fields, or the whole created record. */
  readonly after: Values;
}

/** The possible actions of a row, in the order in which they are counted. */
export const actions = ['create', 'update', 'same', 'refused', 'unknown'] as const;

/** The action of a row; `unknown` if a write was sent and its response was lost. */
export type Action = (typeof actions)[number];

/** The outcome of a row, or of its dry run. */
export interface Outcome {
  readonly action: Action;
  /** The record of the row. */
  readonly id?: string | undefined;
  /** Why the row was refused. */
  readonly error?: string | undefined;
  /** The ids of the records that match the row, if several do. */
  readonly candidates?: readonly string[] | undefined;
  /** The writes that the row needs, in order. */
  readonly steps: readonly Step[];
  readonly completed: readonly CompletedStep[];
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
  const byId = new Map(matches.map((record) => [record.id ?? '', record]));
  if (byId.size < 2) return [...byId.values()][0];
  const ids = [...byId.keys()];
  throw new Refusal(`${message}: ${ids.join(', ')}.`, ids);
}

/** Whether the service refused a write because another record has one of its values. */
export function isTaken(error: unknown): boolean {
  const fieldErrors = error instanceof Failure ? error.detail.fieldErrors : undefined;
  return fieldErrors?.some(({ code }) => code === 'taken') ?? false;
}
