import type { Batch } from '../client/pagination.ts';
import type { Failure } from '../contract/errors.ts';
import type { View } from '../render/columns.ts';
import type { TableStyle } from '../render/table.ts';
import { type RawJson, toRawJson } from '../values/raw-json.ts';
import type { Session } from './context.ts';
import type { Format } from './flags/formats.ts';
import type { Globals } from './flags/globals.ts';
import type { Completed, Options, ValuesOf } from './flags/options.ts';
import type { SheetModel } from './print/import-model.ts';

/** What a command gives back to be printed; it prints nothing itself. */
export type Answer = Shown & {
  /** What went wrong beside it: told after the answer, and the exit code is its. */
  readonly failure?: Failure | undefined;
  /** Nothing was written for it, though the command can write. */
  readonly isRead?: boolean;
  /** They are records of this model: CSV has all their columns, as an import reads them. */
  readonly sheet?: SheetModel | undefined;
};

type Shown =
  | {
      readonly kind: 'records';
      readonly batches: AsyncIterable<Batch>;
      readonly view: View;
      /** What they are printed as where nothing is said. */
      readonly format?: Format;
      /** What a terminal shows instead of a table. */
      readonly drawn?: (records: readonly unknown[], drawing: TableStyle) => string;
      /** The same, batch by batch: a terminal shows each as it comes. */
      readonly streamed?: Streamed;
    }
  | { readonly kind: 'record'; readonly record: RawJson; readonly view: View }
  /** A text; with --json the value that it was made from. A pipe gets the `bytes` (`latin1`) instead, if any. */
  | {
      readonly kind: 'text';
      readonly text: string;
      readonly bytes?: string | undefined;
      readonly json: RawJson;
    };

/** Draws records in batches, the first with what stands before them all. */
export type Streamed = (drawing: TableStyle) => (records: readonly unknown[]) => string;

/** What stands at a place of the command line, without a flag. */
export interface Argument {
  readonly summary: string;
  readonly choices?: readonly string[];
  readonly completes?: Completed;
  /** One or more; only the last argument can be. */
  readonly several?: true;
  /** It follows `--`: its words are a command line of their own. */
  readonly afterDashes?: true;
}

/** The arguments of a command, in their order: name -> what it is, in one sentence or with more. */
export type Arguments = Readonly<Record<string, Argument | string>>;

/** An argument with all that may be said of it. */
export function argumentOf(argument: Argument | string): Argument {
  return typeof argument === 'string' ? { summary: argument } : argument;
}

type ArgumentValues<A extends Arguments> = {
  readonly [Name in keyof A]: A[Name] extends { readonly several: true } ? readonly string[] : string;
};

/**
 * What a command waits for a person or a program for, and what to type instead, as the end of a sentence; undefined
 * where it needs nobody.
 */
export type Attended = (
  input: Readonly<Record<string, unknown>>,
  globals: Pick<Globals, 'yes' | 'dryRun'>,
) => string | undefined;

/** A verb as data. What it adds to the interface: arguments, flags, rules among them, examples. */
interface Command<A extends Arguments = Arguments, O extends Options = Options> {
  readonly name: string;
  /** One line, for lists of commands. */
  readonly summary: string;
  /** More, for its own help. */
  readonly description?: string;
  /** A text, or records (one or a list). */
  readonly answers?: 'text';
  /** It reads a list page by page, either to print it or to search it for a record. */
  readonly paged?: true | 'search';
  /** It sends a write to the service. */
  readonly writes?: true;
  /** Its write makes something new, and leaves what is there as it is. */
  readonly adds?: true;
  /** It deletes something on this machine, and accepts --yes as every other deletion does. */
  readonly discards?: true;
  /** It sends nothing to a hosted service. */
  readonly local?: true;
  /** Whether it needs somebody who is there. */
  readonly attended?: Attended;
  /** It works on files of this machine: nothing for an agent. */
  readonly files?: true;
  readonly args?: A;
  readonly options?: O;
  readonly rules?: readonly Rule[];
  /** What `--format` may be, where it is not what records or texts take. */
  readonly formats?: readonly Format[];
  /** Lines that work, without `kith`. */
  readonly examples: readonly string[];
  run(session: Session, input: ArgumentValues<A> & ValuesOf<O>): Promise<Answer>;
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
export interface Noun {
  readonly name: string;
  readonly alias?: string;
  readonly summary: string;
  readonly commands: () => Promise<readonly AnyCommand[]>;
}

/** A command without a noun. */
export interface Lone {
  readonly name: string;
  readonly summary: string;
  /** It is for programs, and stands in no list. */
  readonly hidden?: true;
  readonly command: () => Promise<AnyCommand>;
}

/** What can be typed first, under a heading of the help. */
export interface Chapter {
  readonly title: string;
  readonly entries: readonly (Noun | Lone)[];
}

/** Records that are at hand, as a list that ends. */
export async function* allAtOnce(records: readonly RawJson[], total = records.length): AsyncGenerator<Batch> {
  yield { records, total, hasMore: total > records.length };
}

/** An answer of records that were made here. */
export function ownRecords(records: readonly unknown[], view: View): Answer {
  return { kind: 'records', batches: allAtOnce(records.map(toRawJson)), view };
}

/** An answer of one record that was made here. */
export function ownRecord(record: unknown, view: View): Answer {
  return { kind: 'record', record: toRawJson(record), view };
}

/** An answer in words, with what --json prints in their place. */
export function said(text: string, json: unknown): Answer {
  return { kind: 'text', text, json: toRawJson(json) };
}
