import type * as v from 'valibot';
import type { Input, Route } from '../contract/grammar.ts';
import type { Contract } from '../contract/index.ts';
import type { Database } from './db/database.ts';
import type { FieldErrors } from './field-errors.ts';

/** What the service needs from outside. */
export interface Deps {
  readonly db: Database;
  readonly now: () => Date;
  /** The path of the workspace file, to be named in failures; a server does not tell it. */
  readonly file?: string;
  /** What went wrong inside, for the operator; never part of an answer. */
  readonly log: (text: string) => void;
  /** Checks every answer against the contract. For tests: a write that is done must not be denied. */
  readonly checksResponses?: boolean;
  /** Ignores unknown keys in bodies, and returns the existing entry if a create would duplicate it. */
  readonly isLenient?: boolean;
}

/** What answers a route. It reads and checks, raises the faults, and only then writes. */
type Handler<R extends Route> = (
  input: Input<R>,
  faults: FieldErrors,
) => Promise<
  R extends { readonly existingStatus: number } ? Answered<R> | Existing<Answered<R>> : Answered<R>
>;

/** What a create answers if the record exists and the service is lenient. */
export class Existing<R> {
  readonly record: R;

  constructor(record: R) {
    this.record = record;
  }
}

type Answered<R extends Route> = R['output'] extends v.GenericSchema ? v.InferInput<R['output']> : null;

/** The handlers of one noun. */
export type Handlers<Noun extends keyof Contract> = {
  readonly [Verb in keyof Contract[Noun]]: Contract[Noun][Verb] extends Route
    ? Handler<Contract[Noun][Verb]>
    : never;
};
