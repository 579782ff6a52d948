import type { AnyCommand, Argument } from '../command/command.ts';
import { globalGroups } from '../flags/globals.ts';
import { type Option, toFlagName } from '../flags/options.ts';
import { describeReference } from '../flags/references.ts';

/** An argument or a flag of a command, as a parameter of a tool. */
export interface Parameter {
  readonly option: Omit<Option<unknown>, 'parse'> & Pick<Argument, 'names' | 'isKeyImplied'>;
  /** The flag, such as `--limit`; undefined for an argument. */
  readonly flag?: string;
}

/** The global flags that are parameters of tools that read, and of tools that write. */
const sharedFlags = { read: ['limit', 'fields'], write: ['dryRun'] };

/** The flags that continue or shape the output of a command in ways that tools have of their own. */
const ownFlags = ['after', 'idsOnly'];

/** Returns the arguments and flags of a command by their names in JSON. */
export function listParameters(command: AnyCommand): ReadonlyMap<string, Parameter> {
  const shared = command.isWrite ? sharedFlags.write : sharedFlags.read;
  const globals = globalGroups
    .filter(({ isFor }) => isFor(command))
    .flatMap(({ options }) => Object.entries(options).filter(([name]) => shared.includes(name)));
  const flags = [...Object.entries(command.options ?? {}), ...globals].filter(
    ([name, { completion }]) =>
      completion !== 'files' && completion !== 'folders' && !ownFlags.includes(name),
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
  ]);
}

/** `firstName` -> `first_name`, as the specification names its fields. */
const toJsonName = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Describes a parameter as its command does. */
export function describeParameter({ option }: Parameter, isWrite: boolean): string {
  const { reference, names } = option;
  const isNamed = reference !== undefined || (names !== undefined && names !== 'id' && names !== 'entry');
  return describeReference(option, isNamed && !isWrite ? ', or a unique part of the name' : '');
}

/** Returns the JSON Schema of a parameter's value. */
export function buildParameterSchema({ option }: Parameter): object {
  const schema = buildValueSchema(option);
  return option.isRepeatable ? { type: 'array', items: schema } : schema;
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
