import { Failure } from '../../contract/errors.ts';
import { type AnyCommand, type Argument, normalizeArgument } from '../command.ts';
import { globalGroups } from '../flags/globals.ts';
import { flagName, type Option, type Options } from '../flags/options.ts';
import { recordCommands } from '../tree.ts';

/** A JSON Schema of an object. */
interface ObjectSchema {
  readonly type: 'object';
  readonly properties: Record<string, object>;
  readonly required: string[];
  readonly additionalProperties: false;
  readonly [key: string]: unknown;
}

/** An argument or a flag of a command, as a parameter of its tool. */
interface ToolParameter {
  readonly schema: object;
  readonly isRequired: boolean;
  /** Returns the words of the command line for a value. */
  readonly words: (value: unknown) => string[];
  readonly isFlag: boolean;
}

/** Returns the JSON Schema of a command's arguments and flags. */
export function buildInputSchema(command: AnyCommand): ObjectSchema {
  const inputs = [...listInputs(command)];
  return {
    type: 'object',
    properties: Object.fromEntries(inputs.map(([name, { schema }]) => [name, schema])),
    required: inputs.flatMap(([name, { isRequired }]) => (isRequired ? [name] : [])),
    additionalProperties: false,
  };
}

/**
 * Returns the command line for the values of a call.
 *
 * @throws {Failure} usage if a parameter is unknown or has a value of the wrong type
 */
export function buildCommandLine(tool: Tool, values: Readonly<Record<string, unknown>>): string[] {
  const { words, command } = tool;
  const inputs = listInputs(command);
  const unknown = Object.keys(values).find((name) => !inputs.has(name));
  if (unknown !== undefined) {
    throw new Failure(
      'usage',
      `Unknown parameter "${unknown}". ${tool.name} accepts: ${formatInputNames(tool)}.`,
    );
  }
  const wordsOf = (isFlag: boolean) =>
    [...inputs].flatMap(([name, input]) => (input.isFlag === isFlag ? input.words(values[name]) : []));
  // MCP clients ask for confirmation themselves.
  return [...words, ...(command.isWrite ? ['--yes'] : []), ...wordsOf(true), '--', ...wordsOf(false)];
}

/** Returns the names of a tool's parameters. */
export function formatInputNames({ command }: Tool): string {
  return [...listInputs(command).keys()].join(', ');
}

/**
 * Returns the number of records, or of characters of a single record or text, to skip.
 *
 * @throws {Failure} usage if it is not a whole number
 */
export function readOffset({ offset = 0 }: Readonly<Record<string, unknown>>): number {
  if (typeof offset === 'number' && Number.isSafeInteger(offset) && offset >= 0) return offset;
  throw new Failure('usage', `offset: ${JSON.stringify(offset)} is not a whole number of 0 or more.`);
}

/** Whether a truncated result can be continued; repeating a write to read on would write twice. */
export const hasOffset = ({ isWrite }: AnyCommand): boolean => isWrite !== true;

/** Only agents need it: on the command line `tail` does the same. */
const offsetParameter: ToolParameter = {
  schema: {
    type: 'integer',
    minimum: 0,
    description:
      'Number of records, or of characters of a single record or text, to skip; an earlier result says where to continue',
  },
  isRequired: false,
  words: () => [],
  isFlag: true,
};

/** The global flags that are useful to an agent. */
const sharedFlags = ['limit', 'fields', 'dryRun'];

function listInputs(command: AnyCommand): ReadonlyMap<string, ToolParameter> {
  const globals = globalGroups
    .filter(({ isFor }) => isFor(command))
    .flatMap(({ options }) => Object.entries(options).filter(([name]) => sharedFlags.includes(name)));
  const flags: Options = { ...command.options, ...Object.fromEntries(globals) };
  return new Map([
    ...Object.entries(command.args ?? {}).map(
      ([name, argument]) =>
        [toJsonName(name), toArgumentParameter(toJsonName(name), normalizeArgument(argument))] as const,
    ),
    ...Object.entries(flags)
      .filter(([, { completion }]) => completion !== 'files' && completion !== 'folders')
      .map(([name, option]) => [toJsonName(name), toFlagParameter(name, option)] as const),
    ...(hasOffset(command) ? [['offset', offsetParameter] as const] : []),
  ]);
}

