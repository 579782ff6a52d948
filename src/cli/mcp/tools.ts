import { Failure } from '../../contract/errors.ts';
import { type AnyCommand, type Argument, argumentOf } from '../command.ts';
import { globalGroups } from '../flags/globals.ts';
import { flagName, type Option, type Options } from '../flags/options.ts';
import { records } from '../tree.ts';

/** A JSON Schema of an object. */
interface ObjectSchema {
  readonly type: 'object';
  readonly properties: Record<string, object>;
  readonly required: string[];
  readonly additionalProperties: false;
  readonly [key: string]: unknown;
}

/** An argument or a flag of a command, as an agent gives it. */
interface ToolParameter {
  readonly schema: object;
  readonly isRequired: boolean;
  /** The words of the command line that a value stands for. */
  readonly words: (value: unknown) => string[];
  readonly isFlag: boolean;
}

/** What a command takes, as a schema: its arguments and flags, each named as in JSON. */
export function buildInputSchema(command: AnyCommand): ObjectSchema {
  const inputs = [...listInputs(command)];
  return {
    type: 'object',
    properties: Object.fromEntries(inputs.map(([name, { schema }]) => [name, schema])),
    required: inputs.flatMap(([name, { isRequired }]) => (isRequired ? [name] : [])),
    additionalProperties: false,
  };
}

/** The command line that the values of an agent stand for. Throws `usage`. */
export function buildCommandLine(tool: Tool, values: Readonly<Record<string, unknown>>): string[] {
  const { words, command } = tool;
  const inputs = listInputs(command);
  const stray = Object.keys(values).find((name) => !inputs.has(name));
  if (stray !== undefined) {
    throw new Failure('usage', `There is no "${stray}" here; there are ${formatInputNames(tool)}.`);
  }
  const wordsOf = (isFlag: boolean) =>
    [...inputs].flatMap(([name, input]) => (input.isFlag === isFlag ? input.words(values[name]) : []));
  // An agent is asked by its own program before it writes.
  return [...words, ...(command.writes ? ['--yes'] : []), ...wordsOf(true), '--', ...wordsOf(false)];
}

/** What a tool takes, by name. */
export function formatInputNames({ command }: Tool): string {
  return [...listInputs(command).keys()].join(', ');
}

/** What an answer passes over: records, or the characters of one or of a text. Throws `usage`. */
export function readOffset({ offset = 0 }: Readonly<Record<string, unknown>>): number {
  if (typeof offset === 'number' && Number.isSafeInteger(offset) && offset >= 0) return offset;
  const given = JSON.stringify(offset);
  throw new Failure('usage', `offset: ${given} is not a whole number of 0 or more.`);
}

/** Whether what is left out of an answer can be asked for: who writes again to read on has written twice. */
export const hasOffset = ({ writes }: AnyCommand): boolean => writes !== true;

/** At a command line `tail` does it. */
const offsetParameter: ToolParameter = {
  schema: {
    type: 'integer',
    minimum: 0,
    description: 'Records, or characters of one or of a text, to pass over, as an earlier answer says',
  },
  isRequired: false,
  words: () => [],
  isFlag: true,
};

/** The flags that go with every command of a kind, of which an agent has a use. */
const sharedFlags = ['limit', 'fields', 'dryRun'];

function listInputs(command: AnyCommand): ReadonlyMap<string, ToolParameter> {
  const globals = globalGroups
    .filter(({ isFor }) => isFor(command))
    .flatMap(({ options }) => Object.entries(options).filter(([name]) => sharedFlags.includes(name)));
  const flags: Options = { ...command.options, ...Object.fromEntries(globals) };
  return new Map([
    ...Object.entries(command.args ?? {}).map(
      ([name, argument]) =>
        [toJsonName(name), toArgumentParameter(toJsonName(name), argumentOf(argument))] as const,
    ),
    ...Object.entries(flags)
      .filter(([, { completes }]) => completes !== 'files' && completes !== 'folders')
      .map(([name, option]) => [toJsonName(name), toFlagParameter(name, option)] as const),
    ...(hasOffset(command) ? [['offset', offsetParameter] as const] : []),
  ]);
}

/** `firstName` -> `first_name`, as the specification names its fields. */
const toJsonName = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function toArgumentParameter(name: string, { summary, choices, several }: Argument): ToolParameter {
  return {
    schema: buildPropertySchema(several, summary, { type: 'string', ...(choices && { enum: choices }) }),
    isRequired: true,
    words: (value) => toArray(name, value, several).map((text) => formatValue(name, text)),
    isFlag: false,
  };
}

function toFlagParameter(name: string, option: Option<unknown>): ToolParameter {
  const { value: placeholder = '', summary, several, required = false, reads } = option;
  const words = (value: unknown) =>
    toArray(toJsonName(name), value, several).flatMap((one) => {
      if (placeholder === '') return readBoolean(toJsonName(name), one) ? [flagName(name)] : [];
      const text = formatValue(toJsonName(name), one);
      if (reads === 'file' && /^(@|-$)/.test(text)) throw fileNotAllowed(toJsonName(name));
      return [`${flagName(name)}=${text}`];
    });
  return {
    schema: buildPropertySchema(several, summary, buildValueSchema(option)),
    isRequired: required,
    words,
    isFlag: true,
  };
}

function buildValueSchema({ value, choices, bounds, isObject }: Option<unknown>): object {
  if (value === undefined) return { type: 'boolean' };
  if (bounds) {
    const { min: minimum, max: maximum } = bounds;
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
  if (!Array.isArray(value)) throw new Failure('usage', `${name}: it is not an array.`);
  return value;
}

function readBoolean(name: string, value: unknown): boolean {
  if (typeof value !== 'boolean') throw new Failure('usage', `${name}: it is neither true nor false.`);
  return value;
}

/** A text or a number as it is, an object as JSON. */
function formatValue(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return JSON.stringify(value);
  throw new Failure('usage', `${name}: ${JSON.stringify(value)} is no value for it.`);
}

/** On the command line it would name a file of this machine. */
function fileNotAllowed(name: string): Failure {
  return new Failure('usage', `${name}: no file of this machine can be named here.`, {
    hint: 'Give a text that begins with @ in data.',
  });
}

/** A command that an agent can call. */
export interface Tool {
  /** Noun and verb: `contacts_find`. */
  readonly name: string;
  /** The same as words of the command line. */
  readonly words: readonly string[];
  readonly command: AnyCommand;
}

/**
 * The commands about records, those that write only where that is allowed. Commands on files of this machine are no
 * tools: an agent may do what it was told by a record.
 */
export async function loadTools({ mayWrite }: { readonly mayWrite: boolean }): Promise<Tool[]> {
  const nouns = records.entries.map(async (entry) => {
    const commands = 'commands' in entry ? await entry.commands() : [];
    return commands
      .filter(({ files, writes }) => !files && (mayWrite || !writes))
      .map((command) => {
        const words = [entry.name, ...command.name.split(' ')];
        return { name: words.join('_').replaceAll('-', '_'), words, command };
      });
  });
  return (await Promise.all(nouns)).flat();
}
