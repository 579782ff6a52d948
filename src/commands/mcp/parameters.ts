import type { AnyCommand } from '../../cli/command/command.ts';
import { isWrite } from '../../cli/command/effects.ts';
import { listCommandParameters, type Parameter } from '../../cli/flags/command-line.ts';
import { describeReference } from '../../cli/flags/references.ts';

/** The global flags that are parameters of tools that read, and of tools that write. */
const sharedFlags = { read: ['limit', 'fields'], write: ['dryRun'] };

/** Returns the arguments and flags of a command by their names in JSON. */
export const listParameters = (command: AnyCommand): ReadonlyMap<string, Parameter> =>
  listCommandParameters(command, isWrite(command) ? sharedFlags.write : sharedFlags.read);

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
