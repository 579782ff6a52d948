import type { Batch } from '../../client/pagination.ts';
import type { TaggedRecord } from '../../client/responses.ts';
import type { Model } from '../../contract/custom-fields.ts';
import type { Failure } from '../../contract/errors.ts';
import type { Noun } from '../../contract/singular-nouns.ts';
import type { TableStyle } from '../../render/text/paint.ts';
import type { View } from '../../render/views.ts';
import type { ReferenceKind } from '../../values/names.ts';
import { type RawJson, toRawJson } from '../../values/raw-json.ts';
import type { CommandTraits, Format, Globals } from '../flags/globals.ts';
import type { CompletionSource, Options, OptionValues } from '../flags/options.ts';
import type { FlagRule } from '../flags/rules.ts';
import type { Session } from './context.ts';

/** A kind of record that can be imported. */
export type ImportModel = Exclude<Model, 'deal'>;

/** The result of a command. A command prints nothing itself. */
export type CommandResult<T = unknown> = CommandOutput<T> & {
  /** Reported after the output; it sets the exit code. */
  readonly failure?: Failure | undefined;
  /** Nothing was written, although the command can write. */
  readonly isReadOnly?: boolean;
  /** The time zone of the times in a table; if omitted, that of this machine. */
  readonly zone?: string | undefined;
  /** The model of the records: their CSV has all columns that an import of it reads. */
  readonly importModel?: ImportModel | undefined;
};

type CommandOutput<T> =
  | {
      readonly kind: 'records';
      readonly batches: AsyncIterable<Batch>;
      readonly view: View;
      /** The format if no flag sets one. */
      readonly defaultFormat?: Format;
      /** Renders what a terminal shows instead of a table. */
      readonly render?: StreamRenderer;
    }
  | { readonly kind: 'record'; readonly record: TaggedRecord<T>; readonly view: View }
  /** A text; --json prints its source value. A pipe gets `bytes` (`latin1`) instead, if any. */
  | {
      readonly kind: 'text';
      readonly text: string | TextRenderer;
      /** Renders what a terminal shows instead of the text. */
      readonly terminalText?: TextRenderer | undefined;
      readonly bytes?: string | undefined;
      readonly json: RawJson;
    };

/** Renders records in batches; the first one includes the header. */
export type StreamRenderer = (style: TableStyle) => (records: readonly unknown[]) => string;

/** Renders a text for the width and the colors of the output. It sanitizes its output. */
export type TextRenderer = (style: TableStyle) => string | Promise<string>;

/** The kinds of things that an argument can name: a record of the workspace, an address or a domain of the record before it, or a profile. */
export type RecordKind = Noun | 'emails' | 'domains' | 'profiles';

/** The kind of record that a word refers to; `id` if only an id, or a URL that ends in an id, is accepted. */
export type ArgumentReference = ReferenceKind | 'entry' | 'id';

/** A positional argument. */
export interface Argument {
  /** Begins with the noun of what it names, then a colon and the forms: `Contact: id or exact name`. */
  readonly summary: string;
  /** Shown instead of its name. */
  readonly placeholder?: string;
  readonly choices?: readonly string[];
  readonly completion?: CompletionSource;
  /** The records that it names; if it is missing, kith opens a picker in a terminal. */
  readonly record?: RecordKind;
  /** The kind of record that its words refer to. The command then gets ids; if omitted, it gets the words. */
  readonly names?: ArgumentReference | undefined;
  /** Takes one or more values; only the last argument can. */
  readonly isRepeatable?: true;
  /** Its words, after `--`, are a command line. */
  readonly isCommandLine?: true;
}

/** The arguments of a command in order, by name. */
export type Arguments = Readonly<Record<string, Argument>>;

/** The values of arguments. */
export type ArgumentValues<A extends Arguments> = {
  readonly [Name in keyof A]: A[Name] extends { readonly isRepeatable: true } ? readonly string[] : string;
};

/** The values of the arguments and flags of a command by name. */
export type CommandInput = Readonly<Record<string, unknown>>;

/** Returns why a command cannot run unattended, as the end of a sentence; undefined if it can. */
export type InteractionDescriber = (
  input: CommandInput,
  globals: Pick<Globals, 'yes' | 'dryRun'>,
) => string | undefined;

/** A command as data: what a command line adds to the interface. */
export interface Command<A extends Arguments = Arguments, O extends Options = Options> extends CommandTraits {
  readonly name: string;
  /** One line for lists of commands. */
  readonly summary: string;
  /** The text of its own help. */
  readonly description?: string;
  /** Whether its write only creates records and changes none. */
  readonly isCreateOnly?: true;
  /** Whether it asks for its arguments and flags in a terminal if no flag is passed. */
  readonly hasForm?: true;
  readonly describeInteraction?: InteractionDescriber;
  /** Whether it records its changes itself for `kith undo`; otherwise all its writes are recorded. */
  readonly hasOwnUndo?: true;
  /** Whether it uses local files, which agents must not. */
  readonly isFileBased?: true;
  /** Whether it runs, or reports what is missing, without a workspace. A local command always does. */
  readonly isWorkspaceOptional?: true;
  readonly args?: A;
  readonly options?: O;
  readonly rules?: readonly FlagRule[];
  /** Command lines that work, without `kith`. */
  readonly examples: readonly string[];
  run(session: Session, input: ArgumentValues<A> & OptionValues<O>): Promise<CommandResult>;
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

/** A noun, or one command with the same name; its commands are loaded when it is typed. */
export interface CommandEntry {
  readonly name: string;
  /** The heading of the help under which it is listed. */
  readonly title: string;
  readonly alias?: string;
  readonly summary: string;
  /** The commands of a noun whose first examples begin its help; if omitted, the first three. */
  readonly featured?: readonly string[];
  readonly commands: () => Promise<readonly AnyCommand[]>;
}

/** A parsed command line: every value is checked, nothing is done yet. */
export interface ParsedCommand {
  /** The words of the command line; an alias is expanded. */
  readonly words: readonly string[];
  /** The words of the command: noun and verb. */
  readonly path: readonly string[];
  readonly command: AnyCommand;
  readonly input: CommandInput;
  readonly globals: Globals;
  /** The usage failure if something is missing that a person can be asked for. */
  readonly missing?: Failure;
}

/** Returns records as one batch. */
export async function* toBatch(records: readonly RawJson[], total = records.length): AsyncGenerator<Batch> {
  yield { records, total, hasMore: total > records.length };
}

/** Returns a result with records that were created here. */
export function toRecordsResult(records: readonly unknown[], view: View): CommandResult {
  return { kind: 'records', batches: toBatch(records.map(toRawJson)), view };
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
