import { Failure } from '../../contract/errors.ts';
import { isObject } from '../../values/json-object.ts';
import type { AnyCommand, Argument } from '../command/command.ts';
import { globalGroups } from '../flags/globals.ts';
import { type Option, toFlagName } from '../flags/options.ts';
import { describeReference, isEntryKey } from '../flags/references.ts';
import { commandTree, formatCommandName } from '../tree/tree.ts';

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
export async function loadTools(mayWrite: boolean): Promise<Tool[]> {
  const nouns = commandTree.filter(({ title, name }) => title === 'Records:' && name !== 'api');
  const tools = nouns.map(async (entry) =>
    (await entry.commands())
      .filter(({ isFileBased, isWrite }) => !isFileBased && (mayWrite || !isWrite))
      .map((command) => {
        const words = formatCommandName(entry, command).split(' ');
        return { name: words.join('_').replaceAll('-', '_'), words, command };
      }),
  );
  return (await Promise.all(tools)).flat();
}

/** An argument or a flag of a command, as a parameter of its tool. */
interface Parameter {
  readonly option: Omit<Option<unknown>, 'parse'> & Pick<Argument, 'names'>;
  /** The flag, such as `--limit`; undefined for an argument. */
  readonly flag?: string;
}

/** The position at which a truncated result continues. Only agents need it: on the command line `tail` does the same. */
const offsetParameter: Parameter = {
  option: {
    summary:
      'Number of records, or of characters of a single record or text, to skip; an earlier result says where to continue',
    placeholder: 'N',
    range: { min: 0, max: Number.MAX_SAFE_INTEGER },
  },
};

const sharedFlags = ['limit', 'fields', 'dryRun'];

/** Returns the arguments and flags of a command by their names in JSON. */
export function listParameters(command: AnyCommand): ReadonlyMap<string, Parameter> {
  const globals = globalGroups
    .filter(({ isFor }) => isFor(command))
    .flatMap(({ options }) => Object.entries(options).filter(([name]) => sharedFlags.includes(name)));
  const flags = [...Object.entries(command.options ?? {}), ...globals].filter(
    ([, { completion }]) => completion !== 'files' && completion !== 'folders',
  );
  return new Map<string, Parameter>([
    ...Object.entries(command.args ?? {}).map(([name, argument]): [string, Parameter] => [
      toJsonName(name),
      {
        option: {
          ...argument,
          placeholder: name,
          isRequired: !argument.isKeyImplied && !argument.isOptional,
        },
      },
    ]),
    ...flags.map(([name, option]): [string, Parameter] => [
      toJsonName(name),
      { option, flag: toFlagName(name) },
    ]),
    // Repeating a write to read on would write twice.
    ...(command.isWrite ? [] : [['offset', offsetParameter] as const]),
  ]);
}

/** `firstName` -> `first_name`, as the specification names its fields. */
const toJsonName = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Returns the JSON Schema of a command's arguments and flags. `toText` converts their descriptions. */
export function buildInputSchema(command: AnyCommand, toText: (description: string) => string) {
  const parameters = [...listParameters(command)];
  return {
    type: 'object' as const,
    properties: Object.fromEntries(
      parameters.map(([name, { option }]) => [name, buildPropertySchema(option, command.isWrite, toText)]),
    ),
    required: parameters.flatMap(([name, { option }]) => (option.isRequired ? [name] : [])),
    additionalProperties: false,
  };
}

function buildPropertySchema(
  option: Parameter['option'],
  isWrite: boolean | undefined,
  toText: (text: string) => string,
): object {
  const { isRepeatable, reference, names } = option;
  const isNamed = reference !== undefined || (names !== undefined && names !== 'id' && names !== 'entry');
  const part = isNamed && !isWrite ? ', or a unique part of the name' : '';
  const description = toText(describeReference(option, part));
  const schema = buildValueSchema(option);
  return isRepeatable ? { type: 'array', items: schema, description } : { ...schema, description };
}

function buildValueSchema({ placeholder, choices, range, isObject }: Parameter['option']): object {
  if (placeholder === undefined) return { type: 'boolean' };
  if (range) {
    const { min: minimum, max: maximum } = range;
    return { type: 'integer', minimum, ...(maximum < Number.MAX_SAFE_INTEGER && { maximum }) };
  }
  if (isObject) return { type: 'object' };
  return { type: 'string', ...(choices && { enum: choices }) };
}

/** Returns the names of a tool's parameters. */
export function formatInputNames({ command }: Tool): string {
  return [...listParameters(command).keys()].join(', ');
}

/** Returns the command line for the values of a call. @throws {Failure} usage if a name or a type is wrong */
export function buildCommandLine(tool: Tool, values: Readonly<Record<string, unknown>>): string[] {
  const { words, command } = tool;
  const parameters = listParameters(command);
  const unknownName = Object.keys(values).find((name) => !parameters.has(name));
  if (unknownName !== undefined) {
    const names = formatInputNames(tool);
    throw new Failure('usage', `Unknown parameter "${unknownName}". ${tool.name} accepts: ${names}.`);
  }
  for (const [name, { isKeyImplied }] of Object.entries(command.args ?? {}))
    if (isKeyImplied && values[name] === undefined && ![values.id].flat().every(isKey))
      throw new Failure('usage', `${name} is required, unless id is the key of an entry, such as DEAL-1.`);
  // MCP clients ask for confirmation themselves.
  const flags = command.isWrite ? ['--yes'] : [];
  const args: string[] = [];
  for (const [name, parameter] of parameters) {
    const list = parameter.flag === undefined ? args : flags;
    if (parameter !== offsetParameter) list.push(...formatWords(name, parameter, values[name]));
  }
  return [...words, ...flags, '--', ...args];
}

const isKey = (value: unknown) => typeof value === 'string' && isEntryKey(value);

function formatWords(name: string, { option, flag }: Parameter, value: unknown): string[] {
  if (value === undefined || value === null) return [];
  if (option.isRepeatable && !Array.isArray(value)) throw new Failure('usage', `${name}: expected an array.`);
  const values: readonly unknown[] = option.isRepeatable && Array.isArray(value) ? value : [value];
  return values.flatMap((item) => {
    if (flag !== undefined && option.placeholder === undefined) {
      if (typeof item !== 'boolean') throw new Failure('usage', `${name}: expected true or false.`);
      return item ? [flag] : [];
    }
    const text = formatValue(name, item);
    if (option.valueSource === 'file' && /^(@|-$)/.test(text)) {
      throw new Failure('usage', `${name}: MCP tools cannot read local files.`, {
        hint: 'To send a text that begins with @, use the data parameter.',
      });
    }
    return flag === undefined ? text : `${flag}=${text}`;
  });
}

function formatValue(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  if (isObject(value)) return JSON.stringify(value);
  throw new Failure('usage', `${name}: unexpected value ${JSON.stringify(value)}.`);
}
