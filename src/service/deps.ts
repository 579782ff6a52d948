import type * as v from 'valibot';
import type { FieldErrors } from '../contract/field-errors.ts';
import type { Input, Page, Route } from '../contract/grammar.ts';
import type { Contract } from '../contract/index.ts';
import type { readCalendar } from './calendar/calendar-file.ts';
import type { Database, OpenDatabase } from './db/database.ts';
import type { OpenOptions } from './db/open.ts';
import type { JsonPage } from './db/page.ts';
import type { Precondition } from './entity-tag.ts';

export interface Deps {
  readonly db: Database;
  readonly now: () => Date;
  /** Whether to ignore unknown keys in bodies, and to return the existing entry if a create would duplicate it. */
  readonly isLenient?: boolean;
}

export interface ServiceDeps extends Deps {
  readonly db: OpenDatabase;
  /** The path of the workspace file, for failures. A server does not tell its clients. */
  readonly file?: string;
  /** Receives internal errors, which are never part of a response. */
  readonly log: (text: string, requestId?: string) => void;
  /**
   * Whether to check every response against the contract. Only for tests, because a completed write must not be
   * reported as failed.
   */
  readonly checksResponses?: boolean;
}

/** The output of a route, or a wrapper with additional information. */
type HandlerResult<R extends Route> =
  | Output<R>
  | (R extends { readonly existingStatus: number } ? Existing<Output<R>> : never)
  | (Output<R> extends Page<infer T> ? JsonPage<T> : never);

/** Handles a route: reads, checks the precondition, validates, raises the field errors, and only then writes. */
type Handler<R extends Route> = (
  input: Input<R>,
  errors: FieldErrors,
  precondition?: Precondition,
) => Promise<HandlerResult<R>>;

/** The result of a lenient create if the record exists. */
export class Existing<R> {
  readonly record: R;

  constructor(record: R) {
    this.record = record;
  }
}

type Output<R extends Route> = R['output'] extends v.GenericSchema ? v.InferInput<R['output']> : null;

export type Handlers<Noun extends keyof Contract> = {
  readonly [Verb in keyof Contract[Noun]]: Contract[Noun][Verb] extends Route
    ? Handler<Contract[Noun][Verb]>
    : never;
};

/** The dependencies of workspaces on the program. */
export interface Machine extends OpenOptions {
  /** The environment, which may contain the variables of libpq. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => Date;
  readonly newId: () => string;
  /** The version of the program. */
  readonly version: string;
  /** Reads a calendar. By default in this thread. */
  readonly readCalendar?: typeof readCalendar;
  /** Receives messages for the operator. */
  readonly log: (text: string) => void;
}
