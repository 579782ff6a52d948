import { buildCallLine, type Parameter } from '../../cli/flags/command-line.ts';
import { Failure } from '../../contract/errors.ts';
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

/** Returns the values of a call without null and empty texts, which hosts send for omitted parameters. */
export const omitEmptyInput = (values: ToolInput): ToolInput =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => !isOmitted(value)));

const isOmitted = (value: unknown) => value === null || value === '';

/** Converts a value from the forms in which hosts send it: a list for a comma-separated text, JSON text, and `"true"`. */
function convertValue(
  { isRepeatable, isCommaSeparated, placeholder }: Parameter['option'],
  value: unknown,
): unknown {
  if (placeholder === undefined) return value === 'true' ? true : value === 'false' ? false : value;
  const isList = isRepeatable || isCommaSeparated;
  const list = isList && typeof value === 'string' && value.startsWith('[') ? parseJson(value) : value;
  if (!Array.isArray(list)) return list;
  const items = list.filter((item) => !isOmitted(item));
  return isCommaSeparated ? items.join(',') || undefined : items;
}

/** Parses JSON. Returns any other text unchanged. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Returns the values of a call for the command that it selects. @throws {Failure} usage if a name is wrong or missing */
export function convertInput(tool: Tool, { parameters }: ToolCommand, values: ToolInput): ToolInput {
  const isOwn = (name: string) => name === tool.selector || takesOwnParameter(tool, name);
  const selection =
    tool.selector === undefined ? '' : ` for the ${tool.selector} ${String(values[tool.selector])}`;
  const ownValues: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    if (isOwn(name)) continue;
    const parameter = parameters.get(name);
    if (!parameter) throw new Failure('usage', `Unknown parameter "${name}"${selection}.`);
    ownValues[name] = convertValue(parameter.option, value);
  }
  for (const [name, { option }] of parameters)
    if (values[name] === undefined && option.isRequired)
      throw new Failure('usage', `${name} is required${selection}.`);
  return ownValues;
}

/** Returns the command line for the values of a call. @throws {Failure} usage if a name or a type is wrong */
export function buildCommandLine(tool: Tool, variant: ToolCommand, values: ToolInput): string[] {
  const { words, command, parameters } = variant;
  const rules = { parameters, callers: 'MCP tools', isUnconfirmed: true };
  return buildCallLine({ name: tool.name, words, command }, convertInput(tool, variant, values), rules);
}
