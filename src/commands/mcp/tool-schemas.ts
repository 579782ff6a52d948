import type { AnyCommand } from '../../cli/command/command.ts';
import type { Parameter } from '../../cli/flags/command-line.ts';
import { describeForms } from '../../cli/flags/references.ts';
import { sharedTexts, whereGrammar } from './tool-table.ts';
import { toToolText } from './tool-text.ts';
import type { Offer, Tool } from './tools.ts';

/** The parameters that no command has, by name. */
const ownParameters = {
  cursor: { type: 'string' }, // the instructions explain it
  confirm: { type: 'string', description: 'Token of the question, once the user has agreed' },
} as const;

/** Whether a tool takes a parameter that no command has. Repeating a write to read on would write twice. */
export const takesOwnParameter = ({ isWrite, isConfirmed }: Tool, name: string) =>
  name === 'cursor' ? !isWrite : name === 'confirm' && isConfirmed === true;

/** Describes a tool for a client, with the schemas of its input and its structured results. */
export function describeTool(tool: Tool, { tools, results }: Offer) {
  const { name, title, isWrite, variants } = tool;
  const inputSchema = buildInputSchema(tool, tools);
  const hasWhere = Object.hasOwn(inputSchema.properties, 'where');
  // An action item that is marked can be reopened.
  const isHarmless = ({ effects }: AnyCommand) => effects === 'creates' || effects === 'marks';
  const isDestructive = [...variants.values()].some(({ command }) => !isHarmless(command));
  return {
    name,
    description: `${tool.description}${hasWhere ? ` ${whereGrammar}` : ''}`,
    inputSchema,
    ...(results !== 'text' && { outputSchema: outputSchemas[tool.output] }),
    annotations: {
      title,
      readOnlyHint: !isWrite,
      ...(isWrite && { destructiveHint: isDestructive, ...(tool.isIdempotent && { idempotentHint: true }) }),
      openWorldHint: false,
    },
  };
}

/** Returns the JSON Schema of a tool's parameters, which are the parameters of all its commands. */
function buildInputSchema(tool: Tool, tools: readonly Tool[]) {
  const { selector, variants } = tool;
  const byName = new Map<string, [value: string, parameter: Parameter][]>();
  for (const [value, { parameters }] of variants)
    for (const [name, parameter] of parameters)
      byName.set(name, [...(byName.get(name) ?? []), [value, parameter]]);
  const isShared = (uses: readonly unknown[]) => uses.length === variants.size;
  const properties = Array.from(byName, ([name, uses]) => {
    const description = describeUses(tool, tools, name, uses, isShared(uses));
    const [[, parameter] = []] = uses;
    const schema = parameter && buildParameterSchema(parameter, name === tool.joined);
    return [name, { ...schema, ...(description && { description }) }];
  });
  const required = Array.from(byName)
    .filter(([, uses]) => isShared(uses) && uses.every(([, { option }]) => option.isRequired))
    .map(([name]) => name);
  const names = [...(selector ? [selector] : []), ...required];
  const own = Object.entries(ownParameters).filter(([name]) => takesOwnParameter(tool, name));
  return {
    type: 'object' as const,
    properties: {
      ...(selector && { [selector]: { type: 'string', enum: [...variants.keys()] } }),
      ...Object.fromEntries([...properties, ...own]),
    } as Record<string, object>,
    ...(names.length > 0 && { required: names }),
    additionalProperties: false,
  };
}

/** Describes a parameter. If only some values of the selector have it, the text begins with them. */
function describeUses(
  tool: Tool,
  tools: readonly Tool[],
  name: string,
  uses: readonly (readonly [value: string, parameter: Parameter])[],
  isShared: boolean,
): string {
  const [[, parameter] = []] = uses;
  const ownText = tool.texts?.[name] ?? sharedTexts[name];
  const text =
    ownText ?? (parameter ? toToolText(describeParameter(parameter, tool.isWrite), tool, tools) : '');
  const values = uses.map(([value]) => value).join(', ');
  if (isShared) return text;
  return text ? `${values}: ${text}` : `for ${values}`;
}

/** Describes a parameter as its command does. */
function describeParameter({ option }: Parameter, isWrite: boolean): string {
  const { summary, reference, names } = option;
  const isNamed = reference !== undefined || (names !== undefined && names !== 'id' && names !== 'entry');
  const more = isNamed && !isWrite ? ', or a unique part of the name' : '';
  return reference ? `${summary} (${describeForms(reference.kind)}${more})` : `${summary}${more}`;
}

function buildParameterSchema({ option }: Parameter, isJoined: boolean): object {
  const schema = buildValueSchema(option);
  return option.isRepeatable && !isJoined ? { type: 'array', items: schema } : schema;
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

const records = { type: 'array', items: { type: 'object' } };
const pagination = { type: 'object' }; // the instructions explain its members

/** The schemas of structured results. Each result has the first property, `text` if it is truncated, or `error`. */
const outputSchemas: Readonly<
  Record<Tool['output'], { type: 'object'; properties: Record<string, object> }>
> = {
  list: { type: 'object', properties: { records, pagination } },
  records: { type: 'object', properties: { records } },
  document: { type: 'object', properties: { value: { type: 'object' } } },
  text: { type: 'object', properties: { text: { type: 'string' }, pagination } },
};