/** `firstName` -> `first_name`, as the specification names its fields. */
const toJsonName = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function toArgumentParameter(name: string, { summary, choices, isRepeatable }: Argument): ToolParameter {
  return {
    schema: buildPropertySchema(isRepeatable, summary, { type: 'string', ...(choices && { enum: choices }) }),
    isRequired: true,
    words: (value) => toArray(name, value, isRepeatable).map((text) => formatValue(name, text)),
    isFlag: false,
  };
}

function toFlagParameter(name: string, option: Option<unknown>): ToolParameter {
  const { placeholder = '', summary, isRepeatable, isRequired = false, valueSource } = option;
  const words = (value: unknown) =>
    toArray(toJsonName(name), value, isRepeatable).flatMap((one) => {
      if (placeholder === '') return readBoolean(toJsonName(name), one) ? [flagName(name)] : [];
      const text = formatValue(toJsonName(name), one);
      if (valueSource === 'file' && /^(@|-$)/.test(text)) throw fileNotAllowed(toJsonName(name));
      return [`${flagName(name)}=${text}`];
    });
  return {
    schema: buildPropertySchema(isRepeatable, summary, buildValueSchema(option)),
    isRequired,
    words,
    isFlag: true,
  };
}

function buildValueSchema({ placeholder, choices, range, isObject }: Option<unknown>): object {
  if (placeholder === undefined) return { type: 'boolean' };
  if (range) {
    const { min: minimum, max: maximum } = range;
    return { type: 'integer', minimum, ...(maximum < Number.MAX_SAFE_INTEGER && { maximum }) };
  }
  if (isObject) return { type: 'object' };
  return { type: 'string', ...(choices && { enum: choices }) };
}

const buildPropertySchema = (several: boolean | undefined, description: string, schema: object) =>
  several ? { type: 'array', items: schema, description } : { ...schema, description };

function toArray(name: string, value: unknown, several = false): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!several) return [value];
  if (!Array.isArray(value)) throw new Failure('usage', `${name}: expected an array.`);
  return value;
}

function readBoolean(name: string, value: unknown): boolean {
  if (typeof value !== 'boolean') throw new Failure('usage', `${name}: expected true or false.`);
  return value;
}

/** Returns a string or number as text, and an object as JSON. */
function formatValue(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return JSON.stringify(value);
  throw new Failure('usage', `${name}: unexpected value ${JSON.stringify(value)}.`);
}

/** Returns the failure for a value that would name a local file on the command line. */
function fileNotAllowed(name: string): Failure {
  return new Failure('usage', `${name}: MCP tools cannot read local files.`, {
    hint: 'To send a text that begins with @, use the data parameter.',
  });
}

/** A command that an agent can call. */
export interface Tool {
  /** Noun and verb: `contacts_find`. */
  readonly name: string;
  /** The words of the command line: `contacts`, `find`. */
  readonly words: readonly string[];
  readonly command: AnyCommand;
}

/**
 * Returns the commands about records; those that write only with `mayWrite`. Commands that use local files are
 * excluded, because a record may contain instructions that the agent follows.
 */
export async function loadTools({ mayWrite }: { readonly mayWrite: boolean }): Promise<Tool[]> {
  const nouns = recordCommands.entries.map(async (entry) => {
    const commands = 'commands' in entry ? await entry.commands() : [];
    return commands
      .filter(({ isFileBased, isWrite }) => !isFileBased && (mayWrite || !isWrite))
      .map((command) => {
        const words = [entry.name, ...command.name.split(' ')];
        return { name: words.join('_').replaceAll('-', '_'), words, command };
      });
  });
  return (await Promise.all(nouns)).flat();
}
