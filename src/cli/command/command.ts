import type { Batch } from '../../client/pagination.ts';
import type { TaggedRecord } from '../../client/responses.ts';
import type { Failure } from '../../contract/errors.ts';
import type { Noun, PartyNoun, ReferenceKind } from '../../contract/singular-nouns.ts';
import type { View } from '../../render/columns.ts';
import type { TableStyle } from '../../render/text/paint.ts';
import type { JsonObject } from '../../values/json-object.ts';
import { type RawJson, toRawJson } from '../../values/raw-json.ts';
import type { Session } from './context.ts';
import type { CommandTraits, Format, Globals } from './globals.ts';
import type { CompletionSource, Options, OptionValues } from './options.ts';
import type { FlagRule } from './rules.ts';

/** The result of a command. A command prints nothing itself. */
export type CommandResult<T = unknown> = CommandOutput<T> & {
  /** Reported after the output; it sets the exit code. */
  readonly failure?: Failure | undefined;
  /** Whether the command wrote nothing although it can write. */
  readonly isReadOnly?: boolean;
  /** The time zone of the times in a table; if omitted, that of this machine. */
  readonly zone?: string | undefined;
  /** The model of the records. Their CSV has all columns that an import of this model reads. */
  readonly importModel?: PartyNoun | undefined;
};

type CommandOutput<T> =
  | {
      readonly kind: 'records';
      readonly batches: AsyncIterable<Batch>;
      readonly view: View;
      /** The format if no flag sets one. */
      readonly defaultFormat?: Format;
      /** Reads a record without values. The header of an empty CSV or TSV has its columns. */
      readonly readExample?: () => Promise<JsonObject>;
      /** The sentence that a terminal shows if there are no records. */
      readonly empty?: string | (() => Promise<string>);
      /** Renders the output of a terminal instead of a table. */
      readonly render?: StreamRenderer;
      /** Whether a terminal shows the details of each record instead of a table. */
      readonly isDetailed?: true;
      /** The JSON document that replaces the records in a pipe and with --json, unless --fields is set. */
      readonly document?: RawJson;
    }
  | {
      readonly kind: 'record';
      readonly record: TaggedRecord<T>;
      readonly view: View;
      /** The body of a write. A terminal shows the fields that it contains, and the id. */
      readonly sentBody?: JsonObject;
    }
  /** A text. --json prints its source value. A pipe gets `bytes` (`latin1`), if set, instead of the text. */
  | {
      readonly kind: 'text';
      readonly text: string | TextRenderer;
      /** Renders the output of a terminal instead of the text. */
      readonly terminalText?: TextRenderer | undefined;
      readonly bytes?: string | undefined;
      readonly json: RawJson;
    };

/** Renders records in batches; the first one includes the header. */
export type StreamRenderer = (style: TableStyle) => (records: readonly unknown[]) => string;

/** Renders a text for the width and the colors of the output. It sanitizes its output. */
export type TextRenderer = (style: TableStyle) => string | Promise<string>;

/**
 * The kinds of values that an argument can name: a record, a recording with a summary, an address or domain of the
 * preceding record, or a profile.
 */
export type RecordKind = Noun | 'processes' | 'finishedRecordings' | 'emails' | 'domains' | 'profiles';

/** A positional argument. */
export interface Argument {
  /** The noun, then a colon and the accepted forms: `Contact: id or name`. */
  readonly summary: string;
  /** Shown instead of its name. */
  readonly placeholder?: string;
  readonly choices?: readonly string[];
  readonly completion?: CompletionSource;
  /** The records that the argument names. If it is missing, kith opens a picker in a terminal. */
  readonly record?: RecordKind;
  /**
   * The kind of record that its words refer to. The command gets the ids of the records; if omitted, it gets the words.
   * `id`: only an id, or a URL that ends in an id, is accepted.
   */
  readonly names?: ReferenceKind | 'entry' | 'id' | undefined;
  /** Returns the flag that a word sets instead: the name of an option of the command. Calls in JSON have only the flag. */
  readonly flag?: (word: string) => string;
  /** Whether it may be omitted if the next argument is the key of an entry. */
  readonly isKeyImplied?: true;
  /** Whether it may be omitted. All arguments after it are optional too. */
  readonly isOptional?: true;
  /** Whether `-` reads the values from stdin, and the flags of `bulkOptions` replace it. */
  readonly takesMany?: true;
  /** Whether it takes one or more values. Only the last argument can. */
  readonly isRepeatable?: true;
  /** Whether its words, after `--`, are a command line. */
  readonly isCommandLine?: true;
}

/** The arguments of a command in order, by name. */
export type Arguments = Readonly<Record<string, Argument>>;

