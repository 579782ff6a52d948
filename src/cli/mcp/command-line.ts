import { Failure } from '../../contract/errors.ts';
import { isObject } from '../../values/json-object.ts';
import { isEntryKey } from '../flags/references.ts';
import type { Parameter } from './parameters.ts';
import { takesOwnParameter } from './tool-schemas.ts';
import type { Tool, ToolCommand } from './tools.ts';

/** The values of a call by parameter. */
export type ToolInput = Readonly<Record<string, unknown>>;

/** Returns the command that the selector of a call selects. @throws {Failure} usage if it has no such value */
export function selectVariant({ selector, variants }: Tool, values: ToolInput): ToolCommand {
  const value = selector === undefined ? '' : values[selector];
  const variant = typeof value === 'string' ? variants.get(value) : undefined;
  if (variant) return variant;
  const choices = [...variants.keys()].join(', ');
  if (value === undefined) throw new Failure('usage', `${selector} is required: ${choices}.`);
  throw new Failure('usage', `${selector}: ${JSON.stringify(value)} is not one of ${choices}.`);
}

/** Returns the names of the parameters that a command of a tool takes. */
export function formatInputNames(tool: Tool, { parameters }: ToolCommand): string {
  const own = ['cursor', 'confirm'].filter((name) => takesOwnParameter(tool, name));
  return [...(tool.selector ? [tool.selector] : []), ...parameters.keys(), ...own].join(', ');
}

/** Returns the command line for the values of a call. @throws {Failure} usage if a name or a type is wrong */
export function buildCommandLine(tool: Tool, variant: ToolCommand, values: ToolInput): string[] {
  const { words, parameters } = variant;
  const isKnown = (name: string) =>
    name === tool.selector || parameters.has(name) || takesOwnParameter(tool, name);
  const unknownName = Object.keys(values).find((name) => !isKnown(name));
  if (unknownName !== undefined)
    throw new Failure('usage', `Unknown parameter "${unknownName}"${describeSelection(tool, values)}.`);
  for (const [name, { option }] of parameters) {
    const isMissing = values[name] === undefined || values[name] === null;
    if (isMissing && option.isRequired)
      throw new Failure('usage', `${name} is required${describeSelection(tool, values)}.`);
    if (isMissing && option.isKeyImplied && ![values.id].flat().every(isKey))
      throw new Failure('usage', `${name} is required, unless id is the key of an entry, such as DEAL-1.`);
  }
  const flags: string[] = [];
  const args: string[] = [];
  for (const [name, parameter] of parameters)
    (parameter.flag === undefined ? args : flags).push(...formatWords(name, parameter, values[name]));
  return [...words, ...flags, '--', ...args];
}

const describeSelection = ({ selector }: Tool, values: ToolInput) =>
  selector === undefined ? '' : ` for the ${selector} ${String(values[selector])}`;

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
