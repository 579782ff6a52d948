import type { Batch } from '../client/pages.ts';
import type { Failure } from '../contract/errors.ts';
import type { View } from '../output/columns.ts';
import type { Session } from './context.ts';
import type { Format } from './formats.ts';
import type { Options, ValuesOf } from './options.ts';

/** What a command gives back to be printed; it prints nothing itself. */
export type Answer = Shown & {
  /** What went wrong beside it: told after the answer, and the exit code is its. */
  readonly failure?: Failure | undefined;
};

type Shown =
  | { readonly kind: 'records'; readonly batches: AsyncIterable<Batch>; readonly view: View }
  | { readonly kind: 'record'; readonly record: unknown; readonly view: View }
  /** A text; with --json the value that it was made from. */
  | { readonly kind: 'text'; readonly text: string; readonly json: unknown };

/** The arguments of a command, in their order: name -> what it is. */
export type Arguments = Readonly<Record<string, string>>;

/** A verb as data. What it adds to the interface: arguments, flags, rules among them, examples. */
interface Command<A extends Arguments = Arguments, O extends Options = Options> {
  readonly name: string;
  /** One line, for lists of commands. */
  readonly summary: string;
  /** More, for its own help. */
  readonly description?: string;
  readonly args?: A;
  readonly options?: O;
  readonly rules?: readonly Rule[];
  /** What `--format` may be, where it is not what lists and records take. */
  readonly formats?: readonly Format[];
  /** Lines that work, without `kith`. */
  readonly examples: readonly string[];
  run(session: Session, input: { readonly [Name in keyof A]: string } & ValuesOf<O>): Promise<Answer>;
}

/** A rule among flags, checked before anything else happens. Throws `usage`. */
export type Rule = (given: ReadonlySet<string>) => void;

/** A command of any input: the mount makes the input from the same `args` and `options`. */
export type AnyCommand = Omit<Command, 'run'> & {
  run(session: Session, input: Readonly<Record<string, unknown>>): Promise<Answer>;
};

/** A command with its types checked. */
export function command<const A extends Arguments, O extends Options>(definition: Command<A, O>): AnyCommand {
  return definition as unknown as AnyCommand; // from here on its input is the mount's business
}

/** A noun: its verbs are loaded when it is typed. */
export interface Group {
  readonly name: string;
  readonly alias?: string;
  readonly summary: string;
  readonly commands: () => Promise<readonly AnyCommand[]>;
}

/** Records that are at hand, as a list that ends. */
export async function* allAtOnce(records: readonly unknown[]): AsyncGenerator<Batch> {
  yield { records, total: records.length, more: false };
}