export type ArgumentValues<A extends Arguments> = {
  readonly [Name in keyof A]: A[Name] extends { readonly isRepeatable: true }
    ? readonly string[]
    : A[Name] extends { readonly isOptional: true }
      ? string | undefined
      : string;
};

/** The values of the arguments and flags of a command by name. */
export type CommandInput = Readonly<Record<string, unknown>>;

/** Returns why a command cannot run unattended, as the end of a sentence; undefined if it can. */
export type InteractionDescriber = (
  input: CommandInput,
  globals: Pick<Globals, 'yes' | 'dryRun'>,
) => string | undefined;

/** A command as data: what a command line adds to the API. */
export interface Command<A extends Arguments = Arguments, O extends Options = Options> extends CommandTraits {
  readonly name: string;
  /** One line for lists of commands. */
  readonly summary: string;
  /** The text of its own help. */
  readonly description?: string;
  readonly describeInteraction?: InteractionDescriber;
  readonly args?: A;
  readonly options?: O;
  readonly rules?: readonly FlagRule[];
  /** Working command lines, without `kith`. */
  readonly examples: readonly string[];
  run(session: Session, input: ArgumentValues<A> & OptionValues<O>): Promise<CommandResult>;
  /** Runs in a terminal instead of `run` if no flag is passed: asks for the values of the flags. */
  readonly form?: (session: Session, input: CommandInput) => Promise<CommandResult>;
}

/** A command with untyped input, which is parsed by its own `args` and `options`. */
export type AnyCommand = Omit<Command, 'run'> & {
  run(session: Session, input: CommandInput): Promise<CommandResult>;
};

/** Defines a command; its input type follows from `args` and `options`. */
export function defineCommand<const A extends Arguments, O extends Options>(
  definition: Command<A, O>,
): AnyCommand {
  return definition as unknown as AnyCommand; // mount.ts builds the input from the same definition
}

/** A noun, or one command with the same name. Its commands are loaded when it is typed. */
export interface CommandEntry {
  readonly name: string;
  /** The heading of the help under which it is listed. */
  readonly title: string;
  readonly alias?: string;
  /** The name in `kith commands --json`, if the noun was renamed since. */
  readonly documentName?: string;
  /** Whether its commands repeat those of other nouns. An alias of the user with the same name replaces it. */
  readonly isShorthand?: true;
  readonly summary: string;
  /** The commands whose first examples begin the noun's help. If omitted, the first three commands. */
  readonly featured?: readonly string[];
  readonly commands: () => Promise<readonly AnyCommand[]>;
}

/** All nouns and standalone commands, in the order of the help. */
export type CommandTree = readonly CommandEntry[];

/** Finds a noun or standalone command by its name or alias. */
export function findEntry(tree: CommandTree, name: string | undefined): CommandEntry | undefined {
  return tree.find((entry) => entry.name === name || (name !== undefined && entry.alias === name));
}

/** Returns the words of a command: its noun and verb, or only the name of a standalone command. */
export function formatCommandName(entry: CommandEntry, { name }: AnyCommand): string {
  return name === entry.name ? name : `${entry.name} ${name}`;
}

/** A parsed command line. Every value is validated, and nothing has run. */
export interface ParsedCommand {
  /** The words of the command line; an alias is expanded. */
  readonly words: readonly string[];
  /** The words of the command: noun and verb. */
  readonly path: readonly string[];
  readonly command: AnyCommand;
  readonly input: CommandInput;
  readonly globals: Globals;
  /** The usage failure for missing input that a prompt can ask for. */
  readonly missing?: Failure;
}

export async function* toBatch(records: readonly RawJson[], total = records.length): AsyncGenerator<Batch> {
  yield { records, total, hasMore: total > records.length };
}

export function toBatches(result: CommandResult): AsyncIterable<Batch> {
  if (result.kind === 'records') return result.batches;
  return toBatch([result.kind === 'record' ? result.record : result.json]);
}

/** Returns a result with records that were created here. */
export function toRecordsResult(records: readonly unknown[], view: View, empty?: string): CommandResult {
  return { kind: 'records', batches: toBatch(records.map(toRawJson)), view, ...(empty && { empty }) };
}

/** Returns a result with one record that was created here. */
export function toRecordResult(record: unknown, view: View): CommandResult {
  return { kind: 'record', record: toRawJson(record), view };
}

/** Returns a result with a text and the value that --json prints. */
export function toTextResult(text: string, json: unknown): CommandResult<never> {
  return { kind: 'text', text, json: toRawJson(json) };
}

/** Returns a result with a message about what the command did, empty with --quiet, and the value that --json prints. */
export function toMessageResult({ globals }: Session, text: string, json: unknown): CommandResult<never> {
  return toTextResult(globals.quiet ? '' : text, json);
}
