import { type AnyCommand, type CommandTree, formatCommandName } from '../../cli/command/command.ts';
import { isWrite } from '../../cli/command/effects.ts';
import { listCommandParameters, type Parameter } from '../../cli/flags/command-line.ts';
import { Failure } from '../../contract/errors.ts';
import { toolsets } from '../../contract/toolsets.ts';
import type { ResultLimit } from './result-limit.ts';
import { type ToolDefinition, toolTable } from './tool-table.ts';

export interface ToolCommand {
  /** The words of the command line: `contacts`, `find`. */
  readonly words: readonly string[];
  readonly command: AnyCommand;
  readonly parameters: ReadonlyMap<string, Parameter>;
}

export interface Tool extends ToolDefinition {
  readonly isWrite: boolean;
  /** The commands by the value of the selector; one command without a selector has an empty key. */
  readonly variants: ReadonlyMap<string, ToolCommand>;
}

/** The tools and limits of a server. */
export interface Offer {
  readonly tools: readonly Tool[];
  readonly limit: ResultLimit;
  /** The parts of a result that a client gets. */
  readonly results: 'both' | 'text' | 'structured';
}

/**
 * Returns the commands that tools may run, by their words. Commands that use local files are excluded, because a record
 * may contain instructions that the agent follows; `api` takes any request. Deals are entries.
 */
export async function loadToolCommands(tree: CommandTree): Promise<ReadonlyMap<string, AnyCommand>> {
  const entries = tree.filter(
    ({ title, name, isShorthand }) =>
      (title === 'Records:' && name !== 'api' && !isShorthand) || name === 'workspace',
  );
  const commands = entries.map(async (entry) =>
    (await entry.commands())
      .filter(
        ({ name, isFileBased }) =>
          entry.name === 'workspace' ? name === 'info' : !isFileBased || name === 'batch', // its tool takes no file
      )
      .map((command) => [formatCommandName(entry, command), command] as const),
  );
  return new Map((await Promise.all(commands)).flat());
}

/**
 * Returns the tools that read, and with `mayWrite` also the tools that write. `names`: names of tools, patterns such as
 * `records_*`, or sets such as `notes`, which select commands of tools; if omitted, all tools.
 * @throws {Failure} usage if a name matches no tool
 */
export async function loadTools(
  tree: CommandTree,
  mayWrite: boolean,
  names?: readonly string[],
): Promise<Tool[]> {
  const commands = await loadToolCommands(tree);
  const allTools = toolTable.map((definition) => buildTool(definition, commands));
  const tools = allTools.filter(({ isWrite }) => mayWrite || !isWrite);
  if (!names) return tools;
  const matchers = names.map(createMatcher);
  const select = (tool: Tool) => {
    const variants = [...tool.variants].filter(([, variant]) =>
      matchers.some((isMatch) => isMatch(tool, variant)),
    );
    return variants.length > 0 ? [{ ...tool, variants: new Map(variants) }] : [];
  };
  for (const [index, isMatch] of matchers.entries()) {
    const hasMatch = (tool: Tool) => [...tool.variants.values()].some((variant) => isMatch(tool, variant));
    if (tools.some(hasMatch)) continue;
    if (allTools.some(hasMatch))
      throw new Failure('usage', `--tools: "${names[index]}" writes.`, { hint: 'Add --allow-write.' });
    throw new Failure('usage', `--tools: no tool or set is named "${names[index]}".`, {
      hint: `Tools: ${tools.map(({ name }) => name).join(', ')}. Sets: ${Object.keys(toolsets).join(', ')}.`,
    });
  }
  return tools.flatMap(select);
}

/** Returns whether a name, a pattern or a set of `--tools` selects a command of a tool. */
function createMatcher(name: string): (tool: Tool, variant: ToolCommand) => boolean {
  if (name === 'read') return ({ isWrite }) => !isWrite;
  const words = Object.hasOwn(toolsets, name) ? toolsets[name] : undefined;
  const starts = words?.map((start) => `${start} `);
  if (starts) return (_, { words }) => starts.some((start) => `${words.join(' ')} `.startsWith(start));
  const parts = name.split('*').map((part) => part.replace(/[^\w-]/g, '\\$&'));
  const expression = new RegExp(`^${parts.join('.*')}$`);
  return (tool) => expression.test(tool.name);
}

function buildTool(definition: ToolDefinition, commands: ReadonlyMap<string, AnyCommand>): Tool {
  const { name } = definition;
  const variants = new Map(
    listCommandNames(definition).map(([value, words]) => {
      const command = commands.get(words);
      if (!command) throw new Error(`${name}: there is no command "${words}"`);
      return [value, buildVariant(definition, words, command)];
    }),
  );
  // A command whose writing flags are not offered only reads.
  const input = definition.omitted && {};
  const writes = [...variants.values()].some(({ command }) => isWrite(command, input));
  return { ...definition, variants, isWrite: writes };
}

function buildVariant(
  { renamed = {}, omitted }: ToolDefinition,
  words: string,
  command: AnyCommand,
): ToolCommand {
  const all = listCommandParameters(
    command,
    isWrite(command, omitted && {}) ? ['dryRun'] : ['limit', 'fields'],
  );
  for (const name of omitted ?? []) all.delete(name);
  const parameters = Array.from(all, ([name, parameter]): [string, Parameter] => [
    renamed[`${words} ${name}`] ?? name,
    parameter,
  ]);
  return { words: words.split(' '), command, parameters: new Map(parameters) };
}

/** Returns the values of a tool's selector and the words of their commands. */
export const listCommandNames = ({ commands }: Pick<ToolDefinition, 'commands'>): [string, string][] =>
  typeof commands === 'string' ? [['', commands]] : Object.entries(commands);
