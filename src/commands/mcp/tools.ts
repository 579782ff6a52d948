import { type AnyCommand, type CommandTree, formatCommandName } from '../../cli/command/command.ts';
import { isWrite } from '../../cli/command/effects.ts';
import { listCommandParameters, type Parameter } from '../../cli/flags/command-line.ts';
import { Failure } from '../../contract/errors.ts';
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
  /** Maximum length of the text of a result, so that it fits into the context of an agent. */
  readonly maxCharacters: number;
  /** The parts of a result that a client gets. */
  readonly results: 'both' | 'text' | 'structured';
}

/**
 * Returns the commands that tools may run, by their words. Commands that use local files are excluded, because a record
 * may contain instructions that the agent follows; `api` takes any request. Deals are entries.
 */
export async function loadToolCommands(tree: CommandTree): Promise<ReadonlyMap<string, AnyCommand>> {
  const entries = tree.filter(
    ({ title, name, isShorthand }) => title === 'Records:' && name !== 'api' && !isShorthand,
  );
  const commands = entries.map(async (entry) =>
    (await entry.commands())
      .filter(({ isFileBased }) => !isFileBased)
      .map((command) => [formatCommandName(entry, command), command] as const),
  );
  return new Map((await Promise.all(commands)).flat());
}

/**
 * Returns the tools that read, and with `mayWrite` also the tools that write. `patterns`: names of tools, or patterns such as
 * `records_*`; if omitted, all tools.
 * @throws {Failure} usage if a pattern matches no tool
 */
export async function loadTools(
  tree: CommandTree,
  mayWrite: boolean,
  patterns?: readonly string[],
): Promise<Tool[]> {
  const commands = await loadToolCommands(tree);
  const allTools = toolTable.map((definition) => buildTool(definition, commands));
  const tools = allTools.filter(({ isWrite }) => mayWrite || !isWrite);
  if (!patterns) return tools;
  const matchers = patterns.map((pattern) => {
    const parts = pattern.split('*').map((part) => part.replace(/[^\w-]/g, '\\$&'));
    const expression = new RegExp(`^${parts.join('.*')}$`);
    return { pattern, isMatch: ({ name }: Tool) => expression.test(name) };
  });
  for (const { pattern, isMatch } of matchers) {
    if (tools.some(isMatch)) continue;
    if (allTools.some(isMatch))
      throw new Failure('usage', `--tools: "${pattern}" writes.`, { hint: 'Add --allow-write.' });
    const names = tools.map(({ name }) => name).join(', ');
    throw new Failure('usage', `--tools: no tool is named "${pattern}".`, { hint: `Tools: ${names}.` });
  }
  return tools.filter((tool) => matchers.some(({ isMatch }) => isMatch(tool)));
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
  return { ...definition, variants, isWrite: [...variants.values()].some(({ command }) => isWrite(command)) };
}

function buildVariant({ renamed = {} }: ToolDefinition, words: string, command: AnyCommand): ToolCommand {
  const all = listCommandParameters(command, isWrite(command) ? ['dryRun'] : ['limit', 'fields']);
  const parameters = Array.from(all, ([name, parameter]): [string, Parameter] => [
    renamed[`${words} ${name}`] ?? name,
    parameter,
  ]);
  return { words: words.split(' '), command, parameters: new Map(parameters) };
}

/** Returns the values of a tool's selector and the words of their commands. */
export const listCommandNames = ({ commands }: Pick<ToolDefinition, 'commands'>): [string, string][] =>
  typeof commands === 'string' ? [['', commands]] : Object.entries(commands);
