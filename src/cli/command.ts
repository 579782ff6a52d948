import type { Batch } from '../client/pagination.ts';
import type { Failure } from '../contract/errors.ts';
import type { TableStyle } from '../render/paint.ts';
import type { View } from '../render/views.ts';
import { type RawJson, toRawJson } from '../values/raw-json.ts';
import type { Session } from './context.ts';
import type { Format, Globals } from './flags/globals.ts';
import type { CompletionSource, Options, OptionValues } from './flags/options.ts';
import type { SheetModel } from './print/import-model.ts';

/** What a command gives back to be printed; it prints nothing itself. */
export type CommandResult = CommandOutput & {
  /** What went wrong beside it: told after the answer, and the exit code is its. */
  readonly failure?: Failure | undefined;
  /** Nothing was written for it, though the command can write. */
  readonly isReadOnly?: boolean;
  /** They are records of this model: CSV has all their columns, as an import reads them. */
  readonly importModel?: SheetModel | undefined;
};

type CommandOutput =
  | {
      readonly kind: 'records';
      readonly batches: AsyncIterable<Batch>;
      readonly view: View;
      /** What they are printed as where nothing is said. */
      readonly defaultFormat?: Format;
      /** What a terminal shows instead of a table. */
      readonly render?: (records: readonly unknown[], drawing: TableStyle) => string;
      /** The same, batch by batch: a terminal shows each as it comes. */
      readonly renderStream?: StreamRenderer;
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
export type StreamRenderer = (drawing: TableStyle) => (records: readonly unknown[]) => string;

/** What stands at a place of the command line, without a flag. */
export interface Argument {
  readonly summary: string;
  readonly choices?: readonly string[];
  readonly completion?: CompletionSource;
  /** One or more; only the last argument can be. */
  readonly isRepeatable?: true;
  /** It follows `--`: its words are a command line of their own. */
  readonly isCommandLine?: true;
}

/** The arguments of a command, in their order: name -> what it is, in one sentence or with more. */
export type Arguments = Readonly<Record<string, Argument | string>>;

/** An argument with all that may be said of it. */
export function normalizeArgument(argument: Argument | string): Argument {
  return typeof argument === 'string' ? { summary: argument } : argument;
}

type ArgumentValues<A extends Arguments> = {
  readonly [Name in keyof A]: A[Name] extends { readonly isRepeatable: true } ? readonly string[] : string;
};

/**
 * What a command waits for a person or a program for, and what to type instead, as the end of a sentence; undefined
 * where it needs nobody.
 */
export type InteractionDescriber = (
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
  readonly output?: 'text';
  /** It reads a list page by page, either to print it or to search it for a record. */
  readonly paging?: 'list' | 'search';
  /** It sends a write to the service. */
  readonly isWrite?: true;
  /** Its write makes something new, and leaves what is there as it is. */
  readonly isCreateOnly?: true;
  /** It deletes something on this machine, and accepts --yes as every other deletion does. */
  readonly isLocalDeletion?: true;
  /** It sends nothing to a hosted service. */
  readonly isLocal?: true;
  /** Whether it needs somebody who is there. */
  readonly describeInteraction?: InteractionDescriber;
  /** It works on files of this machine: nothing for an agent. */
  readonly isFileBased?: true;
  readonly args?: A;
  readonly options?: O;
  readonly rules?: readonly FlagRule[];
  /** What `--format` may be, where it is not what records or texts take. */
  readonly formats?: readonly Format[];
  /** Lines that work, without `kith`. */
  readonly examples: readonly string[];
  run(session: Session, input: ArgumentValues<A> & OptionValues<O>): Promise<CommandResult>;
}

/** A rule among flags, checked before anything else happens. Throws `usage`. */
export type FlagRule = (given: ReadonlySet<string>) => void;

/** A command of any input: the mount makes the input from the same `args` and `options`. */
export type AnyCommand = Omit<Command, 'run'> & {
  run(session: Session, input: Readonly<Record<string, unknown>>): Promise<CommandResult>;
};

/** A command with its types checked. */
export function defineCommand<const A extends Arguments, O extends Options>(
  definition: Command<A, O>,
): AnyCommand {
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
export interface StandaloneCommand {
  readonly name: string;
  readonly summary: string;
  /** It is for programs, and stands in no list. */
  readonly isHidden?: true;
  readonly command: () => Promise<AnyCommand>;
}

/** What can be typed first, under a heading of the help. */
export interface CommandGroup {
  readonly title: string;
  readonly entries: readonly (Noun | StandaloneCommand)[];
}

/** Records that are at hand, as a list that ends. */
export async function* toBatches(records: readonly RawJson[], total = records.length): AsyncGenerator<Batch> {
  yield { records, total, hasMore: total > records.length };
}

/** An answer of records that were made here. */
export function toRecordsResult(records: readonly unknown[], view: View): CommandResult {
  return { kind: 'records', batches: toBatches(records.map(toRawJson)), view };
}

/** An answer of one record that was made here. */
export function toRecordResult(record: unknown, view: View): CommandResult {
  return { kind: 'record', record: toRawJson(record), view };
}

/** An answer in words, with what --json prints in their place. */
export function toTextResult(text: string, json: unknown): CommandResult {
  return { kind: 'text', text, json: toRawJson(json) };
}
