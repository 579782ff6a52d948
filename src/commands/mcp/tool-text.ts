import type { Tool } from './tools.ts';

/** Words of text that only a person at a command line can use. After a comma, `confirm` is a parameter of a list. */
const commandLineWords =
  /\bkith\b|--[a-z]|\b(terminal|pipe|editor|stdin|prompt|exit code|jq)\b|\bexits with\b|(?<!`|, )\bconfirm/i;

/** Replaces commands with the tools that are offered, and flags with the parameters of a tool. */
export function nameTools(text: string, tool: Tool, tools: readonly Tool[]): string {
  const named = tool.commands === 'batch' ? tools : [tool]; // its lines are calls of the other tools
  const parameters = named.flatMap(({ variants }) =>
    [...variants.values()].flatMap((variant) => [...variant.parameters]),
  );
  return text
    .replace(/`(kith [^`]+)`/g, '$1')
    .replace(/\bkith ([a-z-]+)(?: ([a-z-]+))?/g, (command, noun: string, verb = '') => {
      const full = describeCall(tools, [noun, verb]);
      if (full !== undefined) return full;
      const single = describeCall(tools, [noun]);
      return single === undefined ? command : `${single} ${verb}`.trim();
    })
    .replace(/--[a-z][a-z-]*/g, (flag) => {
      const [name] = parameters.find(([, parameter]) => parameter.flag === flag) ?? [];
      return name === undefined ? flag : `\`${name}\``;
    });
}

/** Returns the tool that runs a command, with its selector: "`records_list` with noun contacts". */
function describeCall(tools: readonly Tool[], words: readonly string[]): string | undefined {
  for (const { name, selector, variants } of tools)
    for (const [value, variant] of variants)
      if (variant.words.join(' ') === words.filter(Boolean).join(' '))
        return selector === undefined ? `\`${name}\`` : `\`${name}\` with ${selector} ${value}`;
  return undefined;
}

/**
 * Converts a text of the command line, such as a hint, to one for an MCP client. Clauses that only a person at a command
 * line can follow are left out; the result may be empty.
 */
export function toToolText(text: string, tool: Tool, tools: readonly Tool[]): string {
  const sentences = nameTools(text.replaceAll(' --yes', ''), tool, tools)
    .replace(/\bflags\b/g, 'parameters')
    .split(/(?<=\.) /);
  const converted = sentences.map((sentence) => {
    const clauses = sentence.split('; ').filter((clause) => !commandLineWords.test(clause));
    const end = sentence.endsWith('.') && clauses.length > 0 ? '.' : '';
    return clauses.join('; ').replace(/[.:]$/, '') + end;
  });
  return converted.filter(Boolean).join(' ');
}
